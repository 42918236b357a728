// This file tests the archive of all files.

package promptd

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
)

// unpacked returns what the archive of a catalog holds, and the paths in their order.
func unpacked(t *testing.T, c *catalog.Catalog) (files fstest.MapFS, paths []string) {
	t.Helper()
	var out, again bytes.Buffer
	if err := errors.Join(writeTree(&out, c), writeTree(&again, c)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("a second archive differs")
	}
	files = fstest.MapFS{}
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, paths
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, h.Name)
		name, isDir := strings.CutSuffix(h.Name, "/")
		want := map[bool]int64{true: 0o755, false: 0o644}[isDir]
		if h.Mode != want || h.ModTime.Unix() != 0 || h.Uname != "" || h.Uid != 0 {
			t.Errorf("%s: %+v", h.Name, h)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: text, Mode: h.FileInfo().Mode()}
	}
}

// The archive holds what content/ holds, save the settings.
func TestTree(t *testing.T) {
	files, paths := unpacked(t, baked.Catalog)
	for name, file := range files {
		if file.Mode.IsDir() {
			continue
		}
		p, _ := strings.CutPrefix(name, "content/")
		want, err := os.ReadFile(filepath.Join(contentDir, p))
		if err != nil || !bytes.Equal(file.Data, want) {
			t.Errorf("%s is not what content/ has: %v", name, err)
		}
	}
	tree, err := readTree(contentDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Without the settings, and with the directory itself.
	if !slices.IsSorted(paths) || len(paths) != len(tree.digests) || paths[0] != "content/" {
		t.Errorf("%d entries, of %d files in content/: %v", len(paths), len(tree.digests), paths)
	}
	if _, paths := unpacked(t, new(catalog.Catalog)); !slices.Equal(paths, []string{"content/"}) {
		t.Errorf("of nothing there is %q", paths)
	}
}

// What came from other repositories lies in the archive as it was vendored, with a lock:
// promptc compiles the same of it.
func TestTreeOfSources(t *testing.T) {
	_, c := withSources(t)
	c.Sources[0].Branch, c.Sources[0].Path = "main", "a/b"
	files, paths := unpacked(t, c)
	if !slices.IsSorted(paths) {
		t.Errorf("the paths are not sorted: %v", paths)
	}
	want := maps.Clone(vendoredFiles)
	delete(want, "promptc.vendor/team/LICENSE")
	delete(want, "promptc.vendor/team/write-adr.md") // which was left out
	for name, file := range files {
		if text, ok := want[name]; ok && text == string(file.Data) {
			delete(want, name)
		} else if strings.HasPrefix(name, "promptc.vendor/") && !file.Mode.IsDir() {
			t.Errorf("there is %s with %q", name, file.Data)
		}
	}
	if len(want) > 0 {
		t.Errorf("there is not %v", want)
	}

	// The lock is what promptc vendor writes, byte for byte.
	var l gen.Lock
	d := json.NewDecoder(bytes.NewReader(files["promptc.lock"].Data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(l, "", "  ")
	if err != nil || string(again)+"\n" != string(files["promptc.lock"].Data) {
		t.Errorf("the lock is\n%s", files["promptc.lock"].Data)
	}
	if s := l.Sources[0]; len(l.Sources) != 3 || s.Branch != "main" || s.Path != "a/b" || s.Layout != check.Flat || !s.Given {
		t.Errorf("the lock holds %+v", l.Sources)
	}
	// Nothing was left out of these.
	for i := 1; i < 3; i++ {
		if l.Sources[i].Digest != c.Sources[i].Digest {
			t.Errorf("the digest of %s is %s, want %s", l.Sources[i].Name, l.Sources[i].Digest, c.Sources[i].Digest)
		}
	}

	content, err := fs.Sub(files, "content")
	if err != nil {
		t.Fatal(err)
	}
	trees, err := gen.LoadRelease(content, files, gen.Options{Root: "content"})
	if err != nil {
		t.Fatal(err)
	}
	program, faults, warnings := check.Trees(trees)
	if len(faults)+len(warnings) > 0 {
		t.Fatal(faults, warnings)
	}
	// Save for the settings, and what says that a file was left out.
	got := *program.Catalog
	got.Name, got.Title, got.Version, got.Description, got.Instructions, got.Cache = c.Name, c.Title, c.Version, c.Description, c.Instructions, c.Cache
	got.Sources[0].Digest, got.Digest, got.Seal = c.Sources[0].Digest, c.Digest, c.Seal
	if c.Prefix != "" || !reflect.DeepEqual(&got, c) {
		t.Error("promptc compiles something else of the archive")
	}
}

// A source of which nothing is served has a directory all the same.
func TestTreeOfEmptySource(t *testing.T) {
	c := &catalog.Catalog{Sources: []catalog.Source{{Name: "team", Repository: "https://git.example.com/team.git", Layout: "flat", Commit: strings.Repeat("0", 40)}}}
	files, paths := unpacked(t, c)
	if want := []string{"content/", "promptc.lock", "promptc.vendor/team/"}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
	content, err := fs.Sub(files, "content")
	if err != nil {
		t.Fatal(err)
	}
	if trees, err := gen.LoadRelease(content, files, gen.Options{Root: "content"}); err != nil || len(trees) != 2 {
		t.Errorf("%d trees, %v", len(trees), err)
	}
}
