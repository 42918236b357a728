// This file tests how older states are read: from git, from servers, and from what is
// neither.

package breaking

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed33527553/promptc/gen"
)

func TestMemory(t *testing.T) {
	m := newMemory()
	for _, p := range []string{"b/c/d.md", "a.md", "b/a.md", "b/z/y.md"} {
		if err := m.add(p, 0o444, int64(len(p)), []byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := fstest.TestFS(m, "a.md", "b/a.md", "b/c/d.md", "b/z/y.md"); err != nil {
		t.Error(err)
	}
	for _, p := range []string{"a.md", "b", "a.md/x", "b/c/d.md/x/y"} {
		if err := m.add(p, 0o444, 0, nil); err == nil {
			t.Errorf("%s can be added", p)
		}
	}
}

// archived returns a tar archive of entries.
func archived(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, strings.Repeat("x", int(h.Size))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	good := archived(t, &tar.Header{Typeflag: tar.TypeDir, Name: "b/"}, &tar.Header{Typeflag: tar.TypeReg, Name: "b/a.md", Size: 5}, &tar.Header{Typeflag: tar.TypeReg, Name: "c.md"})
	tree, err := Archive(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(tree, "b/a.md", "c.md"); err != nil {
		t.Error(err)
	}
	if _, err := Archive(bytes.NewReader(archived(t))); err != nil {
		t.Errorf("an archive of nothing: %v", err)
	}
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"nothing":          {nil, "it wrote no archive"},
		"no archive":       {[]byte(strings.Repeat("no archive ", 100)), "no tar archive"},
		"half an archive":  {good[:len(good)-1700], "not whole"},
		"one cut off":      {good[:len(good)-1024], "not whole"},
		"a path out of it": {archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "../a.md"}), `the path "../a.md"`},
		"an absolute path": {archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "/a.md"}), `the path "/a.md"`},
		"the root":         {archived(t, &tar.Header{Typeflag: tar.TypeDir, Name: "./"}), `the path "./"`},
		"a link":           {archived(t, &tar.Header{Typeflag: tar.TypeSymlink, Name: "a.md", Linkname: "/etc/passwd"}), "neither file nor directory"},
		"a file twice":     {archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "a"}, &tar.Header{Typeflag: tar.TypeReg, Name: "a"}), `"a" twice`},
		"a file in a file": {archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "a"}, &tar.Header{Typeflag: tar.TypeReg, Name: "a/b"}), `"a/b" below it`},
		"a large file":     {archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "a", Size: gen.MaxFileBytes + 1}), "more than 16777216 bytes"},
	} {
		if _, err := Archive(bytes.NewReader(test.archive)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
}

// Whatever a program writes, what is read is within the limits and makes a file system.
func FuzzArchive(f *testing.F) {
	f.Add(archived(f, &tar.Header{Typeflag: tar.TypeDir, Name: "b/"}, &tar.Header{Typeflag: tar.TypeReg, Name: "b/a.md", Size: 5}))
	f.Add(archived(f, &tar.Header{Typeflag: tar.TypeReg, Name: strings.Repeat("long/", 50) + "a.md", Format: tar.FormatPAX}))
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := Archive(bytes.NewReader(data))
		if err != nil {
			return
		}
		sound(t, tree)
	})
}

// sound fails unless every file of a tree can be read by its path, and has its size.
func sound(t *testing.T, tree fs.FS) {
	t.Helper()
	err := fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(tree, p)
		if err == nil && int64(len(data)) != info.Size() {
			err = errors.New("another size")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

const object = "0123456789012345678901234567890123456789"

func TestReadTree(t *testing.T) {
	entry := func(mode, kind, size, path string) string {
		return mode + " " + kind + " " + object + " " + size + "\t" + path + "\x00"
	}
	list, err := readTree(strings.NewReader(entry("100644", "blob", "     12", "a b.md") + entry("120000", "blob", "3", "c/link") +
		entry("160000", "commit", "      -", "module") + entry("100755", "blob", "0", ".hidden/x") + entry("100644", "blob", "0", "d/.e")))
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	if a := list[0]; a.path != "a b.md" || a.size != 12 || a.object != object || !a.mode.IsRegular() {
		t.Errorf("got %+v", a)
	}
	if l := list[1]; l.path != "c/link" || l.mode.Type() != fs.ModeSymlink {
		t.Errorf("got %+v", l)
	}
	for name, text := range map[string]string{
		"no NUL":         strings.TrimSuffix(entry("100644", "blob", "1", "a"), "\x00"),
		"no tab":         "100644 blob " + object + " 1 a\x00",
		"no size":        entry("100644", "blob", "", "a"),
		"a size below 0": entry("100644", "blob", "-1", "a"),
		"another object": "100644 blob abc 1\ta\x00",
		"another mode":   entry("040000", "tree", "-", "a"),
		"a path out":     entry("100644", "blob", "1", "/a"),
		"a long path":    entry("100644", "blob", "1", strings.Repeat("x/", maxPath)+"a"),
		"too much":       strings.Repeat(entry("100644", "blob", "16777216", "a"), gen.MaxTreeBytes/gen.MaxFileBytes+1),
	} {
		if _, err := readTree(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadBlobs(t *testing.T) {
	contents := map[string][]byte{}
	if err := readBlobs(strings.NewReader(object+" blob 3\na\nb\n"), []string{object}, contents); err != nil || string(contents[object]) != "a\nb" {
		t.Error(contents, err)
	}
	for _, text := range []string{"", object, object + " missing\n", object + " tree 3\nabc\n", object + " blob 3\nabcd\n", object + " blob 3\nab",
		object + " blob -1\n\n", object + " blob 99999999999\n", "x" + object + " blob 3\nabc\n"} {
		if err := readBlobs(strings.NewReader(text), []string{object}, map[string][]byte{}); err == nil {
			t.Errorf("%q is no error", text)
		}
	}
}

// Whatever is printed in git's name, paths stay inside and sizes are as they are said.
func FuzzGit(f *testing.F) {
	f.Add("100644 blob "+object+"       3\ta/b.md\x00120000 blob "+object+" 3\tlink\x00", object+" blob 3\nabc\n")
	f.Add("160000 commit "+object+" -\tmodule\x00", object+" missing\n")
	f.Fuzz(func(t *testing.T, listed, printed string) {
		if list, err := readTree(strings.NewReader(listed)); err == nil {
			tree := newMemory()
			for _, b := range list {
				if !fs.ValidPath(strings.ToValidUTF8(b.path, "?")) || b.size < 0 {
					t.Errorf("got %+v", b)
				}
				if err := tree.add(b.path, b.mode, b.size, nil); err != nil {
					return
				}
			}
		}
		contents := map[string][]byte{}
		if err := readBlobs(strings.NewReader(printed), []string{object}, contents); err == nil && !strings.Contains(printed, string(contents[object])) {
			t.Errorf("got %q of %q", contents[object], printed)
		}
	})
}

// repository makes a git repository with files and a tag, whatever the user's
// configuration says, and returns its directory.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not in PATH")
	}
	dir := t.TempDir()
	for _, v := range [][2]string{{"HOME", dir}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CONFIG_GLOBAL", os.DevNull},
		{"GIT_AUTHOR_NAME", "A"}, {"GIT_AUTHOR_EMAIL", "a@example.com"}, {"GIT_COMMITTER_NAME", "A"}, {"GIT_COMMITTER_EMAIL", "a@example.com"}} {
		t.Setenv(v[0], v[1])
	}
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}, {"tag", "v1"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

// What is read is what was committed: not what attributes make of it when it is checked
// out or archived.
func TestCommit(t *testing.T) {
	files := map[string]string{
		"content/a.md": "$Id$\n", "content/b/ä.md": "b", "content/b/same.md": "b", "content/picture.png": "\x00\xff",
		"content/.hidden/x": "x", ".gitattributes": "*.md ident export-ignore\n*.md filter=broken\n", "promptc.lock": "{}", "promptc.vendor/x/a.md": "y", "other/a.md": "z",
	}
	dir := repository(t, files)
	if err := os.WriteFile(filepath.Join(dir, "content", "a.md"), []byte("changed"), 0o666); err != nil {
		t.Fatal(err)
	}
	content, beside, err := Commit(t.Context(), filepath.Join(dir, "content"), "content", "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(content, "a.md", "b/ä.md", "b/same.md", "picture.png"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"content/a.md", "content/b/ä.md", "content/b/same.md", "content/picture.png", "promptc.lock", "promptc.vendor/x/a.md"} {
		if data, err := fs.ReadFile(beside, name); err != nil || string(data) != files[name] {
			t.Errorf("%s is %q, want %q (%v)", name, data, files[name], err)
		}
	}
	for _, name := range []string{"content/.hidden/x", "other/a.md", ".gitattributes"} {
		if _, err := fs.Stat(beside, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there (%v)", name, err)
		}
	}
	root, none, err := Commit(t.Context(), dir, ".", "HEAD")
	if err != nil || none != nil {
		t.Fatal(none, err)
	}
	if _, err := fs.Stat(root, "other/a.md"); err != nil {
		t.Error(err)
	}
}

// A wait that ends is an error that says so, and leaves nothing behind.
func TestTooLong(t *testing.T) {
	dir := repository(t, map[string]string{"content/a.md": "a"})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Commit(ended, filepath.Join(dir, "content"), "content", "v1"); err == nil || err.Error() != "git took too long" {
		t.Errorf("error %v", err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	program, started := filepath.Join(dir, "server"), filepath.Join(dir, "started")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: >'"+started+"'\nexec sleep 600\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				stop()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	if _, _, err := Program(ctx, program); err == nil || err.Error() != "its command tree took too long" {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(started); err != nil {
		t.Error(err)
	}
}

// writes returns a program that writes an archive.
func writes(t *testing.T, archive []byte) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "archive"), filepath.Join(dir, "server")
	script := "#!/bin/sh\n[ \"$*\" = tree ] && exec cat '" + file + "'\n"
	if err := errors.Join(os.WriteFile(file, archive, 0o666), os.WriteFile(program, []byte(script), 0o777)); err != nil {
		t.Fatal(err)
	}
	return program
}

// What a server writes is a content directory and what was vendored beside it.
func TestProgram(t *testing.T) {
	dir, file := &tar.Header{Typeflag: tar.TypeDir, Name: "content/"}, &tar.Header{Typeflag: tar.TypeReg, Name: "content", Size: 1}
	below := &tar.Header{Typeflag: tar.TypeReg, Name: "content/a.md", Size: 3}
	lock := &tar.Header{Typeflag: tar.TypeReg, Name: gen.LockFile, Size: 2}
	content, beside, err := Program(t.Context(), writes(t, archived(t, dir, below, lock)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fstest.TestFS(content, "a.md"), fstest.TestFS(beside, "content/a.md", gen.LockFile)); err != nil {
		t.Error(err)
	}
	if content, _, err = Program(t.Context(), writes(t, archived(t, dir))); err != nil {
		t.Fatal(err)
	}
	if list, err := fs.ReadDir(content, "."); err != nil || len(list) > 0 {
		t.Errorf("of nothing there is %v (%v)", list, err)
	}
	for name, archive := range map[string][]byte{
		"nothing": archived(t), "other files": archived(t, lock), "a file of that name": archived(t, file),
	} {
		if _, _, err := Program(t.Context(), writes(t, archive)); err == nil || err.Error() != "its archive has no directory content" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A server that writes without end is stopped, in its archive and after it.
func TestEndlessServer(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	whole := archived(t, &tar.Header{Typeflag: tar.TypeReg, Name: "a", Size: 1 << 10})
	for want, start := range map[string][]byte{
		"it wrote what is no tar archive, or not a whole one": whole[:512],
		"it wrote more than an archive":                       whole,
	} {
		dir := t.TempDir()
		file, program := filepath.Join(dir, "start"), filepath.Join(dir, "server")
		script := "#!/bin/sh\ncat '" + file + "'\nexec yes\n"
		if err := errors.Join(os.WriteFile(file, start, 0o666), os.WriteFile(program, []byte(script), 0o777)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Program(t.Context(), program); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
