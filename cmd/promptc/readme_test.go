// This file holds the README to what the compiler does.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/emit"
)

// block returns the first fenced block of a language that holds a text.
func block(t *testing.T, readme, language, text string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?\n)```\n").FindAllStringSubmatch(readme, -1) {
		if strings.Contains(m[1], text) {
			return m[1]
		}
	}
	t.Fatalf("the README has no block of %s with %q", language, text)
	return ""
}

func TestReadme(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	tree := fstest.MapFS{"prompts/release-notes/PROMPT.md": {Data: []byte(block(t, readme, "markdown", "{{audience}}"))}}
	program, faults, err := gen.Compile(tree, gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}

	files, err := emit.Package(program, emit.Options{Package: "prompts", ImportPath: "example.com/app/prompts"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if path.Base(f.Path) != "prompt_release_notes_gen.go" {
			continue
		}
		source, err := f.Render()
		if err != nil {
			t.Fatal(err)
		}
		for _, paragraph := range strings.Split(block(t, readme, "go", "type ReleaseNotesArgs"), "\n\n") {
			if !bytes.Contains(source, []byte(strings.TrimSpace(paragraph))) {
				t.Errorf("the generated package does not have\n%s\nbut\n%s", paragraph, source)
			}
		}
	}

	var answer, want struct {
		Description string
		Messages    []struct {
			Role    catalog.Role
			Content struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal([]byte(block(t, readme, "json", "release notes")), &want); err != nil {
		t.Fatal(err)
	}
	prompt, _ := program.Catalog.Prompt("release-notes")
	messages, err := prompt.RenderNamed(map[string]string{"changes": "No crash on an empty {{file}}.", "audience": "operators"})
	if err != nil {
		t.Fatal(err)
	}
	answer.Description = prompt.Description
	answer.Messages = make([]struct {
		Role    catalog.Role
		Content struct{ Type, Text string }
	}, len(messages))
	for i, m := range messages {
		answer.Messages[i].Role = m.Role
		answer.Messages[i].Content.Type = "text"
		answer.Messages[i].Content.Text = m.Text
	}
	if !reflect.DeepEqual(answer, want) {
		t.Errorf("the prompt answers %+v, the README says %+v", answer, want)
	}

	tree = fstest.MapFS{"prompts/adr/PROMPT.md": {Data: []byte("---\nprompt:\n  version: 1.0.0\n  description: Enforces the rule: an ADR first\n---\nx\n")}}
	_, faults, err = gen.Compile(tree, gen.Options{Root: "content"})
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	if err := diag.Write(&shown, diag.Text, faults); err != nil {
		t.Fatal(err)
	}
	if text := block(t, readme, "text", "yaml-syntax"); !strings.HasPrefix(shown.String(), text) {
		t.Errorf("the fault is told as\n%s\nthe README says\n%s", shown.String(), text)
	}
}

// TestReadmeSkill compiles the skill that the README shows.
func TestReadmeSkill(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{
		"skills/release-checklist/SKILL.md":            {Data: []byte(block(t, string(data), "markdown", "x-personal-mcp"))},
		"skills/release-checklist/references/steps.md": {Data: []byte("# Steps\n")},
	}
	if _, faults, err := gen.Compile(tree, gen.Options{Root: "content"}); err != nil || len(faults) > 0 {
		t.Error(err, faults)
	}
}

// TestReadmeSources compiles the settings of sources that the README shows.
func TestReadmeSources(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"catalog.yaml": {Data: []byte(block(t, string(data), "yaml", "sources:"))}, "guide.md": {Data: []byte("# Guide\n")}}
	if _, faults, err := gen.Compile(tree, gen.Options{Root: "content"}); err != nil || len(faults) > 0 {
		t.Error(err, faults)
	}
}
