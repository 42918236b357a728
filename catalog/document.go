// This file holds Document, a text that can be served, and Resource, its place in
// the list of resources.

package catalog

import (
	"strings"
	"unicode/utf8"
)

// MIME types of documents that the compiler names itself.
const (
	Markdown = "text/markdown"
	JSON     = "application/json"
)

// A Document is one file of the content tree, or a JSON text that the compiler
// made of it.
type Document struct {
	// Path is the file's path in the tree, with slashes, relative to its root.
	// It is empty for a text that the compiler made.
	Path string
	// Source is the name of the tree that the file comes from; it is empty for the
	// built-in one.
	Source string
	// Origin is the file's path in its own tree; it is empty where that is Path.
	Origin string
	// Title is the first heading, else the path.
	Title string
	// MIMEType is Markdown for every Markdown file.
	MIMEType string
	// Size is the length in bytes, and Digest the SHA-256 in lower-case
	// hexadecimal, of what is served: the file's bytes after a byte order mark
	// was dropped and line ends became newlines.
	Size   int
	Digest string
	// Text is the bytes in parts; they are a prompt's segments where the document
	// is a PROMPT.md, so that no text is baked twice. Files under assets/ and
	// scripts/ may be other than UTF-8.
	Text []string
}

// String returns the whole text.
func (d *Document) String() string { return strings.Join(d.Text, "") }

// IsText tells whether the document is valid UTF-8. What is not is served as it is,
// in Base64.
func (d *Document) IsText() bool {
	for _, part := range d.Text {
		if !utf8.ValidString(part) {
			return false
		}
	}
	return true
}

// A Resource is an entry of resources/list.
type Resource struct {
	URI string
	// Name is unique in the catalog, but for those of skill:// URIs, which are the
	// skills' own (SEP-2640, "Resource Metadata").
	Name string
	// Title and Description are for people, and never empty.
	Title, Description string
	Document           *Document
	// Entry is what resources/list says of the resource: one JSON object.
	Entry string
}
