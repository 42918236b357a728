// This file holds the compiler to account: what it makes of content/ is what is
// compiled in.

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed33527553/promptc/catalog/baked"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

const contentDir, bakedDir = "../../content", "../../catalog/baked"

func compiled(t *testing.T, fsys fs.FS) *check.Program {
	t.Helper()
	program, faults, err := gen.Compile(fsys, gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	return program
}

func TestCompiledEqualsBaked(t *testing.T) {
	live := compiled(t, os.DirFS(contentDir)).Catalog
	if reflect.DeepEqual(live, baked.Catalog) {
		return
	}
	// Tell which field differs.
	a, b := reflect.ValueOf(*live), reflect.ValueOf(*baked.Catalog)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			t.Errorf("Catalog.%s is not what content/ compiles to; run go generate", a.Type().Field(i).Name)
		}
	}
}

// TestGeneratingAgainChangesNothing generates from the checkout and from one whose
// line ends are CRLF, with one processor and with several.
func TestGeneratingAgainChangesNothing(t *testing.T) {
	crlf := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(contentDir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(contentDir, p))
		if ext := filepath.Ext(p); ext == ".md" || p == check.SettingsFile {
			data = append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...)
		}
		crlf[p] = &fstest.MapFile{Data: data, Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	importPath, err := gen.ImportPath(bakedDir)
	if err != nil {
		t.Fatal(err)
	}
	for name, fsys := range map[string]fs.FS{"checkout": os.DirFS(contentDir), "CRLF": crlf} {
		for _, processors := range []int{1, 4} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				files, err := emit.Package(compiled(t, fsys), emit.Options{Package: "baked", ImportPath: importPath})
				if err != nil {
					t.Fatal(err)
				}
				differences, err := gen.Stale(bakedDir, files)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range differences {
					t.Errorf("%s, %d processors: %v", name, processors, d)
				}
			}()
		}
	}
}

// TestGeneratedIsPortable looks for what would differ between two machines.
func TestGeneratedIsPortable(t *testing.T) {
	here, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(bakedDir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no generated files: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(data); strings.Contains(text, here) || strings.Contains(text, "\r") {
			t.Errorf("%s holds a path of this machine or a carriage return", filepath.Base(file))
		}
	}
}
