// This file holds what is emitted for the catalog as a whole: its value, its lists
// and its tables.

package emit

import (
	"fmt"
	"strings"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/seed33527553/promptc/catalog"
)

// A catalogFile is what the catalog_gen.go is made of that holds the catalog's value.
// It is small, for it changes with every edit.
type catalogFile struct {
	Package pkg
	Source  string
	// Catalog has no lists; those that it has in truth are told by Lists.
	Catalog catalog.Catalog
	Lists   []list
	Manual  manual
}

// A manual is what the documentation of the output is made of.
type manual struct {
	// Package is the package that callers import.
	Package string
	Source  string
	// Example is the literal of a prompt's arguments, if there is a prompt.
	Example string
	Prefix  string
}

// A list is a field of the catalog with the name of the variable that it is set to.
// The field may be one of a table's.
type list struct{ Table, Field, Variable string }

// instructions is the stem for constants of the catalog's instructions.
const instructions = "instructions"

// render prints the file.
func (u *catalogFile) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	if u.Package.shard() {
		f.doc = u.Manual.indexDoc()
	} else {
		f.doc = u.Manual.packageDoc()
	}

	v := &u.Catalog
	var b block
	b.text("Name", v.Name)
	b.text("Title", v.Title)
	b.text("Version", v.Version)
	b.text("Description", v.Description)
	if v.Instructions != "" {
		b.field("Instructions", f.texts.use(instructions, v.Instructions, lines))
	}
	b.text("Prefix", v.Prefix)
	if v.Cache != (catalog.CacheHint{}) {
		b.field("Cache", vocabulary("CacheHint").Add(cacheHint(v.Cache)))
	}
	b.text("Digest", v.Digest)
	b.text("Seal", v.Seal)
	if len(v.Sources) > 0 {
		b.field("Sources", jen.Index().Add(vocabulary("Source"), sources(v.Sources)))
	}
	for i := 0; i < len(u.Lists); i++ {
		l := u.Lists[i]
		if l.Table == "" {
			b.field(l.Field, jen.Id(l.Variable))
			continue
		}
		// A table's two lists follow one another.
		var table block
		table.field(l.Field, jen.Id(l.Variable))
		i++
		table.field(u.Lists[i].Field, jen.Id(u.Lists[i].Variable))
		b.field(l.Table, vocabulary("Table").Add(table.inline()))
	}
	f.handle("Catalog", "Catalog", b.literal(), u.Manual.catalogDoc()...)
	f.declareTexts()
	if !u.Package.shard() {
		u.Manual.declareRegister(f)
	}
	return f.render(key)
}

// declareRegister declares Register.
func (m *manual) declareRegister(f *source) {
	doc := "Register mounts the catalog on m."
	if m.Prefix != "" {
		doc = fmt.Sprintf("Register mounts the catalog on m, under the prefix %q.", m.Prefix)
	}
	f.declare(jen.Func().Id("Register").Params(jen.Id("m").Op("*").Add(vocabulary("Mux"))).Error().
		Block(jen.Return(jen.Id("m").Dot("Mount").Call(jen.Id("Catalog")))), comment(doc)...)
}

func (m *manual) catalogDoc() []string {
	return comment("Catalog is everything that " + m.Source + " compiles to.")
}

func (m *manual) packageDoc() []string {
	doc := comment("Package " + m.Package + " holds the prompts and skills that promptc compiled from " + m.Source + ".")
	if m.Example != "" {
		doc = append(doc, "//")
		doc = append(doc, comment("Every prompt has a type for its arguments, with a method that renders it:")...)
		doc = append(doc, "//", "//\tmessages, err := "+m.Package+"."+m.Example+".Messages()")
	}
	doc = append(doc, "//")
	return append(doc, comment("Catalog is all of it as one value, and Register mounts that on a mux, from which a server answers.")...)
}

// indexDoc is the comment of the package that holds the catalog's value where there
// are shards.
func (m *manual) indexDoc() []string {
	return comment("Package index holds the catalog of package " + m.Package + " and none of its types. A server that renders prompts by name compiles faster if it imports this package instead.")
}

// sources returns the literal of the list of sources.
func sources(list []catalog.Source) *jen.Statement {
	var elements block
	for _, s := range list {
		var b block
		b.text("Name", s.Name)
		b.text("Repository", s.Repository)
		b.text("Branch", s.Branch)
		b.text("Path", s.Path)
		b.text("Layout", s.Layout)
		b.text("Commit", s.Commit)
		b.text("Digest", s.Digest)
		elements = append(elements, b.literal())
	}
	return elements.literal()
}

// cacheHint returns the literal of a cache hint. Its time is a number, for a
// generated package imports package catalog alone.
func cacheHint(h catalog.CacheHint) *jen.Statement {
	s := jen.Op("{").Line()
	if h.Scope != "" {
		s.Id("Scope").Op(":").Add(quote(h.Scope)).Op(",").Line()
	}
	if h.TTL != 0 {
		s.Id("TTL").Op(":").Add(number(int64(h.TTL))).Op(",").Op("// " + duration(h.TTL)).Line()
	}
	return s.Op("}")
}

// duration is a duration as people write it: "24h", where String has "24h0m0s".
func duration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// An indexFile is what index_gen.go is made of. It changes when there is another
// prompt, skill or document, and when one goes away or has another title or
// description.
type indexFile struct {
	Package   pkg
	Source    string
	Prompts   []symbol
	Skills    []symbol
	Documents []symbol
	Resources []resource
	Tables    []table
}

// A resource is an element of the list of resources.
type resource struct {
	URI, Name, Title, Description string
	Document, Entry               symbol
}

// A table is one of the catalog's tables.
type table struct {
	// Name is the name of the catalog's field without the word Table.
	Name  string
	Table catalog.Table
}

// keys and slots are the variables for the lists of the table.
func (t table) keys() string  { return uncapital(t.Name) + "Keys" }
func (t table) slots() string { return uncapital(t.Name) + "Slots" }

// lists returns the catalog's fields that the file has variables for, in the order of
// their declaration.
func (u *indexFile) lists() []list {
	var lists []list
	add := func(n int, table, field, variable string) {
		if n > 0 {
			lists = append(lists, list{table, field, variable})
		}
	}
	add(len(u.Prompts), "", "Prompts", "prompts")
	add(len(u.Skills), "", "Skills", "skills")
	add(len(u.Documents), "", "Documents", "documents")
	add(len(u.Resources), "", "Resources", "resources")
	for _, t := range u.Tables {
		add(len(t.Table.Slots), t.Name+"Table", "Keys", t.keys())
		add(len(t.Table.Slots), t.Name+"Table", "Slots", t.slots())
	}
	return lists
}

// render prints the file.
func (u *indexFile) render(key string) ([]byte, error) {
	f := newSource(u.Package, u.Source)
	pointers := func(name, typ string, symbols []symbol, refer func(symbol) *jen.Statement) {
		if len(symbols) == 0 {
			return
		}
		var b block
		for _, s := range symbols {
			b = append(b, refer(s))
		}
		f.declare(jen.Var().Id(name).Op("=").Index().Op("*").Add(vocabulary(typ), b.literal()))
	}
	address := func(s symbol) *jen.Statement { return jen.Op("&").Add(f.name(s)) }
	pointers("prompts", "Prompt", u.Prompts, f.pointer)
	pointers("skills", "Skill", u.Skills, f.pointer)
	pointers("documents", "Document", u.Documents, address)

	if len(u.Resources) > 0 {
		var resources block
		for _, r := range u.Resources {
			var b block
			b.text("URI", r.URI)
			b.text("Name", r.Name)
			b.text("Title", r.Title)
			b.text("Description", r.Description)
			b.field("Document", address(r.Document))
			b.field("Entry", f.name(r.Entry))
			resources = append(resources, b.literal())
		}
		f.declare(jen.Var().Id("resources").Op("=").Index().Add(vocabulary("Resource"), resources.literal()))
	}

	for _, t := range u.Tables {
		if len(t.Table.Slots) == 0 {
			continue
		}
		var keys block
		for _, key := range t.Table.Keys {
			keys = append(keys, quote(key))
		}
		f.declare(jen.Var().Id(t.keys()).Op("=").Index().String().Add(keys.literal()))
		f.declare(jen.Var().Id(t.slots()).Op("=").Index().Uint32().Add(slots(t.Table.Slots)),
			comment(t.slots()+" is the hash table over "+t.keys()+".")...)
	}
	return f.render(key)
}

// slots returns the literal of a table's slots, several to a line.
func slots(values []uint32) *jen.Statement {
	const perLine = 8
	var b strings.Builder
	b.WriteString("{\n")
	for i, v := range values {
		if v == 0 {
			b.WriteString("0,")
		} else {
			fmt.Fprintf(&b, "%#08x,", v)
		}
		if i%perLine == perLine-1 || i == len(values)-1 {
			b.WriteByte('\n')
		}
	}
	b.WriteByte('}')
	return jen.Op(b.String())
}
