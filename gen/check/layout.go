// This file holds Layout: what each path of a tree is, and what has no place in it.

package check

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	Path string
	// Kind says how the file is parsed. It is Data for a file that is not.
	Kind parse.FileKind
}

// Data is the kind of files that are kept byte for byte: those under a skill's
// scripts/ and assets/ that are not Markdown.
const Data parse.FileKind = -1

// SettingsFile is the path of the catalog's own settings.
const SettingsFile = "catalog.yaml"

var segmentForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// layout is the state of Layout.
type layout struct {
	source func(path string) *diag.Source
	types  map[string]fs.FileMode
	below  map[string][]string // names in each directory, sorted
	items  []Item
	faults diag.List
	told   map[string]bool // names that have a fault, of which one is enough
}

// Layout sorts out the entries of a tree, which must hold each directory before
// what is in it, and no name that starts with a dot. source returns the source to
// which faults of a path are pinned.
func Layout(entries []Entry, source func(path string) *diag.Source) ([]Item, diag.List) {
	l := &layout{source: source, types: map[string]fs.FileMode{}, below: map[string][]string{}, told: map[string]bool{}}
	for _, e := range entries {
		l.types[e.Path] = e.Type
		l.below[path.Dir(e.Path)] = append(l.below[path.Dir(e.Path)], path.Base(e.Path))
	}
	for _, names := range l.below {
		slices.Sort(names)
	}
	l.sameButForCase()
	for _, name := range l.below["."] {
		l.top(name)
	}
	slices.SortFunc(l.items, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	l.faults.Sort()
	return l.items, l.faults
}

func (l *layout) fault(path, rule, message, help string) *diag.Diagnostic {
	return l.faults.Add(l.source(path).Top(), rule, message, help)
}

func (l *layout) isDir(p string) bool { return l.types[p].IsDir() }

// regular tells whether the entry at p is a file that can be read, and reports
// links and special files.
func (l *layout) regular(p string) bool {
	switch t := l.types[p]; {
	case t&fs.ModeSymlink != 0:
		l.fault(p, "symlink", "a symbolic link; nothing reads outside of the tree", "put a copy of the file here")
	case t.IsDir():
	case t&fs.ModeType != 0:
		l.fault(p, "stray-file", "not a regular file", "remove it")
	default:
		return true
	}
	return false
}

// sameButForCase reports names in one directory that some file systems cannot
// tell apart.
func (l *layout) sameButForCase() {
	for dir, names := range l.below {
		first := map[string]string{}
		for _, name := range names {
			folded := strings.ToLower(name)
			if other, ok := first[folded]; ok {
				l.told[path.Join(dir, name)], l.told[path.Join(dir, other)] = true, true
				d := l.fault(l.place(path.Join(dir, name)), "file-name",
					fmt.Sprintf("%q and %q differ only by case, and are one file on some systems", name, other), "rename one of them")
				d.Related = []diag.Related{{Span: l.source(l.place(path.Join(dir, other))).Top(), Message: "the other one"}}
				continue
			}
			first[folded] = name
		}
	}
}

// place returns the path to which a fault of the name at p is pinned: for the
// directory of a prompt or skill it is the file that makes it one.
func (l *layout) place(p string) string {
	if l.isDir(p) {
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
func (l *layout) top(name string) {
	switch folded := strings.ToLower(name); {
	case (name == "prompts" || name == "skills") && l.isDir(name):
		for _, id := range l.below[name] {
			if name == "prompts" {
				l.prompt(name + "/" + id)
			} else {
				l.skill(name + "/" + id)
			}
		}
	case name == "prompts" || name == "skills":
		if l.regular(name) {
			l.fault(name, "stray-file", name+" must be a directory", "")
		}
	case (folded == "prompts" || folded == "skills") && l.isDir(name):
		if l.told[name] {
			return
		}
		l.fault(name, "file-name", fmt.Sprintf("the directory %s is not read under this name", name), "rename it to "+folded)
	case name == SettingsFile && l.isDir(name):
		l.fault(name, "stray-file", name+" must be a file", "rename the directory")
	case name == SettingsFile:
		if l.regular(name) {
			l.items = append(l.items, Item{name, parse.Settings})
		}
	case folded == SettingsFile || folded == "catalog.yml":
		if l.regular(name) {
			l.fault(name, "file-name", fmt.Sprintf("%s is not read under this name", name), "rename it to "+SettingsFile)
		}
	default:
		l.elsewhere(name)
	}
}

// elsewhere sorts out an entry outside of prompts/ and skills/.
func (l *layout) elsewhere(p string) {
	if l.isDir(p) {
		for _, name := range l.below[p] {
			l.elsewhere(p + "/" + name)
		}
		return
	}
	if !l.regular(p) {
		return
	}
	if kind, id := placeFor(path.Base(p)); kind != "" {
		l.fault(p, "stray-file", fmt.Sprintf("a %s outside of %s/ is not read as one", path.Base(p), kind),
			fmt.Sprintf("move it to %s/%s/%s, or give it another name if it is a document", kind, id, path.Base(p)))
		return
	}
	l.document(p)
}

// document keeps a Markdown file, and passes over other ones.
func (l *layout) document(p string) {
	switch ext := path.Ext(p); {
	case ext == ".md":
		l.markdown(p)
	case strings.EqualFold(ext, ".md"), strings.EqualFold(ext, ".markdown"):
		l.fault(p, "file-name", "a Markdown file whose name does not end in .md is not read", "rename it to "+strings.TrimSuffix(path.Base(p), ext)+".md")
	}
}

// markdown keeps a Markdown file, if its path can be a URI's.
func (l *layout) markdown(p string) {
	for _, segment := range strings.Split(p, "/") {
		if !segmentForm.MatchString(segment) {
			l.fault(p, "file-name", fmt.Sprintf("the path of a document cannot hold the name %q", segment),
				"use ASCII letters, digits, dots, hyphens and underscores, and start with a letter or digit")
			return
		}
	}
	l.items = append(l.items, Item{p, parse.Document})
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
func (l *layout) beside(p, what, file string) {
	if !l.regular(p) {
		return
	}
	if path.Base(p) == "README.md" {
		l.markdown(p)
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
	l.fault(p, "stray-file", fmt.Sprintf("a file beside the directories of %s/ is not read", dir), help)
}

// directoryID checks the name of a prompt's or skill's directory.
func (l *layout) directoryID(p, file string) {
	if id := path.Base(p); !catalog.IsID(id) {
		help := "use lower-case letters, digits and single hyphens, and start with a letter"
		if len(id) > catalog.MaxID {
			help = fmt.Sprintf("shorten it to at most %d characters", catalog.MaxID)
		} else if better := kebab(id); catalog.IsID(better) {
			help = "rename the directory to " + better
		}
		l.fault(p+"/"+file, "id-form", fmt.Sprintf("the directory name %q is not an id", id), help)
	}
}

// main finds the file that makes a directory a prompt or skill, among its names.
func (l *layout) main(p, file string) {
	variant := ""
	for _, name := range l.below[p] {
		if name == file && !l.isDir(p+"/"+name) {
			return
		}
		if strings.EqualFold(name, file) && !l.isDir(p+"/"+name) {
			variant = name
		}
	}
	if variant != "" {
		l.fault(p+"/"+variant, "file-name", fmt.Sprintf("%s is not read under this name", variant), "rename it to "+file)
		return
	}
	help := "write one, or remove the directory"
	if other := map[string]string{"PROMPT.md": "SKILL.md", "SKILL.md": "PROMPT.md"}[file]; slices.Contains(l.below[p], other) {
		kind, _ := placeFor(other)
		help = fmt.Sprintf("it has a %s: move the directory to %s/", other, kind)
		l.told[p+"/"+other] = true
	} else if l.isDir(p + "/" + file) {
		help = "it has a directory of that name: rename it"
	} else if l.nests(p, file) {
		return // and is told so
	}
	l.fault(p+"/"+file, "stray-file", "the directory has no "+file, help)
}

// nests tells whether a directory has a file of a name further down.
func (l *layout) nests(dir, file string) bool {
	for _, name := range l.below[dir] {
		if p := dir + "/" + name; l.isDir(p) && (slices.Contains(l.below[p], file) || l.nests(p, file)) {
			return true
		}
	}
	return false
}

// prompt sorts out an entry of prompts/.
func (l *layout) prompt(p string) {
	const file = "PROMPT.md"
	if !l.isDir(p) {
		l.beside(p, "prompt", file)
		return
	}
	l.directoryID(p, file)
	l.main(p, file)
	for _, name := range l.below[p] {
		at := p + "/" + name
		switch {
		case l.isDir(at):
			l.each(at, func(q string) {
				if path.Base(q) == file {
					l.nested(q, "prompt")
				} else {
					l.strayInPrompt(q)
				}
			})
		case name == file:
			if l.regular(at) {
				l.items = append(l.items, Item{at, parse.Prompt})
			}
		case !strings.EqualFold(name, file):
			if l.regular(at) {
				l.strayInPrompt(at)
			}
		default:
			l.regular(at)
		}
	}
}

func (l *layout) strayInPrompt(p string) {
	if l.told[p] {
		return
	}
	l.fault(p, "stray-file", "a prompt's directory holds its PROMPT.md and nothing else",
		"move it into a skill, or outside of prompts/ if it is a document")
}

func (l *layout) nested(p, what string) {
	if l.told[p] {
		return
	}
	base := path.Base(p)
	kind, _ := placeFor(base)
	l.fault(p, "stray-file", fmt.Sprintf("a nested %s is not read: each %s is a directory directly in %s/", base, what, kind),
		fmt.Sprintf("move it to %s/<%s-id>/%s", kind, what, base))
}

// each calls visit for all regular files below a directory, in order.
func (l *layout) each(dir string, visit func(p string)) {
	for _, name := range l.below[dir] {
		if p := dir + "/" + name; l.isDir(p) {
			l.each(p, visit)
		} else if l.regular(p) {
			visit(p)
		}
	}
}

// skill sorts out an entry of skills/.
func (l *layout) skill(p string) {
	const file = "SKILL.md"
	if !l.isDir(p) {
		l.beside(p, "skill", file)
		return
	}
	l.directoryID(p, file)
	l.main(p, file)
	for _, name := range l.below[p] {
		at := p + "/" + name
		switch folded := strings.ToLower(name); {
		case l.isDir(at) && (name == "references" || name == "scripts" || name == "assets"):
			l.each(at, func(q string) { l.inSkill(q, name == "references") })
		case l.isDir(at) && (folded == "references" || folded == "scripts" || folded == "assets"):
			if l.told[at] {
				continue
			}
			l.fault(at, "file-name", fmt.Sprintf("the directory %s is not read under this name", name), "rename it to "+folded)
		case l.isDir(at):
			l.each(at, func(q string) {
				if kind, _ := placeFor(path.Base(q)); kind != "" {
					l.nested(q, strings.TrimSuffix(kind, "s"))
				} else {
					l.strayInSkill(q)
				}
			})
		case name == file:
			if l.regular(at) {
				l.items = append(l.items, Item{at, parse.Skill})
			}
		case strings.EqualFold(name, file):
			l.regular(at)
		case name == "PROMPT.md":
			if l.regular(at) {
				l.nested(at, "prompt")
			}
		case path.Ext(name) == ".md":
			if l.regular(at) {
				l.markdown(at)
			}
		case strings.EqualFold(path.Ext(name), ".md"):
			if l.regular(at) {
				l.document(at)
			}
		default:
			if l.regular(at) {
				l.strayInSkill(at)
			}
		}
	}
}

// inSkill sorts out a file below references/, scripts/ or assets/.
func (l *layout) inSkill(p string, reference bool) {
	switch base := path.Base(p); {
	case base == "SKILL.md":
		l.nested(p, "skill")
	case base == "PROMPT.md":
		l.nested(p, "prompt")
	case strings.EqualFold(path.Ext(base), ".md"):
		l.document(p)
	case reference:
		l.fault(p, "stray-file", "references/ holds Markdown only", "move it to the skill's assets/ or scripts/")
	default:
		// Its name is part of a URI, and is shown to people.
		for _, r := range base {
			if r == '\\' || !unicode.IsPrint(r) {
				l.fault(p, "file-name", fmt.Sprintf("the name %q has a character that cannot be seen, or a backslash", base), "rename the file")
				return
			}
		}
		l.items = append(l.items, Item{p, Data})
	}
}

func (l *layout) strayInSkill(p string) {
	l.fault(p, "stray-file", "a skill's directory holds SKILL.md, other Markdown beside it, references/, scripts/ and assets/",
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
