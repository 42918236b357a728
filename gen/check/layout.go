// This file holds Arrange: what each path of a tree is, and what has no place in it.

package check

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// An Entry is a file or directory of a tree, by its path from the tree's root.
type Entry struct {
	Path string
	// Type has the type bits of the mode.
	Type fs.FileMode
}

// An Item is a file that belongs to the catalog.
type Item struct {
	// Path is the file's in its tree.
	Path string
	// Canonical is the file's path in the catalog. It is empty for a prompt of a
	// flat tree, whose frontmatter says it.
	Canonical string
	// Kind says how the file is parsed. It is Data for a file that is not.
	Kind parse.FileKind
}

// Data is the kind of files that are kept byte for byte: a skill's that are not
// Markdown.
const Data parse.FileKind = -1

// SettingsFile is the path of the catalog's own settings.
const SettingsFile = "catalog.yaml"

var segmentForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// arrangement is the state of Arrange.
type arrangement struct {
	source func(path string) *diag.Source
	types  map[string]fs.FileMode
	below  map[string][]string // names in each directory, sorted
	items  []Item
	faults diag.List
	told   map[string]bool // names that have a fault, of which one is enough
}

// Arrange sorts out the entries of a tree with a layout, which must hold each
// directory before what is in it, and no name that starts with a dot. source returns
// the source to which faults of a path are pinned.
func Arrange(layout Layout, entries []Entry, source func(path string) *diag.Source) ([]Item, diag.List) {
	a := &arrangement{source: source, types: map[string]fs.FileMode{}, below: map[string][]string{}, told: map[string]bool{}}
	for _, e := range entries {
		a.types[e.Path] = e.Type
		a.below[path.Dir(e.Path)] = append(a.below[path.Dir(e.Path)], path.Base(e.Path))
	}
	for _, names := range a.below {
		slices.Sort(names)
	}
	switch layout {
	case Flat:
		a.flat()
		a.folders()
	case AgentSkills:
		a.folders()
	default:
		a.sameButForCase(func(string) bool { return true })
		for _, name := range a.below["."] {
			a.top(name)
		}
	}
	slices.SortFunc(a.items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	a.faults.Sort()
	return a.items, a.faults
}

// keep adds a file whose path in the catalog is the one in its tree.
func (a *arrangement) keep(p string, kind parse.FileKind) {
	a.items = append(a.items, Item{p, p, kind})
}

func (a *arrangement) fault(path, rule, message, help string) *diag.Diagnostic {
	return a.faults.Add(a.source(path).Top(), rule, message, help)
}

func (a *arrangement) isDir(p string) bool { return a.types[p].IsDir() }

// regular tells whether the entry at p is a file that can be read, and reports
// links and special files.
func (a *arrangement) regular(p string) bool {
	switch t := a.types[p]; {
	case t&fs.ModeSymlink != 0:
		a.fault(p, "symlink", "a symbolic link; nothing reads outside of the tree", "put a copy of the file here")
	case t.IsDir():
	case t&fs.ModeType != 0:
		a.fault(p, "stray-file", "not a regular file", "remove it")
	default:
		return true
	}
	return false
}

// sameButForCase reports names that some file systems cannot tell apart, in those
// directories that matter.
func (a *arrangement) sameButForCase(matters func(dir string) bool) {
	for dir, names := range a.below {
		if !matters(dir) {
			continue
		}
		first := map[string]string{}
		for _, name := range names {
			folded := strings.ToLower(name)
			if other, ok := first[folded]; ok {
				a.told[path.Join(dir, name)], a.told[path.Join(dir, other)] = true, true
				d := a.fault(a.place(path.Join(dir, name)), "file-name",
					fmt.Sprintf("%q and %q differ only by case, and are one file on some systems", name, other), "rename one of them")
				d.Related = []diag.Related{{Span: a.source(a.place(path.Join(dir, other))).Top(), Message: "the other one"}}
				continue
			}
			first[folded] = name
		}
	}
}

// place returns the path to which a fault of the name at p is pinned: for the
// directory of a prompt or skill it is the file that makes it one.
func (a *arrangement) place(p string) string {
	if a.isDir(p) {
		switch path.Dir(p) {
		case "prompts":
			return p + "/PROMPT.md"
		case "skills":
			return p + "/SKILL.md"
		}
	}
	return p
}

// top sorts out an entry of the tree's root.
func (a *arrangement) top(name string) {
	switch folded := strings.ToLower(name); {
	case (name == "prompts" || name == "skills") && a.isDir(name):
		for _, id := range a.below[name] {
			if name == "prompts" {
				a.prompt(name + "/" + id)
			} else {
				a.skill(name + "/" + id)
			}
		}
	case name == "prompts" || name == "skills":
		if a.regular(name) {
			a.fault(name, "stray-file", name+" must be a directory", "")
		}
	case (folded == "prompts" || folded == "skills") && a.isDir(name):
		if a.told[name] {
			return
		}
		a.fault(name, "file-name", fmt.Sprintf("the directory %s is not read under this name", name), "rename it to "+folded)
	case name == SettingsFile && a.isDir(name):
		a.fault(name, "stray-file", name+" must be a file", "rename the directory")
	case name == SettingsFile:
		if a.regular(name) {
			a.keep(name, parse.Settings)
		}
	case folded == SettingsFile || folded == "catalog.yml":
		if a.regular(name) {
			a.fault(name, "file-name", fmt.Sprintf("%s is not read under this name", name), "rename it to "+SettingsFile)
		}
	default:
		a.elsewhere(name)
	}
}

// elsewhere sorts out an entry outside of prompts/ and skills/.
func (a *arrangement) elsewhere(p string) {
	if a.isDir(p) {
		for _, name := range a.below[p] {
			a.elsewhere(p + "/" + name)
		}
		return
	}
	if !a.regular(p) {
		return
	}
	if kind, id := placeFor(path.Base(p)); kind != "" {
		a.fault(p, "stray-file", fmt.Sprintf("a %s outside of %s/ is not read as one", path.Base(p), kind),
			fmt.Sprintf("move it to %s/%s/%s, or give it another name if it is a document", kind, id, path.Base(p)))
		return
	}
	a.document(p)
}

// document keeps a Markdown file, and passes over other ones.
func (a *arrangement) document(p string) {
	switch ext := path.Ext(p); {
	case ext == ".md":
		a.markdown(p)
	case strings.EqualFold(ext, ".md"), strings.EqualFold(ext, ".markdown"):
		a.fault(p, "file-name", "a Markdown file whose name does not end in .md is not read", "rename it to "+strings.TrimSuffix(path.Base(p), ext)+".md")
	}
}

// markdown keeps a Markdown file, if its path can be a URI's.
func (a *arrangement) markdown(p string) {
	for _, segment := range strings.Split(p, "/") {
		if !segmentForm.MatchString(segment) {
			a.fault(p, "file-name", fmt.Sprintf("the path of a document cannot hold the name %q", segment),
				"use ASCII letters, digits, dots, hyphens and underscores, and start with a letter or digit")
			return
		}
	}
	a.keep(p, parse.Document)
}

// placeFor tells under which top-level directory a file of this name belongs.
func placeFor(base string) (kind, id string) {
	switch base {
	case "PROMPT.md":
		return "prompts", "<prompt-id>"
	case "SKILL.md":
		return "skills", "<skill-id>"
	}
	return "", ""
}

// beside sorts out a file directly in prompts/ or skills/, where only
// directories and a README.md belong.
func (a *arrangement) beside(p, what, file string) {
	if !a.regular(p) {
		return
	}
	if path.Base(p) == "README.md" {
		a.markdown(p)
		return
	}
	dir := path.Dir(p)
	help := "move it out of " + dir + "/"
	if path.Ext(p) == ".md" {
		stem := strings.TrimSuffix(path.Base(p), ".md")
		if !catalog.IsID(stem) {
			stem = kebab(stem)
		}
		help = fmt.Sprintf("if it is a %s, move it to %s/%s/%s; if it is a document, move it out of %s/", what, dir, stem, file, dir)
	}
	a.fault(p, "stray-file", fmt.Sprintf("a file beside the directories of %s/ is not read", dir), help)
}

// directoryID checks the name of a prompt's or skill's directory.
func (a *arrangement) directoryID(p, file string) {
	if id := path.Base(p); !catalog.IsID(id) {
		help := "use lower-case letters, digits and single hyphens, and start with a letter"
		if len(id) > catalog.MaxID {
			help = fmt.Sprintf("shorten it to at most %d characters", catalog.MaxID)
		} else if better := kebab(id); catalog.IsID(better) {
			help = "rename the directory to " + better
		}
		a.fault(p+"/"+file, "id-form", fmt.Sprintf("the directory name %q is not an id", id), help)
	}
}

// main finds the file that makes a directory a prompt or skill, among its names.
func (a *arrangement) main(p, file string) {
	variant := ""
	for _, name := range a.below[p] {
		if name == file && !a.isDir(p+"/"+name) {
			return
		}
		if strings.EqualFold(name, file) && !a.isDir(p+"/"+name) {
			variant = name
		}
	}
	if variant != "" {
		a.fault(p+"/"+variant, "file-name", fmt.Sprintf("%s is not read under this name", variant), "rename it to "+file)
		return
	}
	help := "write one, or remove the directory"
	if other := map[string]string{"PROMPT.md": "SKILL.md", "SKILL.md": "PROMPT.md"}[file]; slices.Contains(a.below[p], other) {
		kind, _ := placeFor(other)
		help = fmt.Sprintf("it has a %s: move the directory to %s/", other, kind)
		a.told[p+"/"+other] = true
	} else if a.isDir(p + "/" + file) {
		help = "it has a directory of that name: rename it"
	} else if a.nests(p, file) {
		return // and is told so
	}
	a.fault(p+"/"+file, "stray-file", "the directory has no "+file, help)
}

// nests tells whether a directory has a file of a name further down.
func (a *arrangement) nests(dir, file string) bool {
	for _, name := range a.below[dir] {
		if p := dir + "/" + name; a.isDir(p) && (slices.Contains(a.below[p], file) || a.nests(p, file)) {
			return true
		}
	}
	return false
}

// prompt sorts out an entry of prompts/.
func (a *arrangement) prompt(p string) {
	const file = "PROMPT.md"
	if !a.isDir(p) {
		a.beside(p, "prompt", file)
		return
	}
	a.directoryID(p, file)
	a.main(p, file)
	for _, name := range a.below[p] {
		at := p + "/" + name
		switch {
		case a.isDir(at):
			a.each(at, func(q string) {
				if path.Base(q) == file {
					a.nested(q, "prompt")
				} else {
					a.strayInPrompt(q)
				}
			})
		case name == file:
			if a.regular(at) {
				a.keep(at, parse.Prompt)
			}
		case !strings.EqualFold(name, file):
			if a.regular(at) {
				a.strayInPrompt(at)
			}
		default:
			a.regular(at)
		}
	}
}

func (a *arrangement) strayInPrompt(p string) {
	if a.told[p] {
		return
	}
	a.fault(p, "stray-file", "a prompt's directory holds its PROMPT.md and nothing else",
		"move it into a skill, or outside of prompts/ if it is a document")
}

func (a *arrangement) nested(p, what string) {
	if a.told[p] {
		return
	}
	base := path.Base(p)
	kind, _ := placeFor(base)
	a.fault(p, "stray-file", fmt.Sprintf("a nested %s is not read: each %s is a directory directly in %s/", base, what, kind),
		fmt.Sprintf("move it to %s/<%s-id>/%s", kind, what, base))
}

// each calls visit for all regular files below a directory, in order.
func (a *arrangement) each(dir string, visit func(p string)) {
	for _, name := range a.below[dir] {
		if p := dir + "/" + name; a.isDir(p) {
			a.each(p, visit)
		} else if a.regular(p) {
			visit(p)
		}
	}
}

// skill sorts out an entry of skills/.
func (a *arrangement) skill(p string) {
	const file = "SKILL.md"
	if !a.isDir(p) {
		a.beside(p, "skill", file)
		return
	}
	a.directoryID(p, file)
	a.main(p, file)
	for _, name := range a.below[p] {
		at := p + "/" + name
		switch folded := strings.ToLower(name); {
		case a.isDir(at) && (name == "references" || name == "scripts" || name == "assets"):
			a.each(at, func(q string) { a.inSkill(q, name == "references") })
		case a.isDir(at) && (folded == "references" || folded == "scripts" || folded == "assets"):
			if a.told[at] {
				continue
			}
			a.fault(at, "file-name", fmt.Sprintf("the directory %s is not read under this name", name), "rename it to "+folded)
		case a.isDir(at):
			a.each(at, func(q string) {
				if kind, _ := placeFor(path.Base(q)); kind != "" {
					a.nested(q, strings.TrimSuffix(kind, "s"))
				} else {
					a.strayInSkill(q)
				}
			})
		case name == file:
			if a.regular(at) {
				a.keep(at, parse.Skill)
			}
		case strings.EqualFold(name, file):
			a.regular(at)
		case name == "PROMPT.md":
			if a.regular(at) {
				a.nested(at, "prompt")
			}
		case path.Ext(name) == ".md":
			if a.regular(at) {
				a.markdown(at)
			}
		case strings.EqualFold(path.Ext(name), ".md"):
			if a.regular(at) {
				a.document(at)
			}
		default:
			if a.regular(at) {
				a.strayInSkill(at)
			}
		}
	}
}

// inSkill sorts out a file below references/, scripts/ or assets/.
func (a *arrangement) inSkill(p string, reference bool) {
	switch base := path.Base(p); {
	case base == "SKILL.md":
		a.nested(p, "skill")
	case base == "PROMPT.md":
		a.nested(p, "prompt")
	case strings.EqualFold(path.Ext(base), ".md"):
		a.document(p)
	case reference:
		a.fault(p, "stray-file", "references/ holds Markdown only", "move it to the skill's assets/ or scripts/")
	default:
		if a.visible(p) {
			a.keep(p, Data)
		}
	}
}

func (a *arrangement) strayInSkill(p string) {
	a.fault(p, "stray-file", "a skill's directory holds SKILL.md, other Markdown beside it, references/, scripts/ and assets/",
		"move the file to one of these, or remove it")
}

// kebab makes an id of a name, as far as that goes.
func kebab(name string) string {
	var b strings.Builder
	previous := ' '
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			if previous >= 'a' && previous <= 'z' || previous >= '0' && previous <= '9' {
				b.WriteByte('-')
			}
			b.WriteRune(r - 'A' + 'a')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
		previous = r
	}
	return strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '-' }), "-")
}
