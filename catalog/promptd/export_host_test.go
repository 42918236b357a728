// This file tests what becomes of prompts in the files of hosts.

package promptd

import (
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// promptOf returns a prompt whose text has an argument wherever its name stands in
// braces.
func promptOf(text string, arguments ...catalog.Argument) *catalog.Prompt {
	p := &catalog.Prompt{ID: "p", Description: "A prompt.", Arguments: arguments}
	segments := []catalog.Segment{{Text: text}}
	for i, a := range arguments {
		var next []catalog.Segment
		for _, s := range segments {
			parts := strings.Split(s.Text, "{{"+a.Name+"}}")
			if s.Argument != 0 {
				next = append(next, s)
				continue
			}
			for j, part := range parts {
				if j > 0 {
					next = append(next, catalog.Segment{Argument: i + 1})
				}
				if part != "" {
					next = append(next, catalog.Segment{Text: part})
				}
			}
		}
		segments = next
	}
	p.Messages = []catalog.Template{{Role: catalog.User, Segments: segments}}
	return p
}

func TestCommand(t *testing.T) {
	subject := catalog.Argument{Name: "subject", Description: "What it is about.", Required: true}
	author := catalog.Argument{Name: "author", Description: "Who wrote it.", Required: true}
	depth := catalog.Argument{Name: "depth", Description: "How far to go.", Choices: []string{"quick", "thorough"}, Default: "quick"}
	tests := []struct {
		layout, text string
		arguments    []catalog.Argument
		// want is the text below the frontmatter; taken is what the host would
		// replace.
		want, taken string
	}{
		{"claude", "On {{subject}}.", []catalog.Argument{subject}, "On $ARGUMENTS.\n", ""},
		{"codex", "On {{subject}} by {{author}}.", []catalog.Argument{subject, author}, "On $SUBJECT by $AUTHOR.\n", ""},
		{"copilot", "On {{subject}}.", []catalog.Argument{subject}, "On ${input:subject:What it is about.}.\n", ""},
		{"claude", "On {{subject}} by {{author}}.", []catalog.Argument{subject, author},
			"On {{subject}} by {{author}}.\n\n---\n\nIn the text above, each of these stands for a value:\n\n" +
				"- {{subject}}: What it is about. Required.\n- {{author}}: Who wrote it. Required.\n\n" +
				"Take the values from this, and ask for a required one that is missing: $ARGUMENTS\n", ""},
		{"codex", "On {{subject}}, {{depth}}.", []catalog.Argument{subject, depth},
			"On $SUBJECT, {{depth}}.\n\n---\n\nIn the text above, each of these stands for a value:\n\n" +
				"- {{depth}}: How far to go. One of: quick, thorough. If it is not given: quick\n\n" +
				"Take the values from what I said, and ask for a required one that is missing.\n", ""},
		// A name would run on into the text after it.
		{"codex", "{{subject}}s", []catalog.Argument{subject},
			"{{subject}}s\n\n---\n\nIn the text above, each of these stands for a value:\n\n- {{subject}}: What it is about. Required.\n\n" +
				"Take the values from what I said, and ask for a required one that is missing.\n", ""},
		{"claude", "{{subject}}[0]", []catalog.Argument{subject},
			"{{subject}}[0]\n\n---\n\nIn the text above, each of these stands for a value:\n\n- {{subject}}: What it is about. Required.\n\n" +
				"Take the values from this, and ask for a required one that is missing: $ARGUMENTS\n", ""},
		// Two names would be one in capitals.
		{"codex", "{{aB}} {{ab}}", []catalog.Argument{{Name: "aB", Description: "One.", Required: true}, {Name: "ab", Description: "Two.", Required: true}},
			"$AB {{ab}}\n\n---\n\nIn the text above, each of these stands for a value:\n\n- {{ab}}: Two. Required.\n\n" +
				"Take the values from what I said, and ask for a required one that is missing.\n", ""},
		// A hint cannot end the place it is in.
		{"copilot", "{{a}}", []catalog.Argument{{Name: "a", Description: "Such as ${x}: {y}.", Required: true}}, "${input:a:Such as (x), (y).}\n", ""},
		// What a host would replace is the author's.
		{"claude", "Use $1 here.", nil, "", "$1"},
		{"claude", "Say $ARGUMENTS.", nil, "", "$ARGUMENTS"},
		{"claude", "Run !`date`.", nil, "", "!`"},
		{"claude", "Pay ${{subject}}.", []catalog.Argument{subject}, "", "$"},
		{"claude", "Use $HOME and ${{ secrets.X }}.", nil, "Use $HOME and ${{ secrets.X }}.\n", ""},
		{"codex", "Use $HOME.", nil, "", "$H"},
		{"codex", "Use $1.", nil, "", "$1"},
		{"codex", "Use $home, ${HOME} and ${{ secrets.X }}.", nil, "Use $home, ${HOME} and ${{ secrets.X }}.\n", ""},
		{"copilot", "Use ${file}.", nil, "", "${f"},
		{"copilot", "Use $1, $HOME and ${{ secrets.X }}.", nil, "Use $1, $HOME and ${{ secrets.X }}.\n", ""},
		{"claude", "On {{depth}}.", []catalog.Argument{{Name: "depth", Description: "Costs $5."}}, "", "$5"},
	}
	for _, test := range tests {
		for _, l := range layouts() {
			if l.name != test.layout {
				continue
			}
			text, taken := l.command(promptOf(test.text, test.arguments...))
			_, body, _ := strings.Cut(text, "\n---\n")
			if body != test.want || taken != test.taken {
				t.Errorf("%s: %q becomes\n%s\ntaken %q, want\n%s\ntaken %q", test.layout, test.text, body, taken, test.want, test.taken)
			}
			if strings.Contains(text, placed) {
				t.Errorf("%s: %q has a mark in it", test.layout, text)
			}
		}
	}
}

// What is left out is told.
func TestExportLeavesOut(t *testing.T) {
	c := fixture()
	c.Prompts[0].Messages[0].Segments[0].Text = "Deploy $1 to "
	_, stderr := exportTo(t, c, t.TempDir(), "--layout", "claude")
	if stderr != "promptd: warning: .claude/commands/deploy.md is left out: its text has \"$1\", which the host would replace\n" {
		t.Errorf("stderr: %s", stderr)
	}
}
