// This file holds the tests of Write and Stale.

package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

// outputFiles returns the files for n prompts, with a version for the catalog.
func outputFiles(t *testing.T, n int, version string) []emit.File {
	t.Helper()
	p := &check.Program{Root: "content", Catalog: &catalog.Catalog{Version: version}}
	for i := range n {
		id := fmt.Sprintf("p%d", i)
		d := &catalog.Document{Path: "prompts/" + id + "/PROMPT.md", MIMEType: catalog.Markdown, Text: []string{"Text of " + id}}
		p.Catalog.Prompts = append(p.Catalog.Prompts, &catalog.Prompt{ID: id, Document: d})
		p.Catalog.Documents = append(p.Catalog.Documents, d)
		p.Prompts = append(p.Prompts, check.PromptNames{Prompt: strings.ToUpper(id), Args: strings.ToUpper(id) + "Args"})
	}
	files, err := emit.Package(p, emit.Options{Package: "baked", ImportPath: "example.com/baked"})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// tree returns the contents of a directory's files by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		content, err := os.ReadFile(p)
		m[filepath.ToSlash(name)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rendered(t *testing.T, files []emit.File) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, f := range files {
		content, err := f.Render()
		if err != nil {
			t.Fatal(err)
		}
		m[f.Path] = string(content)
	}
	return m
}

// counting returns files that count how often they are rendered.
func counting(files []emit.File, n *atomic.Int64) []emit.File {
	files = slices.Clone(files)
	for i := range files {
		render := files[i].Render
		files[i].Render = func() ([]byte, error) {
			n.Add(1)
			return render()
		}
	}
	return files
}

func mustWrite(t *testing.T, dir string, files []emit.File, want ...string) {
	t.Helper()
	changed, err := Write(dir, files)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(changed, want) {
		t.Fatalf("Write changed %q, want %q", changed, want)
	}
	if diff, err := Stale(dir, files); err != nil || len(diff) > 0 {
		t.Fatalf("after Write, Stale = %v, %v", diff, err)
	}
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	one := outputFiles(t, 3, "1.0.0")
	if diff, err := Stale(dir, one); err != nil || len(diff) != len(one) || diff[0] != (Difference{"catalog_gen.go", Missing}) {
		t.Fatalf("Stale of no directory = %v, %v", diff, err)
	}
	mustWrite(t, dir, one, "catalog_gen.go", "index_gen.go", "prompt_p0_gen.go", "prompt_p1_gen.go", "prompt_p2_gen.go")
	if got, want := tree(t, dir), rendered(t, one); !maps.Equal(got, want) {
		t.Errorf("wrote %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}

	// Nothing is printed for what is up to date, and one file for one edit.
	var n atomic.Int64
	if changed, err := Write(dir, counting(one, &n)); err != nil || changed != nil || n.Load() != 0 {
		t.Errorf("the second Write = %q, %v, after printing %d files", changed, err, n.Load())
	}
	two := outputFiles(t, 3, "2.0.0")
	if changed, err := Write(dir, counting(two, &n)); err != nil || !slices.Equal(changed, []string{"catalog_gen.go"}) || n.Load() != 1 {
		t.Errorf("Write after an edit = %q, %v, after printing %d files", changed, err, n.Load())
	}

	// An edit by hand is undone, also one that leaves the key, and so are line ends of
	// another system and an empty directory's lack of a file.
	for _, edit := range []func(s string) string{
		func(s string) string { return strings.Replace(s, "Text of", "Lies of", 1) },
		func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		func(s string) string { return s[:len(s)/2] },
		func(s string) string { return s + "\n" },
	} {
		put(t, dir, "prompt_p1_gen.go", edit(tree(t, dir)["prompt_p1_gen.go"]))
		if diff, err := Stale(dir, two); err != nil || !slices.Equal(diff, []Difference{{"prompt_p1_gen.go", Changed}}) {
			t.Errorf("Stale after an edit by hand = %v, %v", diff, err)
		}
		mustWrite(t, dir, two, "prompt_p1_gen.go")
	}
	if err := os.Remove(filepath.Join(dir, "prompt_p1_gen.go")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, two, "prompt_p1_gen.go")

	// A file of another compiler with the same key is stale, though Write cannot know.
	other := counting(two, &n)
	other[0].Render = func() ([]byte, error) { return []byte("package other"), nil }
	if diff, err := Stale(dir, other); err != nil || !slices.Equal(diff, []Difference{{"catalog_gen.go", Changed}}) {
		t.Errorf("Stale with another compiler = %v, %v", diff, err)
	}
}

func TestWriteRemovesOrphans(t *testing.T) {
	dir := t.TempDir()
	small, large := outputFiles(t, 2, "1.0.0"), outputFiles(t, 510, "1.0.0")
	if _, err := Write(dir, large); err != nil {
		t.Fatal(err)
	}
	foreign := map[string]string{
		"hand.go":                    "package baked\n",
		"hand_gen.go":                "package baked\n",
		"stringer_gen.go":            "// Code generated by \"stringer\". DO NOT EDIT.\n",
		"copy.go":                    rendered(t, small)["catalog_gen.go"],
		"README.md":                  "",
		"empty_gen.go":               "",
		"other/prompt_p0_gen.go":     rendered(t, small)["prompt_p0_gen.go"],
		"shard/notes.md":             "",
		"shard/s00/hand_gen.go":      "package s00\n",
		"shard/s00/deep/x_gen.go":    rendered(t, small)["prompt_p0_gen.go"],
		"directory_gen.go/inside.md": "",
	}
	for name, content := range foreign {
		put(t, dir, name, content)
	}
	diff, err := Stale(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	orphans := 0
	for _, d := range diff {
		if d.Kind == Orphaned {
			orphans++
		}
	}
	if orphans < 510 {
		t.Errorf("%d orphans, want one for each prompt at least", orphans)
	}
	if _, err := Write(dir, small); err != nil {
		t.Fatal(err)
	}
	want := rendered(t, small)
	maps.Copy(want, foreign)
	if got := tree(t, dir); !maps.Equal(got, want) {
		t.Errorf("left %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	if _, err := os.Stat(filepath.Join(dir, "shard", "s01")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty directory of a shard: %v", err)
	}
}

// In each case Write must fail, say where, and leave the directory as it was.
func TestWriteLeavesAlone(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(t *testing.T, dir, outside string)
		files   int
		want    string
	}{
		"a file of others": {
			func(t *testing.T, dir, _ string) { put(t, dir, "prompt_p1_gen.go", "package baked\n") }, 3,
			"prompt_p1_gen.go was not generated by promptc: move it away",
		},
		"a link": {
			func(t *testing.T, dir, outside string) {
				put(t, outside, "target", "precious")
				link(t, filepath.Join(outside, "target"), filepath.Join(dir, "prompt_p1_gen.go"))
			}, 3,
			"prompt_p1_gen.go is a symbolic link: remove it",
		},
		"a dangling link": {
			func(t *testing.T, dir, outside string) {
				link(t, filepath.Join(outside, "nothing"), filepath.Join(dir, "catalog_gen.go"))
			}, 3,
			"catalog_gen.go is a symbolic link: remove it",
		},
		"a directory": {
			func(t *testing.T, dir, _ string) { put(t, dir, "catalog_gen.go/x", "") }, 3,
			"catalog_gen.go is not a file",
		},
		"a file for the shards": {
			func(t *testing.T, dir, _ string) { put(t, dir, "shard", "x") }, 510,
			"shard is not a directory",
		},
		"a link for the shards": {
			func(t *testing.T, dir, outside string) { link(t, outside, filepath.Join(dir, "shard")) }, 510,
			"shard is not a directory",
		},
		"a link for a shard": {
			func(t *testing.T, dir, outside string) {
				put(t, dir, "shard/x", "")
				link(t, outside, filepath.Join(dir, "shard", "s01"))
			}, 510,
			"shard/s01 is not a directory",
		},
		"a directory that cannot be written": {
			func(t *testing.T, dir, _ string) {
				if os.Getuid() == 0 {
					t.Skip("root may write everywhere")
				}
				if err := os.Chmod(dir, 0o555); err != nil {
					t.Fatal(err)
				}
			}, 3,
			"permission denied",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			test.prepare(t, dir, outside)
			before, beforeOutside := tree(t, outside), entries(t, dir)
			changed, err := Write(dir, outputFiles(t, test.files, "1.0.0"))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Write = %q, %v, want %q", changed, err, test.want)
			}
			if !maps.Equal(tree(t, outside), before) {
				t.Error("something outside was changed")
			}
			if after := entries(t, dir); !slices.Equal(after, beforeOutside) {
				t.Errorf("the directory holds %q, and held %q", after, beforeOutside)
			}
		})
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}

// entries lists everything in a directory that is not a directory, links not followed.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A link that is in nobody's way is neither followed nor removed.
func TestWritePassesOverLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	generated := rendered(t, outputFiles(t, 1, "1.0.0"))["prompt_p0_gen.go"]
	put(t, outside, "prompt_old_gen.go", generated)
	link(t, filepath.Join(outside, "prompt_old_gen.go"), filepath.Join(dir, "prompt_old_gen.go"))
	link(t, outside, filepath.Join(dir, "shard"))
	if _, err := Write(dir, outputFiles(t, 1, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	if tree(t, outside)["prompt_old_gen.go"] != generated {
		t.Error("a file outside was changed")
	}
	for _, name := range []string{"prompt_old_gen.go", "shard"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// If one file cannot be printed, none is written.
func TestWriteIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir, outputFiles(t, 5, "1.0.0")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	for i := range 5 {
		files := outputFiles(t, 4, "2.0.0")
		for j := range files {
			files[j].Key = "other"
		}
		files[i].Render = func() ([]byte, error) { return nil, errors.New("cannot print") }
		if changed, err := Write(dir, files); err == nil || err.Error() != "cannot print" {
			t.Errorf("Write = %q, %v", changed, err)
		}
		if after := tree(t, dir); !maps.Equal(after, before) {
			t.Fatalf("the directory holds %v", slices.Sorted(maps.Keys(after)))
		}
		if _, err := Stale(dir, files); err == nil || err.Error() != "cannot print" {
			t.Errorf("Stale = %v", err)
		}
	}
}

func TestWriteWhereNoDirectoryCanBe(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "")
	_, err := Write(filepath.Join(dir, "file", "baked"), outputFiles(t, 1, "1.0.0"))
	if err == nil || !strings.Contains(err.Error(), "cannot create") || strings.Count(err.Error(), "file/baked") != 1 {
		t.Errorf("Write = %v", err)
	}
	if _, err := Stale(filepath.Join(dir, "file"), outputFiles(t, 1, "1.0.0")); err == nil || !strings.Contains(err.Error(), "cannot open") {
		t.Errorf("Stale = %v", err)
	}
}

// Two processes that write the same files at once leave whole files and no others.
func TestConcurrentWrites(t *testing.T) {
	dir := t.TempDir()
	files := outputFiles(t, 40, "1.0.0")
	errs := make(chan error)
	for range 4 {
		go func() {
			_, err := Write(dir, files)
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := tree(t, dir); !maps.Equal(got, rendered(t, files)) {
		t.Errorf("left %v", slices.Sorted(maps.Keys(got)))
	}
}
