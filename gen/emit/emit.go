// This file holds Package, which lists the files of the output.

package emit

import (
	"fmt"
	"go/token"

	"github.com/seed33527553/promptc/gen/check"
)

// Version is the version of the output's form. It is part of every file's key:
// raise it when the output for the same program changes, or files that are on disk
// already will not be printed anew.
const Version = 1

// Options are what the output depends on besides the program.
type Options struct {
	// Package is the name of the Go package.
	Package string
	// ImportPath is the import path of the output directory. It is needed only
	// above MaxItems, where the package imports its shards.
	ImportPath string
}

// A File is one Go file of the output.
type File struct {
	// Path is relative to the output directory, with slashes.
	Path string
	// Key is a digest of everything that the content depends on.
	Key string
	// Render prints the file. It may be called by several goroutines, for several
	// files at once, and returns the same bytes each time. They are formatted as
	// gofmt has it and end with the line that Sealed reads. An error is a bug of
	// the compiler.
	Render func() ([]byte, error)
}

// Package returns the files of the Go package that holds the program, sorted by
// path. The program must not change until the last of them is rendered. An error is
// a bug of the compiler: the program's names do not fit its catalog, or an option is
// missing.
func Package(p *check.Program, opt Options) ([]File, error) {
	if !token.IsIdentifier(opt.Package) {
		return nil, fmt.Errorf("emit: %q cannot be the name of a Go package", opt.Package)
	}
	plan, err := newPlan(p, opt)
	if err != nil {
		return nil, err
	}
	return plan.files(), nil
}
