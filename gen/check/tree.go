// This file holds Tree, one of several content trees that make a catalog.

package check

import (
	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
)

// A Tree is a content tree that was read.
type Tree struct {
	// Source is what the catalog says of the tree; Trees fills in the digest. It is
	// the zero value for the built-in tree.
	Source catalog.Source
	Layout Layout
	// Root is how the tree's directory is named in diagnostics and in what tells
	// where a file was made from; it may be empty.
	Root string
	// Inputs are the tree's files, sorted by path.
	Inputs []*Input
	// Faults are those that were found before: of Arrange, and of files that could
	// not be read.
	Faults diag.List
	// Lenient makes warnings of the tree's faults, and leaves out what has them.
	Lenient bool
}

// Trees checks trees, of which the first is the built-in one, and merges them into
// one program. It returns the program, or nil and all faults, sorted; warnings there
// may be in both cases.
func Trees(trees []*Tree) (program *Program, faults, warnings diag.List) {
	program, faults = Files(trees[0].Root, trees[0].Inputs)
	return program, append(faults, trees[0].Faults...), nil
}
