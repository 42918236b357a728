// This file tests what holds for every input: places inside the text, segments in
// order, nothing lost but what the grammar drops.

package parse_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// seeds adds every file of the golden archives, and texts that once were hard.
func seeds(f *testing.F, add func(text string)) {
	archives, err := filepath.Glob("../testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if len(file.Data) < 4096 {
				add(string(file.Data))
			}
		}
	}
	for _, text := range []string{
		"---\nprompt: {}\n---\n{{{{a}}}}\\\\\\{{b}}{{", "---\na: \"\n---\n", "---\na: [\n---\n", "---\n\t\n---\n", "---\n- - - -\n---\n",
		"---\n? ? ?\n---\n", "---\na: !!binary x\n---\n", "---\na: 'it''s'\n---\n", "---\n\"\\\n---\n", "\ufeff---\r\na: b\r---\r\n", "---\n...\n---\n",
		"---\n%YAML 9.9\n---\n", "---\na: &a [*a]\n---\n", "---\n<!-- role: user -->\n---\n<!-- role: user -->\n\n\\<!-- role: user -->\n {{a}} \n",
	} {
		add(text)
	}
}

func FuzzParse(f *testing.F) {
	seeds(f, func(text string) { f.Add(text, uint8(1)); f.Add(text, uint8(2)) })
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		source := &diag.Source{Name: "x.md", Text: catalog.Normalize([]byte(text))}
		if strings.Contains(source.Text, "\r") {
			t.Error("a carriage return is left")
		}
		file := parse.Parse(source, parse.FileKind(kind%4))
		for _, d := range file.Diagnostics {
			inside(t, source, d.Span)
			if d.Rule == "" || d.Message == "" || strings.ContainsAny(d.Message, "\n") {
				t.Errorf("a fault without a rule or a message of one line: %+v", d)
			}
			if d.Fix != nil {
				inside(t, source, d.Fix.Span)
			}
		}
		for _, l := range file.Links {
			inside(t, source, l.Span)
		}
		for _, n := range file.NearMisses {
			inside(t, source, n.Span)
		}
		values(t, source, file.Front)
		segments(t, source, file)
	})
}

func inside(t *testing.T, source *diag.Source, s diag.Span) {
	t.Helper()
	if s.Source != source || s.Start < 0 || s.End < s.Start || s.End > len(source.Text) {
		t.Errorf("a place outside of the text: %d to %d of %d", s.Start, s.End, len(source.Text))
	}
}

func values(t *testing.T, source *diag.Source, v *parse.Value) {
	if v == nil {
		return
	}
	inside(t, source, v.Span)
	for _, item := range v.Items {
		values(t, source, item)
	}
	for _, e := range v.Entries {
		values(t, source, e.Key)
		values(t, source, e.Value)
	}
}

// dropped is what may lie between the segments of a body: white space, role lines
// and escaping backslashes.
var dropped = regexp.MustCompile(`^(?:[ \t\n]|<!-- role: (?:user|assistant) -->|\\)*$`)

func segments(t *testing.T, source *diag.Source, file *parse.File) {
	at := file.Body
	for _, m := range file.Messages {
		if len(m.Segments) == 0 {
			t.Error("a message without segments")
		}
		for _, s := range m.Segments {
			inside(t, source, s.Span)
			if s.Span.Start < at || s.Span.Start == s.Span.End {
				t.Fatalf("segment %d to %d comes after %d", s.Span.Start, s.Span.End, at)
			}
			if gap := source.Text[at:s.Span.Start]; !dropped.MatchString(gap) {
				t.Errorf("%q is not rendered", gap)
			}
			if s.Name != "" && s.Span.Text() != "{{"+s.Name+"}}" {
				t.Errorf("the placeholder %s is written %s", s.Name, s.Span.Text())
			}
			at = s.Span.End
		}
	}
	if len(file.Messages) > 0 {
		if gap := source.Text[at:]; !dropped.MatchString(gap) {
			t.Errorf("%q at the end is not rendered", gap)
		}
	}
}

// TestPlaceholders holds the grammar to a second, slower reading of it: a pattern
// over the whole body.
func TestPlaceholders(t *testing.T) {
	pattern := regexp.MustCompile(`(\\*)\{\{([a-z][A-Za-z0-9_]{0,63})\}\}`)
	for _, body := range []string{
		"{{a}}", `\{{a}}`, `\\{{a}}`, `\\\{{a}}`, `\\\\{{a}}`, `\\\\\{{a}}`, "{{{a}}}", "{{{{a}}}}", "{{a}}{{b}}", "{{a{{b}}", "{{a}}}", "{ {{a}} }",
		`x\y{{a}}`, `\ {{a}}`, `{{ a }}`, `\{{ a }}`, `\\{{ a }}`, "{{A}}", "{{a-b}}", "{{a.b}}", "{{}}", "{{a\n}}", "${{a}}", "{{a1_B}}", "{{1a}}", "{{é}}",
		"{{" + strings.Repeat("a", 64) + "}}", "{{" + strings.Repeat("a", 65) + "}}", `{{a}}\{{a}}{{a}}`, `\\{{a}}\\{{b}}`, "{{a}}\n\\{{b}}\nc",
	} {
		want := pattern.ReplaceAllStringFunc(body, func(s string) string {
			m := pattern.FindStringSubmatch(s)
			n := len(m[1])
			if n%2 == 1 {
				return strings.Repeat(`\`, n/2) + "{{" + m[2] + "}}"
			}
			return strings.Repeat(`\`, n/2) + "<" + m[2] + ">"
		})
		source := &diag.Source{Name: "x", Text: "---\n---\n" + body}
		file := parse.Parse(source, parse.Prompt)
		got := ""
		for _, m := range file.Messages {
			for _, s := range m.Segments {
				if s.Name != "" {
					got += "<" + s.Name + ">"
				} else {
					got += s.Span.Text()
				}
			}
		}
		if got != want {
			t.Errorf("%q renders as %q, want %q", body, got, want)
		}
	}
}

// TestMessages tells what becomes of white space and role lines.
func TestMessages(t *testing.T) {
	for body, want := range map[string]string{
		"\n \n\ntext \n\n": "user:text",
		"a\n<!-- role: assistant -->\n\nb\n\n<!-- role: user -->\n  c\n": "user:a|assistant:b|user:  c",
		"<!-- role: user -->\na\n":                                       "user:a",
		"\n\n<!-- role: user -->\na\n":                                   "user:a",
		"```\n<!-- role: assistant -->\n```\n":                           "user:```|assistant:```",
		"a\n\\<!-- role: assistant -->\nb":                               "user:a\n<!-- role: assistant -->\nb",
		"a <!-- role: assistant -->":                                     "user:a <!-- role: assistant -->",
		"  {{a}}  ":                                                      "user:  {{a}}",
		"\n  {{a}}\n{{b}}\n":                                             "user:  {{a}}\n{{b}}",
		"\n\\{{a}}\n":                                                    "user:{{a}}",
		"<!-- role: assistant -->\n{{a}}\n<!-- role: assistant -->\n \\\\{{b}}": "assistant:{{a}}|assistant: \\{{b}}",
	} {
		file := parse.Parse(&diag.Source{Name: "x", Text: "---\n---\n" + body}, parse.Prompt)
		var parts []string
		for _, m := range file.Messages {
			s := m.Role + ":"
			for _, segment := range m.Segments {
				s += segment.Span.Text()
			}
			parts = append(parts, s)
		}
		if got := strings.Join(parts, "|"); got != want || len(file.Diagnostics) > 0 {
			t.Errorf("%q gives %q %v, want %q", body, got, file.Diagnostics, want)
		}
	}
}
