//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// This file tests edits that take care not to show in sizes and times that can be set.

package gen_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/seed33527553/promptc/gen"
)

// TestReaderSeesKeptTimes edits files and sets back their times, in place and by putting
// others in their places.
func TestReaderSeesKeptTimes(t *testing.T) {
	for _, way := range []struct {
		what  string
		write func(f *folder, name, text string)
	}{
		{"in place", (*folder).write},
		{"replaced", func(f *folder, name, text string) {
			f.write("new.md", text)
			if err := os.Rename(f.path("new.md"), f.path(name)); err != nil {
				f.t.Fatal(err)
			}
		}},
	} {
		t.Run(way.what, func(t *testing.T) {
			const name = "prompts/p1/PROMPT.md"
			f := newFolder(t, 3)
			f.age()
			r := gen.NewReader(f.dir, gen.Options{Root: "content"})
			before, _, err := r.Read()
			if err != nil {
				t.Fatal(err)
			}
			var was, now unix.Stat_t
			if err := unix.Lstat(f.path(name), &was); err != nil {
				t.Fatal(err)
			}
			for now = was; now.Ctim == was.Ctim; { // which counts in steps
				way.write(f, name, promptText("The TEXT 1"))
				f.age()
				if err := os.Chtimes(f.path(name), time.Unix(was.Mtim.Unix()), time.Unix(was.Mtim.Unix())); err != nil {
					t.Fatal(err)
				}
				if err := unix.Lstat(f.path(name), &now); err != nil {
					t.Fatal(err)
				}
			}
			if now.Size != was.Size || now.Mtim != was.Mtim {
				t.Fatal("the size or the time is another one")
			}
			after, changed, err := r.Read()
			if err != nil || !changed || state(t, after) == state(t, before) {
				t.Errorf("changed is %v, with %v", changed, err)
			}
		})
	}
}
