// This file splits a file at its frontmatter and reads the YAML in it.

package parse

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/gen/diag"
)

// MaxFrontmatter is how long a frontmatter, or a catalog.yaml, may be, in bytes.
const MaxFrontmatter = 64 << 10

const fence = "---"

// split finds the frontmatter. It returns the offsets of the YAML text and of the
// body; ok is false where there is no frontmatter, after saying so.
func (f *File) split() (yamlStart, yamlEnd, body int, ok bool) {
	text := f.Source.Text
	first, rest, _ := strings.Cut(text, "\n")
	if first != fence {
		f.noFrontmatter(first)
		return 0, 0, 0, false
	}
	yamlStart = len(text) - len(rest)
	if len(first) == len(text) { // no newline at all
		yamlStart = len(text)
	}
	for at := yamlStart; at < len(text); {
		line, _, more := strings.Cut(text[at:], "\n")
		if line == fence {
			body = at + len(line)
			if more {
				body++
			}
			return yamlStart, at, body, true
		}
		at += len(line)
		if more {
			at++
		}
	}
	d := f.Diagnostics.Add(f.Source.Span(0, len(first)), "frontmatter-unclosed",
		"the frontmatter that starts here has no closing line", `end it with a line that is exactly "---"`)
	if at := nearFence.FindStringIndex(text[yamlStart:]); at != nil {
		line := f.Source.Span(yamlStart+at[0], yamlStart+at[1])
		d.Help = fmt.Sprintf(`line %d is nearly one: make it exactly "---"`, line.Position().Line)
	}
	return 0, 0, 0, false
}

var (
	// nearFence is a line that somebody may have taken for a closing fence.
	nearFence = regexp.MustCompile(`(?m)^(?:[ \t]+-{3,}[ \t]*|-{3,}[ \t]+|-{4,}|[—–]+|\.\.\.)$`)
	// lateFence is a fence below the first line with what looks like a key.
	lateFence = regexp.MustCompile(`(?m)^---\n[A-Za-z][\w-]*:(?:[ \n]|$)`)
	codeFence = regexp.MustCompile("^(?:```|~~~)")
)

func (f *File) noFrontmatter(first string) {
	text := f.Source.Text
	late := lateFence.FindStringIndex(text)
	switch {
	case slices.ContainsFunc(f.Diagnostics, func(d diag.Diagnostic) bool { return d.Span.Start < len(first) }):
		// The line has a fault that may be all that is wrong with it.
	case codeFence.MatchString(first) && late != nil:
		f.Diagnostics.Add(f.Source.Span(0, len(first)), "frontmatter-wrapped",
			"the whole file is wrapped in a code fence", `remove the fence, so that the first line is exactly "---"`)
	case strings.HasPrefix(strings.TrimSpace(first), fence):
		f.Diagnostics.Add(f.Source.Span(0, len(first)), "frontmatter-missing",
			`the first line is not exactly "---"`, `remove what else is on the line, white space too`)
	case late != nil:
		line := f.Source.Position(late[0]).Line
		f.Diagnostics.Add(f.Source.Span(0, len(first)), "frontmatter-wrapped",
			fmt.Sprintf("the frontmatter starts at line %d, and not at the first", line), "remove what stands before it, blank lines too")
	default:
		f.Diagnostics.Add(f.Source.Span(0, len(first)), "frontmatter-missing",
			"the file has no frontmatter", `start it with a line "---", then the keys, then another line "---"`)
	}
}

// yamlName is what the file's YAML is called.
func (f *File) yamlName() string {
	if f.kind == Settings {
		return "the file"
	}
	return "frontmatter"
}

// yaml reads the YAML between two offsets and returns its value, or nil after it
// reported why not. An empty text is an empty mapping.
func (f *File) yaml(start, end int) *Value {
	if end-start > MaxFrontmatter {
		f.Diagnostics.Add(f.Source.Span(start, start), "frontmatter-size",
			fmt.Sprintf("%d bytes of YAML; at most %d are read", end-start, MaxFrontmatter), "move prose to the body")
		return nil
	}
	if !f.frontmatterCharacters(start, end) {
		return nil
	}
	text := f.Source.Text[start:end]
	node, extra, err := decode(text)
	if err != nil {
		f.syntaxError(start, end, err)
		return nil
	}
	if extra {
		at := start
		for _, i := range documentEnd.FindAllStringIndex(text, -1) {
			if at = start + i[0]; content.MatchString(text[:i[0]]) {
				break
			}
		}
		f.Diagnostics.Add(f.Source.Span(at, at+3), "yaml-feature",
			f.yamlName()+" cannot hold several documents", `remove this line and what follows it, or quote it if it is text`)
		return nil
	}
	if node == nil || len(node.Content) == 0 {
		return &Value{Kind: Mapping, Span: f.Source.Span(start, start)}
	}
	w := newWalk(f, start, end)
	v := w.value(node.Content[0])
	if !w.ok {
		return nil
	}
	if v.Kind == Null && v.Plain {
		return &Value{Kind: Mapping, Span: f.Source.Span(start, start)}
	}
	if v.Kind != Mapping {
		f.Diagnostics.Add(v.Span, "yaml-type", "the frontmatter must be a mapping of keys to values; YAML reads "+v.Kind.String(),
			`write each key as "key: value" on its own line`)
		return nil
	}
	return v
}

var (
	documentEnd = regexp.MustCompile(`(?m)^(?:\.\.\.|---)(?:[ \t]|$)`)
	// content is a line that is neither blank nor a comment.
	content = regexp.MustCompile(`(?m)^[ \t]*[^ \t\n#]`)
)

// decode asks yaml.v3 for the first document, and whether there is another one:
// Unmarshal would ignore it. A panic of the library counts as an error.
func decode(text string) (node *yaml.Node, extra bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			node, err = nil, errors.New("yaml: text that cannot be read")
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(text))
	node = new(yaml.Node)
	if err := d.Decode(node); errors.Is(err, io.EOF) {
		return nil, false, nil
	} else if err != nil {
		return nil, false, err
	}
	switch err := d.Decode(new(yaml.Node)); {
	case errors.Is(err, io.EOF):
		return node, false, nil
	case err != nil && !documentEnd.MatchString(text):
		// What follows the first document does not belong to it, and no marker
		// says that it should not.
		return nil, false, err
	}
	return node, true, nil
}
