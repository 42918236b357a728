// This file checks real prompts and skills, where a corpus of them is at hand.

package gen_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
)

// corpus is where the real files lie beside a checkout.
const corpus = "../../shared/corpus"

// corpusTree arranges the files as a content tree. None of them has our blocks, so
// that each would stop at one fault: the required ones are put at the end of each
// frontmatter, and nothing else is changed.
func corpusTree(t *testing.T) fstest.MapFS {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("there is no corpus beside the checkout")
	}
	tree := fstest.MapFS{}
	root := os.DirFS(corpus)
	add := func(to, from, block string) {
		data, err := fs.ReadFile(root, from)
		if err != nil {
			t.Fatal(err)
		}
		if tree[to] != nil {
			t.Fatalf("%s stands for two files", to)
		}
		tree[to] = &fstest.MapFile{Data: []byte(inserted(string(data), block)), Mode: 0o644}
	}
	prompts := func(pattern, suffix, prefix string) {
		files, err := fs.Glob(root, pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			id := prefix + strings.TrimSuffix(path.Base(file), suffix)
			add("prompts/"+id+"/PROMPT.md", file, "prompt:\n  version: 1.0.0\n  description: A real prompt.\n")
		}
	}
	prompts("awesome-copilot-prompts/prompts/*.md", ".prompt.md", "")
	prompts("dot-ai/shared-prompts/*.md", ".md", "")
	prompts("dot-ai/prompts/*.md", ".md", "dot-ai-")
	err := fs.WalkDir(root, "superpowers/skills", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		to := strings.TrimPrefix(p, "superpowers/")
		block := ""
		if path.Base(p) == "SKILL.md" {
			block = "x-personal-mcp:\n  id: " + path.Base(path.Dir(p)) + "\n  version: 1.0.0\n  capabilities: [real]\n"
		}
		add(to, p, block)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// inserted returns text with a block before the line that closes its frontmatter.
func inserted(text, block string) string {
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if i := strings.Index("\n"+rest, "\n---\n"); i >= 0 {
			at := len(text) - len(rest) + i
			return text[:at] + block + text[at:]
		}
	}
	return text
}

// TestCorpus counts the faults of real files by rule, and holds each of them to a
// second, independent look at its place.
func TestCorpus(t *testing.T) {
	tree := corpusTree(t)
	_, faults, err := gen.Compile(tree, gen.Options{Root: "content"})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, d := range faults {
		counts[d.Rule]++
		if err := inside(d); err != nil {
			t.Error(err)
			continue
		}
		p := strings.TrimPrefix(d.Span.Source.Name, "content/")
		if why := untrue(tree, p, d); why != "" {
			t.Errorf("%v: %s", d, why)
		}
	}
	want := map[string]int{
		"frontmatter-missing":    38,
		"frontmatter-wrapped":    3,
		"link-broken":            3,
		"name-repeated":          27,
		"placeholder-undeclared": 39,
		"stray-file":             1,
	}
	if !maps.Equal(counts, want) {
		t.Errorf("faults by rule: got %v, want %v", counts, want)
	}
	for p, file := range tree {
		if path.Base(p) == "PROMPT.md" || path.Base(p) == "SKILL.md" {
			if why := unnoticed(p, string(file.Data), faults); why != "" {
				t.Errorf("%s: %s", p, why)
			}
		}
	}
}

var (
	placeholderForm = regexp.MustCompile(`^\{\{[a-z][A-Za-z0-9_]*\}\}$`)
	rolePattern     = regexp.MustCompile(`(?i)^\s*<!--\s*role\s*[:=]`)
)

// untrue tells why a fault is not one, as far as can be seen without the compiler.
func untrue(tree fstest.MapFS, p string, d diag.Diagnostic) string {
	text := d.Span.Source.Text
	at := text[d.Span.Start:d.Span.End]
	line := d.Span.Source.Line(d.Span.Position().Line)
	switch d.Rule {
	case "yaml-syntax":
		if yaml.Unmarshal([]byte(frontmatter(text)), new(yaml.Node)) == nil {
			return "YAML accepts it"
		}
	case "name-repeated":
		if !strings.HasPrefix(line, "name:") && !strings.HasPrefix(line, "id:") {
			return "the line does not repeat a name"
		}
	case "frontmatter-missing":
		if strings.HasPrefix(text, "---\n") {
			return "there is a frontmatter"
		}
	case "frontmatter-wrapped":
		if strings.HasPrefix(text, "---\n") || !strings.Contains(text, "\n---\n") {
			return "it is not wrapped"
		}
	case "placeholder-undeclared":
		if !placeholderForm.MatchString(at) {
			return "there is no placeholder"
		}
	case "message-role":
		if !rolePattern.MatchString(line) {
			return "there is no role line"
		}
	case "id-form":
		if regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`).MatchString(path.Base(path.Dir(p))) {
			return "the directory's name is an id"
		}
	case "stray-file":
		if tree[p] == nil {
			return "there is no such file"
		}
		dir := strings.Split(p, "/")[2:]
		if len(dir) == 1 && path.Ext(p) == ".md" || dir[0] == "references" || dir[0] == "scripts" || dir[0] == "assets" {
			return "it lies where it may"
		}
	case "link-broken":
		if !strings.Contains(line, at) {
			return "the link is not there"
		}
		target := path.Join(path.Dir(p), strings.SplitN(at, "#", 2)[0])
		skill := strings.Join(strings.Split(p, "/")[:2], "/") + "/"
		if rest := strings.TrimPrefix(target, skill); strings.HasPrefix(target, skill) && tree[target] != nil && !strings.Contains(rest, "/") && path.Ext(rest) == ".md" {
			return "the file is there, and served"
		}
	case "body-size":
		if len(text) <= 256<<10 {
			return "the file is not that large"
		}
	default:
		return "no second look is written for this rule"
	}
	return ""
}

// unnoticed tells why a file must have a fault, and has none.
func unnoticed(p, text string, faults diag.List) string {
	has := func(rule string) bool {
		return slices.ContainsFunc(faults, func(d diag.Diagnostic) bool { return d.Span.Source.Name == "content/"+p && d.Rule == rule })
	}
	front := frontmatter(text)
	if front == "" {
		if !has("frontmatter-missing") && !has("frontmatter-wrapped") {
			return "it has no frontmatter"
		}
		return ""
	}
	var doc map[string]any
	if yaml.Unmarshal([]byte(front), &doc) != nil {
		if !has("yaml-syntax") {
			return "YAML refuses it"
		}
		return ""
	}
	if _, ok := doc["name"]; ok && path.Base(p) == "PROMPT.md" && !has("name-repeated") {
		return "it repeats its name"
	}
	return ""
}

func frontmatter(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return ""
	}
	front, _, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		return ""
	}
	return front
}
