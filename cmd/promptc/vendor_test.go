// This file tests promptc vendor where it is interrupted, forbidden to write, or finds
// what others made.

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

// A release is content with sources, and what is vendored beside it.
type release struct {
	*place
	git *sourcetest.Server
	env []string
}

func newRelease(t *testing.T, git *sourcetest.Server, sources ...string) *release {
	t.Helper()
	r := &release{newPlace(t, "p"), git, environ(t, git, map[string]string{"PROMPTC_USER_PROMPTS_REPO": "", "PROMPTC_USER_PROMPTS_CACHE_TTL": ""})}
	r.name(sources...)
	r.write("../go.mod", "module example.com/x\n")
	return r
}

// name names branches of the repository as the sources.
func (r *release) name(branches ...string) {
	r.t.Helper()
	text := "catalog:\n  name: x\nsources:\n"
	for _, b := range branches {
		text += fmt.Sprintf("  - {repository: %s, name: %s, branch: %s, token: PROMPTC_GIT_TOKEN, on_invalid: skip}\n", r.git.URL, b, b)
	}
	r.write("catalog.yaml", text)
}

// command is promptc, run where the content directory is.
func (r *release) command(args ...string) *exec.Cmd {
	cmd := exec.Command("promptc", args...)
	cmd.Dir = filepath.Dir(r.dir)
	cmd.Env = append(os.Environ(), r.env...)
	return cmd
}

// run runs promptc, which must end with the status, and returns what it said.
func (r *release) run(status int, args ...string) string {
	r.t.Helper()
	cmd := r.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		r.t.Fatalf("promptc %s: exit status %d, want %d: %s", strings.Join(args, " "), got, status, out)
	}
	if strings.Contains(string(out), filepath.Dir(r.dir)) {
		r.t.Errorf("a path of this machine: %s", out)
	}
	return string(out)
}

// vendored returns the files that Vendor writes.
func (r *release) vendored() map[string]string {
	r.t.Helper()
	files := map[string]string{}
	around := os.DirFS(filepath.Dir(r.dir))
	err := fs.WalkDir(around, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(name, "promptc.") && !strings.HasPrefix(name, ".promptc") {
			return err
		}
		text, err := fs.ReadFile(around, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

func (r *release) beside(name string) string { return filepath.Join(filepath.Dir(r.dir), name) }

func TestVendorIsReproducible(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	first := team("t1")
	first["LICENSE"] = "Do what you like.\n"
	git.Push("one", first)
	git.Push("two", team("t2", "t1"))
	a, b := newRelease(t, git, "two", "one"), newRelease(t, git, "two", "one")
	a.run(0, "vendor")
	b.run(0, "vendor", "--update")
	b.run(0, "vendor", "--update")
	files := a.vendored()
	if !maps.Equal(files, b.vendored()) {
		t.Errorf("two vendorings differ:\n%v\n%v", files, b.vendored())
	}
	want := []string{"promptc.lock", "promptc.vendor/one/LICENSE", "promptc.vendor/one/t1.md", "promptc.vendor/two/t1.md", "promptc.vendor/two/t2.md"}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("the files are %q", got)
	}
	// The order is that of catalog.yaml: who comes first has the name.
	lock := files["promptc.lock"]
	if strings.Index(lock, `"name": "two"`) > strings.Index(lock, `"name": "one"`) {
		t.Errorf("the lock is %s", lock)
	}
	source := func() string {
		t.Helper()
		for line := range strings.Lines(a.run(0, "list")) {
			if f := strings.Fields(line); f[1] == "t1" {
				return f[3]
			}
		}
		return ""
	}
	if got := source(); got != "two" {
		t.Errorf("t1 is of %q", got)
	}
	fetches := git.Fetches.Load()
	a.name("one", "two")
	a.run(0, "vendor")
	if got := source(); got != "one" || git.Fetches.Load() != fetches {
		t.Errorf("in the other order, t1 is of %q, after %d fetches more", got, git.Fetches.Load()-fetches)
	}
	// The same release compiles to the same bytes.
	a.name("two", "one")
	a.run(0, "vendor")
	a.run(0, "generate", "-o", "out")
	b.run(0, "generate", "-o", "out")
	generated := func(r *release) map[string]string {
		all := map[string]string{}
		files, _ := filepath.Glob(r.beside("out/*.go"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all[filepath.Base(f)] = string(text)
		}
		return all
	}
	before := generated(a)
	if len(before) == 0 || !maps.Equal(before, generated(b)) {
		t.Error("two releases compile to different packages")
	}

	// So it does after a checkout that changes the ends of lines.
	for name, text := range a.vendored() {
		if strings.HasSuffix(name, ".md") || name == "promptc.lock" {
			if err := os.WriteFile(a.beside(name), []byte(strings.ReplaceAll(text, "\n", "\r\n")), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	a.run(0, "vendor", "--check")
	a.run(0, "generate", "-o", "out")
	if !maps.Equal(before, generated(a)) {
		t.Error("line ends change the package")
	}
}

func TestVendorCheckChangesNothing(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push("one", team("t1"))
	git.Push("two", team("t2"))
	r := newRelease(t, git, "one")
	check := func(want ...string) {
		t.Helper()
		before := r.vendored()
		asked := git.Looks.Load()
		got := r.run(1, "vendor", "--check")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("vendor --check says %s, not %s", got, w)
			}
		}
		if !maps.Equal(before, r.vendored()) || git.Looks.Load() != asked {
			t.Error("vendor --check changes something, or asks the repository")
		}
	}
	check(`content/catalog.yaml:4:18: sources: the source "one" is not vendored`)
	r.run(0, "vendor")
	r.run(0, "vendor", "--check")
	r.name("two", "one")
	check(`content/catalog.yaml:4:18: sources: the source "two" is not vendored`)
	r.name("two")
	check(`content/catalog.yaml:4:18: sources: the source "two" is not vendored`, `promptc.lock:1:1: sources: nothing names the source "one" any more`)
	r.write("catalog.yaml", fmt.Sprintf("catalog:\n  name: x\nsources:\n  - {repository: %s, name: one, token: PROMPTC_GIT_TOKEN}\n", git.URL))
	check(`content/catalog.yaml:4:18: sources: the source "one" was vendored with other settings`)
	r.name("one")
	r.write("../promptc.vendor/one/t1.md", flat("other"))
	check(`promptc.lock:1:1: sources: promptc.vendor/one is not what is locked`)
	r.remove("../promptc.vendor/one")
	check(`promptc.lock:1:1: sources: promptc.vendor/one is not there`)
	r.run(0, "vendor")
	r.run(0, "vendor", "--check")
}

// TestVendorHostileLock has locks that somebody else wrote, or half of one.
func TestVendorHostileLock(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push("one", team("t1"))
	r := newRelease(t, git, "one")
	r.run(0, "vendor")
	sound := r.vendored()
	lock := sound["promptc.lock"]
	for name, text := range map[string]string{
		"empty":      "",
		"half":       lock[:len(lock)/2],
		"conflict":   "<<<<<<< HEAD\n" + lock,
		"more":       lock + "}",
		"list":       "[]",
		"null":       "null null",
		"outside":    strings.ReplaceAll(lock, `"name": "one"`, `"name": "../../outside"`),
		"absolute":   strings.ReplaceAll(lock, `"name": "one"`, `"name": "/etc"`),
		"built-in":   strings.ReplaceAll(lock, `"name": "one"`, `"name": "built-in"`),
		"commit":     strings.ReplaceAll(lock, `"commit": "`, `"commit": "--upload-pack=x`),
		"layout":     strings.ReplaceAll(lock, `"layout": "flat"`, `"layout": "round"`),
		"large":      strings.Repeat(" ", 2<<20) + lock,
		"deep":       strings.Repeat("[", 1<<19),
		"unknown":    strings.ReplaceAll(lock, `"branch"`, `"hook"`),
		"escape":     "\x1b[31m" + lock,
		"not UTF-8":  "\xff\xfe" + lock,
		"same twice": strings.Replace(lock, "[", "["+lock[strings.Index(lock, "{\n    "):strings.LastIndex(lock, "\n  ]")]+",", 1),
	} {
		r.write("../promptc.lock", text)
		for _, args := range [][]string{{"vendor"}, {"vendor", "--check"}, {"check"}} {
			got := r.run(2, args...)
			if !strings.Contains(got, "promptc.lock ") || !strings.Contains(got, "run promptc vendor") || strings.Contains(got, "\x1b") || !utf8.ValidString(got) || len(got) > 500 {
				t.Errorf("%s: promptc %s says %s", name, args[0], got)
			}
		}
		now := r.vendored()
		now["promptc.lock"] = lock
		if !maps.Equal(now, sound) {
			t.Errorf("%s: the vendored files changed", name)
		}
	}
	r.run(2, "generate", "-o", "out")
	r.run(0, "vendor", "--update")
	if !maps.Equal(r.vendored(), sound) {
		t.Errorf("after an update there are %v", r.vendored())
	}
	// A named pipe has no end.
	if runtime.GOOS == "linux" {
		r.remove("../promptc.lock")
		if out, err := exec.Command("mkfifo", r.beside("promptc.lock")).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := r.run(2, "check"); !strings.Contains(got, "promptc.lock is not a file") {
			t.Errorf("promptc check says %s", got)
		}
	}
}

// Links beside the content lead nowhere: nothing is written where they point to.
func TestVendorFollowsNoLink(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push("one", team("t1"))
	elsewhere := t.TempDir()
	precious := filepath.Join(elsewhere, "precious")
	if err := os.WriteFile(precious, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	intact := func() {
		t.Helper()
		text, err := os.ReadFile(precious)
		if names, _ := os.ReadDir(elsewhere); err != nil || string(text) != "mine" || len(names) != 1 {
			t.Errorf("elsewhere are %v, %v, %q", names, err, text)
		}
	}
	r := newRelease(t, git, "one")
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, r.beside(name)); err != nil {
			t.Skipf("this user cannot make links: %v", err)
		}
	}
	link(elsewhere, "promptc.vendor")
	if got := r.run(2, "vendor"); !strings.Contains(got, "cannot write promptc.vendor/one: ") {
		t.Errorf("vendor says %s", got)
	}
	intact()
	r.remove("../promptc.vendor")
	r.write("../promptc.vendor/keep/x", "x")
	link(elsewhere, "promptc.vendor/one")
	link(precious, "promptc.lock")
	r.run(2, "vendor") // whose lock is none
	intact()
	r.run(0, "vendor", "--update")
	intact()
	for _, name := range []string{"promptc.vendor/one", "promptc.lock"} {
		if info, err := os.Lstat(r.beside(name)); err != nil || info.Mode().Type() == fs.ModeSymlink {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
	r.run(0, "vendor", "--check")
}

func TestVendorReadOnly(t *testing.T) {
	t.Parallel()
	disk, remount := smallDisk(t)
	git := sourcetest.NewServer(t, gitToken)
	git.Push("one", team("t1"))
	r := newRelease(t, git, "one")
	if err := os.Rename(r.dir, filepath.Join(disk, "content")); err != nil { // onto another disk
		if out, err := exec.Command("cp", "-r", r.dir, disk).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	r.dir = filepath.Join(disk, "content")
	remount("ro")
	if got := r.run(2, "vendor"); !strings.Contains(got, "cannot write promptc.vendor/one: read-only file system") {
		t.Errorf("vendor says %s", got)
	}
	if files := r.vendored(); len(files) > 0 {
		t.Errorf("there are %v", files)
	}
	remount("rw")
	r.run(0, "vendor")
	before := r.vendored()

	// A disk that is full keeps what there was.
	git.Push("one", map[string]string{"t1.md": flat("t1"), "t2.md": flat("t2") + strings.Repeat("word ", 1<<18)})
	if got := r.run(2, "vendor", "--update"); !strings.Contains(got, "cannot write promptc.vendor/one: no space left on device") {
		t.Errorf("vendor says %s", got)
	}
	if !maps.Equal(before, r.vendored()) {
		t.Error("what was vendored changed")
	}
	r.run(0, "vendor", "--check")
	// The lock is not written where its sources are not.
	remount("ro")
	r.run(2, "vendor", "--update")
	if !maps.Equal(before, r.vendored()) {
		t.Error("what was vendored changed")
	}
}

// TestVendorKilled kills the command while it fetches, and while it writes.
func TestVendorKilled(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push("one", team("t1"))
	r := newRelease(t, git, "one")
	reached := make(chan struct{})
	kill := func(when func(), args ...string) {
		t.Helper()
		cmd := r.command(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		when()
		cmd.Process.Kill()
		cmd.Wait()
	}
	git.Intercept(halfway(reached))
	kill(func() { <-reached }, "vendor")
	if files := r.vendored(); len(files) > 0 {
		t.Errorf("there are %v", files)
	}
	git.Intercept(nil)
	r.run(0, "vendor")

	many := team()
	for i := range 2000 {
		many[fmt.Sprintf("t%04d.md", i)] = flat(fmt.Sprintf("t%04d", i))
	}
	git.Push("one", many)
	writing := func() {
		t.Helper()
		until(t, "it writes", func() bool {
			left, _ := filepath.Glob(r.beside("promptc.vendor/.promptc-*/t*.md"))
			return len(left) > 0
		})
	}
	swept := func() {
		t.Helper()
		left, err := filepath.Glob(r.beside("promptc.vendor/.*"))
		if lock, _ := filepath.Glob(r.beside(".promptc*")); err != nil || len(left)+len(lock) > 0 {
			t.Errorf("left over: %q, %q, %v", left, lock, err)
		}
	}
	kill(writing, "vendor", "--update")
	// Either all of the old is there or all of the new, and the lock is one of them.
	check := r.command("vendor", "--check")
	out, _ := check.CombinedOutput()
	if status := check.ProcessState.ExitCode(); status > 1 {
		t.Errorf("exit status %d: %s", status, out)
	}
	r.run(0, "vendor")
	r.run(0, "vendor", "--check")
	swept()
	r.run(0, "vendor", "--update")
	r.run(0, "vendor", "--check")
	swept()
	if got := strings.Count(r.run(0, "list"), "\n"); got < 2000 {
		t.Errorf("%d prompts are listed", got)
	}
}

// The token of a source is in nothing that is committed, nor in what is printed.
func TestVendorHidesToken(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	r := &release{newPlace(t, "p"), git, environ(t, git, map[string]string{
		"PROMPTC_GIT_TOKEN": "", "PROMPTC_USER_PROMPTS_REPO": strings.Replace(git.URL, "https://", "https://me:"+strings.NewReplacer("/", "%2F", "%", "%25").Replace(gitToken)+"@", 1),
	})}
	said := r.run(0, "vendor") + r.run(0, "vendor", "--check") + r.run(0, "vendor", "--update")
	git.Close()
	said += r.run(2, "vendor", "--update")
	for name, text := range r.vendored() {
		said += name + text
	}
	for _, form := range secretForms("me", gitToken) {
		if bytes.Contains([]byte(said), []byte(form)) {
			t.Errorf("the token is in %s", said)
		}
	}
}
