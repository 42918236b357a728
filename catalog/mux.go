// This file holds Mux, which serves several catalogs as one.

package catalog

import (
	"fmt"
	"strings"
)

// A Mux routes names and URIs to the catalogs that are mounted on it, as
// http.ServeMux routes paths to handlers: of the catalogs whose prefix starts a
// prompt's name, the one with the longest prefix answers. The zero value is an
// empty Mux. Mount everything first; after that any number of goroutines may
// read.
type Mux struct {
	catalogs []*Catalog
}

// Mount adds a catalog. It fails, and adds nothing, where another mounted catalog
// has the same prefix or a resource with the same URI.
func (m *Mux) Mount(c *Catalog) error {
	for _, other := range m.catalogs {
		if other.Prefix == c.Prefix {
			return fmt.Errorf("mount catalog %q: catalog %q has the prefix %q already; give one of them another prefix in its catalog.yaml", c.Name, other.Name, c.Prefix)
		}
		for i := range c.Resources {
			if _, ok := other.Resource(c.Resources[i].URI); ok {
				return fmt.Errorf("mount catalog %q: catalog %q has the resource %s already", c.Name, other.Name, c.Resources[i].URI)
			}
		}
	}
	m.catalogs = append(m.catalogs, c)
	return nil
}

// Catalogs returns the mounted catalogs in the order of their mounting. The
// caller must not change the slice.
func (m *Mux) Catalogs() []*Catalog { return m.catalogs }

// Prompt returns the prompt with the given public name. The error wraps
// ErrNotFound.
func (m *Mux) Prompt(name string) (*Prompt, error) {
	var best *Catalog
	for _, c := range m.catalogs {
		if strings.HasPrefix(name, c.Prefix) && (best == nil || len(c.Prefix) > len(best.Prefix)) {
			best = c
		}
	}
	if best != nil {
		if p, ok := best.Prompt(name[len(best.Prefix):]); ok {
			return p, nil
		}
	}
	return nil, fmt.Errorf("prompt %q: %w", name, ErrNotFound)
}

// Resource returns the document behind a URI. The error wraps ErrNotFound.
func (m *Mux) Resource(uri string) (*Document, error) {
	for _, c := range m.catalogs {
		if d, ok := c.Resource(uri); ok {
			return d, nil
		}
	}
	return nil, fmt.Errorf("resource %q: %w", uri, ErrNotFound)
}
