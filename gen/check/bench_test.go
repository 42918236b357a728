// This file measures what it takes to check a tree again after an edit.

package check_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed33527553/promptc/gen/check"
)

// large returns a tree of n prompts, and a few skills.
func large(n int) *check.Tree {
	files := map[string]file{}
	for i := range n {
		files[fmt.Sprintf("prompts/prompt-%d/PROMPT.md", i)] = file{data: largePrompt(i, "Say it plainly.")}
	}
	for i := range n / 100 {
		files[fmt.Sprintf("skills/skill-%d/SKILL.md", i)] = file{data: fmt.Appendf(nil,
			"---\nname: skill-%d\ndescription: Does it.\nx-personal-mcp: {id: skill-%d, version: 1.0.0, capabilities: [resource://skills/skill-0/document]}\n---\n# Skill\n", i, i)}
	}
	return tree("", "content", check.Contract, files)
}

func largePrompt(i int, text string) []byte {
	return fmt.Appendf(nil, "---\nprompt:\n  version: 1.0.0\n  description: Does the thing with number %d.\n  arguments:\n"+
		"    - {name: subject, description: What it is about., required: true}\n    - {name: depth, description: How far to go., choices: [quick, thorough]}\n"+
		"---\n# Task\n\nLook at {{subject}}, {{depth}}.\n\n%s\n", i, text)
}

// BenchmarkTrees has the full check, and the one after an edit, which reads one file
// anew.
func BenchmarkTrees(b *testing.B) {
	const n = 10_000
	b.Run("full", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			t := large(n)
			b.StartTimer()
			if _, faults, _ := check.Trees([]*check.Tree{t}); faults != nil {
				b.Fatal(faults)
			}
		}
	})
	b.Run("edit", func(b *testing.B) {
		t := large(n)
		check.Trees([]*check.Tree{t})
		edits := 0
		for b.Loop() {
			edits++
			t.Inputs = slices.Clone(t.Inputs)
			t.Inputs[n/2] = input(t.Inputs[n/2].Item, "content", largePrompt(edits, "Say it well."))
			if _, faults, _ := check.Trees([]*check.Tree{t}); faults != nil {
				b.Fatal(faults)
			}
		}
	})
}
