// This file holds the Skills extension (SEP-2640): skills/list, skills/get and
// resources/directory/read. The files themselves are read as resources.

package serve

import (
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

const (
	// skillsExtension is the extension's identifier.
	skillsExtension = "io.modelcontextprotocol/skills"
	// directoryType is the MIME type of a directory.
	directoryType = "inode/directory"
	skillFile     = "SKILL.md"
)

func (s *stock) answerSkills(m *message, r *reply) *fault {
	switch m.method {
	case "skills/list":
		return s.list(&s.view(m.principal).skills, &s.content, m, r)
	case "skills/get":
		return s.getSkill(m, r)
	}
	return s.readDirectory(m, r)
}

func (s *stock) skillEntries(p *catalog.Principal) []string {
	var entries []string
	for _, c := range s.mux.Catalogs() {
		for _, skill := range visibleSkills(p, c) {
			entries = append(entries, skill.Entry)
		}
	}
	return entries
}

func (s *stock) getSkill(m *message, r *reply) *fault {
	if !isString(m.uri) {
		return faultf(mcp.INVALID_PARAMS, "uri must be the URI of a skill's SKILL.md")
	}
	c, skill, path := s.skillFile(m.principal, text(m.uri))
	if c == nil || path != skillFile {
		return notServed(m, "no skill is served there: see skills/list")
	}
	r.start(m)
	r.head = append(r.head, `"skill":`...)
	r.head = append(r.head, skill.Entry...)
	r.tail = s.content.of(m)
	return nil
}

// skillFile takes a URI apart that starts as the files of a skill do which a
// principal sees. The path in the skill's directory is as the URI has it; nothing
// need be there. The catalog is nil where there is no such skill.
func (s *stock) skillFile(p *catalog.Principal, uri string) (c *catalog.Catalog, skill *catalog.Skill, path string) {
	for i := range s.mux.Mounts() {
		c := s.mux.Mounts()[i].Catalog
		if c == nil {
			continue
		}
		if rest, ok := strings.CutPrefix(uri, catalog.SkillScheme); ok {
			if rest, ok = strings.CutPrefix(rest, c.Prefix); ok {
				id, path, _ := strings.Cut(rest, "/")
				if skill, ok := c.Skill(id); ok && seesSkill(p, c, skill) {
					return c, skill, path
				}
			}
		}
	}
	return nil, nil, ""
}

// notServed is the answer to a URI that the extension's methods do not know, which
// is the same in all revisions (SEP-2640, "Error Handling").
func notServed(m *message, reason string) *fault {
	return &fault{mcp.INVALID_PARAMS, reason, append(catalog.AppendJSON([]byte(`{"uri":`), echo(text(m.uri))), '}')}
}

// readDirectory lists what is directly in a directory of a skill.
func (s *stock) readDirectory(m *message, r *reply) *fault {
	if !isString(m.uri) {
		return faultf(mcp.INVALID_PARAMS, "uri must be the URI of a directory")
	}
	uri := text(m.uri)
	c, skill, _ := s.skillFile(m.principal, uri)
	var children []string
	if c != nil {
		children = childrenOf(c, skill, uri)
	}
	if children == nil {
		return notServed(m, "no directory is served there")
	}
	// The limits are of no account: whoever sees the skill sees all of it. Of the
	// extension's results this alone need not say how long it stays fresh, but the
	// Inspector refuses one that does not.
	l := s.newList(m.method, "resources", uri, func() []string { return children })
	return s.list(&l, &s.content, m, r)
}

// childrenOf returns the entries of what is directly in a directory of a skill,
// nil if there is no such directory: none is empty.
func childrenOf(c *catalog.Catalog, skill *catalog.Skill, directory string) []string {
	root := catalog.SkillScheme + c.Prefix + skill.ID
	depth := strings.Count(directory, "/") - strings.Count(root, "/")
	var children []string
	last := ""
	for _, d := range skill.Files {
		path := strings.TrimPrefix(d.Path, "skills/"+skill.ID+"/")
		segments := strings.Split(path, "/")
		if depth >= len(segments) {
			continue
		}
		parent := root
		if depth > 0 {
			parent = catalog.SkillURI(c.Prefix, skill.ID, strings.Join(segments[:depth], "/"))
		}
		if parent != directory {
			continue
		}
		name, uri := segments[depth], catalog.SkillURI(c.Prefix, skill.ID, strings.Join(segments[:depth+1], "/"))
		// What is below one directory stands together, for files are sorted by path.
		if below := len(segments) > depth+1; below && name == last {
			continue
		} else if below {
			children, last = append(children, childEntry(uri, name, nil)), name
		} else if i, ok := c.ResourceTable.Find(uri); ok {
			children = append(children, c.Resources[i].Entry)
		} else {
			children = append(children, childEntry(uri, name, d))
		}
	}
	return children
}

// childEntry returns the entry of a file, or of a directory where d is nil.
func childEntry(uri, name string, d *catalog.Document) string {
	b := catalog.AppendJSON([]byte(`{"uri":`), uri)
	b = catalog.AppendJSON(append(b, `,"name":`...), name)
	if d == nil {
		return string(append(b, `,"mimeType":"`+directoryType+`"}`...))
	}
	b = catalog.AppendJSON(append(b, `,"mimeType":`...), d.MIMEType)
	b = strconv.AppendInt(append(b, `,"size":`...), int64(d.Size), 10)
	return string(append(b, `,"annotations":{"readOnlyHint":true,"idempotentHint":true}}`...))
}
