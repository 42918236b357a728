// This file tests that a release is the same whoever makes it. Make reproduce runs it,
// because it builds everything twice.

package dist_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// reproduced are the platforms that are compared.
const reproduced = "linux/amd64,windows/arm64"

// Two checkouts of one commit differ in all that a checkout can differ in, and so do the
// machines' settings. What promptc makes of them is the same: the generated package, and
// each byte and mode of a release.
func TestReproduce(t *testing.T) {
	if os.Getenv("PROMPTC_REPRODUCE") == "" {
		t.Skip("make reproduce runs it")
	}
	files := tracked(t)
	promptc := filepath.Join(t.TempDir(), "promptc")
	command(t, root, nil, "go", "build", "-o", promptc, "./cmd/promptc")
	modules := strings.TrimSpace(command(t, root, nil, "go", "env", "GOMODCACHE"))

	plain := filepath.Join(t.TempDir(), "a")
	checkout(t, root, plain, files, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), nil)
	command(t, plain, nil, "git", "init", "-q")
	command(t, plain, nil, "git", "add", ".")
	command(t, plain, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "a")
	first := releaseIn(t, plain, promptc, "022", "TZ=UTC", "LC_ALL=C", "GOMAXPROCS=1")

	// The other has no git, CRLF line ends, files written in another order, a long
	// path, and caches of its own, so that nothing built for the one is in the other.
	other := filepath.Join(t.TempDir(), strings.Repeat("long-", 20), "path with spaces")
	slices.Reverse(files)
	checkout(t, plain, other, files, time.Date(2031, 12, 31, 23, 59, 59, 0, time.UTC), crlf)
	generated := filepath.Join(other, "catalog", "baked")
	if err := os.RemoveAll(generated); err != nil {
		t.Fatal(err)
	}
	command(t, other, nil, promptc, "generate", "-o", "catalog/baked", "content")
	if a, b := contents(t, filepath.Join(plain, "catalog", "baked")), contents(t, generated); !maps.Equal(a, b) {
		t.Errorf("the generated package differs in %q", differing(a, b))
	}
	second := releaseIn(t, other, promptc, "077",
		"TZ=Pacific/Chatham", "LC_ALL=tr_TR.UTF-8", "LANG=tr_TR.UTF-8", "GOMAXPROCS=7", "USER=somebody",
		"GOCACHE="+t.TempDir(), "GOMODCACHE="+t.TempDir(), "GOPROXY=file://"+filepath.ToSlash(modules)+"/cache/download", "GOSUMDB=off",
		"GOFLAGS=-modcacherw -buildvcs=true -tags=x -gcflags=-N", "GOAMD64=v3", "GOARM64=v9.0", "CGO_ENABLED=1", "GOOS=plan9", "GOFIPS140=latest",
	)
	if !maps.Equal(first, second) {
		t.Errorf("the releases differ in %q", differing(first, second))
	}
	if len(first) < 10 {
		t.Errorf("a release has only %d files", len(first))
	}
}

// releaseIn makes a release in a checkout, with another umask and environment, and
// returns what is in it.
func releaseIn(t *testing.T, dir, promptc, umask string, environment ...string) map[string]string {
	t.Helper()
	environment = append(environment, "SOURCE_DATE_EPOCH=")
	command(t, dir, environment, "sh", "-c", "umask "+umask+` && exec "$@"`, "sh",
		promptc, "package", "--target", reproduced, "--license", "Apache-2.0",
		"--name", "io.github.owner/server", "--download-url", "https://github.com/owner/server/releases/download/v1", "--image", "ghcr.io/owner/server",
		"--description", "Prompts and skills.", "./cmd/promptd")
	return contents(t, filepath.Join(dir, "dist"))
}

// tracked returns the files of this checkout that git knows or would take.
func tracked(t *testing.T) []string {
	t.Helper()
	out := command(t, root, nil, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	var files []string
	for _, name := range strings.Split(strings.TrimSuffix(out, "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil { // it may be removed and not committed
			files = append(files, name)
		}
	}
	if len(files) < 100 {
		t.Fatalf("git lists %d files", len(files))
	}
	return files
}

// checkout copies files from one directory to another, in their order.
func checkout(t *testing.T, from, dir string, files []string, at time.Time, convert func(name string, data []byte) []byte) {
	t.Helper()
	for _, name := range files {
		data := read(t, from, name)
		if convert != nil {
			data = convert(name, data)
		}
		to := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(to, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// crlf gives the texts that are released CRLF line ends, as a checkout on Windows would
// without .gitattributes.
func crlf(name string, data []byte) []byte {
	content := strings.HasPrefix(name, "content/") && (strings.HasSuffix(name, ".md") || name == "content/catalog.yaml")
	if !content && name != "LICENSE" && name != "README.md" {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
}

// contents returns the mode and the digest of each file in a directory, and the mode of
// each directory below it.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(relative)] = info.Mode().String()
		if !d.IsDir() {
			all[filepath.ToSlash(relative)] += fmt.Sprintf(" %x", sha256.Sum256(read(t, "", name)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// differing returns the names under which two maps have other values.
func differing(a, b map[string]string) []string {
	var names []string
	for _, m := range []map[string]string{a, b} {
		for name := range m {
			if a[name] != b[name] && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// command runs a program in a directory, and returns what it prints.
func command(t *testing.T, dir string, environment []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), environment...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), args, err, &stderr)
	}
	return string(out)
}
