// This file holds Skill.

package catalog

// A Skill is one compiled skill directory. Skills are never rendered: what is
// served is the bytes of their files.
type Skill struct {
	// ID is the name of the skill's directory, which is also its name.
	ID string
	// Version is a Semantic Version 2.0.
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
