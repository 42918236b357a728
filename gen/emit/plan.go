// This file holds plan: which package and file each thing goes to, and under which
// name.

package emit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
)

const (
	// MaxItems is how many prompts, skills and other documents are declared in
	// the package itself. Where there are more, they are declared in shards.
	MaxItems = 500
	// shardItems is how many of them a shard has at most, about. The number of
	// shards is a power of two, so that it is seldom another.
	shardItems = 250
	// Shards is the directory of the shards, in the output directory.
	Shards = "shard"
	// documentBytes is how much text a file of documents is meant to hold.
	documentBytes = 256 << 10
)

// A pkg is a Go package of the output.
type pkg struct {
	// Path is the import path. It is empty for the output directory's.
	Path string
	Name string
	// Dir is relative to the output directory; it is empty or ends in a slash.
	Dir string
}

// shard tells whether the package is one that another re-exports. What its
// variables are declared as differs: the addresses of another package's variables
// are static data, copies of its pointers are not.
func (p pkg) shard() bool { return p.Path != "" }

// A symbol is a declared variable or constant.
type symbol struct {
	Package pkg
	Name    string
}

// A document is a variable for a text, with the constants for the entries of
// prompts/list or resources/list that lead to it.
type document struct {
	Symbol   symbol
	Stem     string
	Document *catalog.Document
	// URI is where the document is read, if it has no path.
	URI     string
	Entries []entry
}

// An entry is a constant that holds an entry of resources/list.
type entry struct {
	Symbol symbol
	JSON   string
}

// A prompt is what a prompt's file is made of.
type prompt struct {
	Package  pkg
	Source   string
	Names    check.PromptNames
	Prompt   *catalog.Prompt
	Document *document
	Args     *args
}

// A skill is what a skill's file is made of.
type skill struct {
	Package   pkg
	Source    string
	Names     check.SkillNames
	Skill     *catalog.Skill
	Entry     symbol // of the constant with the skill's entry
	Documents []*document
}

// A plan says where everything is declared.
type plan struct {
	tree    string // what the content is called
	origin  func(path string) string
	catalog *catalog.Catalog
	face    pkg
	path    string // the face's import path
	shards  []pkg  // nil where the face declares everything
	prompts []*prompt
	skills  []*skill
	// loose are the documents of no prompt or skill, by shard; the only element
	// is the face's where there are no shards.
	loose [][]*document
	// documents are all of them.
	documents map[*catalog.Document]*document
	// entries are the constants for the catalog's resources, by position.
	entries []symbol

	stems map[string]bool // that are in use
	names map[string]bool // that the program gives
}

func newPlan(p *check.Program, opt Options) (*plan, error) {
	c := p.Catalog
	if len(c.Prompts) != len(p.Prompts) || len(c.Skills) != len(p.Skills) {
		return nil, fmt.Errorf("emit: names for %d prompts and %d skills, but there are %d and %d", len(p.Prompts), len(p.Skills), len(c.Prompts), len(c.Skills))
	}
	l := &plan{
		tree:      cmp.Or(p.Root, "the content"),
		origin:    p.Origin,
		catalog:   c,
		face:      pkg{Name: opt.Package},
		documents: map[*catalog.Document]*document{},
		entries:   make([]symbol, len(c.Resources)),
		stems:     map[string]bool{instructions: true},
		names:     map[string]bool{"Catalog": true, "Register": true},
	}
	for i, names := range p.Prompts {
		if err := l.reservePrompt(c.Prompts[i], names); err != nil {
			return nil, err
		}
	}
	for i, names := range p.Skills {
		if err := l.reserveSkill(c.Skills[i], names); err != nil {
			return nil, err
		}
	}

	for i := range c.Resources {
		if c.Resources[i].Document == nil {
			return nil, fmt.Errorf("emit: resource %q has no document", c.Resources[i].URI)
		}
	}

	ofSkill, loose := l.divide()
	if items := len(c.Prompts) + len(c.Skills) + len(loose); items > MaxItems {
		if opt.ImportPath == "" {
			return nil, fmt.Errorf("emit: %d prompts, skills and documents are split into sub-packages, which needs the import path of package %s", items, opt.Package)
		}
		l.path = opt.ImportPath
		n := 1
		for n*shardItems < items {
			n *= 2
		}
		for i := range n {
			l.shards = append(l.shards, l.shard(fmt.Sprintf("s%02d", i)))
		}
	}

	for i, names := range p.Prompts {
		l.addPrompt(c.Prompts[i], names)
	}
	for i, names := range p.Skills {
		if err := l.addSkill(c.Skills[i], names, ofSkill[c.Skills[i].ID]); err != nil {
			return nil, err
		}
	}
	l.loose = make([][]*document, max(1, len(l.shards)))
	for _, d := range loose {
		at := l.place(d.name())
		l.loose[at] = append(l.loose[at], l.addDocument(l.home(d.name()), cmp.Or(camel(d.name()), "Loose"), d))
	}
	l.addEntries()
	return l, nil
}

// shard returns the package with the given name in the directory of shards.
func (l *plan) shard(name string) pkg {
	return pkg{path.Join(l.path, Shards, name), name, Shards + "/" + name + "/"}
}

// reserve keeps stems from leading to the names.
func (l *plan) reserve(names ...string) {
	for _, name := range names {
		l.names[name] = true
	}
}

func (l *plan) reservePrompt(p *catalog.Prompt, names check.PromptNames) error {
	if p.Document == nil {
		return fmt.Errorf("emit: prompt %q has no document", p.ID)
	}
	if len(names.Fields) != len(p.Arguments) || len(names.Choices) != len(p.Arguments) {
		return fmt.Errorf("emit: prompt %q has %d arguments, but names for %d fields and %d choices", p.ID, len(p.Arguments), len(names.Fields), len(names.Choices))
	}
	l.reserve(names.Prompt, names.Args)
	for i, choices := range names.Choices {
		if len(choices.Constants) != len(p.Arguments[i].Choices) {
			return fmt.Errorf("emit: argument %q of prompt %q has %d choices, but names for %d", p.Arguments[i].Name, p.ID, len(p.Arguments[i].Choices), len(choices.Constants))
		}
		l.reserve(choices.Type)
		l.reserve(choices.Constants...)
	}
	return nil
}

func (l *plan) reserveSkill(s *catalog.Skill, names check.SkillNames) error {
	if s.Document == nil {
		return fmt.Errorf("emit: skill %q has no document", s.ID)
	}
	for _, r := range s.References {
		if r.Document == nil {
			return fmt.Errorf("emit: reference %q of skill %q has no document", r.ID, s.ID)
		}
	}
	if len(names.References) != len(s.References) {
		return fmt.Errorf("emit: skill %q has %d references, but names for %d", s.ID, len(s.References), len(names.References))
	}
	l.reserve(names.Skill)
	l.reserve(names.References...)
	return nil
}

// A text is a document that has no name yet.
type text struct {
	*catalog.Document
	uri string
}

// name returns the document's path, or the URI of one that has none.
func (t text) name() string { return cmp.Or(t.Path, t.uri) }

// divide returns the documents that prompts and skills do not hold, in the order of
// their names: those in a skill's directory and the skill's record by the id of the
// skill, and the others.
func (l *plan) divide() (ofSkill map[string][]text, loose []text) {
	held := map[*catalog.Document]bool{nil: true}
	ids := map[string]string{} // of skills, by the URIs of their records
	for _, p := range l.catalog.Prompts {
		held[p.Document] = true
	}
	ofSkill = map[string][]text{}
	for _, s := range l.catalog.Skills {
		ofSkill[s.ID] = nil
		ids[s.RecordURI()] = s.ID
		held[s.Document] = true
		for _, d := range s.Files {
			held[d] = true
		}
		for _, r := range s.References {
			held[r.Document] = true
		}
	}
	add := func(d *catalog.Document, uri string) {
		if held[d] {
			return
		}
		held[d] = true
		id, ok := ids[uri]
		if rest, found := strings.CutPrefix(d.Path, "skills/"); found && !ok {
			id, _, _ = strings.Cut(rest, "/")
			_, ok = ofSkill[id]
		}
		if ok {
			ofSkill[id] = append(ofSkill[id], text{d, uri})
		} else {
			loose = append(loose, text{d, uri})
		}
	}
	for _, d := range l.catalog.Documents {
		add(d, "")
	}
	for i := range l.catalog.Resources {
		add(l.catalog.Resources[i].Document, l.catalog.Resources[i].URI)
	}
	slices.SortStableFunc(loose, func(a, b text) int { return cmp.Compare(a.name(), b.name()) })
	return ofSkill, loose
}

// place returns the shard for the prompt, skill or document with the given path. It
// depends on the path and the number of shards alone, so that what is added later
// moves nothing.
func (l *plan) place(name string) int { return bucket(name, max(1, len(l.shards))) }

// home returns the package for the prompt, skill or document with the given path.
func (l *plan) home(name string) pkg {
	if l.shards == nil {
		return l.face
	}
	return l.shards[l.place(name)]
}

// argsHome returns the package for the types of the prompts of a package. They are
// code, which takes longer to compile than all of the data and which a server has no
// use for.
func (l *plan) argsHome(p pkg) pkg {
	if !p.shard() {
		return p
	}
	return l.shard("args" + strings.TrimPrefix(p.Name, "s"))
}

// bucket returns one of n numbers, a power of two, by the hash of a name.
func bucket(name string, n int) int {
	h := fnv.New64a()
	h.Write([]byte(name))
	return int(h.Sum64() & uint64(n-1))
}

func (l *plan) addPrompt(p *catalog.Prompt, names check.PromptNames) {
	source := "prompts/" + p.ID
	at := l.home(source)
	d := l.addDocument(at, names.Prompt, text{p.Document, ""})
	d.addEntry(p.Entry)
	a := &args{l.argsHome(at), names, p.ID, p.Arguments, symbol{at, names.Prompt}}
	l.prompts = append(l.prompts, &prompt{at, l.origin(source + "/PROMPT.md"), names, p, d, a})
}

func (l *plan) addSkill(s *catalog.Skill, names check.SkillNames, others []text) error {
	source := "skills/" + s.ID
	at := l.home(source)
	u := &skill{Package: at, Source: l.origin(source + "/SKILL.md"), Names: names, Skill: s}
	add := func(t text, name string) {
		if l.documents[t.Document] == nil {
			u.Documents = append(u.Documents, l.addDocument(at, name, t))
		}
	}
	add(text{s.Document, ""}, names.Skill)
	u.Entry = l.documents[s.Document].addEntry(s.Entry)
	for i, r := range s.References {
		add(text{r.Document, ""}, names.References[i])
	}
	for _, d := range s.Files {
		if d == nil || l.documents[d] != nil && u.find(d) == nil {
			return fmt.Errorf("emit: skill %q has a file that is nil or another's", s.ID)
		}
		add(text{d, ""}, names.Skill+camel(strings.TrimPrefix(d.Path, source)))
	}
	for _, t := range others {
		if t.Path == "" {
			add(t, names.Skill+"Record")
		} else {
			add(t, names.Skill+camel(strings.TrimPrefix(t.Path, source)))
		}
	}
	l.skills = append(l.skills, u)
	return nil
}

// addDocument declares a document. Its names start with the given one.
func (l *plan) addDocument(at pkg, name string, t text) *document {
	stem := l.stem(at, name)
	d := &document{
		Symbol:   symbol{at, stem + "Document"},
		Stem:     stem,
		Document: t.Document,
		URI:      t.uri,
	}
	l.documents[t.Document] = d
	return d
}

// addEntries declares a constant for each resource's entry beside its document, so
// that the list of resources does not change with their sizes.
func (l *plan) addEntries() {
	for i := range l.catalog.Resources {
		r := &l.catalog.Resources[i]
		l.entries[i] = l.documents[r.Document].addEntry(r.Entry)
	}
}

// addEntry declares a constant for an entry of a list, beside the document.
func (d *document) addEntry(json string) symbol {
	name := d.Stem + "Entry"
	if n := len(d.Entries); n > 0 {
		name += strconv.Itoa(n + 1)
	}
	s := symbol{d.Symbol.Package, name}
	d.Entries = append(d.Entries, entry{s, json})
	return s
}

// stem returns the start of names for a document and what goes with it: they are the
// stem followed by Document, Entry or Text and maybe a number, and so they are
// distinct as soon as the stems are. In a shard, whose names the face uses, the stem
// is exported.
func (l *plan) stem(at pkg, name string) string {
	stem := name
	for n := 2; ; n++ {
		if !at.shard() {
			stem = uncapital(stem)
		}
		if !l.stems[uncapital(stem)] && !l.names[stem+"Document"] && !l.names[stem+"Entry"] && !l.names[stem+"Entry2"] && !l.names[stem+"Entry3"] {
			l.stems[uncapital(stem)] = true
			return stem
		}
		stem = name + "_" + strconv.Itoa(n)
	}
}

// maxStem bounds names that are made of a path.
const maxStem = 80

// camel joins the words of a path or URI to a Go name that starts with an upper-case
// letter. It may be empty, and does not keep distinct paths distinct.
func camel(name string) string {
	name = strings.TrimSuffix(name, ".md")
	if _, rest, ok := strings.Cut(name, "://"); ok {
		name = rest
	}
	var b strings.Builder
	start := true
	for _, r := range name {
		switch {
		case 'a' <= r && r <= 'z' && start:
			r -= 'a' - 'A'
		case '0' <= r && r <= '9' && b.Len() == 0:
			b.WriteString("The")
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		default:
			start = true
			continue
		}
		b.WriteRune(r)
		start = false
		if b.Len() >= maxStem {
			break
		}
	}
	return b.String()
}

// uncapital returns a Go name in its unexported form: ReviewChanges becomes
// reviewChanges and URLCheck becomes urlCheck.
func uncapital(name string) string {
	n := 0
	for n < len(name) && 'A' <= name[n] && name[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(name) && 'a' <= name[n] && name[n] <= 'z' {
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}
