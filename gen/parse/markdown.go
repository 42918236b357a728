// This file reads what the compiler wants to know of a Markdown text: its first
// heading, its first paragraph and its links.

package parse

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/seed33527553/promptc/gen/diag"
)

// A Link is a relative link of a Markdown text, outside of code.
type Link struct {
	Span diag.Span
	// Path is the destination without query and fragment, percent-decoded.
	Path string
}

// maxDescription is how much of a first paragraph describes a document, in runes.
const maxDescription = 300

// markdown reads the Markdown from an offset to the end of the file. Links in code
// are not links, and headings in it no headings: CommonMark decides.
func (f *File) markdown(start int) {
	if !f.withinLimits(start) {
		return
	}
	source := []byte(f.Source.Text[start:])
	doc := goldmark.DefaultParser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if f.Heading == "" {
				f.Heading = plain(n, source, maxDescription)
			}
		case *ast.Paragraph:
			if f.Paragraph == "" && n.Parent() == doc {
				f.Paragraph = plain(n, source, maxDescription)
			}
		case *ast.Link:
			if n.Reference == nil { // else its definition is looked at
				f.link(start, n.Pos(), string(n.Destination))
			}
		case *ast.Image:
			if n.Reference == nil {
				f.link(start, n.Pos(), string(n.Destination))
			}
		case *ast.LinkReferenceDefinition:
			f.link(start, n.Pos(), string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
}

// link keeps a relative link whose Markdown starts at an offset from start.
func (f *File) link(start, at int, destination string) {
	u, err := url.Parse(destination)
	if err == nil && (u.Scheme != "" || u.Host != "" || u.Path == "" && u.Opaque == "") {
		return
	}
	path := destination
	if err == nil {
		path = u.Path
	} else {
		path, _, _ = strings.Cut(path, "#")
	}
	if path == "" || strings.HasPrefix(path, "/") {
		return
	}
	at = max(at, 0) + start
	span := f.Source.Span(at, at+1)
	if i := strings.Index(f.Source.Text[at:], destination); i >= 0 {
		span = f.Source.Span(at+i, at+i+len(destination))
	}
	f.Links = append(f.Links, Link{span, path})
}

// plain returns the text of a node on one line, shortened at a word to at most
// limit runes.
func plain(n ast.Node, source []byte, limit int) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			case *ast.String:
				b.Write(n.Value)
			case *ast.AutoLink:
				b.Write(n.Label(source))
			}
		}
		return ast.WalkContinue, nil
	})
	s := strings.Join(strings.Fields(b.String()), " ")
	if runes := []rune(s); len(runes) > limit {
		s = string(runes[:limit-1])
		if i := strings.LastIndexByte(s, ' '); i > 0 {
			s = s[:i]
		}
		s += "…"
	}
	return s
}
