// This file holds the synthetic content tree.

package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A tree is a content tree of a given number of prompts. The same number gives the
// same tree, and the first prompts of a smaller one are the same.
type tree struct {
	dir     string
	prompts int
}

// textSize is how long a prompt's body is, about.
const textSize = 2000

// fewPrompts is how many prompts the small tree has.
const fewPrompts = 10

var (
	verbs = strings.Fields("review write plan explain migrate diagnose summarize compare estimate translate")
	nouns = strings.Fields("service schema pipeline release incident report invoice contract dashboard endpoint queue ledger")
	// words are what sentences are made of.
	words = strings.Fields(`the a this every each change caller answer record module team step result limit
		value error reader owner window branch table index request worker message field cause order
		shows keeps needs finds returns holds moves breaks names counts waits fails passes stops
		before after while because unless until with without under between from into
		small late plain early wrong empty steady narrow second common open known`)
	argumentNames = strings.Fields("subject audience language depth format deadline")
	choices       = [][]string{
		{"quick", "usual", "thorough"},
		{"developers", "operators", "customers", "auditors"},
		{"go", "python", "typescript", "c++"},
		{"low", "high"},
		{"table", "list", "prose"},
		{"today", "this week", "later"},
	}
)

// write makes the tree. Its directory must not exist.
func (t tree) write() error {
	for i := range t.prompts {
		if err := t.file("prompts/"+promptID(i)+"/PROMPT.md", promptText(i)); err != nil {
			return err
		}
		if i%100 == 0 {
			if err := t.writeSkill(i / 100); err != nil {
				return err
			}
		}
		if i%500 == 0 {
			w := writer{rand: rand.New(rand.NewPCG(3, uint64(i)))}
			w.printf("# Guide %d\n\n", i/500)
			w.prose(2 * textSize)
			if err := t.file(fmt.Sprintf("guides/guide-%04d.md", i/500), w.String()); err != nil {
				return err
			}
		}
	}
	return t.file("catalog.yaml", "catalog:\n  name: synthetic\n  version: 1.0.0\n  description: A tree to measure the compiler with.\n")
}

// file writes a file of the tree.
func (t tree) file(name, text string) error {
	path := filepath.Join(t.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// edit changes the body of a prompt. The same number makes the same change.
func (t tree) edit(prompt, number int) error {
	return t.file("prompts/"+promptID(prompt)+"/PROMPT.md", promptText(prompt)+fmt.Sprintf("\nThis is edit %d.\n", number))
}

// bytes returns how much text the tree holds.
func (t tree) bytes() (int64, error) {
	var sum int64
	err := filepath.WalkDir(t.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		sum += info.Size()
		return err
	})
	return sum, err
}

func promptID(i int) string {
	return fmt.Sprintf("%s-%s-%05d", verbs[i%len(verbs)], nouns[i/7%len(nouns)], i)
}

// promptType is the Go type of the prompt's arguments.
func promptType(i int) string {
	capital := func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
	return fmt.Sprintf("%s%s_%05dArgs", capital(verbs[i%len(verbs)]), capital(nouns[i/7%len(nouns)]), i)
}

func skillID(i int) string { return fmt.Sprintf("%s-handbook-%03d", nouns[i%len(nouns)], i) }

// newPrompt returns a writer for the prompt's text, and the names of its arguments.
func newPrompt(i int) (*writer, []string) {
	w := &writer{rand: rand.New(rand.NewPCG(1, uint64(i)))}
	return w, argumentNames[:2+(w.rand.IntN(5)+w.rand.IntN(5))/2]
}

// promptText returns a PROMPT.md with two to six arguments, most often four, some of
// them with choices and defaults; one in twelve has several messages.
func promptText(i int) string {
	w, names := newPrompt(i)
	w.printf("---\nprompt:\n  version: 1.%d.%d\n  title: ", w.rand.IntN(20), w.rand.IntN(10))
	w.words(4)
	w.printf("\n  description: >-\n    ")
	w.sentence()
	w.printf("\n    ")
	w.sentence()
	w.printf("\n  category: %s\n  tags: [%s, %s]\n  arguments:\n", nouns[w.rand.IntN(len(nouns))], verbs[i%len(verbs)], nouns[w.rand.IntN(len(nouns))])
	for j, name := range names {
		w.printf("    - name: %s\n      description: ", name)
		w.sentence()
		w.printf("\n")
		if j%3 == 0 {
			w.printf("      required: true\n")
		}
		if j > 0 && w.rand.IntN(3) == 0 {
			w.printf("      choices: [\"%s\"]\n", strings.Join(choices[j], `", "`))
			if j%3 != 0 {
				w.printf("      default: %s\n", choices[j][0])
			}
		} else if j%3 == 2 {
			w.printf("      default: ")
			w.words(2)
			w.printf("\n")
		}
	}
	w.printf("---\n")

	messages := 1
	if i%12 == 5 {
		messages = 3
	}
	for m := range messages {
		if messages > 1 {
			w.printf("<!-- role: %s -->\n", []string{"user", "assistant"}[m%2])
		}
		w.printf("# ")
		w.words(3)
		w.printf("\n\n")
		for j, name := range names {
			if j%messages == m {
				w.sentence()
				w.printf(" The %s is {{%s}}. ", name, name)
				w.prose(textSize / len(names))
			}
		}
	}
	return w.String()
}

// arguments returns values for the prompt's required arguments, as JSON. They are
// good where there are choices, too.
func arguments(i int) string {
	_, names := newPrompt(i)
	var values []string
	for j := 0; j < len(names); j += 3 {
		values = append(values, fmt.Sprintf("%q:%q", names[j], choices[j][0]))
	}
	return "{" + strings.Join(values, ",") + "}"
}

// writeSkill makes a skill with three references.
func (t tree) writeSkill(i int) error {
	w := writer{rand: rand.New(rand.NewPCG(2, uint64(i)))}
	id := skillID(i)
	w.printf("---\nname: %s\ndescription: >-\n  ", id)
	w.sentence()
	w.printf("\nx-personal-mcp:\n  id: %s\n  version: 1.0.0\n  capabilities:\n    - resource://skills/%s/document\n  tags: [%s]\n", id, id, nouns[i%len(nouns)])
	if i > 0 {
		w.printf("  depends_on: [%s]\n", skillID(i-1))
	}
	w.printf("---\n# ")
	w.words(3)
	w.printf("\n\n")
	for r := range 3 {
		name := fmt.Sprintf("references/part-%d.md", r)
		w.sentence()
		w.printf(" See [part %d](%s).\n\n", r, name)
		w.prose(textSize)
		reference := writer{rand: w.rand}
		reference.printf("# Part %d\n\n", r)
		reference.prose(2 * textSize)
		if err := t.file("skills/"+id+"/"+name, reference.String()); err != nil {
			return err
		}
	}
	return t.file("skills/"+id+"/SKILL.md", w.String())
}

// A writer writes Markdown that reads like prose from afar.
type writer struct {
	strings.Builder
	rand *rand.Rand
}

func (w *writer) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// words writes n words, the first of them capitalised.
func (w *writer) words(n int) {
	for i := range n {
		word := words[w.rand.IntN(len(words))]
		if i == 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		} else {
			w.WriteByte(' ')
		}
		w.WriteString(word)
	}
}

func (w *writer) sentence() {
	w.words(6 + w.rand.IntN(10))
	w.WriteByte('.')
}

// prose writes paragraphs, lists and code of about n bytes.
func (w *writer) prose(n int) {
	for end := w.Len() + n; w.Len() < end; {
		switch w.rand.IntN(5) {
		case 0:
			for range 3 {
				w.printf("\n- ")
				w.sentence()
			}
			w.printf("\n\n")
		case 1:
			w.printf("\n```json\n{\"%s\": [1, 2, \"%s\"]}\n```\n\n", words[w.rand.IntN(len(words))], words[w.rand.IntN(len(words))])
		default:
			for range 3 {
				w.sentence()
				w.printf("\n")
			}
			w.printf("\n")
		}
	}
}
