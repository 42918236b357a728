// This file holds Input, a file that was read, and the documents that files become.

package check

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// An Input is a file of a tree that was read. It must not change once it was checked:
// it remembers what became of it, so that checking it again costs next to nothing.
type Input struct {
	Item
	// File is the parsed file; it is nil for Data.
	File *parse.File
	// Data is the content of a file that is not parsed.
	Data string
	// Size and Digest describe the bytes that are served.
	Size   int
	Digest string

	// What became of the file is handed out, and so never changed.
	prompt   *prompt
	skill    *skill
	document *catalog.Document
}

// Files checks the files of a built-in tree, which must be sorted by path, and whose
// directories are root's. It returns the program they make, or nil and why not.
// Directories that Arrange found fault with may be passed all the same.
func Files(root string, inputs []*Input) (*Program, diag.List) {
	program, faults, _ := Trees([]*Tree{{Layout: Contract, Root: root, Inputs: inputs}})
	return program, faults
}

// document returns the catalog's document for a file of a source, at a path of the
// catalog.
func document(in *Input, source, at string, text []string) *catalog.Document {
	d := &catalog.Document{Path: at, Source: source, Title: at, MIMEType: catalog.Markdown, Size: in.Size, Digest: in.Digest, Text: text}
	if in.Path != at {
		d.Origin = in.Path
	}
	return d
}

// plainDocument returns the document for a file of a source that is served as it is.
func plainDocument(in *Input, source string) *catalog.Document {
	if in.document != nil && in.document.Source == source {
		return in.document
	}
	if in.File == nil {
		in.document = document(in, source, in.Canonical, split(in.Data))
		in.document.MIMEType = mimeType(in)
		return in.document
	}
	in.document = document(in, source, in.Canonical, split(in.File.Source.Text))
	if in.File.Heading != "" {
		in.document.Title = in.File.Heading
	}
	return in.document
}

// mimeTypes are the ones of files that skills often hold. The list is our own so
// that the same tree compiles to the same value on every system.
var mimeTypes = map[string]string{
	".css": "text/css", ".csv": "text/csv", ".gif": "image/gif", ".go": "text/x-go", ".html": "text/html",
	".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript", ".json": "application/json",
	".md":  catalog.Markdown,
	".pdf": "application/pdf", ".png": "image/png", ".py": "text/x-python", ".sh": "application/x-sh",
	".sql": "application/sql", ".svg": "image/svg+xml", ".toml": "application/toml", ".ts": "text/typescript",
	".txt": "text/plain", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".zip": "application/zip",
}

func mimeType(in *Input) string {
	if t, ok := mimeTypes[strings.ToLower(path.Ext(in.Path))]; ok {
		return t
	}
	if isText(in.Data) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// isText tells whether a file that is kept byte for byte can be served as text.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
