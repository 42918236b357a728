// This file tests what is told of where things come from, and the archive of all
// files.

package promptd

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
)

// Everything that can be read can be explained, by each URI that the explanation
// tells.
func TestExplainEverything(t *testing.T) {
	c := baked.Catalog
	var names []string
	for _, p := range c.Prompts {
		names = append(names, p.ID)
	}
	for _, s := range c.Skills {
		names = append(names, s.ID)
	}
	for _, r := range c.Resources {
		names = append(names, r.URI)
	}
	for _, d := range files(c) {
		names = append(names, uris(c, d)...)
	}
	for _, name := range names {
		list := explain(c, name)
		if len(list) == 0 {
			t.Errorf("%s is not explained", name)
		}
		for _, e := range list {
			if e.Digest == "" || e.Size == 0 || len(e.URIs) == 0 || !slices.IsSorted(e.URIs) {
				t.Errorf("%s: %+v", name, e)
			}
			if strings.Contains(name, "://") && !slices.Contains(e.URIs, name) {
				t.Errorf("%s is not among the URIs %v", name, e.URIs)
			}
		}
	}
}

func TestExplainSources(t *testing.T) {
	c := *fixture()
	p := *c.Prompts[1]
	p.Source = "team"
	c.Prompts = []*catalog.Prompt{c.Prompts[0], &p}
	c.Prefix = "support/"
	c.Sources = []catalog.Source{{Name: "other", Commit: "1"}, {Name: "team", Repository: "https://git.example.com/team.git", Commit: strings.Repeat("2", 40)}}
	for _, name := range []string{"talk", "support/talk"} {
		list := explain(&c, name)
		if len(list) != 1 || list[0].Source != "team" || list[0].Commit != strings.Repeat("2", 40) || list[0].Repository != "https://git.example.com/team.git" || list[0].Name != "support/talk" {
			t.Errorf("%s: %+v", name, list)
		}
	}
	if list := explain(&c, "deploy"); len(list) != 1 || list[0].Source != catalog.BuiltIn || list[0].Repository != "" {
		t.Errorf("%+v", list)
	}
}

// The archive holds what content/ holds, save the settings.
func TestTree(t *testing.T) {
	var out bytes.Buffer
	if err := writeTree(&out, baked.Catalog); err != nil {
		t.Fatal(err)
	}
	again := new(bytes.Buffer)
	if err := writeTree(again, baked.Catalog); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("a second archive differs, or: %v", err)
	}
	var paths []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, h.Name)
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(contentDir, h.Name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what content/ has: %v", h.Name, err)
		}
		if h.Mode != 0o644 || h.ModTime.Unix() != 0 || h.Uname != "" || h.Uid != 0 {
			t.Errorf("%s: %+v", h.Name, h)
		}
	}
	tree, err := readTree(contentDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(paths) || len(paths) != len(tree.digests)-1 {
		t.Errorf("%d files, of %d in content/: %v", len(paths), len(tree.digests), paths)
	}
}
