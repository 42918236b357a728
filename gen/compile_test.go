// This file compiles the trees of testdata/*.txtar and compares what is said of
// them.

package gen_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A files is a tree in memory, of which some files cannot be opened.
type files struct {
	fstest.MapFS
	unreadable map[string]bool
}

func (f *files) Open(name string) (fs.File, error) {
	if f.unreadable[name] {
		return nil, &fs.PathError{Op: "open", Path: "/elsewhere/" + name, Err: fs.ErrPermission}
	}
	return f.MapFS.Open(name)
}

// tree returns the content tree of an archive: its files below content/. A name
// can have a word in front: "quoted" for a file whose text is a quoted Go string,
// "repeated" for one in which a line such as "@3 x" stands for three lines "x",
// "symlink" for a link to what the text says, "directory" for an empty one,
// "unreadable" for a file that cannot be opened.
func tree(t testing.TB, archive *txtar.Archive) *files {
	t.Helper()
	fsys := &files{fstest.MapFS{}, map[string]bool{}}
	for _, f := range archive.Files {
		name, data, mode := f.Name, f.Data, fs.FileMode(0o644)
		if how, rest, _ := strings.Cut(f.Name, " "); !strings.Contains(how, "/") && rest != "" {
			name = rest
			switch how {
			case "repeated":
				data = repeated.ReplaceAllFunc(data, func(line []byte) []byte {
					m := repeated.FindSubmatch(line)
					n, _ := strconv.Atoi(string(m[1]))
					return bytes.Repeat(m[2], n)
				})
			case "quoted":
				s, err := strconv.Unquote(strings.TrimSpace(string(f.Data)))
				if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
				data = []byte(s)
			case "symlink":
				mode, data = fs.ModeSymlink|0o777, bytes.TrimSpace(f.Data)
			case "directory":
				mode, data = fs.ModeDir|0o755, nil
			case "unreadable":
				fsys.unreadable[strings.TrimPrefix(name, "content/")] = true
			default:
				t.Fatalf("%s: unknown kind of file", f.Name)
			}
		}
		if name, ok := strings.CutPrefix(name, "content/"); ok {
			fsys.MapFS[name] = &fstest.MapFile{Data: data, Mode: mode}
		}
	}
	return fsys
}

var repeated = regexp.MustCompile(`(?m)^@(\d+) (.*\n)`)

func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			program, faults, err := gen.Compile(tree(t, archive), gen.Options{Root: "content"})
			if err != nil {
				t.Fatal(err)
			}
			if (program == nil) != (len(faults) > 0) {
				t.Errorf("program %v with %d faults", program, len(faults))
			}
			var got bytes.Buffer
			if err := diag.Write(&got, diag.Text, faults); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
			if i < 0 {
				i = len(archive.Files)
				archive.Files = append(archive.Files, txtar.File{Name: "want"})
			}
			if bytes.Equal(got.Bytes(), archive.Files[i].Data) {
				return
			}
			if *update {
				archive.Files[i].Data = got.Bytes()
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s: got\n%s\nwant\n%s\nrun go test ./gen -update, and read the difference", file, got.Bytes(), archive.Files[i].Data)
		})
	}
}

// TestEveryRuleHasACase holds the goldens to the list of rules: a rule without a
// case, or a case of a rule that is not described, fails.
func TestEveryRuleHasACase(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	several, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, several...)
	line := regexp.MustCompile(`(?m)^(?:content|vendor)/[^:\n]+:\d+:\d+: (?:warning: )?([a-z-]+): `)
	shown := map[string]bool{"note": true}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "want" {
				for _, m := range line.FindAllSubmatch(f.Data, -1) {
					shown[string(m[1])] = true
				}
			}
		}
	}
	for _, rule := range diag.Rules() {
		if !shown[rule] {
			t.Errorf("no archive in testdata shows the rule %s", rule)
		}
		delete(shown, rule)
	}
	delete(shown, "note")
	for rule := range shown {
		t.Errorf("the rule %s is reported and not described in gen/diag", rule)
	}
}

// TestEveryRuleIsTaught holds the skill on writing for this compiler to the rules.
func TestEveryRuleIsTaught(t *testing.T) {
	faults, err := os.ReadFile("../content/skills/write-promptc-prompts/references/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range diag.Rules() {
		if !bytes.Contains(faults, []byte("`"+rule+"`")) {
			t.Errorf("references/faults.md does not tell of the rule %s", rule)
		}
	}
}

// TestPlacesAreInside compiles every archive cut short at each of its lines: no
// panic, and every place lies in its source.
func TestPlacesAreInside(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range archive.Files {
			f := &archive.Files[i]
			if !strings.HasPrefix(f.Name, "content/") || len(f.Data) > 4096 {
				continue
			}
			whole := f.Data
			for end := range whole {
				if whole[end] == '\n' {
					f.Data = whole[:end]
					_, faults, err := gen.Compile(tree(t, archive), gen.Options{Root: "content"})
					if err != nil {
						t.Fatal(err)
					}
					for _, d := range faults {
						if err := inside(d); err != nil {
							t.Errorf("%s, %s cut to %d bytes: %v", file, f.Name, end, err)
						}
					}
				}
			}
			f.Data = whole
		}
	}
}

func inside(d diag.Diagnostic) error {
	spans := []diag.Span{d.Span}
	for _, r := range d.Related {
		spans = append(spans, r.Span)
	}
	if d.Fix != nil {
		spans = append(spans, d.Fix.Span)
	}
	for _, s := range spans {
		if s.Source == nil || s.Start < 0 || s.End < s.Start || s.End > len(s.Source.Text) {
			return fmt.Errorf("%v: a place outside of its source", d)
		}
	}
	return nil
}

// TestFixes applies each fix of the archives by itself: the fault is gone, and the
// file has no more of them than before.
func TestFixes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fixes := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fsys := tree(t, archive)
		_, faults, err := gen.Compile(fsys, gen.Options{Root: "content"})
		if err != nil {
			t.Fatal(err)
		}
		count := func(faults diag.List, name string) (n int) {
			for _, d := range faults {
				if d.Span.Source.Name == name {
					n++
				}
			}
			return n
		}
		for _, d := range faults {
			if d.Fix == nil {
				continue
			}
			fixes++
			name := strings.TrimPrefix(d.Span.Source.Name, "content/")
			whole := fsys.MapFS[name]
			text := d.Span.Source.Text
			mended := text[:d.Fix.Span.Start] + d.Fix.Replacement + text[d.Fix.Span.End:]
			fsys.MapFS[name] = &fstest.MapFile{Data: []byte(mended), Mode: 0o644}
			_, after, err := gen.Compile(fsys, gen.Options{Root: "content"})
			if err != nil {
				t.Fatal(err)
			}
			fsys.MapFS[name] = whole
			// A mended frontmatter may show what could not be seen before.
			if d.Rule != "yaml-syntax" && d.Rule != "yaml-type" && count(after, d.Span.Source.Name) >= count(faults, d.Span.Source.Name) {
				t.Errorf("%s: %v: the fix mends nothing:\n%s\n%v", file, d, mended, after)
			}
			for _, again := range after {
				if again.Span.Source.Name == d.Span.Source.Name && again.Rule == d.Rule && again.Span.Start == d.Span.Start {
					t.Errorf("%s: %v: the fix %q leaves %v", file, d, d.Fix.Replacement, again)
				}
			}
		}
	}
	if fixes < 50 {
		t.Errorf("the archives show %d fixes", fixes)
	}
}
