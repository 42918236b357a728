// This file holds the tests of authored text that tries to become code.

package emit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/emit"
)

// attacks are texts that would do harm if they were put into a Go file as they are.
var attacks = []string{
	"*/ func init() { panic(1) } /*",
	"x\n//go:embed secret\nvar s string",
	"//go:linkname a b",
	"go:embed secret",
	"x\n//line secret.go:1\n",
	"`+evil()+`",
	`"+evil()+"`,
	"a\u2028func init() {}\u2029b\u0085c\rd",
	"\ufeffx\u202ey\u2066z",
	"+build ignore\n// +build ignore",
	"x\n\nDeprecated: do not use.",
	"\\",
	"%s %!d(MISSING) $1 ${x} {{.}}",
	"- a\n- b\n1. c\n# d\n[e]: https://example.com\n\tf",
	"\x00\x01\x7f\x80\xff\xc3",
	strings.Repeat("x", 300),
	" ",
	"\n",
	"日本語と👩‍💻",
}

// hostile is a catalog that holds every attack in every authored field. The checks
// that come before would not let most of them through.
func hostile() *tree {
	all := strings.Join(attacks, " | ")
	t := newTree()
	t.root = "con\ntent*/`\u2028"
	t.catalog.Name, t.catalog.Title, t.catalog.Version = all, all, all
	t.catalog.Description, t.catalog.Instructions, t.catalog.Prefix = all, all, "x*/\n//go:embed y/"
	t.catalog.Cache = catalog.CacheHint{Scope: all, TTL: 90 * time.Second}
	choice := t.prompt(catalog.Prompt{
		ID: "evil", Version: "1.0.0\n//go:embed x", Title: all, Description: all, Category: all, Tags: attacks,
		Arguments: []catalog.Argument{
			{Name: "a", Description: all, Default: all, Choices: attacks},
			{Name: "b", Description: "x\n//go:embed secret"},
			{Name: "c", Description: ""},
		},
	}, all+"\n{{a}}\n"+all, "{{b}}", attacks[0])
	choice.Messages[2].Role = catalog.Role("system\n")
	names := t.prompts["evil"]
	for i := range names.Choices[0].Constants {
		names.Choices[0].Constants[i] = "EvilA_" + string(rune('A'+i))
	}
	for i, a := range attacks {
		t.prompt(catalog.Prompt{
			ID: "attack-" + string(rune('a'+i)), Version: "1.0.0", Description: a,
			Arguments: []catalog.Argument{{Name: "a", Description: a, Default: a}},
		}, a, a+"{{a}}"+a)
	}
	s := t.skill(catalog.Skill{ID: "evil", Version: all, Description: all, Tags: attacks, Capabilities: attacks, DependsOn: attacks},
		all, map[string]string{"r": all}, map[string]string{"assets/a\n//go:embed b": all + "\x00", "assets/empty": ""})
	s.References[0].Title = all
	t.loose("docs/x\n//go:embed y.md", all)
	t.loose("docs/../*/func.md", all)
	return t
}

// Every file must hold nothing but the declarations that the program asks for, and no
// directive but the last line.
func TestNothingBecomesCode(t *testing.T) {
	files, err := emit.Package(hostile().program(), emit.Options{Package: "baked"})
	if err != nil {
		t.Fatal(err)
	}
	directive := regexp.MustCompile(`^//(go:|line |export |extern |[a-z0-9]+:[a-z0-9]|\s*\+build)`)
	ineffectual := regexp.MustCompile(`^//\s*(go:|\+build|line )`)
	for _, f := range files {
		content, err := f.Render()
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f.Path, content, parser.ParseComments|parser.AllErrors)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if !emit.Generated(content) || !ast.IsGenerated(file) {
			t.Errorf("%s does not start as a generated file does: %.80q", f.Path, content)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name != "Messages" && fn.Name.Name != "Register" {
				t.Errorf("%s declares the function %s", f.Path, fn.Name.Name)
			}
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "/*") {
					t.Errorf("%s: a general comment: %.80q", set.Position(c.Pos()), c.Text)
				}
				if ineffectual.MatchString(c.Text) || directive.MatchString(c.Text) && !strings.HasPrefix(c.Text, "//promptc:sum ") {
					t.Errorf("%s: a directive: %.80q", set.Position(c.Pos()), c.Text)
				}
				if strings.HasPrefix(c.Text, "// Deprecated:") {
					t.Errorf("%s: a marker: %.80q", set.Position(c.Pos()), c.Text)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && l.Value[0] != '"' {
				t.Errorf("%s: a raw string", set.Position(l.Pos()))
			}
			return true
		})
	}
}
