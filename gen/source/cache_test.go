// This file tests the cache on disk: when it is full, read-only, damaged, or gone.

package source

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

// mount mounts a file system of 1 MiB on a directory, and skips the test where it may
// not.
func mount(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("this user cannot mount a small disk: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	mount(t, b.dir)
	equal(t, b.files(false), first)
	pushes := map[string]func(){
		"download": func() { server.Push(sourcetest.Branch, map[string]string{"large": noise(2 << 20)}) },
		"files":    func() { server.Push(sourcetest.Branch, map[string]string{"large": strings.Repeat("a", 2<<20)}) },
	}
	for name, push := range pushes {
		push()
		files, why := b.stale(true)
		equal(t, files, first)
		contains(t, why, diskFull)
		b.discreet(why)
		t.Log(name, why)
	}
	b.reopen()
	equal(t, b.files(false), first)
	server.Push(sourcetest.Branch, second)
	equal(t, b.files(true), second)

	// Not even the state can be written.
	if err := os.WriteFile(filepath.Join(b.dir, "fill"), make([]byte, 2<<20), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	files, why := b.stale(true)
	equal(t, files, second)
	contains(t, why, diskFull)
	b.reopen()
	equal(t, b.files(false), second)
	b.reopen(func(s *Settings, _ *Options) { s.Branch = sourcetest.Branch })
	contains(t, b.fails(), diskFull)
	if err := os.Remove(filepath.Join(b.dir, "fill")); err != nil {
		t.Fatal(err)
	}
	equal(t, b.files(true), second)
}

// freeze makes a directory read-only, which for root needs a mount.
func freeze(t *testing.T, dir string) {
	t.Helper()
	if os.Getuid() == 0 {
		if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
			t.Skipf("this user cannot mount a disk read-only: %s", out)
		}
		return
	}
	chmod := func(mode os.FileMode) {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, mode)
			}
			return nil
		})
	}
	chmod(0o500)
	t.Cleanup(func() { chmod(0o700) })
}

func TestReadOnlyCache(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("directories cannot be made read-only")
	}
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	if os.Getuid() == 0 {
		mount(t, b.dir)
	}
	equal(t, b.files(false), first)
	freeze(t, b.dir)
	server.Push(sourcetest.Branch, second)
	files, why := b.stale(true)
	equal(t, files, first)
	contains(t, why, readOnly)
	b.reopen()
	equal(t, b.files(false), first)
	b.pass(DefaultTTL)
	files, why = b.stale(false)
	equal(t, files, first)
	contains(t, why, readOnly)
	b.discreet(why)
	b.reopen(func(s *Settings, _ *Options) { s.Branch = sourcetest.Branch })
	contains(t, b.fails(), readOnly)
}

// What was damaged since it was written is fetched again, on a new start as well as in
// the midst of serving.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	only := func(dir, pattern string) string {
		t.Helper()
		names, err := filepath.Glob(filepath.Join(dir, "sources", "*", pattern))
		if err != nil || len(names) != 1 {
			t.Fatalf("%s is %q", pattern, names)
		}
		return names[0]
	}
	overwrite := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(name string) {
		t.Helper()
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	state := func(change func(map[string]any)) func(string) {
		return func(dir string) {
			name := only(dir, "current.json")
			data, err := os.ReadFile(name)
			var s map[string]any
			if err != nil || json.Unmarshal(data, &s) != nil {
				t.Fatalf("%s: %v", data, err)
			}
			change(s)
			if data, err = json.Marshal(s); err != nil {
				t.Fatal(err)
			}
			overwrite(name, string(data))
		}
	}
	const file = "trees/*[A-Z2-7]/prompts/a/PROMPT.md"
	for name, damage := range map[string]func(dir string){
		"file cut":     func(dir string) { overwrite(only(dir, file), "") },
		"file changed": func(dir string) { overwrite(only(dir, file), "ONE\r\ntwo\n") },
		"file gone":    func(dir string) { remove(only(dir, file)) },
		"file added":   func(dir string) { overwrite(filepath.Join(filepath.Dir(only(dir, file)), "x"), "") },
		"tree gone":    func(dir string) { remove(only(dir, "trees/*[A-Z2-7]")) },
		"lock gone":    func(dir string) { remove(only(dir, "trees/*.lock")); remove(only(dir, "current.json")) },
		"all gone":     func(dir string) { remove(filepath.Join(dir, "sources")) },
		"link": func(dir string) {
			name := only(dir, file)
			remove(name)
			if err := os.Symlink(server.CAFile, name); err != nil {
				t.Skip("there are no symbolic links")
			}
		},
		"state cut":       func(dir string) { overwrite(only(dir, "current.json"), `{"commit":`) },
		"state elsewhere": state(func(s map[string]any) { s["tree"] = "../../../x" }),
		"state of no commit": state(func(s map[string]any) {
			s["commit"] = "main"
		}),
		"state of another tree": state(func(s map[string]any) { s["tree"] = strings.Repeat("A", 26) }),
		"state of the future": state(func(s map[string]any) {
			s["fetched"] = time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, server, local(server))
			equal(t, b.files(false), first)
			damage(b.dir)
			b.pass(time.Second)
			b.reopen(local(server))
			equal(t, b.files(false), first)
			if !b.fetched.Equal(b.clock) {
				t.Error("what is served was not fetched anew")
			}
			damage(b.dir)
			b.pass(DefaultTTL)
			equal(t, b.files(false), first)
			b.clean()
		})
	}
}

// A tree that another process has open outlives newer ones; when it is closed, the next
// fetch removes it.
func TestTreesOfOthers(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	other := newBench(t, server, func(_ *Settings, o *Options) { o.Dir = b.dir })
	s, err := other.Snapshot(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	for _, push := range []map[string]string{second, first, second} {
		server.Push(sourcetest.Branch, push)
		equal(t, b.files(true), push)
	}
	equal(t, filesOf(t, s.FS), first)
	trees := func() int {
		names, _ := filepath.Glob(filepath.Join(b.dir, "sources", "*", "trees", "*.lock"))
		return len(names)
	}
	if n := trees(); n != 2 {
		t.Errorf("%d trees are there, want 2", n)
	}
	s.Close()
	b.files(true)
	if n := trees(); n != 1 {
		t.Errorf("%d trees are there, want 1", n)
	}
}
