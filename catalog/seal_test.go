// This file tests that a seal covers all of a catalog.

package catalog_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// sealed returns a catalog in which no field is empty.
func sealed() *catalog.Catalog {
	document := func(path string) *catalog.Document {
		return &catalog.Document{Path: path, Source: "team", Origin: "o.md", Title: "Title", MIMEType: catalog.Markdown, Size: 4, Digest: "00", Text: []string{"te", "xt"}}
	}
	p := &catalog.Prompt{
		ID: "p", Source: "team", Version: "1.0.0", Title: "P", Description: "A prompt.", Category: "c", Tags: []string{"t"},
		Arguments: []catalog.Argument{{Name: "a", Description: "An argument.", Required: true, Choices: []string{"x"}, Default: "x"}},
		Messages:  []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{{Text: "text", Argument: 1}}}},
		Document:  document("prompts/p/PROMPT.md"), Entry: "{}",
	}
	s := &catalog.Skill{
		ID: "s", Source: "team", Version: "1.0.0", Description: "A skill.", Tags: []string{"t"}, Capabilities: []string{"c"}, DependsOn: []string{"d"},
		Document: document("skills/s/SKILL.md"), Digest: "00", Entry: "{}",
	}
	r := document("skills/s/references/r.md")
	s.References = []*catalog.Reference{{ID: "r", Title: "R", Document: r}}
	s.Files = []*catalog.Document{s.Document, r}
	return &catalog.Catalog{
		Name: "n", Title: "N", Version: "1.0.0", Description: "A catalog.", Instructions: "Read.", Prefix: "x/",
		Cache: catalog.CacheHint{Scope: "public", TTL: 1}, Digest: "00", Seal: "00",
		Sources: []catalog.Source{{Name: "team", Repository: "r", Branch: "b", Path: "p", Layout: "flat", Commit: "c", Digest: "d"}},
		Prompts: []*catalog.Prompt{p}, Skills: []*catalog.Skill{s}, Documents: []*catalog.Document{p.Document, s.Document, r},
		Resources:   []catalog.Resource{{URI: "u", Name: "n", Title: "T", Description: "D", Document: s.Document, Entry: "{}"}},
		PromptTable: catalog.NewTable([]string{"p"}), ResourceTable: catalog.NewTable([]string{"u"}), DocumentTable: catalog.NewTable([]string{"d"}),
	}
}

// leaves calls visit for every value that is reachable from v and has none in it, and
// for every slice. It fails the test for one that is empty: the test would not tell
// whether the seal covers it.
func leaves(t *testing.T, v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		leaves(t, v.Elem(), path, visit)
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(t, v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	case reflect.Slice:
		if v.Len() == 0 {
			t.Errorf("%s is empty", path)
		}
		visit(path, v)
		for i := range v.Len() {
			leaves(t, v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	default:
		if v.IsZero() && !strings.Contains(path, ".Slots[") {
			t.Errorf("%s is empty", path)
		}
		visit(path, v)
	}
}

func TestSealCoversEverything(t *testing.T) {
	c := sealed()
	want := catalog.SealOf(c)
	changed := 0
	leaves(t, reflect.ValueOf(c), "Catalog", func(path string, v reflect.Value) {
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Uint32:
			v.SetUint(v.Uint() + 1)
		case reflect.Slice:
			v.Set(reflect.Append(v, v.Index(0)))
		default:
			t.Fatalf("%s is a %s", path, v.Kind())
		}
		if got := catalog.SealOf(c); (got == want) != (path == "Catalog.Seal") {
			t.Errorf("the seal is %s after a change of %s, and %s before", got, path, want)
		}
		v.Set(was)
		changed++
	})
	if catalog.SealOf(c) != want || changed < 80 {
		t.Errorf("%d values were changed and restored", changed)
	}
}

// What counts is what pointers point to, and how texts are divided.
func TestSealOfEqualValues(t *testing.T) {
	a, b := sealed(), sealed()
	copied := *b.Skills[0].Document
	b.Skills[0].Document = &copied // no longer one of Files
	if catalog.SealOf(a) != catalog.SealOf(b) {
		t.Error("two catalogs that are deeply equal have two seals")
	}
	b.Skills[0].Document.Text = []string{"t", "ext"}
	if catalog.SealOf(a) == catalog.SealOf(b) {
		t.Error("texts that are divided otherwise have one seal")
	}
	if got := catalog.SealOf(new(catalog.Catalog)); len(got) != 64 {
		t.Errorf("the seal of nothing is %q", got)
	}
}

func TestNormalize(t *testing.T) {
	for raw, want := range map[string]string{
		"":                      "",
		"a\nb":                  "a\nb",
		"\ufeffa\r\nb\rc\r\r\n": "a\nb\nc\n\n",
		"\ufeff\ufeffa":         "\ufeffa",
		"a\ufeff":               "a\ufeff",
		"\xff\r":                "\xff\n",
		"\r":                    "\n",
	} {
		if got := catalog.Normalize([]byte(raw)); got != want {
			t.Errorf("%q becomes %q, want %q", raw, got, want)
		}
	}
}

func BenchmarkSealOf(b *testing.B) {
	c := sealed()
	one := c.Prompts[0]
	c.Prompts, c.Documents = nil, nil
	body := strings.Repeat("A line of a prompt.\n", 180)
	for i := range 10_000 {
		p, d := *one, *one.Document
		p.ID = fmt.Sprintf("p%d", i)
		d.Text = []string{body}
		p.Messages = []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{{Text: body}}}}
		p.Document = &d
		c.Prompts, c.Documents = append(c.Prompts, &p), append(c.Documents, &d)
	}
	for b.Loop() {
		catalog.SealOf(c)
	}
}
