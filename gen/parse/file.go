// This file holds File, what is known of a file by itself, and Parse.

package parse

import (
	"fmt"
	"strings"

	"github.com/seed33527553/promptc/gen/diag"
)

// A FileKind says what a file is read as.
type FileKind int

// The kinds of files.
const (
	Document FileKind = iota // Markdown outside of the other kinds
	Prompt                   // a PROMPT.md
	Skill                    // a SKILL.md
	Settings                 // catalog.yaml
)

// MaxBody is how long a prompt's body may be, in bytes.
const MaxBody = 256 << 10

// A File is one parsed file.
type File struct {
	Source *diag.Source
	kind   FileKind
	// Front is the frontmatter as a mapping, or the whole of a catalog.yaml. It is
	// nil for a document, and where there was a fault in it.
	Front *Value
	// Body is the offset of the text after the frontmatter.
	Body int
	// Messages and NearMisses are those of a prompt.
	Messages   []Message
	NearMisses []NearMiss
	// Heading is the first heading, Paragraph the first paragraph, Links the
	// relative links of a document or skill.
	Heading, Paragraph string
	Links              []Link
	// Diagnostics are the faults found in the file.
	Diagnostics diag.List
}

// Parse reads a file of a kind. It always returns a File.
func Parse(source *diag.Source, kind FileKind) *File {
	f := &File{Source: source, kind: kind}
	if !f.characters() {
		return f
	}
	switch kind {
	case Settings:
		f.Front = f.yaml(0, len(source.Text))
	case Document:
		// A document's frontmatter is its own affair; it is only kept out of
		// the way of the Markdown.
		quiet := &File{Source: source}
		if _, _, body, ok := quiet.split(); ok {
			f.Body = body
		}
		f.markdown(f.Body)
	case Prompt, Skill:
		yamlStart, yamlEnd, body, ok := f.split()
		if !ok {
			return f
		}
		f.Body = body
		f.Front = f.yaml(yamlStart, yamlEnd)
		if kind == Skill {
			f.markdown(body)
			return f
		}
		if size := len(strings.TrimRight(source.Text[body:], " \t\n")); size > MaxBody {
			f.Diagnostics.Add(source.Span(body, body), "body-size",
				fmt.Sprintf("the body has %d bytes; at most %d are allowed", size, MaxBody), "move parts of it to a skill's references, or split the prompt")
			return f
		}
		f.body(body)
	}
	return f
}
