// This file holds Mux, which serves several catalogs and repositories as one.

package catalog

import (
	"errors"
	"fmt"
	"strings"
)

// A Mux routes names and URIs to what is mounted on it, as http.ServeMux routes
// paths to handlers: of the prefixes that start a prompt's name, the longest one
// answers, and the empty one catches the rest. The zero value is an empty Mux. Mount
// everything first; after that any number of goroutines may read.
type Mux struct {
	mounts    []Mount
	resources []ResourceFunc
}

// A Mount is what stands under a prefix: a Catalog or a Repository, never both.
type Mount struct {
	Prefix     string
	Catalog    *Catalog
	Repository Repository
	// Funcs are the prompts of a Repository that MountFuncs made, sorted by name;
	// nil for another, whose prompts may change at any time.
	Funcs []PromptFunc
}

// Mount adds a compiled catalog under its own prefix. It fails, and adds nothing,
// where something else has the prefix, and where one of its resources has the URI of
// another. The index of skills is no such case: a server makes one of all of them.
func (m *Mux) Mount(c *Catalog) error {
	if err := m.mountCatalog(c); err != nil {
		return fmt.Errorf("mount catalog %q: %w", c.Name, err)
	}
	return nil
}

func (m *Mux) mountCatalog(c *Catalog) error {
	if err := m.checkPrefix(c.Prefix); err != nil {
		return err
	}
	for i := range c.Resources {
		if uri := c.Resources[i].URI; uri != SkillsIndexURI && m.resourceTaken(uri) {
			return fmt.Errorf("the resource %s is there already", uri)
		}
	}
	for _, other := range m.Catalogs() {
		for _, d := range c.Documents {
			if _, ok := other.DocumentTable.Find(d.Path); ok {
				return fmt.Errorf("the document %s%s is there already", DocumentScheme, d.Path)
			}
		}
		// Of skills in catalogs whose prefixes nest, one may lie where another's
		// file does.
		for _, s := range c.Skills {
			for _, d := range s.Files {
				if _, ok := other.skillFile(SkillURI(c.Prefix, s.ID, d.Path[len(s.directory()):])); ok {
					return fmt.Errorf("the skill %q has the URI of another's file", s.ID)
				}
			}
		}
	}
	m.mounts = append(m.mounts, Mount{Prefix: c.Prefix, Catalog: c})
	return nil
}

// MountRepository adds prompts that a program makes while it runs. It fails where
// the repository's prefix is not one (see IsPrefix), or something else has it.
func (m *Mux) MountRepository(r Repository) error {
	prefix := r.Prefix()
	if err := m.checkPrefix(prefix); err != nil {
		return fmt.Errorf("mount repository %q: %w", prefix, err)
	}
	m.mounts = append(m.mounts, Mount{Prefix: prefix, Repository: r})
	return nil
}

// MountFuncs adds prompts written in Go under a prefix, which all their names start
// with. It fails, and adds nothing, where one of them is not what the compiler would
// accept of an author.
func (m *Mux) MountFuncs(prefix string, prompts ...PromptFunc) error {
	f, err := newFuncs(prefix, prompts)
	if err != nil {
		return fmt.Errorf("mount prompts %q: %w", prefix, err)
	}
	if err := m.MountRepository(f); err != nil {
		return err
	}
	m.mounts[len(m.mounts)-1].Funcs = f.prompts
	return nil
}

// MountResource adds a resource that a program makes while it runs. It fails where
// the resource is not complete, or its URI is taken.
func (m *Mux) MountResource(r ResourceFunc) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("mount resource %q: %w", r.URI, err)
	}
	if m.resourceTaken(r.URI) {
		return fmt.Errorf("mount resource %q: it is there already", r.URI)
	}
	m.resources = append(m.resources, r)
	return nil
}

func (m *Mux) checkPrefix(prefix string) error {
	if !IsPrefix(prefix) {
		return errors.New("the prefix must be empty, or ids that are each followed by a slash, at most 64 bytes in all")
	}
	for _, other := range m.mounts {
		if other.Prefix == prefix {
			return fmt.Errorf("the prefix %q is taken already; a catalog's is set in its catalog.yaml", prefix)
		}
	}
	return nil
}

func (m *Mux) resourceTaken(uri string) bool {
	for _, mount := range m.mounts {
		if mount.Catalog != nil {
			if _, ok := mount.Catalog.Resource(uri); ok {
				return true
			}
		}
	}
	for i := range m.resources {
		if m.resources[i].URI == uri {
			return true
		}
	}
	return false
}

// Mounts returns what is mounted under prefixes, in the order of mounting. The
// caller must not change the slice.
func (m *Mux) Mounts() []Mount { return m.mounts }

// Resources returns the resources that were mounted one by one. The caller must not
// change the slice.
func (m *Mux) Resources() []ResourceFunc { return m.resources }

// Catalogs returns the mounted catalogs in the order of mounting.
func (m *Mux) Catalogs() []*Catalog {
	var catalogs []*Catalog
	for _, mount := range m.mounts {
		if mount.Catalog != nil {
			catalogs = append(catalogs, mount.Catalog)
		}
	}
	return catalogs
}

// Route returns the mount that answers for a prompt's name, or nil where none does.
func (m *Mux) Route(name string) *Mount {
	var best *Mount
	for i := range m.mounts {
		if mount := &m.mounts[i]; strings.HasPrefix(name, mount.Prefix) && (best == nil || len(mount.Prefix) > len(best.Prefix)) {
			best = mount
		}
	}
	return best
}

// Prompt returns the compiled prompt with the given public name. The error wraps
// ErrNotFound; it is also that for the prompts of a Repository.
func (m *Mux) Prompt(name string) (*Prompt, error) {
	if mount := m.Route(name); mount != nil && mount.Catalog != nil {
		if p, ok := mount.Catalog.Prompt(name[len(mount.Prefix):]); ok {
			return p, nil
		}
	}
	return nil, fmt.Errorf("prompt %q: %w", name, ErrNotFound)
}

// Resource returns the document behind a URI of a compiled catalog: the first of them
// that has it. The error wraps ErrNotFound.
func (m *Mux) Resource(uri string) (*Document, error) {
	for i := range m.mounts {
		if c := m.mounts[i].Catalog; c != nil {
			if d, ok := c.Resource(uri); ok {
				return d, nil
			}
		}
	}
	return nil, fmt.Errorf("resource %q: %w", uri, ErrNotFound)
}

// ResourceFunc returns the resource written in Go that answers for a URI, and the
// values of its template's variables.
func (m *Mux) ResourceFunc(uri string) (r *ResourceFunc, variables map[string]string, ok bool) {
	for i := range m.resources {
		if variables, ok := m.resources[i].match(uri); ok {
			return &m.resources[i], variables, true
		}
	}
	return nil, nil, false
}
