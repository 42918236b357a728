// This file holds the layouts that a tree can have, and arranges those that others
// have made.

package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/parse"
)

// A Layout is what a content tree looks like.
type Layout string

const (
	// Contract is the layout of the content contract, and of every built-in tree:
	//
	//	catalog.yaml
	//	prompts/<id>/PROMPT.md
	//	skills/<id>/SKILL.md, references/, scripts/, assets/
	//	documents, which are all other Markdown
	//
	// Everything has its place, and what lies elsewhere is a fault.
	Contract Layout = "contract"
	// Flat is a directory of prompts:
	//
	//	<any name>.md
	//	<id>/SKILL.md and more files, or skills/<id>/SKILL.md
	//
	// A prompt's fields stand at the top level of its frontmatter, among them its
	// name, which is the id. A README.md, and whatever else there is, is passed
	// over.
	Flat Layout = "flat"
	// AgentSkills is a directory of skills as the Agent Skills specification has
	// them, section "Directory structure":
	//
	//	<id>/SKILL.md and more files, or skills/<id>/SKILL.md
	//
	// Our own block is optional in a skill. All files in its directory belong to it,
	// and whatever else there is in the tree is passed over.
	AgentSkills Layout = "agent-skills"
)

// Layouts returns the names of all layouts.
func Layouts() []string { return []string{string(Contract), string(Flat), string(AgentSkills)} }

var (
	hasBlock = regexp.MustCompile(`(?m)^["']?` + skillBlock + `["']?[ \t]*:`)
	hasName  = regexp.MustCompile(`(?m)^["']?name["']?[ \t]*:`)
)

// Detect tells which layout a tree has. peek returns the start of a file's text,
// which may end after parse.MaxFrontmatter bytes, or nothing for a file that cannot
// be read. The first that holds decides:
//
//  1. a catalog.yaml, or a prompts/*/PROMPT.md: Contract
//  2. a skills/*/SKILL.md with our block in its frontmatter: Contract
//  3. Markdown directly in the tree, other than README.md and SKILL.md, with a name
//     in its frontmatter: Flat
//  4. a */SKILL.md or skills/*/SKILL.md: AgentSkills
//  5. Markdown directly in the tree, other than README.md and SKILL.md: Flat
//  6. anything else: Contract
func Detect(entries []Entry, peek func(path string) string) Layout {
	var prompts, skills []string
	for _, e := range entries {
		if !e.Type.IsRegular() {
			continue
		}
		dir, base := path.Split(e.Path)
		switch segments := strings.Split(e.Path, "/"); {
		case e.Path == SettingsFile, base == "PROMPT.md" && len(segments) == 3 && segments[0] == "prompts":
			return Contract
		case base == "SKILL.md" && (len(segments) == 2 || len(segments) == 3 && segments[0] == "skills"):
			skills = append(skills, e.Path)
		case dir == "" && isFlatPrompt(base):
			prompts = append(prompts, e.Path)
		}
	}
	front := func(p string) string {
		rest, ok := strings.CutPrefix(catalog.Normalize([]byte(peek(p))), "---\n")
		if !ok {
			return ""
		}
		front, _, _ := strings.Cut("\n"+rest, "\n---\n")
		return front
	}
	switch {
	case slices.ContainsFunc(skills, func(p string) bool { return strings.Count(p, "/") == 2 && hasBlock.MatchString(front(p)) }):
		return Contract
	case slices.ContainsFunc(prompts, func(p string) bool { return hasName.MatchString(front(p)) }):
		return Flat
	case len(skills) > 0:
		return AgentSkills
	case len(prompts) > 0:
		return Flat
	}
	return Contract
}

// isFlatPrompt tells whether a file directly in a flat tree is a prompt.
func isFlatPrompt(base string) bool {
	return path.Ext(base) == ".md" && !strings.EqualFold(base, "README.md") && base != "SKILL.md"
}

// flat sorts out the prompts of a flat tree.
func (a *arrangement) flat() {
	for _, name := range a.below["."] {
		switch {
		case a.isDir(name):
		case isFlatPrompt(name):
			if a.regular(name) {
				a.items = append(a.items, Item{name, "", parse.Prompt})
			}
		case strings.EqualFold(path.Ext(name), ".md") && path.Ext(name) != ".md":
			if a.regular(name) {
				a.document(name) // which says that it is not read
			}
		}
	}
}

// folders sorts out the skills of a tree that is not of the contract's layout.
func (a *arrangement) folders() {
	for _, name := range a.below["."] {
		switch {
		case name == "skills" && a.isDir(name):
			for _, id := range a.below[name] {
				a.folder(name + "/" + id)
			}
		case name == "SKILL.md":
			a.fault(name, "stray-file", "a SKILL.md that is in no directory of its own is not read", "move it to <skill-id>/SKILL.md")
		}
		a.folder(name)
	}
}

// folder sorts out a directory that is a skill if it has a SKILL.md.
func (a *arrangement) folder(p string) {
	const file = "SKILL.md"
	has := func(name string) bool { return strings.EqualFold(name, file) && !a.isDir(p+"/"+name) }
	if !a.isDir(p) || !slices.ContainsFunc(a.below[p], has) {
		return
	}
	a.directoryID(p, file)
	a.main(p, file)
	a.sameButForCase(func(dir string) bool { return dir == p || strings.HasPrefix(dir, p+"/") })
	a.each(p, func(q string) {
		item := Item{q, "skills/" + path.Base(p) + strings.TrimPrefix(q, p), Data}
		switch base := path.Base(q); {
		case q == p+"/"+file:
			item.Kind = parse.Skill
		case path.Ext(base) == ".md" && isDocumentPath(q):
			item.Kind = parse.Document
		case !a.visible(q):
			return
		}
		a.items = append(a.items, item)
	})
}

// visible reports a name that people would not see as it is: it is part of a URI,
// and is shown.
func (a *arrangement) visible(p string) bool {
	for _, r := range path.Base(p) {
		if r == '\\' || !unicode.IsPrint(r) {
			a.fault(p, "file-name", fmt.Sprintf("the name %q has a character that cannot be seen, or a backslash", path.Base(p)), "rename the file")
			return false
		}
	}
	return true
}

// isDocumentPath tells whether a path can be a document's, all of whose segments are
// in its URI as they are.
func isDocumentPath(p string) bool {
	return !slices.ContainsFunc(strings.Split(p, "/"), func(segment string) bool { return !segmentForm.MatchString(segment) })
}
