// This file holds the pages of the commands to the commands.

package promptd

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra/doc"

	"github.com/seed33527553/promptc/catalog/baked"
)

// TestPages compares cmd/promptd/docs with what the commands say of themselves, or writes it
// anew with UPDATE set.
func TestPages(t *testing.T) {
	root := rootCommand("promptd", baked.Catalog)
	root.DisableAutoGenTag = true
	made, kept := t.TempDir(), filepath.Join("..", "..", "cmd", "promptd", "docs")
	if os.Getenv("UPDATE") != "" {
		if err := os.RemoveAll(kept); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(kept, 0o755); err != nil {
			t.Fatal(err)
		}
		made = kept
	}
	if err := doc.GenMarkdownTree(root, made); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadDir(made)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		want, err := os.ReadFile(filepath.Join(made, page.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(kept, page.Name()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the command says of itself; run make update", page.Name())
		}
	}
	if old, err := os.ReadDir(kept); err != nil || len(old) != len(pages) {
		t.Errorf("there are %d pages for %d commands; run make update", len(old), len(pages))
	}
}
