// This file holds Files: all files of a tree, checked together.

package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// An Input is a file of the tree that was read.
type Input struct {
	Item
	// File is the parsed file; it is nil for Data.
	File *parse.File
	// Data is the content of a file that is not parsed.
	Data string
	// Size and Digest describe the bytes that are served.
	Size   int
	Digest string
}

// checker is the state of Files.
type checker struct {
	faults  diag.List
	names   scope
	catalog *catalog.Catalog
	skills  []*skill
	byID    map[string]*skill
	// documents are those of the Markdown outside of prompts, by path.
	documents map[string]*catalog.Document
	plain     []*Input // Markdown outside of prompts and skills
}

// Files checks the files of a tree, which must be sorted by path, and whose
// directories are root's. It returns the program they make, or nil and why not.
// Directories that Layout found fault with may be passed all the same.
func Files(root string, inputs []*Input) (*Program, diag.List) {
	c := &checker{
		names: scope{
			"Catalog":  {what: "the catalog itself"},
			"Register": {what: "the function that mounts the catalog"},
		},
		catalog:   &catalog.Catalog{},
		byID:      map[string]*skill{},
		documents: map[string]*catalog.Document{},
	}
	program := &Program{Root: root, Catalog: c.catalog}
	c.group(inputs)
	for _, p := range c.prompts(inputs) {
		c.faults = append(c.faults, p.faults...)
		for _, d := range p.declarations {
			c.names.declare(&c.faults, d)
		}
		c.catalog.Prompts = append(c.catalog.Prompts, p.value)
		program.Prompts = append(program.Prompts, p.names)
	}
	for _, s := range c.skills {
		c.skill(s)
		c.catalog.Skills = append(c.catalog.Skills, s.value)
		program.Skills = append(program.Skills, s.names)
	}
	for _, in := range c.plain {
		c.faults = append(c.faults, in.File.Diagnostics...)
		c.plainDocument(in)
	}
	c.dependencies()
	c.uris(inputs)
	c.faults.Sort()
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	c.finish(inputs)
	return program, nil
}

// prompts checks the prompts among the files, as many at a time as there are
// processors.
func (c *checker) prompts(inputs []*Input) []*prompt {
	inputs = slices.DeleteFunc(slices.Clone(inputs), func(in *Input) bool { return in.Kind != parse.Prompt })
	list := make([]*prompt, len(inputs))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, in := range inputs {
		g.Go(func() error {
			list[i] = checkPrompt(path.Base(path.Dir(in.Path)), c.catalog.Prefix, in)
			return nil
		})
	}
	_ = g.Wait() // no call has an error
	return list
}

// group reads the settings, and gathers the skills and the plain documents.
func (c *checker) group(inputs []*Input) {
	for _, in := range inputs {
		switch in.Kind {
		case parse.Settings:
			c.settings(in.File)
			continue
		case parse.Prompt:
			continue
		}
		id := ""
		if rest, ok := strings.CutPrefix(in.Path, "skills/"); ok {
			id, _, ok = strings.Cut(rest, "/")
			if !ok {
				id = ""
			}
		}
		if id == "" {
			c.plain = append(c.plain, in)
			continue
		}
		s := c.byID[id]
		if s == nil {
			s = &skill{id: id}
			c.byID[id] = s
			c.skills = append(c.skills, s)
		}
		s.files = append(s.files, in)
		if in.Kind == parse.Skill {
			s.main = in
		}
	}
	// Of a directory without a SKILL.md Layout has spoken; its Markdown has faults
	// of its own.
	c.skills = slices.DeleteFunc(c.skills, func(s *skill) bool {
		if s.main != nil {
			return false
		}
		delete(c.byID, s.id)
		for _, in := range s.files {
			if in.File != nil {
				c.faults = append(c.faults, in.File.Diagnostics...)
			}
		}
		return true
	})
	slices.SortFunc(c.skills, func(a, b *skill) int { return cmp.Compare(a.id, b.id) })
}

// document returns the catalog's document for a file.
func document(in *Input, text []string) *catalog.Document {
	return &catalog.Document{Path: in.Path, Title: in.Path, MIMEType: catalog.Markdown, Size: in.Size, Digest: in.Digest, Text: text}
}

// plainDocument returns the document for a file that is served as it is.
func (c *checker) plainDocument(in *Input) *catalog.Document {
	if in.File == nil {
		d := document(in, split(in.Data))
		d.MIMEType = mimeType(in)
		return d
	}
	d := document(in, split(in.File.Source.Text))
	c.documents[in.Path] = d
	if in.File.Heading != "" {
		d.Title = in.File.Heading
	}
	return d
}

// mimeTypes are the ones of files that skills often hold. The list is our own so
// that the same tree compiles to the same value on every system.
var mimeTypes = map[string]string{
	".css": "text/css", ".csv": "text/csv", ".gif": "image/gif", ".go": "text/x-go", ".html": "text/html",
	".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript", ".json": "application/json",
	".pdf": "application/pdf", ".png": "image/png", ".py": "text/x-python", ".sh": "application/x-sh",
	".sql": "application/sql", ".svg": "image/svg+xml", ".toml": "application/toml", ".ts": "text/typescript",
	".txt": "text/plain", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
	".zip": "application/zip",
}

func mimeType(in *Input) string {
	if t, ok := mimeTypes[strings.ToLower(path.Ext(in.Path))]; ok {
		return t
	}
	if isText(in.Data) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// dependencies checks what the skills depend on, and that there are no cycles.
func (c *checker) dependencies() {
	ids := make([]string, 0, len(c.skills))
	for _, s := range c.skills {
		ids = append(ids, s.id)
	}
	for _, s := range c.skills {
		for _, d := range s.dependsOn {
			switch {
			case d.Text == s.id:
				c.faults.Add(d.Span, "depends-on", fmt.Sprintf("the skill %q depends on itself", s.id), "remove it")
			case c.byID[d.Text] == nil:
				c.faults.Add(d.Span, "depends-on", fmt.Sprintf("there is no skill %q", d.Text), didYouMean(d.Text, ids, "name a directory of skills/"))
			}
		}
	}
	// A walk in depth finds each cycle at the edge that closes it.
	const open, done = 1, 2
	state := map[string]int{}
	type hop struct {
		from *skill
		edge *parse.Value
	}
	var trail []hop
	var visit func(s *skill)
	visit = func(s *skill) {
		state[s.id] = open
		for _, d := range s.dependsOn {
			next := c.byID[d.Text]
			if next == nil || next == s {
				continue
			}
			trail = append(trail, hop{s, d})
			switch state[next.id] {
			case 0:
				visit(next)
			case open:
				start := slices.IndexFunc(trail, func(h hop) bool { return h.from == next })
				cycle := trail[start:]
				path := cycle[0].from.id
				for _, h := range cycle {
					path += " → " + h.edge.Text
				}
				f := c.faults.Add(cycle[0].edge.Span, "dependency-cycle", "skills depend on each other in a circle: "+path, "remove one of the hops")
				for _, h := range cycle[1:] {
					f.Related = append(f.Related, diag.Related{Span: h.edge.Span, Message: fmt.Sprintf("%s depends on %s", h.from.id, h.edge.Text)})
				}
			}
			trail = trail[:len(trail)-1]
		}
		state[s.id] = done
	}
	for _, s := range c.skills {
		if state[s.id] == 0 {
			visit(s)
		}
	}
}

// uris checks that each resource:// URI in a skill's block names something.
func (c *checker) uris(inputs []*Input) {
	known := map[string]bool{catalog.SkillsIndexURI: true}
	for _, s := range c.skills {
		known[s.value.RecordURI()] = true
		known[s.value.URI()] = true
		for _, r := range s.value.References {
			known[s.value.ReferenceURI(r.ID)] = true
		}
	}
	for _, in := range inputs {
		if in.File != nil && in.Kind != parse.Settings {
			known[catalog.DocumentScheme+in.Path] = true
		}
	}
	candidates := make([]string, 0, len(known))
	for uri := range known {
		candidates = append(candidates, uri)
	}
	slices.Sort(candidates)
	for _, s := range c.skills {
		if s.block != nil {
			c.urisIn(s.block, known, candidates)
		}
	}
}

func (c *checker) urisIn(v *parse.Value, known map[string]bool, candidates []string) {
	for _, item := range v.Items {
		c.urisIn(item, known, candidates)
	}
	for _, e := range v.Entries {
		c.urisIn(e.Value, known, candidates)
	}
	if v.Kind != parse.Text {
		return
	}
	for _, m := range resourceURI.FindAllStringIndex(v.Text, -1) {
		uri := strings.TrimRight(v.Text[m[0]:m[1]], ".,;:!?")
		if known[uri] || c.unsure(uri) {
			continue
		}
		span := v.Span
		if i := strings.Index(span.Text(), uri); i >= 0 {
			span = span.Source.Span(span.Start+i, span.Start+i+len(uri))
		}
		c.faults.Add(span, "uri-unknown", fmt.Sprintf("nothing has the URI %s", uri),
			didYouMean(uri, candidates, "skills are at resource://skills/<id>/document, documents at resource://docs/<path>"))
	}
}

// resourceURI finds URIs in a text, with the punctuation that may follow one.
var resourceURI = regexp.MustCompile(`resource://[^\s"'<>()\[\]{}` + "`" + `]+`)

// unsure tells whether a URI is that of a skill whose directory has no id, or of a
// reference of a skill whose own faults keep its references from being known.
func (c *checker) unsure(uri string) bool {
	rest, ok := strings.CutPrefix(uri, "resource://skills/")
	if !ok {
		return false
	}
	id, rest, _ := strings.Cut(rest, "/")
	if s := c.byID[id]; s != nil {
		return !s.sound && strings.HasPrefix(rest, "references/")
	}
	return slices.ContainsFunc(c.skills, func(s *skill) bool { return !catalog.IsID(s.id) && kebab(s.id) == id })
}

// settings checks catalog.yaml and takes over what it says.
func (c *checker) settings(file *parse.File) {
	c.faults = append(c.faults, file.Diagnostics...)
	if file.Front == nil {
		return
	}
	top := fields{faults: &c.faults, value: file.Front, rule: "catalog-block", what: SettingsFile}
	settings := []string{"name", "title", "version", "description", "instructions", "prefix", "cache"}
	before := len(c.faults)
	top.known("catalog")
	for i := before; i < len(c.faults); i++ {
		if key := c.faults[i].Span.Text(); slices.Contains(settings, key) {
			c.faults[i].Help = "write it below \"catalog:\", indented"
		}
	}
	block := file.Front.Get("catalog")
	if block == nil {
		if len(file.Front.Entries) == 0 {
			c.faults.Add(file.Source.Top(), "catalog-block", SettingsFile+" has no mapping \"catalog\"", "write the settings below a key \"catalog:\", or remove the file")
		}
		return
	}
	if block.Kind != parse.Mapping {
		wrongType(&c.faults, "catalog must be a mapping", "catalog", block, parse.Mapping)
		return
	}
	f := fields{faults: &c.faults, value: block, rule: "catalog-block", what: "the catalog block"}
	f.known(settings...)
	if name, v := f.text("name"); v != nil {
		c.catalog.Name = strings.TrimSpace(name)
		f.sized("name", "catalog-block", v, catalog.MaxTitle)
	}
	c.catalog.Title = f.line("title", catalog.MaxTitle)
	c.catalog.Description = f.line("description", catalog.MaxDescription)
	if block.Get("version") != nil {
		c.catalog.Version = f.version()
	}
	if s, v := f.text("instructions"); v != nil {
		c.catalog.Instructions = strings.TrimSpace(s)
	}
	if s, v := f.text("prefix"); v != nil {
		if c.catalog.Prefix = s; s == "" || !catalog.IsPrefix(s) {
			help := "write ids, each followed by a slash, such as support/; at most 64 characters in all"
			if catalog.IsPrefix(s + "/") {
				help = "end it with a slash: " + s + "/"
			}
			c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("%q is not a prefix", s), help)
		}
	}
	c.cache(f)
}

// cache checks the cache hint.
func (c *checker) cache(f fields) {
	block := f.typed("cache", parse.Mapping)
	if block == nil {
		return
	}
	cf := fields{faults: f.faults, value: block, rule: "catalog-block", what: "cache"}
	cf.known("scope", "ttl")
	if s, v := cf.text("scope"); v != nil {
		if c.catalog.Cache.Scope = s; s != "public" && s != "private" {
			c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("the scope %q is neither public nor private", s), didYouMean(s, []string{"public", "private"}, "write public or private"))
		}
	}
	if v := block.Get("ttl"); v != nil && v.Kind != parse.Text {
		c.faults.Add(v.Span, "yaml-type", "ttl must be a duration; YAML reads "+v.Kind.String(), "write a number with its unit, such as 24h, 30m or 90s")
	} else if v != nil {
		ttl, err := time.ParseDuration(v.Text)
		if err != nil || ttl < 0 {
			c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("%q is not a duration", v.Text), "write a number with its unit, such as 24h, 30m or 90s")
		}
		c.catalog.Cache.TTL = ttl
	}
}

// finish fills in what is made of all files together.
func (c *checker) finish(inputs []*Input) {
	cat := c.catalog
	for _, p := range cat.Prompts {
		cat.Documents = append(cat.Documents, p.Document)
	}
	for _, d := range c.documents {
		cat.Documents = append(cat.Documents, d)
	}
	slices.SortFunc(cat.Documents, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
	c.resources()
	digests := make([]*catalog.Document, len(inputs))
	for i, in := range inputs {
		digests[i] = &catalog.Document{Path: in.Path, Digest: in.Digest}
	}
	cat.Digest = catalog.DigestOf(digests)
	cat.PromptTable = table(cat.Prompts, func(p *catalog.Prompt) string { return p.ID })
	cat.ResourceTable = table(cat.Resources, func(r catalog.Resource) string { return r.URI })
	cat.DocumentTable = table(cat.Documents, func(d *catalog.Document) string { return d.Path })
	cat.Seal = catalog.SealOf(cat)
}

func table[T any](list []T, key func(T) string) catalog.Table {
	keys := make([]string, len(list))
	for i, v := range list {
		keys[i] = key(v)
	}
	return catalog.NewTable(keys)
}

// resources makes the list of resources.
func (c *checker) resources() {
	cat := c.catalog
	add := func(uri, name, title, description string, d *catalog.Document) {
		if description == "" {
			description = title
		}
		r := catalog.Resource{URI: uri, Name: name, Title: title, Description: description, Document: d}
		r.Entry = catalog.ResourceEntry(&r)
		cat.Resources = append(cat.Resources, r)
	}
	add(catalog.SkillsIndexURI, "skills_index", "Index of skills", "All skills with their descriptions, versions, tags and capabilities.",
		made("Index of skills", catalog.SkillsIndex(cat.Skills)))
	for _, s := range cat.Skills {
		in := c.byID[s.ID]
		name := "skills/" + s.ID
		title := "Record of the skill " + s.ID
		add(s.RecordURI(), name, title, "What the catalog knows of the skill "+s.ID+": its references, dependencies and digest.", made(title, s.Record()))
		add(s.URI(), name+"/document", s.Document.Title, strings.TrimSpace(s.Description), s.Document)
		add(catalog.SkillURI(cat.Prefix, s.ID, "SKILL.md"), s.ID, s.Document.Title, s.Description, s.Document)
		for _, r := range s.References {
			i := slices.IndexFunc(in.files, func(f *Input) bool { return f.Path == r.Document.Path })
			add(s.ReferenceURI(r.ID), name+"/references/"+r.ID, r.Title, in.files[i].File.Paragraph, r.Document)
		}
	}
	for _, in := range c.plain {
		if !strings.HasPrefix(in.Path, "prompts/") && !strings.HasPrefix(in.Path, "skills/") {
			d := c.documents[in.Path]
			add(catalog.DocumentScheme+in.Path, in.Path, d.Title, in.File.Paragraph, d)
		}
	}
	slices.SortFunc(cat.Resources, func(a, b catalog.Resource) int { return cmp.Compare(a.URI, b.URI) })
}

// made returns the document of a JSON text that the compiler made.
func made(title, text string) *catalog.Document {
	sum := sha256.Sum256([]byte(text))
	return &catalog.Document{Title: title, MIMEType: catalog.JSON, Size: len(text), Digest: hex.EncodeToString(sum[:]), Text: split(text)}
}

// isText tells whether a file that is kept byte for byte can be served as text.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
