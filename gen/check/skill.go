// This file checks a SKILL.md and the files of its skill.

package check

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// Limits of a skill (SEP-2640, section "Limits").
const (
	MaxSkillFiles = 512
	MaxSkillBytes = 16 << 20
)

// skillBlock is the key of our own mapping in a SKILL.md.
const skillBlock = "x-personal-mcp"

// A skill is what becomes of a skill's directory. What involves other skills is
// checked when all are known.
type skill struct {
	origin origin
	id     string
	dir    string   // in its tree
	main   *Input   // its SKILL.md
	files  []*Input // all its files, sorted by path
	faults diag.List
	// sound tells that the frontmatter had no faults that keep its references
	// and dependencies from being known.
	sound     bool
	block     *parse.Value
	dependsOn []*parse.Value
	mentions  []mention
	value     *catalog.Skill
	names     SkillNames
	guess     guesser
	// declarations are the names that the package will have for it.
	declarations []declaration
	// documents are those of its files that are Markdown, resources what
	// resources/list says of it.
	documents []*catalog.Document
	resources []catalog.Resource
	// sums are those of all of these, for the catalog's seal.
	sums catalog.Sums
}

// checkSkill checks the skill that has a SKILL.md and other files, sorted by path.
func checkSkill(main *Input, files []*Input, o origin) *skill {
	dir := path.Dir(main.Path)
	c := &skill{origin: o, id: path.Base(dir), dir: dir, main: main, files: files, guess: guesser{fileGuesses}, faults: slices.Clone(main.File.Diagnostics)}
	c.check()
	if len(c.faults) == 0 {
		c.list()
	}
	return c
}

// loose tells that the skill is not held to the contract's layout.
func (c *skill) loose() bool { return c.origin.layout != Contract }

// check checks the skill's frontmatter, references and links.
func (c *skill) check() {
	file := c.main.File
	top := file.Source.Top()
	v := &catalog.Skill{ID: c.id, Source: c.origin.source}
	c.value = v
	c.names.Skill = goName(c.id) + "Skill"
	if catalog.IsID(c.id) {
		c.declarations = append(c.declarations, declaration{c.names.Skill, top, "the skill " + strconv.Quote(c.id)})
	}
	c.skillSize()
	for _, in := range c.files {
		if in != c.main && in.File != nil {
			c.faults = append(c.faults, in.File.Diagnostics...)
		}
		d := plainDocument(in, v.Source)
		v.Files = append(v.Files, d)
		if in.File != nil {
			c.documents = append(c.documents, d)
		}
		if in == c.main {
			v.Document = d
		}
	}
	v.Digest = catalog.DigestOf(v.Files)
	c.links()
	if file.Front == nil {
		return
	}
	f := fields{faults: &c.faults, value: file.Front, rule: "skill-name", what: "the frontmatter"}
	if name, value := f.text("name"); file.Front.Get("name") == nil {
		f.faults.Add(top, "skill-name", "the frontmatter has no name", "add name: "+c.id)
	} else if value != nil && name != c.id && catalog.IsID(c.id) {
		d := f.faults.Add(value.Span, "skill-name", fmt.Sprintf("the name %q is not that of the directory, %q", name, c.id), "write name: "+c.id+", or rename the directory")
		d.Fix = &diag.Fix{Span: value.Span, Replacement: c.id}
	}
	if file.Front.Get("description") == nil {
		f.faults.Add(top, "description", "the frontmatter has no description", "say what the skill does and when to use it")
	} else if text, value := f.text("description"); value != nil {
		v.Description = text
		f.sized("description", "description", value, catalog.MaxDescription)
	}
	c.agentSkillFields(f)
	c.jsonValues(file.Front)
	v.Entry = catalog.SkillEntry(v, c.origin.prefix, string(appendValue(nil, file.Front)))
	c.checkBlock(f)
	if c.block != nil {
		c.mentions = mentions(c.block)
	}
}

// list makes what resources/list says of the skill, and the sums.
func (c *skill) list() {
	s, name := c.value, "skills/"+c.id
	title := "Record of the skill " + c.id
	c.resources = append(c.resources,
		resource(s.RecordURI(), name, title, "What the catalog knows of the skill "+c.id+": its references, dependencies and digest.", made(title, s.Record())),
		resource(s.URI(), name+"/document", s.Document.Title, strings.TrimSpace(s.Description), s.Document),
		resource(catalog.SkillURI(c.origin.prefix, c.id, "SKILL.md"), c.id, s.Document.Title, s.Description, s.Document))
	for _, r := range s.References {
		i := slices.IndexFunc(c.files, func(in *Input) bool { return in.Canonical == r.Document.Path })
		c.resources = append(c.resources, resource(s.ReferenceURI(r.ID), name+"/references/"+r.ID, r.Title, c.files[i].File.Paragraph, r.Document))
	}
	c.sums = catalog.Sums{}
	c.sums.Of(s)
	for i := range c.resources {
		c.sums.Of(c.resources[i].Document)
	}
}

// skillSize checks the number and size of a skill's files.
func (c *skill) skillSize() {
	size := 0
	for _, in := range c.files {
		size += in.Size
	}
	if n := len(c.files); n > MaxSkillFiles {
		c.faults.Add(c.main.File.Source.Top(), "skill-size", fmt.Sprintf("the skill has %d files; at most %d are allowed", n, MaxSkillFiles), "split it into several skills")
	}
	if size > MaxSkillBytes {
		c.faults.Add(c.main.File.Source.Top(), "skill-size", fmt.Sprintf("the skill's files have %d bytes; at most %d are allowed", size, MaxSkillBytes), "split it into several skills, or leave large assets out")
	}
}

// agentSkillFields checks the optional fields of the Agent Skills specification,
// section "Frontmatter".
func (c *skill) agentSkillFields(f fields) {
	f.typed("license", parse.Text)
	if _, v := f.text("compatibility"); v != nil {
		f.sized("compatibility", "skill-field", v, maxCompatibility)
	}
	f.typed("metadata", parse.Mapping)
	if v := f.value.Get("allowed-tools"); v != nil {
		switch v.Kind {
		case parse.Text:
		case parse.Sequence:
			for _, item := range v.Items {
				if item.Kind != parse.Text {
					wrongType(&c.faults, "each of allowed-tools must be text", "", item, parse.Text)
				}
			}
		default:
			wrongType(&c.faults, "allowed-tools must be text or a list of texts", "allowed-tools", v, parse.Text)
		}
	}
}

// checkBlock checks the mapping x-personal-mcp. Where it may be missing and is, the
// references are those that have an id by their names.
func (c *skill) checkBlock(front fields) {
	c.block = front.value.Get(skillBlock)
	switch {
	case c.block == nil && c.loose():
		c.value.Capabilities = []string{c.value.URI()}
		c.sound = true
		c.references(fields{faults: &c.faults, value: &parse.Value{Kind: parse.Mapping}})
		return
	case c.block == nil:
		d := c.faults.Add(c.main.File.Source.Top(), "skill-block", "the frontmatter has no mapping "+strconv.Quote(skillBlock),
			fmt.Sprintf("add it: %s: {id: %s, version: 1.0.0, capabilities: [resource://skills/%s/document]}", skillBlock, c.id, c.id))
		for _, e := range front.value.Entries {
			if near := Suggest(e.Key.Text, []string{skillBlock}); near != "" {
				d.Span, d.Help = e.Key.Span, fmt.Sprintf("did you mean %q?", near)
			}
		}
		return
	case c.block.Kind != parse.Mapping:
		wrongType(&c.faults, skillBlock+" must be a mapping", skillBlock, c.block, parse.Mapping)
		return
	}
	f := fields{faults: &c.faults, value: c.block, rule: "skill-block", what: "the " + skillBlock + " block"}
	f.known("id", "version", "capabilities", "tags", "depends_on", "references")
	if c.block.Get("id") == nil {
		f.missing("id", "skill-block")
	} else if id, v := f.text("id"); v != nil && id != c.id && catalog.IsID(c.id) {
		d := c.faults.Add(v.Span, "skill-block", fmt.Sprintf("the id %q is not the name of the directory, %q", id, c.id), "write id: "+c.id)
		d.Fix = &diag.Fix{Span: v.Span, Replacement: c.id}
	}
	c.value.Version = f.version()
	c.value.Tags = f.tags()
	switch v := c.block.Get("capabilities"); {
	case v == nil:
		f.missing("capabilities", "skill-block")
	case v.Kind == parse.Sequence && len(v.Items) == 0:
		c.faults.Add(v.Span, "skill-block", "capabilities is empty", "list at least one, such as resource://skills/"+c.id+"/document")
	default:
		for _, item := range f.texts("capabilities", "skill-block") {
			if item.Text == "" {
				c.faults.Add(item.Span, "skill-block", "an empty capability", "remove it")
			}
			c.value.Capabilities = append(c.value.Capabilities, item.Text)
		}
	}
	c.dependsOn = f.texts("depends_on", "depends-on")
	for _, d := range c.dependsOn {
		c.value.DependsOn = append(c.value.DependsOn, d.Text)
	}
	c.sound = true
	c.references(f)
}

// references makes the skill's references of the ones it lists and of the files
// that are references by their names.
func (c *skill) references(f fields) {
	dir := c.dir + "/"
	inside := map[string]*catalog.Document{} // by path from the skill's directory
	for i, in := range c.files {
		if in.File != nil && strings.HasPrefix(in.Path, dir+"references/") {
			inside[in.Path[len(dir):]] = c.value.Files[i]
		}
	}
	listed := map[string]*parse.Value{} // by path
	spans := map[string]diag.Span{}     // by id
	list := f.typed("references", parse.Mapping)
	if list == nil {
		c.sound = f.value.Get("references") == nil
	} else {
		for _, e := range list.Entries {
			id := e.Key.Text
			switch {
			case e.Key.Kind != parse.Text:
				wrongType(&c.faults, "a reference's id must be text", "", e.Key, parse.Text)
				c.sound = false
				continue
			case !catalog.IsID(id):
				f.notAnID(e.Key, "references", "the reference")
				c.sound = false
				continue
			}
			target, title := e.Value, ""
			if e.Value.Kind == parse.Mapping {
				rf := fields{faults: &c.faults, value: e.Value, rule: "references", what: "a reference"}
				rf.known("path", "title")
				title = rf.line("title", catalog.MaxTitle)
				if target = e.Value.Get("path"); target == nil {
					rf.missing("path", "references")
					c.sound = false
					continue
				}
			}
			if target.Kind != parse.Text {
				wrongType(&c.faults, "a reference must be a path, or a mapping with a path", id, target, parse.Text)
				c.sound = false
				continue
			}
			if !c.referencePath(target, inside) {
				c.sound = false
				continue
			}
			if earlier := listed[target.Text]; earlier != nil {
				d := c.faults.Add(target.Span, "references", fmt.Sprintf("the file %s is listed twice", target.Text), "remove one of the entries")
				d.Related = []diag.Related{{Span: earlier.Span, Message: "it is first here"}}
				continue
			}
			listed[target.Text] = target
			spans[id] = e.Key.Span
			c.reference(id, title, inside[target.Text], e.Key.Span)
		}
	}
	for _, in := range c.files {
		rel := strings.TrimPrefix(in.Path, dir)
		stem, isReference := strings.CutPrefix(strings.TrimSuffix(rel, ".md"), "references/")
		switch {
		case !isReference || inside[rel] == nil || listed[rel] != nil:
		case !c.sound && (strings.Contains(stem, "/") || !catalog.IsID(stem)):
			// It may be one of those whose entries have faults.
		case c.loose() && (strings.Contains(stem, "/") || !catalog.IsID(stem)):
			// It is a file of the skill and nothing more.
		case strings.Contains(stem, "/") || !catalog.IsID(stem):
			help := fmt.Sprintf("list it under references: in the frontmatter, such as %s: %s", kebabOr(stem, "some-id"), rel)
			why := "its name is not an id"
			if strings.Contains(stem, "/") {
				why = "only files directly in references/ are references by their names"
			}
			c.faults.Add(in.File.Source.Top(), "reference-orphan", "no reference names this file, and "+why, help)
		case spans[stem].Source != nil:
			d := c.faults.Add(in.File.Source.Top(), "uri-collision",
				fmt.Sprintf("this file is the reference %q by its name, and another file is listed under that id", stem),
				fmt.Sprintf("list it under another id: some-id: %s", rel))
			d.Related = []diag.Related{{Span: spans[stem], Message: "the other one is listed here"}}
		default:
			c.reference(stem, "", inside[rel], in.File.Source.Top())
		}
	}
	slices.SortFunc(c.value.References, func(a, b *catalog.Reference) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range c.value.References {
		c.names.References = append(c.names.References, c.names.Skill+goName(r.ID))
	}
}

// reference adds one reference to the skill.
func (c *skill) reference(id, title string, d *catalog.Document, span diag.Span) {
	if title == "" {
		title = d.Title
	}
	c.value.References = append(c.value.References, &catalog.Reference{ID: id, Title: title, Document: d})
	c.declarations = append(c.declarations, declaration{c.names.Skill + goName(id), span, fmt.Sprintf("the reference %q of the skill %q", id, c.id)})
}

// referencePath checks the path of a listed reference.
func (c *skill) referencePath(v *parse.Value, inside map[string]*catalog.Document) bool {
	p := v.Text
	message, help := "", ""
	switch {
	case strings.Contains(p, `\`):
		message, help = "a reference's path has backslashes", "use slashes: "+strings.ReplaceAll(p, `\`, "/")
	case path.Clean(p) != p || strings.HasPrefix(p, "/") || strings.HasPrefix(p, ".."):
		message, help = fmt.Sprintf("the path %q is not a plain relative path", p), `write it without ".", ".." and doubled slashes, starting with references/`
	case !strings.HasPrefix(p, "references/"):
		message, help = fmt.Sprintf("the path %q is not under references/", p), "move the file to the skill's references/"
	case path.Ext(p) != ".md":
		message, help = fmt.Sprintf("the reference %q is not a Markdown file", p), "references are .md files; other files belong in assets/ or scripts/"
	case inside[p] == nil:
		files := make([]string, 0, len(inside))
		for name := range inside {
			files = append(files, name)
		}
		slices.Sort(files)
		message, help = fmt.Sprintf("there is no file %s in the skill", p), c.guess.didYouMean(p, files, "write the file, or remove the entry")
	default:
		return true
	}
	c.faults.Add(v.Span, "references", message, help)
	return false
}

func kebabOr(name, other string) string {
	if k := kebab(name); catalog.IsID(k) {
		return k
	}
	return other
}

// links checks the relative links of a skill's Markdown. A link to a directory
// leads somewhere if there are files in it.
func (c *skill) links() {
	root := c.dir
	served := map[string]bool{root: true}
	var files []string
	for _, in := range c.files {
		files = append(files, in.Path)
		for p := in.Path; p != root; p = path.Dir(p) {
			served[p] = true
		}
	}
	for _, in := range c.files {
		if in.File == nil {
			continue
		}
		for _, link := range in.File.Links {
			dir := path.Dir(in.Path)
			target := path.Join(dir, link.Path)
			switch {
			case target != root && !strings.HasPrefix(target, root+"/"):
				c.faults.Add(link.Span, "link-broken", fmt.Sprintf("the link %s leads out of the skill", link.Path),
					"a skill is read by itself: link to its own files, or name the other thing in words")
			case !served[target]:
				help := "write the file, or mend the link; it is resolved from " + dir + "/"
				if near := c.guess.suggest(target, files); near != "" {
					if rel := relative(dir, near); rel != "" {
						help = fmt.Sprintf("did you mean %q? Links are resolved from the file that holds them", rel)
					}
				}
				c.faults.Add(link.Span, "link-broken", fmt.Sprintf("the link %s leads to no file of the skill", link.Path), help)
			}
		}
	}
}

// relative returns the path from a directory to a file in the same skill.
func relative(dir, file string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir = path.Dir(dir)
		up += "../"
	}
	return up + strings.TrimPrefix(file, dir+"/")
}

// octal is a number whose leading zero makes it one of base eight to some readers.
var octal = regexp.MustCompile(`^[-+]?0[0-9]+$`)

// coreNumber is what YAML 1.2's core schema (section 10.3.2) takes for a number
// that JSON can hold.
var coreNumber = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^0o[0-7]+$|^0x[0-9a-fA-F]+$`)

// jsonValues reports the values of a frontmatter that JSON cannot hold, or that
// YAML 1.2 and other YAML readers type differently: a host compares frontmatter
// field by field, and would refuse the skill.
func (c *skill) jsonValues(v *parse.Value) {
	fault := func(v *parse.Value, message string) {
		d := c.faults.Add(v.Span, "frontmatter-json", message, "quote it: "+strconv.Quote(v.Text))
		d.Fix = &diag.Fix{Span: v.Span, Replacement: strconv.Quote(v.Text)}
	}
	switch v.Kind {
	case parse.Date:
		fault(v, fmt.Sprintf("%s is a date to some YAML readers and text to others", v.Text))
	case parse.Number:
		switch {
		case octal.MatchString(v.Text), !coreNumber.MatchString(v.Text):
			if strings.Contains(strings.ToLower(v.Text), "inf") || strings.Contains(strings.ToLower(v.Text), "nan") {
				fault(v, fmt.Sprintf("%s is a number that JSON cannot hold", v.Text))
			} else {
				fault(v, fmt.Sprintf("%s is not the same number, or no number, to all YAML readers", v.Text))
			}
		case !exact(v.Text):
			fault(v, fmt.Sprintf("%s is a number that JSON readers do not keep exactly", v.Text))
		}
	case parse.Text:
		if v.Plain && coreNumber.MatchString(v.Text) {
			fault(v, fmt.Sprintf("%s is a number to some YAML readers and text to others", v.Text))
		}
	case parse.Sequence:
		for _, item := range v.Items {
			c.jsonValues(item)
		}
	case parse.Mapping:
		for _, e := range v.Entries {
			if e.Key.Kind != parse.Text {
				if e.Key.Kind == parse.Sequence || e.Key.Kind == parse.Mapping {
					c.faults.Add(e.Key.Span, "frontmatter-json", "a key that is "+e.Key.Kind.String()+"; JSON has only text", "write a text")
				} else {
					fault(e.Key, fmt.Sprintf("the key %s is %s; JSON has only text", strconv.Quote(e.Key.Text), e.Key.Kind))
				}
			}
			c.jsonValues(e.Value)
		}
	}
}

// exact tells whether a whole number survives in a 64-bit float (RFC 8259,
// section 6).
func exact(s string) bool {
	if strings.ContainsAny(s, ".eE") && !strings.HasPrefix(s, "0x") {
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 0, 64)
	return err == nil && n >= -(1<<53) && n <= 1<<53
}

// appendValue appends a value as JSON. What JSON cannot hold was reported.
func appendValue(dst []byte, v *parse.Value) []byte {
	switch v.Kind {
	case parse.Null:
		return append(dst, "null"...)
	case parse.Boolean:
		return append(dst, strings.ToLower(v.Text)...)
	case parse.Number:
		return appendNumber(dst, v.Text)
	case parse.Sequence:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item)
		}
		return append(dst, ']')
	case parse.Mapping:
		dst = append(dst, '{')
		for i, e := range v.Entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = catalog.AppendJSON(dst, e.Key.Text)
			dst = append(dst, ':')
			dst = appendValue(dst, e.Value)
		}
		return append(dst, '}')
	default:
		return catalog.AppendJSON(dst, v.Text)
	}
}

// jsonNumber is a number of JSON (RFC 8259, section 6).
var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)

// appendNumber appends a number of YAML's core schema: as it is written where JSON
// writes it alike.
func appendNumber(dst []byte, s string) []byte {
	if jsonNumber.MatchString(s) {
		return append(dst, s...)
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 0, 64); err == nil {
		return strconv.AppendInt(dst, n, 10)
	}
	f, _ := strconv.ParseFloat(s, 64)
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
