// This file proves a catalog by itself: whether what is recorded of its texts, and
// what the compiler made of them, fits them.

package promptd

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// A finding is something that is not as it should be.
type finding struct {
	// Kind is added, removed, changed, symlink, special or corrupt.
	Kind string
	// Subject is a path; of a corrupt thing it may be "prompt ID", "skill ID",
	// "resource URI" or "catalog".
	Subject string
	// About says more, if there is more to say.
	About string
}

func (f finding) String() string {
	s := f.Kind + " " + f.Subject
	if f.About != "" {
		s += ": " + f.About
	}
	return s
}

// sortFindings sorts differences by path, and after them what is corrupt.
func sortFindings(list []finding) {
	slices.SortStableFunc(list, func(a, b finding) int {
		switch corrupt := a.Kind == corruptKind; {
		case corrupt == (b.Kind == corruptKind):
			return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Kind, b.Kind))
		case corrupt:
			return 1
		}
		return -1
	})
}

const corruptKind = "corrupt"

// inspect returns what in a catalog does not fit the rest of it. Where it returns
// nothing, each text has the digest and size that are recorded for it, and everything
// else is what the compiler sealed.
func inspect(c *catalog.Catalog) []finding {
	var list []finding
	corrupt := func(subject, about string) {
		list = append(list, finding{corruptKind, subject, about})
	}
	for _, d := range files(c) {
		inspectDocument(d, place(d), corrupt)
	}
	for _, p := range c.Prompts {
		inspectPrompt(p, c.Prefix, corrupt)
	}
	for _, s := range c.Skills {
		inspectSkill(s, c.Prefix, corrupt)
	}
	for i := range c.Resources {
		inspectResource(c, &c.Resources[i], corrupt)
	}
	for _, t := range []struct {
		about string
		table catalog.Table
		want  []string
	}{
		{"the table of prompts", c.PromptTable, keys(c.Prompts, func(p *catalog.Prompt) string { return p.ID })},
		{"the table of resources", c.ResourceTable, keys(c.Resources, func(r catalog.Resource) string { return r.URI })},
		{"the table of documents", c.DocumentTable, keys(c.Documents, func(d *catalog.Document) string { return d.Path })},
	} {
		if !reflect.DeepEqual(t.table, catalog.NewTable(t.want)) {
			corrupt("catalog", t.about+" does not fit what it finds")
		}
	}
	if list == nil && catalog.SealOf(c) != c.Seal {
		if c.Seal == "" {
			corrupt("catalog", "it was made without a seal; generate it again")
		} else {
			corrupt("catalog", "what the compiler made of the files is not what it sealed")
		}
	}
	return list
}

func keys[T any](list []T, key func(T) string) []string {
	var keys []string
	for _, v := range list {
		keys = append(keys, key(v))
	}
	return keys
}

// textDigest returns the digest of what a document holds.
func textDigest(d *catalog.Document) string {
	h := sha256.New()
	for _, part := range d.Text {
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func inspectDocument(d *catalog.Document, subject string, corrupt func(subject, about string)) {
	if textDigest(d) != d.Digest {
		corrupt(subject, "the text does not have the digest that was recorded")
		return
	}
	size := 0
	for _, part := range d.Text {
		size += len(part)
	}
	if size != d.Size {
		corrupt(subject, "the text does not have the size that was recorded")
	}
}

func inspectPrompt(p *catalog.Prompt, prefix string, corrupt func(subject, about string)) {
	subject := "prompt " + p.ID
	if p.Entry != catalog.PromptEntry(p, prefix) {
		corrupt(subject, "its entry in prompts/list is not what its metadata says")
	}
	rest := p.Document.String()
	for _, m := range p.Messages {
		for _, s := range m.Segments {
			if s.Argument < 0 || s.Argument > len(p.Arguments) {
				corrupt(subject, "a message names an argument that there is not")
				return
			}
			_, after, ok := strings.Cut(rest, s.Text)
			if !ok {
				corrupt(subject, "a message holds text that is not in "+place(p.Document))
				return
			}
			rest = after
		}
	}
}

func inspectSkill(s *catalog.Skill, prefix string, corrupt func(subject, about string)) {
	subject := "skill " + s.ID
	if s.Digest != catalog.DigestOf(s.Files) {
		corrupt(subject, "its digest is not that of its files")
	}
	// The frontmatter is nowhere else as JSON; the seal alone covers it.
	var entry struct{ Frontmatter json.RawMessage }
	if err := json.Unmarshal([]byte(s.Entry), &entry); err != nil || s.Entry != catalog.SkillEntry(s, prefix, string(entry.Frontmatter)) {
		corrupt(subject, "its entry in skills/list is not what its files say")
	}
}

func inspectResource(c *catalog.Catalog, r *catalog.Resource, corrupt func(subject, about string)) {
	subject := "resource " + r.URI
	if r.Entry != catalog.ResourceEntry(r) {
		corrupt(subject, "its entry in resources/list is not what its metadata says")
	}
	if r.Document.Path != "" {
		return
	}
	want := ""
	if r.URI == catalog.SkillsIndexURI {
		want = catalog.SkillsIndex(c.Skills)
	}
	for _, s := range c.Skills {
		if r.URI == s.RecordURI() {
			want = s.Record()
		}
	}
	if r.Document.String() != want {
		corrupt(subject, "its text is not what the skills say")
		return
	}
	inspectDocument(r.Document, subject, corrupt)
}
