// This file holds Compare and its Report, and compares what belongs to no prompt or
// skill.

package breaking

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// A Report is what Compare finds.
type Report struct {
	// Advice is on every prompt and then every skill that both sides have, by id,
	// and last on the catalog.
	Advice []*Advice

	breaks   []finding
	versions diag.List
}

// A finding is a change that breaks callers.
type finding struct {
	diag.Diagnostic
	// keep says what undoes the break.
	keep string
	// by is whose version can say that it breaks.
	by *Advice
}

// accepted tells whether the version says that something breaks.
func (f *finding) accepted() bool { return f.by.Right && f.by.Change == Major }

// Breaks returns how many changes break callers, and how many of these are announced
// by a version that was raised as they demand.
func (r *Report) Breaks() (all, announced int) {
	for i := range r.breaks {
		if r.breaks[i].accepted() {
			announced++
		}
	}
	return len(r.breaks), announced
}

// Versions returns how many versions are wrong.
func (r *Report) Versions() int { return len(r.versions) }

// Diagnostics returns the changes that break callers, and the versions that are
// wrong, sorted. With accept the changes are left out that are announced by their
// versions.
func (r *Report) Diagnostics(accept bool) diag.List {
	list := slices.Clone(r.versions)
	for i := range r.breaks {
		f := &r.breaks[i]
		if accept && f.accepted() {
			continue
		}
		d := f.Diagnostic
		switch {
		case f.by.Old == "":
			d.Help = f.keep + "; " + f.by.name() + " has no version that could tell callers of it"
		case f.by.Right:
			d.Help = fmt.Sprintf("%s, or accept the break by --allow-breaking: the version of %s says it", f.keep, f.by.name())
		default:
			d.Help = fmt.Sprintf("%s, or raise the version of %s to %s and accept the break by --allow-breaking", f.keep, f.by.name(), f.by.Least)
		}
		list = append(list, d)
	}
	list.Sort()
	return list
}

// comparison is the state of Compare.
type comparison struct {
	old, new *view
	report   Report
	catalog  *Advice
}

// Compare finds what the new side breaks for those who use the old one, and tells
// which versions its changes want.
func Compare(old, new *Side) *Report {
	c := &comparison{old: newView(old), new: newView(new), catalog: &Advice{Kind: "catalog"}}
	if !old.Unsettled && !new.Unsettled {
		c.catalog.Old, c.catalog.New = old.Program.Catalog.Version, new.Program.Catalog.Version
		c.settings()
	}
	c.comparePrompts()
	c.compareSkills()
	c.documents()
	c.catalog.decide()
	c.report.Advice = append(c.report.Advice, c.catalog)
	c.version(c.catalog, c.old.catalogPage(), c.new.catalogPage())
	for i := range c.report.breaks {
		if f := &c.report.breaks[i]; f.by.Old == "" || f.by.New == "" {
			f.by = c.catalog
		}
	}
	return &c.report
}

// breaks reports a change that breaks callers. The place is in the new tree where
// there is one, and was is the one in the old tree.
func (c *comparison) breaks(by *Advice, place diag.Span, rule, message, keep string, was ...diag.Related) {
	by.note(Major, rule)
	c.report.breaks = append(c.report.breaks, finding{
		Diagnostic: diag.Diagnostic{Span: place, Rule: rule, Message: message, Related: was},
		keep:       keep, by: by,
	})
}

// version reports what is wrong with a version, and lets the catalog's change be no
// less than the change of what is in it.
func (c *comparison) version(a *Advice, old, new page) {
	c.catalog.note(a.Change, a.Why+" of "+a.name())
	if a.Old == "" {
		return
	}
	from := old.value("version")
	was := diag.Related{Span: from, Message: "it was " + a.Old}
	if a.New == "" {
		place := from
		if new.file != nil {
			place = new.top()
		}
		c.report.versions.Add(place, "version-removed", a.name()+" has no version any more", "write version: "+cmp.Or(a.Least, a.Old)).Related = []diag.Related{was}
		return
	}
	if a.Right {
		return
	}
	rule, want := "version-not-raised", a.Least
	message := fmt.Sprintf("%s changed (%s: %s) and has the version %s still", a.name(), a.Change, a.Why, a.New)
	switch order := precedence(a.New, a.Old); {
	case order < 0:
		rule, want = "version-lowered", cmp.Or(a.Least, a.Old)
		message = fmt.Sprintf("the version of %s is %s and was %s", a.name(), a.New, a.Old)
	case order > 0:
		message = fmt.Sprintf("%s changed (%s: %s), for which %s is too low a version", a.name(), a.Change, a.Why, a.New)
	case a.New != a.Old:
		message = fmt.Sprintf("%s changed (%s: %s), and %s is no higher a version than %s", a.name(), a.Change, a.Why, a.New, a.Old)
	}
	value := new.block.Get("version")
	d := c.report.versions.Add(value.Span, rule, message, "write version: "+want)
	d.Related = []diag.Related{was}
	if value.Plain {
		d.Fix = &diag.Fix{Span: value.Span, Replacement: want}
	}
}

// settings compares what catalog.yaml says.
func (c *comparison) settings() {
	old, new := c.old.Program.Catalog, c.new.Program.Catalog
	from, to := c.old.catalogPage(), c.new.catalogPage()
	// at returns the places of a key on both sides.
	at := func(key string) (place diag.Span, was []diag.Related) {
		if from.file == nil {
			return to.value(key), nil
		}
		was = []diag.Related{{Span: from.value(key), Message: "it was so here"}}
		if to.file == nil {
			return was[0].Span, nil
		}
		return to.value(key), was
	}
	if old.Prefix != new.Prefix {
		place, was := at("prefix")
		c.breaks(c.catalog, place, "prefix-changed", fmt.Sprintf("the prefix is %q and was %q: all prompts have other names, and the files of skills other skill:// URIs", new.Prefix, old.Prefix),
			fmt.Sprintf("keep %q", old.Prefix), was...)
	}
	if old.Name != new.Name {
		if c.catalog.note(Minor, "a name"); old.Name != "" {
			place, was := at("name")
			c.breaks(c.catalog, place, "catalog-renamed", fmt.Sprintf("the catalog's name is %q and was %q; clients know the server by it", new.Name, old.Name),
				fmt.Sprintf("keep %q", old.Name), was...)
		}
	}
	if old.Title != new.Title || old.Description != new.Description || old.Instructions != new.Instructions || old.Cache != new.Cache {
		c.catalog.note(Patch, "settings")
	}
}

// documents compares the documents that belong to no prompt or skill.
func (c *comparison) documents() {
	own := func(v *view) (map[string]*catalog.Document, []*catalog.Document) {
		byPath, list := map[string]*catalog.Document{}, []*catalog.Document(nil)
		for _, d := range v.Program.Catalog.Documents {
			if itemOf(d.Path) == d.Path {
				byPath[d.Path] = d
				list = append(list, d)
			}
		}
		return byPath, list
	}
	before, list := own(c.old)
	after, newList := own(c.new)
	var gone, added []candidate
	for _, d := range list {
		switch n := after[d.Path]; {
		case n == nil:
			gone = append(gone, candidate{d.Path, d.String()})
		case n.Digest != d.Digest:
			c.catalog.note(Patch, "the text of "+d.Path)
		}
	}
	for _, d := range newList {
		if before[d.Path] == nil {
			c.catalog.note(Minor, "a new document")
			added = append(added, candidate{d.Path, d.String()})
		}
	}
	pairs := renames(gone, added)
	for _, g := range gone {
		uri := catalog.DocumentScheme + g.id
		if to := pairs[g.id]; to != "" {
			c.breaks(c.catalog, c.new.top(to), "document-renamed", fmt.Sprintf("the document %s seems to be %s now: nothing has the URI %s", g.id, to, uri),
				"keep its path", diag.Related{Span: c.old.top(g.id), Message: "it was here"})
			continue
		}
		c.breaks(c.catalog, c.old.top(g.id), "document-removed", fmt.Sprintf("the document %s is gone: nothing has the URI %s", g.id, uri), "keep it")
	}
}

// gone reports the prompts or skills of the old side that the new one does not have.
// kind is "prompt" or "skill", and inGo tells the Go name of what has an id.
func (c *comparison) gone(kind string, gone, added []candidate, file func(id string) string, inGo func(id string) string) {
	pairs := renames(gone, added)
	for _, g := range gone {
		if to := pairs[g.id]; to != "" {
			c.breaks(c.catalog, c.new.top(file(to)), kind+"-renamed",
				fmt.Sprintf("the %s %q seems to be %q now; callers know it by its id (in Go %s)", kind, g.id, to, inGo(g.id)),
				"keep the id", diag.Related{Span: c.old.top(file(g.id)), Message: "it was here"})
			continue
		}
		c.breaks(c.catalog, c.old.top(file(g.id)), kind+"-removed", fmt.Sprintf("the %s %q is gone (in Go %s)", kind, g.id, inGo(g.id)), "keep it")
	}
}

// tags notes a change of what people look for a prompt or skill by.
func (a *Advice) tags(old, new []string) {
	if !slices.Equal(old, new) {
		a.note(Minor, "tags")
	}
}

// suggested returns a remark on the new name that is closest to one that is gone.
func suggested(gone string, added []string) string {
	if s := check.Suggest(gone, added); s != "" {
		return fmt.Sprintf("; it seems to be %q now", s)
	}
	return ""
}
