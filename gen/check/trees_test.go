// This file checks the trees of ../testdata/trees/*.txtar together, and compares what
// is said of them and what is served.

package check_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A file is one of a tree in memory.
type file struct {
	data []byte
	mode fs.FileMode
}

// tree arranges and reads files. The layout is detected where none is given.
func tree(name, root string, layout check.Layout, files map[string]file) *check.Tree {
	var entries []check.Entry
	seen := map[string]bool{}
	for p, f := range files {
		for at, mode := p, f.mode; at != "." && !seen[at]; at, mode = path.Dir(at), fs.ModeDir {
			seen[at] = true
			entries = append(entries, check.Entry{Path: at, Type: mode.Type()})
		}
	}
	slices.SortFunc(entries, func(a, b check.Entry) int { return strings.Compare(a.Path, b.Path) })
	if layout == "" {
		layout = check.Detect(entries, func(p string) string { return string(files[p].data) })
	}
	source := func(p string) *diag.Source { return &diag.Source{Name: path.Join(root, p)} }
	items, faults := check.Arrange(layout, entries, source)
	t := &check.Tree{Source: catalog.Source{Name: name}, Layout: layout, Root: root, Faults: faults}
	for _, item := range items {
		t.Inputs = append(t.Inputs, input(item, root, files[item.Path].data))
	}
	return t
}

func input(item check.Item, root string, data []byte) *check.Input {
	in := &check.Input{Item: item, Data: string(data), Size: len(data)}
	if item.Kind != check.Data {
		s := &diag.Source{Name: path.Join(root, item.Path), Text: catalog.Normalize(data)}
		in.File, in.Data, in.Size = parse.Parse(s, item.Kind), "", len(s.Text)
		data = []byte(s.Text)
	}
	sum := sha256.Sum256(data)
	in.Digest = hex.EncodeToString(sum[:])
	return in
}

// trees returns the trees of an archive: the files below content/ are the built-in
// one, those below sources/<name>/ another one. The comment may have a line for each,
// such as "tree content: lenient" or "tree team: flat, lenient"; their order is the
// order of precedence.
func trees(t testing.TB, archive *txtar.Archive) []*check.Tree {
	t.Helper()
	files := map[string]map[string]file{"content": {}}
	for _, f := range archive.Files {
		name, mode := f.Name, fs.FileMode(0)
		if rest, ok := strings.CutPrefix(name, "symlink "); ok {
			name, mode = rest, fs.ModeSymlink
		}
		of, p, ok := strings.Cut(strings.TrimPrefix(name, "sources/"), "/")
		if !ok || strings.HasPrefix(p, ".") || strings.Contains(p, "/.") {
			continue // names that start with a dot are passed over before
		}
		if files[of] == nil {
			files[of] = map[string]file{}
		}
		files[of][p] = file{f.Data, mode}
	}
	list := []*check.Tree{nil}
	add := func(name string, words []string) {
		var layout check.Layout
		lenient, strict := false, false
		for _, word := range words {
			switch word {
			case "lenient":
				lenient = true
			case "strict":
				strict = true
			default:
				layout = check.Layout(word)
			}
		}
		if name == "content" {
			list[0] = tree("", "content", check.Contract, files[name])
			list[0].Lenient = lenient
			return
		}
		list = append(list, tree(name, "vendor/"+name, layout, files[name]))
		list[len(list)-1].Lenient, list[len(list)-1].Strict = lenient, strict
	}
	add("content", nil)
	for line := range strings.Lines(string(archive.Comment)) {
		if rest, ok := strings.CutPrefix(line, "tree "); ok {
			name, words, _ := strings.Cut(strings.TrimSpace(rest), ":")
			if files[name] == nil {
				t.Fatalf("there are no files of the tree %s", name)
			}
			add(name, strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == ',' }))
		}
	}
	return list
}

// served lists what is in a program, and where it is from.
func served(p *check.Program) []byte {
	var b bytes.Buffer
	if p == nil {
		return nil
	}
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	c := p.Catalog
	for i, v := range c.Prompts {
		fmt.Fprintf(&b, "prompt %s %s from %s, in Go %s, at %s\n", v.ID, or(v.Version), or(v.Source), p.Prompts[i].Prompt, p.Origin(v.Document.Path))
	}
	for i, v := range c.Skills {
		fmt.Fprintf(&b, "skill %s %s from %s, in Go %s, with %s\n", v.ID, or(v.Version), or(v.Source), p.Skills[i].Skill, v.Capabilities)
		for _, d := range v.Files {
			fmt.Fprintf(&b, "  %s at %s, %s\n", d.Path, p.Origin(d.Path), d.MIMEType)
		}
		for _, r := range v.References {
			fmt.Fprintf(&b, "  reference %s %s\n", r.ID, r.Document.Path)
		}
	}
	for _, d := range c.Documents {
		if !strings.HasPrefix(d.Path, "prompts/") && !strings.HasPrefix(d.Path, "skills/") {
			fmt.Fprintf(&b, "document %s at %s\n", d.Path, p.Origin(d.Path))
		}
	}
	return b.Bytes()
}

func archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob("../testdata/trees/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	all := map[string]*txtar.Archive{}
	for _, name := range files {
		if all[name], err = txtar.ParseFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestTrees(t *testing.T) {
	for name, archive := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			list := trees(t, archive)
			program, faults, warnings := check.Trees(list)
			if (program == nil) != (len(faults) > 0) {
				t.Errorf("program %v with %d faults", program, len(faults))
			}
			all := slices.Concat(faults, warnings)
			all.Sort()
			var said bytes.Buffer
			if err := diag.Write(&said, diag.Text, all); err != nil {
				t.Fatal(err)
			}
			changed := false
			for _, golden := range []txtar.File{{Name: "want", Data: said.Bytes()}, {Name: "served", Data: served(program)}} {
				i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == golden.Name })
				if i < 0 {
					i = len(archive.Files)
					archive.Files = append(archive.Files, txtar.File{Name: golden.Name})
				}
				if !bytes.Equal(golden.Data, archive.Files[i].Data) {
					changed = true
					if !*update {
						t.Errorf("%s of %s: got\n%s\nwant\n%s\nrun go test ./gen/check -update, and read the difference", golden.Name, name, golden.Data, archive.Files[i].Data)
					}
					archive.Files[i].Data = golden.Data
				}
			}
			if changed && *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
