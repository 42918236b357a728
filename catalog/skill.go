// This file holds Skill.

package catalog

import (
	"net/url"
	"strconv"
	"strings"
)

// A Skill is one compiled skill directory. Skills are never rendered: what is
// served is the bytes of their files.
type Skill struct {
	// ID is the name of the skill's directory, which is also its name.
	ID string
	// Source is the name of the catalog's Source that the skill comes from; it is
	// empty for the built-in tree.
	Source string
	// Version is a Semantic Version 2.0. It is empty where a skill from elsewhere
	// has none.
	Version     string
	Description string
	Tags        []string
	// Capabilities are what the author says that the skill offers; the
	// resource:// URIs among them exist.
	Capabilities []string
	// DependsOn are ids of other skills; there are no cycles.
	DependsOn []string
	// References are sorted by id.
	References []*Reference
	// Document is the SKILL.md.
	Document *Document
	// Files are all files of the skill, the SKILL.md among them, sorted by path.
	Files []*Document
	// Digest is made over the skill's files as Catalog.Digest is over all.
	Digest string
	// Entry is what skills/list and skills/get say of the skill: one JSON object.
	Entry string
}

// A Reference is a Markdown file under a skill's references/ that has an id.
type Reference struct {
	// ID is unique in the skill.
	ID string
	// Title is the author's, else the document's.
	Title    string
	Document *Document
}

// Reference returns the reference with the given id.
func (s *Skill) Reference(id string) (*Reference, bool) {
	for _, r := range s.References {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// URI is where the skill's SKILL.md is read.
func (s *Skill) URI() string { return "resource://skills/" + s.ID + "/document" }

// RecordURI is where what the catalog knows of the skill is read, as JSON.
func (s *Skill) RecordURI() string { return "resource://catalog/skills/" + s.ID }

// ReferenceURI is where the reference of the skill with the given id is read.
func (s *Skill) ReferenceURI(id string) string {
	return "resource://skills/" + s.ID + "/references/" + id
}

// SkillScheme is what stands before a catalog's prefix and a skill's id in the URI of
// each of its files (SEP-2640, "Resource Mapping").
const SkillScheme = "skill://"

// SkillURI returns the URI of a file of a skill in a catalog with the given prefix.
// path is the file's from the skill's directory, such as "SKILL.md"; characters that
// a URI cannot hold are percent-encoded.
func SkillURI(prefix, id, path string) string {
	uri := SkillScheme + prefix + id
	for segment := range strings.SplitSeq(path, "/") {
		uri += "/" + url.PathEscape(segment)
	}
	return uri
}

// File returns the file of the skill at a path from its directory.
func (s *Skill) File(path string) (*Document, bool) {
	for _, d := range s.Files {
		if d.Path[len(s.directory()):] == path {
			return d, true
		}
	}
	return nil, false
}

// directory is what the paths of the skill's files start with.
func (s *Skill) directory() string { return "skills/" + s.ID + "/" }

// SkillEntry returns a skill's entry in skills/list, in a catalog with the given
// prefix (SEP-2640, "Skill Entries"): the URI of its SKILL.md, its frontmatter, which
// is given as a JSON object, and every file with its digest and size.
func SkillEntry(s *Skill, prefix, frontmatter string) string {
	dst := append(make([]byte, 0, 1024), `{"uri":`...)
	dst = AppendJSON(dst, SkillURI(prefix, s.ID, "SKILL.md"))
	dst = append(dst, `,"frontmatter":`...)
	dst = append(dst, frontmatter...)
	dst = append(dst, `,"resources":[`...)
	for i, d := range s.Files {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"uri":`...)
		dst = AppendJSON(dst, SkillURI(prefix, s.ID, d.Path[len(s.directory()):]))
		dst = append(dst, `,"digest":"sha256:`...)
		dst = append(dst, d.Digest...)
		dst = append(dst, `","size":`...)
		dst = strconv.AppendInt(dst, int64(d.Size), 10)
		dst = append(dst, '}')
	}
	return string(append(dst, "]}"...))
}
