// This file holds Compare to a table of changes, each with the places on both sides
// and the versions it wants.

package breaking_test

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/breaking"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// base returns the files of the tree before a change.
func base(t testing.TB) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/base.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	return files
}

// tree returns files as a file system.
func tree(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// sides reads the trees before and after a change, which must have no faults.
func sides(t testing.TB, before, after map[string]string) (old, new *breaking.Side) {
	t.Helper()
	old, faults, err := breaking.Old(tree(before), nil, "v1", gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	new, faults, err = breaking.New(tree(after), nil, gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	return old, new
}

// An edit changes a tree: text of a file, or with an empty text the whole file, which
// an empty replacement removes.
type edit struct{ file, text, replacement string }

func edited(t testing.TB, files map[string]string, edits ...edit) map[string]string {
	t.Helper()
	files = maps.Clone(files)
	for _, e := range edits {
		switch text := files[e.file]; {
		case e.text == "" && e.replacement == "":
			if text == "" {
				t.Fatalf("there is no file %s", e.file)
			}
			delete(files, e.file)
		case e.text == "":
			files[e.file] = e.replacement
		case strings.Count(text, e.text) != 1:
			t.Fatalf("%s holds %q %d times", e.file, e.text, strings.Count(text, e.text))
		default:
			files[e.file] = strings.Replace(text, e.text, e.replacement, 1)
		}
	}
	return files
}

// shown returns what a report says: the findings, with their places on both sides,
// and the advice on what changed.
func shown(r *breaking.Report) string {
	var b strings.Builder
	for _, d := range r.Diagnostics(false) {
		fmt.Fprintf(&b, "%v\n", d)
		for _, related := range d.Related {
			p := related.Span.Position()
			fmt.Fprintf(&b, "  %s:%d:%d: %s\n", related.Span.Source.Name, p.Line, p.Column, related.Message)
		}
		fmt.Fprintf(&b, "  help: %s\n", d.Help)
	}
	for _, a := range r.Advice {
		if a.Change == breaking.None && a.Old == a.New {
			continue
		}
		line := strings.TrimSpace(a.Kind+" "+a.ID) + ": " + a.Change.String()
		if a.Why != "" {
			line += " (" + a.Why + ")"
		}
		if a.Least != "" {
			line += ", at least " + a.Least
		}
		if a.Right {
			line += ", right"
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}

const (
	review = "prompts/review/PROMPT.md"
	greet  = "prompts/greet/PROMPT.md"
	audit  = "skills/audit/SKILL.md"
	deploy = "skills/deploy/SKILL.md"
	yaml   = "catalog.yaml"
)

func TestChanges(t *testing.T) {
	files := base(t)
	const golden = "testdata/changes.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	archive.Files = nil
	seen := map[string]bool{}
	for _, test := range changes {
		old, new := sides(t, files, edited(t, files, test.edits...))
		report := breaking.Compare(old, new)
		got := shown(report)
		archive.Files = append(archive.Files, txtar.File{Name: test.name, Data: []byte(got)})
		if text, ok := want[test.name]; !*update && (!ok || got != text) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, text)
		}
		for _, d := range report.Diagnostics(false) {
			if seen[d.Rule] = true; d.Message == "" || d.Help == "" {
				t.Errorf("%s: a finding without message or help: %v", test.name, d)
			}
		}
		holdsPromises(t, old, new, report)
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if len(changes) != len(want) && !*update {
		t.Errorf("%d changes, and %d are told of in %s", len(changes), len(want), golden)
	}
	for _, r := range breaking.Rules() {
		if !seen[r.Name] {
			t.Errorf("no change breaks the rule %s", r.Name)
		}
		delete(seen, r.Name)
	}
	for name := range seen {
		t.Errorf("the rule %s is not among the rules", name)
	}
}
