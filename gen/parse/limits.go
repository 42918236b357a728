// This file keeps hostile Markdown from the Markdown parser, whose time for some of
// it grows with the square of its size or faster.

package parse

import (
	"fmt"
	"strings"
)

// Limits of Markdown. What people write is far below them.
const (
	// maxNesting is how many quotes and list items may be opened in one line, and
	// half the columns by which a list item may be indented.
	maxNesting = 100
	// maxInline bounds the marks of links and emphasis in a paragraph, times its
	// length in bytes.
	maxInline = 100_000_000
)

// withinLimits reports the first place of a text, from an offset on, that is not
// given to the Markdown parser.
func (f *File) withinLimits(start int) bool {
	text := f.Source.Text
	fenced, paragraph, marks := false, start, 0 // paragraph is where it starts
	for at := start; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := text[at:end]
		depth, rest := opened(line)
		if depth > maxNesting || depth > 0 && indentOf(line) > 2*maxNesting {
			f.Diagnostics.Add(f.Source.Span(at, at+1), "markdown-limit", fmt.Sprintf("quotes or lists nest more than %d deep here", maxNesting), "write it flatter")
			return false
		}
		if strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~") {
			fenced = !fenced
		}
		switch {
		case rest == "" || fenced:
			paragraph, marks = end+1, 0
		case depth > 0:
			paragraph, marks = at, 0
		}
		if !fenced {
			marks += strings.Count(line, "[") + strings.Count(line, "*") + strings.Count(line, "_")
			if marks > 0 && marks*(end-paragraph) > maxInline {
				f.Diagnostics.Add(f.Source.Span(paragraph, paragraph+1), "markdown-limit",
					fmt.Sprintf("this paragraph has %d brackets, stars and underscores", marks), "divide it, or put it into a code fence")
				return false
			}
		}
		at = end + 1
	}
	return true
}

// opened counts the quotes and list items that a line opens, and returns what is
// left of it.
func opened(line string) (depth int, rest string) {
	for rest = strings.TrimLeft(line, " \t"); rest != ""; depth++ {
		switch c := rest[0]; {
		case c == '>':
			rest = rest[1:]
		case strings.IndexByte("-*+", c) >= 0 && len(rest) > 1 && (rest[1] == ' ' || rest[1] == '\t'):
			rest = rest[2:]
		case c >= '0' && c <= '9':
			number := strings.TrimLeft(rest, "0123456789")
			if len(number) < 2 || number[0] != '.' && number[0] != ')' || number[1] != ' ' && number[1] != '\t' {
				return depth, rest
			}
			rest = number[2:]
		default:
			return depth, rest
		}
		rest = strings.TrimLeft(rest, " \t")
	}
	return depth, rest
}
