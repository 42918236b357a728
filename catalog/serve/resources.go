// This file holds resources/read and the resource templates.

package serve

import (
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// A template is a family of resources: what is advertised for URIs that stand in
// the catalog's closed table. No URI is ever matched against it.
type template struct {
	uri, variables, name, title, description, mimeType string
}

// templates returns the families of the catalog.
func templates() []template {
	return []template{
		{"resource://catalog/skills/{skill_id}", "skill_id", "skill-record", "Skill record",
			"What the catalog knows of a skill: version, tags, capabilities, dependencies, references and digest.", catalog.JSON},
		{"resource://skills/{skill_id}/document", "skill_id", "skill-document", "Skill",
			"The SKILL.md of a skill.", catalog.Markdown},
		{"resource://skills/{skill_id}/references/{ref_id}", "skill_id ref_id", "skill-reference", "Skill reference",
			"A document that a skill refers to.", catalog.Markdown},
		{catalog.DocumentScheme + "{+path}", "path", "document", "Document",
			"A Markdown file of the catalog by its path.", catalog.Markdown},
	}
}

func (s *stock) templateEntries() []string {
	var entries []string
	for _, t := range templates() {
		b := catalog.AppendJSON([]byte(`{"uriTemplate":`), t.uri)
		b = catalog.AppendJSON(append(b, `,"name":`...), t.name)
		b = catalog.AppendJSON(append(b, `,"title":`...), t.title)
		b = catalog.AppendJSON(append(b, `,"description":`...), t.description)
		b = catalog.AppendJSON(append(b, `,"mimeType":`...), t.mimeType)
		b = append(b, `,"annotations":{"readOnlyHint":true,"idempotentHint":true}}`...)
		entries = append(entries, string(b))
	}
	for i := range s.mux.Resources() {
		if r := &s.mux.Resources()[i]; r.IsTemplate() {
			entries = append(entries, string(r.AppendJSON(nil)))
		}
	}
	return entries
}

func (s *stock) readResource(m *message, r *reply) (call, *fault) {
	if !isString(m.uri) {
		return nil, faultf(mcp.INVALID_PARAMS, "uri must be the URI of a resource")
	}
	uri := text(m.uri)
	d, ok := s.document(m.principal, uri)
	if !ok {
		if _, _, ok := s.mux.ResourceFunc(uri); ok {
			return s.readOwn, nil
		}
		return nil, noResource(m, uri)
	}
	r.start(m)
	r.head = append(r.head, `"contents":[{"uri":`...)
	r.head = append(r.head, m.uri...)
	r.head = append(r.head, `,"mimeType":`...)
	r.head = catalog.AppendJSON(r.head, d.MIMEType)
	r.head = appendContent(r.head, d)
	r.head = append(r.head, "}]"...)
	r.tail = s.content.of(m)
	return nil, nil
}

// noResource is the answer to a URI that nothing has, or nothing that is seen. The
// code is the revision's own: specification 2025-11-25, "Resources", section "Error
// Handling", and SEP-2164 since.
func noResource(m *message, uri string) *fault {
	f := faultf(mcp.RESOURCE_NOT_FOUND, "resource not found: see resources/list and resources/templates/list")
	if m.modern {
		f.code = mcp.INVALID_PARAMS
	}
	f.data = append(catalog.AppendJSON([]byte(`{"uri":`), echo(uri)), '}')
	return f
}

// appendContent appends what is in a document: its text, or in base64 what is not
// text, which must be sent unchanged too.
func appendContent(dst []byte, d *catalog.Document) []byte {
	start := len(dst)
	dst = append(dst, `,"text":"`...)
	for _, part := range d.Text {
		if !utf8.ValidString(part) {
			dst = append(dst[:start], `,"blob":"`...)
			dst = base64.StdEncoding.AppendEncode(dst, []byte(d.String()))
			return append(dst, '"')
		}
		dst = appendEscaped(dst, part)
	}
	return append(dst, '"')
}

// appendEscaped is catalog.AppendEscaped for valid UTF-8, eight bytes at a time.
func appendEscaped(dst []byte, s string) []byte {
	start, i := 0, 0
	for i+8 <= len(s) {
		w := binary.LittleEndian.Uint64([]byte(s[i : i+8]))
		m := notPlain(w)
		if m == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(m) / 8; s[i] >= utf8.RuneSelf {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = catalog.AppendEscaped(dst, s[i:i+1])
		i++
		start = i
	}
	for i > start && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	dst = append(dst, s[start:i]...)
	return catalog.AppendEscaped(dst, s[i:])
}
