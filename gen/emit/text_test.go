// This file holds the tests of quoting and of comments.

package emit

import (
	"go/ast"
	goconstant "go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
)

// declared type-checks a file and returns the value of the constant v.
func declared(t *testing.T, source []byte) string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, source)
	}
	p, err := new(types.Config).Check("p", set, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return goconstant.StringVal(p.Scope().Lookup("v").(*types.Const).Val())
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "\n", "a", "a\nb", "a\r\nb\rc", "`", `"\`, "\x00", "\xff\xfe", "\ufeff", "\u2028", "\u202e", "日本語\n👩‍💻",
		"---\nprompt:\n---\n", `{"a":["b,c",{"d":1},{"e":"\""}],"f":{}}`, "{,,,\n,\n", "\\",
		strings.Repeat("é", 2000), strings.Repeat("a,", 700), strings.Repeat("line\n", 600), strings.Repeat("\x80", 7000),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, split := range map[string]splitter{"lines": lines, "jsonLines": jsonLines} {
			pieces := split(s)
			if got := strings.Join(pieces, ""); got != s {
				t.Fatalf("%s: %q became %q", name, s, got)
			}
			var unquoted strings.Builder
			for _, piece := range pieces {
				if len(piece) > maxLineBytes {
					t.Errorf("%s: a piece of %d bytes", name, len(piece))
				}
				quoted := strconv.Quote(piece)
				if strings.ContainsAny(quoted, "\n\r\x00\ufeff\u2028\u2029") || !utf8.ValidString(quoted) {
					t.Errorf("%s: %q is quoted as it is", name, piece)
				}
				u, err := strconv.Unquote(quoted)
				if err != nil {
					t.Fatal(err)
				}
				unquoted.WriteString(u)
			}
			if unquoted.String() != s {
				t.Fatalf("%s: %q became %q", name, s, unquoted.String())
			}
			f := newSource(pkg{Name: "p"}, "content")
			v := jen.Const().Id("v").Op("=").Add(f.texts.use("x", s, split))
			f.declareTexts()
			f.declare(v)
			source, err := f.render("")
			if err != nil {
				t.Fatal(err)
			}
			if got := declared(t, source); got != s {
				t.Fatalf("%s: %q is declared as %q", name, s, got)
			}
		}
	})
}

func FuzzComment(f *testing.F) {
	for _, s := range []string{"", "a", "*/ func init() {}", "\n//go:embed x", "\u2028x", "+build x", strings.Repeat("- word go:embed ", 30), "\x00\xff\ufeff", "Deprecated: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, line := range comment("X is: " + s) {
			rest, ok := strings.CutPrefix(line, "// ")
			if !ok || strings.ContainsAny(line, "\n\r\t\x00\ufeff\u2028\u2029") || !utf8.ValidString(line) {
				t.Fatalf("a comment line %q", line)
			}
			if word, _, _ := strings.Cut(rest, " "); i > 0 && !plain(word) {
				t.Errorf("a comment line starts with %q", word)
			}
		}
	})
}

func TestComment(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"X is short.", "// X is short."},
		{"X  is\n\tfolded\u2028here.", "// X is folded here."},
		{"X holds \x00, \ufeff, \u202e and \xff.", `// X holds \x00, \ufeff, \u202e and \xff.`},
		{
			"X is the prompt that says a number of things, and goes on for longer than a line - or go:embed it.",
			"// X is the prompt that says a number of things, and goes on for longer than a\n// line - or go:embed it.",
		},
		{
			"X is a list that would be one in a comment as well if it was broken here ... - go:embed 1. item",
			"// X is a list that would be one in a comment as well if it was broken here ... - go:embed 1.\n// item",
		},
	} {
		if got := strings.Join(comment(test.text), "\n"); got != test.want {
			t.Errorf("comment(%q):\n%s\nwant:\n%s", test.text, got, test.want)
		}
	}
}

func TestSentence(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Go": "Go.", "Go.": "Go.", "Go?": "Go?", "Go (on)": "Go (on).", " Go \n": "Go.", "行く。": "行く。",
	} {
		if got := sentence(text); got != want {
			t.Errorf("sentence(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestUncapital(t *testing.T) {
	for name, want := range map[string]string{
		"ReviewChanges": "reviewChanges", "URLCheck": "urlCheck", "ID": "id", "X": "x", "Foo_2": "foo_2", "AWSS3": "awss3", "": "",
	} {
		if got := uncapital(name); got != want {
			t.Errorf("uncapital(%q) = %q, want %q", name, got, want)
		}
	}
}

// A key depends on everything that is reachable, and tells where one text ends and
// the next begins.
func TestDigest(t *testing.T) {
	type inner struct{ a, b string }
	type outer struct {
		list []inner
		p    *inner
		n    int64
		b    bool
		u    []uint32
	}
	seen := map[string]int{}
	for i, v := range []outer{
		{}, {n: 1}, {n: -1}, {b: true}, {u: []uint32{1}}, {u: []uint32{0, 1}},
		{p: &inner{}}, {p: &inner{"ab", ""}}, {p: &inner{"a", "b"}},
		{list: []inner{{}}}, {list: []inner{{}, {}}}, {list: []inner{{"a", "b"}}}, {list: []inner{{"", "ab"}}},
	} {
		key := digest(&v)
		if j, ok := seen[key]; ok {
			t.Errorf("the values %d and %d have the same key", i, j)
		}
		seen[key] = i
		if again := digest(&outer{v.list, v.p, v.n, v.b, v.u}); again != key {
			t.Errorf("value %d has two keys", i)
		}
	}
}

// Fields that are left out where they are zero are told from one another.
func TestDigestOfLaterFields(t *testing.T) {
	seen := map[string]int{}
	for i, d := range []catalog.Document{{}, {Source: "x"}, {Origin: "x"}, {Source: "x", Origin: "x"}, {Path: "x"}, {Source: "xx"}} {
		key := digest(&d)
		if j, ok := seen[key]; ok {
			t.Errorf("the documents %d and %d have the same key", i, j)
		}
		seen[key] = i
	}
}

func TestSeal(t *testing.T) {
	content := []byte(header("content") + "\n\npackage p\n\n")
	sealed := seal(content, "0123")
	if key, ok := Sealed(sealed); !ok || key != "0123" {
		t.Errorf("Sealed = %q, %t", key, ok)
	}
	if !Generated(sealed) {
		t.Error("not Generated")
	}
	for name, edited := range map[string]string{
		"nothing":      "",
		"no last line": string(sealed[:len(content)]),
		"edited":       strings.Replace(string(sealed), "package p", "package q", 1),
		"cut":          string(sealed[:len(sealed)-1]),
		"appended":     string(sealed) + "\n",
		"CRLF":         strings.ReplaceAll(string(sealed), "\n", "\r\n"),
		"no sum":       string(content) + sumDirective,
	} {
		if key, ok := Sealed([]byte(edited)); ok {
			t.Errorf("%s: Sealed = %q, true", name, key)
		}
	}
	for _, other := range []string{"", "package p", "// Code generated by stringer. DO NOT EDIT.\n", "\n" + string(sealed), "// Code generated by promptc from x\n. DO NOT EDIT."} {
		if Generated([]byte(other)) {
			t.Errorf("%q is Generated", other)
		}
	}
	if !Generated([]byte(strings.ReplaceAll(string(sealed), "\n", "\r\n"))) {
		t.Error("a file with CRLF is not Generated")
	}
}
