// This file holds the files that are compiled in.

package promptd

import (
	"cmp"
	"os"
	"path"
	"slices"

	"github.com/seed33527553/promptc/catalog"
)

// files returns all files of a catalog by path: the Markdown, and what skills hold
// besides. catalog.yaml is not among them, for nothing serves it.
func files(c *catalog.Catalog) []*catalog.Document {
	list := slices.Clone(c.Documents)
	documents := make(map[*catalog.Document]bool, len(list))
	for _, d := range list {
		documents[d] = true
	}
	for _, s := range c.Skills {
		for _, d := range s.Files {
			if !documents[d] {
				list = append(list, d)
			}
		}
	}
	slices.SortFunc(list, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// origin returns the path of a file in its own tree.
func origin(d *catalog.Document) string { return cmp.Or(d.Origin, d.Path) }

// place returns where a file lies: its path in the content tree, or for one of another
// repository that of what is vendored beside the content tree.
func place(d *catalog.Document) string {
	if d.Source == "" {
		return d.Path
	}
	return path.Join(vendorDir, d.Source, origin(d))
}

// openDirectory opens a directory, and nothing else: the dot keeps the system from opening
// a named pipe, which would wait for its writer.
func openDirectory(dir string) (*os.Root, error) {
	return os.OpenRoot(dir + string(os.PathSeparator) + ".")
}
