// This file holds Catalog, the value that the compiler makes of a content tree.

package catalog

import (
	"errors"
	"strings"
	"time"
)

// ErrNotFound is what a lookup by name or URI answers for something that the
// catalog does not hold. Errors wrap it; test with errors.Is.
var ErrNotFound = errors.New("not found")

// ErrCursor is what a Repository answers for a cursor that is not its own. Errors
// may wrap it; test with errors.Is.
var ErrCursor = errors.New("not a cursor of this list")

// A Catalog is everything that one content tree compiles to, or several together:
// prompts, skills and documents, sorted and indexed. It is plain data, never changed
// after it was made, and so safe for any number of readers.
//
// The compiler writes a Catalog out as Go source, or hands the same value over
// at once; both are deeply equal. Every slice that would be empty is nil.
type Catalog struct {
	// Name, Title, Version, Description and Instructions come from catalog.yaml
	// and are empty where it does not say.
	Name, Title, Version, Description, Instructions string

	// Prefix stands before every prompt's id in its public name. It is empty, or
	// ids that are each followed by a slash, such as "support/".
	Prefix string

	// Cache says how long, and by whom, the catalog's answers may be kept.
	Cache CacheHint

	// Digest is the SHA-256, in lower-case hexadecimal, of the lines
	// "<digest>  <path>\n" of all files of the catalog, sorted by path.
	Digest string

	// Seal is what SealOf returns for the catalog. It covers also what the compiler
	// made of the files.
	Seal string

	// Sources are the trees besides the built-in one that the catalog was made
	// of, in the order of their precedence.
	Sources []Source

	// Prompts are sorted by id, and so are Skills.
	Prompts []*Prompt
	Skills  []*Skill

	// Documents are all Markdown files of the tree, sorted by path. Each can be
	// read at DocumentScheme followed by its path.
	Documents []*Document

	// Resources is what resources/list lists, sorted by URI. Documents inside
	// prompts/ and skills/ can be read and are not listed by their path, and of a
	// skill's skill:// URIs only that of its SKILL.md is.
	Resources []Resource

	// PromptTable finds a prompt by its id, ResourceTable a listed resource by
	// its URI, DocumentTable a document by its path.
	PromptTable, ResourceTable, DocumentTable Table
}

// A CacheHint tells clients how they may keep an answer. The zero value says
// nothing, and leaves the choice to the server.
type CacheHint struct {
	// Scope is "public", "private" or empty.
	Scope string
	// TTL is how long the answer stays fresh.
	TTL time.Duration
}

// A Source is a content tree from elsewhere whose prompts and skills are in the
// catalog.
type Source struct {
	// Name is an id. The Source of a prompt or skill is the name of the tree that
	// it comes from.
	Name string
	// Repository is the URL of the git repository, without user and password,
	// Branch the branch that was read, and Path the directory in it, with slashes.
	// Branch and Path may be empty.
	Repository, Branch, Path string
	// Layout is how the tree lays its files out: "contract", as the built-in one
	// does, "flat" or "agent-skills".
	Layout string
	// Commit is the id of the commit that was read, in lower-case hexadecimal.
	Commit string
	// Digest is made as Catalog.Digest is, over the files that were read, by their
	// paths in the tree.
	Digest string
}

// DocumentScheme is what stands before a document's path in its URI.
const DocumentScheme = "resource://docs/"

// Prompt returns the prompt with the given id, without the catalog's prefix.
func (c *Catalog) Prompt(id string) (*Prompt, bool) {
	i, ok := c.PromptTable.Find(id)
	if !ok {
		return nil, false
	}
	return c.Prompts[i], true
}

// Skill returns the skill with the given id.
func (c *Catalog) Skill(id string) (*Skill, bool) {
	for lo, hi := 0, len(c.Skills); lo < hi; {
		mid := int(uint(lo+hi) >> 1)
		switch s := c.Skills[mid]; {
		case s.ID == id:
			return s, true
		case s.ID < id:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil, false
}

// Resource returns the document that stands behind a resource:// or skill:// URI. The
// URI is compared byte for byte with the ones that the compiler made: nothing is
// decoded, resolved or matched by a pattern.
func (c *Catalog) Resource(uri string) (*Document, bool) {
	if i, ok := c.ResourceTable.Find(uri); ok {
		return c.Resources[i].Document, true
	}
	if path, ok := strings.CutPrefix(uri, DocumentScheme); ok {
		if i, ok := c.DocumentTable.Find(path); ok {
			return c.Documents[i], true
		}
	}
	return c.skillFile(uri)
}

// skillFile returns the file of a skill behind a skill:// URI.
func (c *Catalog) skillFile(uri string) (*Document, bool) {
	rest, ok := strings.CutPrefix(uri, SkillScheme+c.Prefix)
	if !ok {
		return nil, false
	}
	id, _, _ := strings.Cut(rest, "/")
	s, ok := c.Skill(id)
	if !ok {
		return nil, false
	}
	for _, d := range s.Files {
		if SkillURI(c.Prefix, id, d.Path[len(s.directory()):]) == uri {
			return d, true
		}
	}
	return nil, false
}
