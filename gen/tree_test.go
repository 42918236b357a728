//go:build unix

// This file compiles trees that only a real file system can hold.

package gen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed33527553/promptc/gen"
)

// TestOddEntries has names that are no text, and a file that would wait for a writer
// if it were opened.
func TestOddEntries(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"prompts/\xff", "prompts/a", "docs\xff"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Skip("the file system takes no such names")
		}
	}
	for _, file := range []string{"prompts/a/PROMPT.md", "prompts/\xff/PROMPT.md", "docs\xff/x.md", "g\xff.md"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, faults, err := gen.Compile(root.FS(), gen.Options{Root: "content"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range faults {
		got = append(got, fmt.Sprintf("%q %s", d.Span.Source.Name, d.Rule))
	}
	want := []string{
		`"content/docs\xff" file-name`, `"content/g\xff.md" file-name`, `"content/pipe.md" stray-file`,
		`"content/prompts/a/PROMPT.md" frontmatter-missing`, `"content/prompts/\xff" file-name`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
