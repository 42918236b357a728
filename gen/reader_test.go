// This file reads a content directory while it changes.

package gen_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// A folder is a content directory on disk that a test changes.
type folder struct {
	t   testing.TB
	dir string
}

func newFolder(t testing.TB, prompts int) *folder {
	f := &folder{t, filepath.Join(t.TempDir(), "content")}
	for i := range prompts {
		f.write(fmt.Sprintf("prompts/p%d/PROMPT.md", i), promptText(fmt.Sprint("The text ", i)))
	}
	return f
}

func promptText(body string) string {
	return "---\nprompt: {version: 1.0.0, description: A prompt.}\n---\n" + body + "\n"
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f *folder) write(name, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(f.path(name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// age makes everything old enough that its time can be relied on.
func (f *folder) age() {
	f.t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(f.dir, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

// state is what a reading comes to, in text.
func state(t testing.TB, tree *check.Tree) string {
	t.Helper()
	program, faults, _ := check.Trees([]*check.Tree{tree})
	var b bytes.Buffer
	if err := diag.Write(&b, diag.Text, faults); err != nil {
		t.Fatal(err)
	}
	if program != nil {
		for _, d := range program.Catalog.Documents {
			fmt.Fprintln(&b, d.Path, d.Digest)
		}
		fmt.Fprintln(&b, program.Catalog.Digest)
	}
	return b.String()
}

// TestReaderFollows has a reader read after every kind of change, and compares what it
// makes of it with what a new one makes.
func TestReaderFollows(t *testing.T) {
	for _, aged := range []bool{false, true} {
		t.Run(fmt.Sprint("aged=", aged), func(t *testing.T) {
			f := newFolder(t, 3)
			r := gen.NewReader(f.dir, gen.Options{Root: "content"})
			var last *check.Tree
			read := func(what string, want bool) {
				t.Helper()
				tree, changed, err := r.Read()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if changed != want {
					t.Errorf("%s: changed is %v", what, changed)
				}
				if !changed && tree != last {
					t.Errorf("%s: another tree without a change", what)
				}
				last = tree
				anew, _, err := gen.NewReader(f.dir, gen.Options{Root: "content"}).Read()
				if err != nil {
					t.Fatal(err)
				}
				if got, want := state(t, tree), state(t, anew); got != want {
					t.Errorf("%s: got\n%s\na new reader has\n%s", what, got, want)
				}
				if aged {
					f.age()
					r.Read() // the times are others
				}
			}
			read("first", true)
			read("nothing", false)
			for i, change := range []struct {
				what string
				do   func()
				same bool
			}{
				{"a file is edited", func() { f.write("prompts/p1/PROMPT.md", promptText("Another text")) }, false},
				{"a file is edited to the same length", func() { f.write("prompts/p1/PROMPT.md", promptText("Anothre text")) }, false},
				{"a file is written as it was", func() { f.write("prompts/p1/PROMPT.md", promptText("Anothre text")) }, true},
				{"a prompt is added", func() { f.write("prompts/new/PROMPT.md", promptText("New")) }, false},
				{"a fault is made", func() { f.write("prompts/new/PROMPT.md", "nothing") }, false},
				{"the fault is mended", func() { f.write("prompts/new/PROMPT.md", promptText("New")) }, false},
				{"a stray file is added", func() { f.write("prompts/new/notes.txt", "x") }, false},
				{"the stray file is edited", func() { f.write("prompts/new/notes.txt", "y") }, !aged},
				{"the stray file is removed", func() { os.Remove(f.path("prompts/new/notes.txt")) }, false},
				{"a prompt is removed", func() { os.RemoveAll(f.path("prompts/p0")) }, false},
				{"a prompt is renamed", func() { os.Rename(f.path("prompts/p1"), f.path("prompts/renamed")) }, false},
				{"a file is replaced by another", func() {
					f.write("prompts/p2/.PROMPT.md.tmp", promptText("Replaced"))
					os.Rename(f.path("prompts/p2/.PROMPT.md.tmp"), f.path("prompts/p2/PROMPT.md"))
				}, false},
				{"a file becomes a link", func() {
					os.Rename(f.path("prompts/p2/PROMPT.md"), f.path("guide.md"))
					os.Symlink("../../guide.md", f.path("prompts/p2/PROMPT.md"))
				}, false},
				{"the link becomes a file", func() {
					os.Remove(f.path("prompts/p2/PROMPT.md"))
					f.write("prompts/p2/PROMPT.md", promptText("A file again"))
				}, false},
				{"a skill comes", func() {
					f.write("skills/s/SKILL.md", "---\nname: s\ndescription: A skill.\nx-personal-mcp: {id: s, version: 1.0.0, capabilities: [x]}\n---\n[a](references/a.md)\n")
					f.write("skills/s/references/a.md", "# A\n")
				}, false},
				{"the settings come", func() { f.write("catalog.yaml", "catalog: {prefix: team/}\n") }, false},
				{"the directory is another one", func() {
					os.RemoveAll(f.dir)
					f.write("prompts/only/PROMPT.md", promptText("Only"))
				}, false},
			} {
				change.do()
				if change.what == "the stray file is edited" {
					// Nobody reads it: whether that is a change is not said.
					r.Read()
					tree, _, _ := r.Read()
					last = tree
					continue
				}
				read(fmt.Sprint(i, " ", change.what), !change.same)
			}
		})
	}
}

// TestReaderKeeps has a reader read after one of many files changed, and wants the
// others to be the same values as before.
func TestReaderKeeps(t *testing.T) {
	f := newFolder(t, 20)
	f.age()
	r := gen.NewReader(f.dir, gen.Options{Root: "content"})
	before, _, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	f.write("prompts/p7/PROMPT.md", promptText("Another"))
	after, changed, err := r.Read()
	if err != nil || !changed || len(before.Inputs) != len(after.Inputs) {
		t.Fatalf("changed is %v, with %v", changed, err)
	}
	for i := range after.Inputs {
		same := before.Inputs[i] == after.Inputs[i]
		if edited := after.Inputs[i].Path == "prompts/p7/PROMPT.md"; same == edited {
			t.Errorf("%s: the same value is %v", after.Inputs[i].Path, same)
		}
	}
	if reflect.DeepEqual(before, after) {
		t.Error("the edit does not show")
	}
}

// TestReaderRecovers takes the directory away and brings it back.
func TestReaderRecovers(t *testing.T) {
	f := newFolder(t, 2)
	r := gen.NewReader(f.dir, gen.Options{Root: "content"})
	if _, _, err := r.Read(); err != nil {
		t.Fatal(err)
	}
	away := f.dir + ".away"
	if err := os.Rename(f.dir, away); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Read(); err == nil {
		t.Fatal("no error without a directory")
	}
	if err := os.WriteFile(filepath.Join(away, "guide.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(away, f.dir); err != nil {
		t.Fatal(err)
	}
	tree, changed, err := r.Read()
	if err != nil || !changed || len(tree.Inputs) != 3 {
		t.Fatalf("changed is %v, with %v", changed, err)
	}
}

// TestReaderMeetsPipe puts a named pipe where the directory was, which nobody writes to.
func TestReaderMeetsPipe(t *testing.T) {
	f := newFolder(t, 2)
	r := gen.NewReader(f.dir, gen.Options{Root: "content"})
	if _, _, err := r.Read(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(f.dir, f.dir+".away"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfifo", f.dir).CombinedOutput(); err != nil {
		t.Skipf("there are no named pipes: %s", out)
	}
	if _, _, err := r.Read(); err == nil {
		t.Error("a pipe was read")
	}
	if err := errors.Join(os.Remove(f.dir), os.Rename(f.dir+".away", f.dir)); err != nil {
		t.Fatal(err)
	}
	if tree, _, err := r.Read(); err != nil || len(tree.Inputs) != 2 {
		t.Errorf("after the pipe: %v", err)
	}
}

// BenchmarkReader reads a tree of many prompts in which nothing changed, and one file.
func BenchmarkReader(b *testing.B) {
	f := newFolder(b, 10_000)
	f.age()
	r := gen.NewReader(f.dir, gen.Options{Root: "content"})
	if _, _, err := r.Read(); err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if _, changed, err := r.Read(); err != nil || changed {
				b.Fatalf("changed is %v, with %v", changed, err)
			}
		}
	})
	b.Run("edited", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			f.write("prompts/p77/PROMPT.md", promptText(fmt.Sprint("Another text ", i)))
			if _, changed, err := r.Read(); err != nil || !changed {
				b.Fatalf("changed is %v, with %v", changed, err)
			}
		}
	})
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := gen.NewReader(f.dir, gen.Options{Root: "content"}).Read(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
