// This file holds the list of the files that a plan comes to.

package emit

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed33527553/promptc/catalog"
)

// A planned is a file whose key is still to be made.
type planned struct {
	path   string
	key    func() string
	render func(key string) ([]byte, error)
}

// file returns the file that render prints from inputs alone.
func file[T any](p pkg, name string, inputs *T, render func(inputs *T, key string) ([]byte, error)) planned {
	return planned{
		path:   p.Dir + name,
		key:    func() string { return digest(name, inputs) },
		render: func(key string) ([]byte, error) { return render(inputs, key) },
	}
}

// files lists the files, sorted by path.
func (l *plan) files() []File {
	planned := l.planned()
	files := make([]File, len(planned))
	// Keys are digests of all that is in a file, and so worth every processor.
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range planned {
		g.Go(func() error {
			key := p.key()
			files[i] = File{Path: p.path, Key: key, Render: func() ([]byte, error) { return p.render(key) }}
			return nil
		})
	}
	_ = g.Wait() // no call has an error
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

// planned lists the files.
func (l *plan) planned() []planned {
	var files []planned
	for _, p := range l.prompts {
		files = append(files, file(p.Package, "prompt_"+fileName(p.Prompt.ID), p, (*prompt).render))
	}
	for _, s := range l.skills {
		files = append(files, file(s.Package, "skill_"+fileName(s.Skill.ID), s, (*skill).render))
	}
	for i, documents := range l.loose {
		at := l.face
		if l.shards != nil {
			at = l.shards[i]
		}
		files = append(files, l.documentFiles(at, documents)...)
	}
	for _, shard := range l.shards {
		files = append(files, file(shard, "doc_gen.go", &shardDoc{shard, l.tree, l.face.Name}, (*shardDoc).render))
		if f := l.argsFile(shard); len(f.Prompts) > 0 {
			files = append(files, file(f.Package, "args_gen.go", f, (*argsFile).render))
		}
		if f := l.faceFile(shard); len(f.Prompts)+len(f.Skills) > 0 {
			files = append(files, file(l.face, "shard_"+shard.Name+"_gen.go", f, (*faceFile).render))
		}
	}
	home := l.face
	if l.shards != nil {
		home = l.shard("index")
		files = append(files, file(l.face, "catalog_gen.go", &faceCatalog{l.face, l.manual(), symbol{home, "Catalog"}}, (*faceCatalog).render))
	}
	index := l.index(home)
	lists := index.lists()
	if len(lists) > 0 {
		files = append(files, file(home, "index_gen.go", index, (*indexFile).render))
	}
	files = append(files, file(home, "catalog_gen.go", l.catalogFile(home, lists), (*catalogFile).render))
	return files
}

// fileName returns the end of the name of the file for an id.
func fileName(id string) string { return strings.ReplaceAll(id, "-", "_") + "_gen.go" }

// documentFiles returns the files for documents of a package: one, or a power of two
// where that would be large.
func (l *plan) documentFiles(at pkg, documents []*document) []planned {
	size := 0
	for _, d := range documents {
		for _, part := range d.Document.Text {
			size += len(part)
		}
	}
	n := 1
	for n*documentBytes < size && n < len(documents) {
		n *= 2
	}
	units := make([]documentFile, n)
	for _, d := range documents {
		u := &units[bucket(cmp.Or(d.Document.Path, d.URI), n)]
		u.Documents = append(u.Documents, d)
	}
	var files []planned
	for i := range units {
		u := &units[i]
		if len(u.Documents) == 0 {
			continue
		}
		u.Package, u.Source = at, l.tree
		name := "documents_gen.go"
		if n > 1 {
			name = fmt.Sprintf("documents_%02d_gen.go", i)
		}
		if p := u.Documents[0].Document.Path; len(u.Documents) == 1 && p != "" {
			u.Source = l.origin(p)
		}
		files = append(files, file(at, name, u, (*documentFile).render))
	}
	return files
}

func (l *plan) argsFile(shard pkg) *argsFile {
	f := &argsFile{Package: l.argsHome(shard), Source: l.tree, Face: l.face.Name}
	for _, p := range l.prompts {
		if p.Package == shard {
			f.Prompts = append(f.Prompts, p.Args)
		}
	}
	return f
}

func (l *plan) faceFile(shard pkg) *faceFile {
	f := &faceFile{Package: l.face, Source: l.tree, Shard: shard}
	for _, p := range l.prompts {
		if p.Package == shard {
			f.Prompts = append(f.Prompts, newFacePrompt(p))
		}
	}
	for _, s := range l.skills {
		if s.Package == shard {
			f.Skills = append(f.Skills, newFaceSkill(s))
		}
	}
	return f
}

func (l *plan) index(home pkg) *indexFile {
	f := &indexFile{Package: home, Source: l.tree, Tables: []table{
		{"Prompt", l.catalog.PromptTable},
		{"Resource", l.catalog.ResourceTable},
		{"Document", l.catalog.DocumentTable},
	}}
	for _, p := range l.prompts {
		f.Prompts = append(f.Prompts, symbol{p.Package, p.Names.Prompt})
	}
	for _, s := range l.skills {
		f.Skills = append(f.Skills, symbol{s.Package, s.Names.Skill})
	}
	for _, d := range l.catalog.Documents {
		f.Documents = append(f.Documents, l.documents[d].Symbol)
	}
	for i := range l.catalog.Resources {
		r := &l.catalog.Resources[i]
		f.Resources = append(f.Resources, resource{r.URI, r.Name, r.Title, r.Description, l.documents[r.Document].Symbol, l.entries[i]})
	}
	return f
}

func (l *plan) catalogFile(home pkg, lists []list) *catalogFile {
	f := &catalogFile{Package: home, Source: l.tree, Catalog: *l.catalog, Lists: lists, Manual: l.manual()}
	f.Catalog.Prompts, f.Catalog.Skills, f.Catalog.Documents, f.Catalog.Resources = nil, nil, nil, nil
	f.Catalog.PromptTable, f.Catalog.ResourceTable, f.Catalog.DocumentTable = catalog.Table{}, catalog.Table{}, catalog.Table{}
	return f
}

func (l *plan) manual() manual {
	return manual{l.face.Name, l.tree, l.example(), l.catalog.Prefix}
}

// example returns the literal of some prompt's arguments, if possible of one that has
// required ones, or nothing.
func (l *plan) example() string {
	example := ""
	for _, p := range l.prompts {
		var fields []string
		for i, name := range p.Names.Fields {
			if p.Prompt.Arguments[i].Required {
				fields = append(fields, name+": "+uncapital(name))
			}
		}
		if len(fields) > 0 || example == "" {
			example = p.Names.Args + "{" + strings.Join(fields, ", ") + "}"
		}
		if len(fields) > 0 {
			break
		}
	}
	return example
}
