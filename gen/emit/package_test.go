// This file holds the tests of what files there are and what they depend on.

package emit_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

func pack(t *testing.T, p *check.Program) []emit.File {
	t.Helper()
	files, err := emit.Package(p, emit.Options{Package: "baked", ImportPath: "example.com/baked"})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func keys(files []emit.File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Path] = f.Key
	}
	return m
}

// The same bytes, whatever the number of processors, the order of rendering, and the
// number of files at once.
func TestDeterminism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	render := func(processors int) ([]byte, map[string]string) {
		runtime.GOMAXPROCS(processors)
		files := pack(t, many(520).program())
		contents := make([][]byte, len(files))
		var workers sync.WaitGroup
		for i := range files {
			workers.Go(func() { contents[i], _ = files[i].Render() })
		}
		workers.Wait()
		a := new(txtar.Archive)
		for i := range files {
			a.Files = append(a.Files, txtar.File{Name: files[i].Path, Data: contents[i]})
		}
		return txtar.Format(a), keys(files)
	}
	one, keysOfOne := render(1)
	two, keysOfTwo := render(2)
	if !bytes.Equal(one, two) {
		line, a, b := firstDifference(string(one), string(two))
		t.Errorf("line %d is %q with one processor and %q with two", line, a, b)
	}
	if !maps.Equal(keysOfOne, keysOfTwo) {
		t.Error("the keys depend on the number of processors")
	}
}

// changed returns the paths that are in only one of two outputs, and those whose
// content differs. Keys must differ exactly where contents do.
func changed(t *testing.T, before, after []emit.File) (moved, edited []string) {
	t.Helper()
	contents := func(files []emit.File) map[string]string {
		m := map[string]string{}
		for _, f := range archive(t, files).Files {
			m[f.Name] = string(f.Data)
		}
		return m
	}
	a, b := contents(before), contents(after)
	keysOfA, keysOfB := keys(before), keys(after)
	for path := range b {
		if _, ok := a[path]; !ok {
			moved = append(moved, path)
		}
	}
	for path := range a {
		if _, ok := b[path]; !ok {
			moved = append(moved, path)
			continue
		}
		if a[path] != b[path] {
			edited = append(edited, path)
		}
		if (a[path] == b[path]) != (keysOfA[path] == keysOfB[path]) {
			t.Errorf("%s: the contents are equal is %t, the keys are is %t", path, a[path] == b[path], keysOfA[path] == keysOfB[path])
		}
	}
	slices.Sort(moved)
	slices.Sort(edited)
	return moved, edited
}

func TestEditChangesFewFiles(t *testing.T) {
	edit := func(change func(tree *tree)) (moved, edited []string) {
		tree := sample()
		change(tree)
		return changed(t, pack(t, sample().program()), pack(t, tree.program()))
	}
	for name, test := range map[string]struct {
		change        func(tree *tree)
		moved, edited string
	}{
		"nothing": {func(*tree) {}, "", ""},
		"a body": {
			func(t *tree) {
				p := t.catalog.Prompts[0]
				p.Document.Text[len(p.Document.Text)-1] = "!\n"
				p.Document.Digest = strings.Repeat("0", 64)
				p.Entry = catalog.PromptEntry(p, "")
			},
			"", "catalog_gen.go prompt_review_changes_gen.go",
		},
		"the catalog's version": {func(t *tree) { t.catalog.Version = "2.0.0" }, "", "catalog_gen.go"},
		"another prompt": {
			func(t *tree) {
				t.prompt(catalog.Prompt{ID: "new", Version: "1.0.0", Description: "New."}, "New.")
			},
			"prompt_new_gen.go", "catalog_gen.go index_gen.go",
		},
		"another document": {func(t *tree) { t.loose("new.md", "New.\n") }, "", "catalog_gen.go documents_gen.go index_gen.go"},
	} {
		moved, edited := edit(test.change)
		if strings.Join(moved, " ") != test.moved || strings.Join(edited, " ") != test.edited {
			t.Errorf("%s: moved %q and edited %q, want %q and %q", name, moved, edited, test.moved, test.edited)
		}
	}
}

// A new prompt moves no other to another shard.
func TestShardsAreStable(t *testing.T) {
	tree := many(600)
	tree.prompt(catalog.Prompt{ID: "aardvark", Version: "1.0.0", Description: "New."}, "New.")
	moved, edited := changed(t, pack(t, many(600).program()), pack(t, tree.program()))
	if len(moved) != 1 || !strings.HasSuffix(moved[0], "/prompt_aardvark_gen.go") {
		t.Errorf("moved %q", moved)
	}
	if len(edited) != 4 {
		t.Errorf("edited %q, want those of the catalog, the index, the arguments and the re-exports", edited)
	}
}

func TestShardsAreEven(t *testing.T) {
	for _, n := range []int{501, 699, 1500, 3000} {
		in := map[string]int{}
		for _, f := range pack(t, many(n).program()) {
			if dir, name, ok := strings.Cut(f.Path, "_"); ok && strings.Count(dir, "/") == 2 && !strings.HasPrefix(name, "gen") {
				in[dir[:strings.LastIndex(dir, "/")]]++
			}
		}
		for dir, items := range in {
			if items < 100 || items > 400 {
				t.Errorf("%d items: %s has %d of %d shards", n, dir, items, len(in))
			}
		}
	}
}

// Large texts are spread over several files.
func TestDocumentsAreSplit(t *testing.T) {
	tree := newTree()
	for i := range 40 {
		tree.loose(fmt.Sprintf("docs/%d.md", i), strings.Repeat("A line of text.\n", 2000))
	}
	largest := 0
	for _, f := range archive(t, pack(t, tree.program())).Files {
		largest = max(largest, len(f.Data))
	}
	if largest > 1<<20 {
		t.Errorf("a file of %d bytes", largest)
	}
}

func TestPackageErrors(t *testing.T) {
	for name, test := range map[string]struct {
		program *check.Program
		opt     emit.Options
		want    string
	}{
		"keyword":        {newTree().program(), emit.Options{Package: "func"}, `"func" cannot be the name of a Go package`},
		"no import path": {many(600).program(), emit.Options{Package: "baked"}, "needs the import path of package baked"},
		"fewer names":    {&check.Program{Catalog: sample().program().Catalog}, emit.Options{Package: "baked"}, "names for 0 prompts and 0 skills"},
		"fewer fields": {
			func() *check.Program { p := sample().program(); p.Prompts[1].Fields = nil; return p }(),
			emit.Options{Package: "baked"}, `prompt "review-changes" has 3 arguments, but names for 0 fields`,
		},
		"fewer references": {
			func() *check.Program { p := sample().program(); p.Skills[0].References = nil; return p }(),
			emit.Options{Package: "baked"}, `skill "pytest-scaffold" has 2 references, but names for 0`,
		},
		"no document": {
			func() *check.Program { p := sample().program(); p.Catalog.Prompts[0].Document = nil; return p }(),
			emit.Options{Package: "baked"}, `prompt "ping" has no document`,
		},
	} {
		_, err := emit.Package(test.program, test.opt)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got the error %v, want %q", name, err, test.want)
		}
	}
}

// What a wrong name makes is an error of Render, with the text, and no panic.
func TestRenderError(t *testing.T) {
	p := sample().program()
	p.Prompts[0].Prompt = "not a name"
	for _, f := range pack(t, p) {
		if f.Path != "prompt_ping_gen.go" {
			continue
		}
		if _, err := f.Render(); err == nil || !strings.Contains(err.Error(), "var not a name") {
			t.Errorf("got the error %v", err)
		}
	}
}
