// This file tests that only servers are measured that follow their files.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	f := following{serving{prompts: fewPrompts, dir: t.TempDir(), log: t.Output(), turns: 2}}
	figures, err := f.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, figures, 3+3+2)
	checkEmpty(t, f.dir)
}

// Who answers with what was there before the edit does not compete.
func TestStaleAnswers(t *testing.T) {
	m := newPeers(t, nil)
	m.transport = "HTTP"
	f := following{serving{turns: 1, log: t.Output()}}
	follows := enter(t, m, reReading, m.dir)
	if _, err := f.edited(t.Context(), []*contestant{follows}, m.tree); err != nil {
		t.Errorf("it follows: %v", err)
	}
	_, err := f.edited(t.Context(), []*contestant{follows, enter(t, m, "mcp-go", m.forPeers)}, m.tree)
	if err == nil || !strings.Contains(err.Error(), "mcp-go: its answer is not that of edit") {
		t.Errorf("error %v", err)
	}
}

// Answers that differ, and errors, are no answers.
func TestReReadingDiffers(t *testing.T) {
	m := newPeers(t, func(prompts []*catalog.Prompt) { prompts[0].Messages[0].Segments[0].Text = "# Something else\n" })
	m.transport = "HTTP"
	f := following{serving{turns: fewPrompts * 10, log: t.Output()}}
	players := []*contestant{enter(t, m, "mcp-go", m.forPeers), enter(t, m, reReading, m.dir)}
	if _, err := f.unchanged(t.Context(), players, lists(legacy)); err != nil {
		t.Errorf("the lists are the same: %v", err)
	}
	_, err := f.unchanged(t.Context(), players, gets(legacy, m.tree))
	if err == nil || !strings.Contains(err.Error(), "re-reading: its answer is another one") {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(filepath.Join(m.dir, "prompts", promptID(3), "PROMPT.md"), []byte("no prompt"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := f.unchanged(t.Context(), players[1:], lists(legacy)); err == nil || !strings.Contains(err.Error(), "no frontmatter") {
		t.Errorf("error %v", err)
	}
}
