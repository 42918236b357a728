// This file reads a prompt's body: its placeholders and its messages.

package parse

import (
	"regexp"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
)

// A Message is a message of a prompt's body.
type Message struct {
	// Role is "user" or "assistant".
	Role string
	// Span is the line that opens the message; for text before the first such
	// line it is the start of the body.
	Span     diag.Span
	Segments []Segment
}

// A Segment is a piece of a message: text as it stands in the file, or a
// placeholder. What lies between the segments of a body is not rendered: escaping
// backslashes, role lines, and white space around messages.
type Segment struct {
	// Span is where the segment stands. A text's content is exactly what the span
	// covers.
	Span diag.Span
	// Name is the placeholder's name; it is empty for text.
	Name string
}

// A NearMiss is text that looks like a placeholder and is none.
type NearMiss struct {
	Span diag.Span
	// Name is what stands between the braces, without white space around it.
	Name string
}

var (
	roleLine     = regexp.MustCompile(`^<!-- role: (user|assistant) -->$`)
	escapedRole  = regexp.MustCompile(`^\\<!-- role: (?:user|assistant) -->$`)
	nearRoleLine = regexp.MustCompile(`(?i)^[ \t]*<!--[ \t]*role[ \t]*[:=][ \t]*(.*?)[ \t]*-->[ \t]*$`)
)

// body reads the text from an offset to the end of the file into f.Messages and
// f.NearMisses.
func (f *File) body(start int) {
	text := f.Source.Text
	current := Message{Role: "user", Span: f.Source.Span(start, start)}
	marked := false // whether a role line opened the current message
	from := start   // where the pending text starts

	keep := func(end int) {
		if end > from {
			current.Segments = append(current.Segments, Segment{Span: f.Source.Span(from, end)})
		}
	}
	closeMessage := func() {
		current.Segments = trim(f.Source, current.Segments)
		switch {
		case len(current.Segments) > 0:
			f.Messages = append(f.Messages, current)
		case marked:
			f.Diagnostics.Add(current.Span, "message-empty", "a message without text", "write its text below this line, or remove the line")
		}
	}

	for at := start; at < len(text); {
		lineEnd := at + len(text[at:])
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			lineEnd = at + i
		}
		line := text[at:lineEnd]
		next := min(lineEnd+1, len(text))
		if strings.Contains(line, "<!--") {
			switch {
			case roleLine.MatchString(line):
				keep(at)
				closeMessage()
				current = Message{Role: roleLine.FindStringSubmatch(line)[1], Span: f.Source.Span(at, lineEnd)}
				marked, from = true, next
				at = next
				continue
			case escapedRole.MatchString(line):
				keep(at)
				from = at + 1
			case nearRoleLine.MatchString(line):
				f.nearRole(at, lineEnd, nearRoleLine.FindStringSubmatch(line)[1])
			}
		}
		for i := at; i < lineEnd; {
			open := strings.Index(text[i:lineEnd], "{{")
			if open < 0 {
				break
			}
			open += i
			name, end, exact := placeholder(text[open:lineEnd])
			if !exact {
				if name != "" {
					f.nearMiss(open, open+end, name)
				}
				// Leftmost: the second of three braces may still open one.
				i = open + 1
				continue
			}
			end += open
			// Of n backslashes half remain; an odd one makes the braces text.
			slashes := open
			for slashes > at && slashes > from && text[slashes-1] == '\\' {
				slashes--
			}
			n := open - slashes
			keep(open - n + n/2)
			if n%2 == 1 {
				from = open
			} else {
				span := f.Source.Span(open, end)
				current.Segments = append(current.Segments, Segment{Span: span, Name: name})
				from = end
				if n == 0 && open > 0 && text[open-1] == '{' && end < len(text) && text[end] == '}' {
					f.nearMiss(open, end, name)
				}
			}
			i = end
		}
		at = next
	}
	keep(len(text))
	closeMessage()
	if len(f.Messages) == 0 && !marked {
		f.Diagnostics.Add(f.Source.Span(start, start), "body-empty", "the prompt has no text", "write the prompt below the frontmatter")
	}
}

// nearMiss notes what looks like a placeholder, with all the braces that pair around
// it.
func (f *File) nearMiss(start, end int, name string) {
	for text := f.Source.Text; start > 0 && text[start-1] == '{' && end < len(text) && text[end] == '}'; {
		start--
		end++
	}
	f.NearMisses = append(f.NearMisses, NearMiss{f.Source.Span(start, end), name})
}

// placeholder reads what the two braces at the start of s open. It returns the
// name between them and the offset after the closing ones; exact tells that it has
// a placeholder's form. Where s opens nothing like a placeholder, name is empty.
func placeholder(s string) (name string, end int, exact bool) {
	i := 2
	for i < len(s) && s[i] != '{' && s[i] != '}' {
		i++
	}
	if !strings.HasPrefix(s[i:], "}}") {
		return "", 0, false
	}
	inner := s[2:i]
	if catalog.IsArgumentName(inner) {
		return inner, i + 2, true
	}
	return strings.TrimSpace(inner), i + 2, false
}

// nearRole reports a line that is nearly a role line.
func (f *File) nearRole(start, end int, role string) {
	span := f.Source.Span(start, end)
	switch lower := strings.ToLower(role); lower {
	case "user", "assistant":
		exact := "<!-- role: " + lower + " -->"
		d := f.Diagnostics.Add(span, "message-role", "this line is nearly a role line, and would be text", "write it exactly: "+exact)
		d.Fix = &diag.Fix{Span: span, Replacement: exact}
	case "system", "developer":
		f.Diagnostics.Add(span, "message-role", "a message cannot have the role "+quote(role)+"; MCP knows user and assistant",
			"move the text to the first user message")
	default:
		f.Diagnostics.Add(span, "message-role", "a message cannot have the role "+quote(role),
			"write <!-- role: user --> or <!-- role: assistant -->")
	}
}

// trim drops blank lines before a message and white space after it.
func trim(source *diag.Source, segments []Segment) []Segment {
	for len(segments) > 0 && segments[0].Name == "" {
		s := segments[0].Span
		text := s.Text()
		rest := text
		for {
			line, after, found := strings.Cut(rest, "\n")
			if strings.Trim(line, " \t") != "" || !found && len(segments) > 1 {
				break
			}
			if rest = after; !found {
				rest = ""
				break
			}
		}
		if rest != "" {
			segments[0].Span = source.Span(s.End-len(rest), s.End)
			break
		}
		segments = segments[1:]
	}
	for len(segments) > 0 && segments[len(segments)-1].Name == "" {
		s := &segments[len(segments)-1].Span
		if kept := strings.TrimRight(s.Text(), " \t\n"); kept != "" {
			s.End = s.Start + len(kept)
			break
		}
		segments = segments[:len(segments)-1]
	}
	return segments
}
