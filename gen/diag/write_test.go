// This file tests Write: every format against its golden file, and their edges.

package diag

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// marked returns the source that a text with the marks « and » around a span
// stands for, and the span; » alone is an empty span.
func marked(name, text string) Span {
	end := strings.Index(text, "»")
	start := strings.Index(text, "«")
	if start < 0 {
		start = end
	} else {
		end -= len("«")
	}
	s := &Source{Name: name, Text: strings.NewReplacer("«", "", "»", "").Replace(text)}
	return s.Span(start, end)
}

// faults returns a list with one of everything: a fix, related places, several
// lines, a name without text, a warning, a secret, and content that would play with a
// terminal.
func faults() List {
	var l List
	adr := marked("content/prompts/adr/PROMPT.md", "---\nprompt:\n  version: 1.0.0\n  description: Enforces the rule«: »an ADR first\n---\n")
	d := l.Add(adr, "yaml-syntax", `a plain value cannot hold ": "`, `quote the value: description: "Enforces the rule: an ADR first"`)
	value := marked("", "---\nprompt:\n  version: 1.0.0\n  description: «Enforces the rule: an ADR first»\n---\n")
	d.Fix = &Fix{adr.Source.Span(value.Start, value.End), `"Enforces the rule: an ADR first"`}

	l.Add((&Source{Name: "content/prompts/Bad_Name/PROMPT.md"}).Top(), "id-form", `"Bad_Name" is not an id`, "")

	body := marked("content/prompts/long/PROMPT.md", "first\n«second\nthird» fourth\n")
	l.Add(body, "message-empty", "a message without text", "write a text,\nor remove the line")

	d = l.Add(marked("content/skills/a/SKILL.md", "depends_on: [«b»]\n"), "dependency-cycle", "a depends on itself: a, b, a", "")
	d.Related = []Related{{marked("content/skills/b/SKILL.md", "\n\ndepends_on: [«a»]\n"), "b depends on a"}}

	l.Add(marked("content/100%, a:b.md", "\tsafe \u202e«\u202d」\x1b[2J\U000E0041»\n"), "encoding",
		"\x1b[31m::error::\r\n\u202e hidden", "a % and\x07 a bell")

	d = l.Add(marked("team/deploy.md", "---\n«name: deploy»\n---\n"), "uri-collision", `the path "deploy" is taken`, "rename it")
	d.Severity = Warning
	d.Related = []Related{{(&Source{Name: "content/prompts/deploy/PROMPT.md"}).Top(), "it is here"}}

	l.Add(marked("content/catalog.yaml", "sources:\n  - token: «hunter2»\n"), "catalog-block", "the token is not the name of a variable", "").Secret = true
	return l
}

func TestGolden(t *testing.T) {
	for _, format := range Formats() {
		t.Run(string(format), func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, format, faults()); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "faults."+string(format))
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("got\n%s\nwant\n%s", &b, want)
			}
			if strings.Contains(b.String(), "hunter2") {
				t.Error("the output has the secret")
			}
			for _, r := range b.String() {
				if r != '\n' && isHidden(r) {
					t.Errorf("the output has %U", r)
				}
			}
		})
	}
}

func TestNothing(t *testing.T) {
	for format, want := range map[Format]string{
		Text: "", JSON: "[]\n", GitHub: "",
	} {
		var b bytes.Buffer
		if err := Write(&b, format, nil); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s: got %q, want %q", format, &b, want)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for _, f := range Formats() {
		if got, err := ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("ParseFormat(%q) = %q, %v", f, got, err)
		}
	}
	for _, name := range []string{"", "TEXT", "yaml"} {
		_, err := ParseFormat(name)
		if err == nil || !strings.Contains(err.Error(), "text, json, github, sarif") {
			t.Errorf("ParseFormat(%q): error %v does not list the formats", name, err)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	for _, format := range Formats() {
		if err := Write(full{}, format, faults()); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", format, err, errFull)
		}
	}
}
