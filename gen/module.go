// This file tells what directories are called in the Go module around them.

package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"golang.org/x/mod/modfile"
)

// ImportPath returns the import path of the Go package in dir, which need not
// exist yet: the path of the module whose go.mod is in dir or the closest directory
// above it, and the way from there.
func ImportPath(dir string) (string, error) {
	root, data, err := module(dir)
	if err != nil {
		return "", err
	}
	name := modfile.ModulePath(data)
	if name == "" {
		return "", fmt.Errorf("the go.mod above %s names no module", dir)
	}
	rel, ok := within(root, dir)
	if !ok {
		return "", fmt.Errorf("%s is not below its go.mod", dir)
	}
	return path.Join(name, rel), nil
}

// SourceRoot returns how a content directory is named in the files that are
// generated into dir: its path from the root of their module, so that it is the same
// in every checkout and from every working directory; "" for the root itself. A
// directory outside of the module goes by its own name.
func SourceRoot(content, dir string) (string, error) {
	root, _, err := module(dir)
	if err != nil {
		return "", err
	}
	if rel, ok := within(root, content); ok {
		if rel == "." {
			return "", nil
		}
		return rel, nil
	}
	abs, err := filepath.Abs(content)
	if err != nil {
		return "", err
	}
	return filepath.Base(abs), nil
}

// within returns the path from root to dir, with slashes, if dir is in it.
func within(root, dir string) (string, bool) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, abs)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// module returns the directory and the content of the go.mod that rules dir.
func module(dir string) (root string, data []byte, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	for root := abs; ; root = filepath.Dir(root) {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		switch {
		case err == nil:
			return root, data, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
				err = cause.Err // without the path, which is the machine's
			}
			return "", nil, fmt.Errorf("the go.mod above %s cannot be read: %w", dir, err)
		case filepath.Dir(root) == root:
			return "", nil, fmt.Errorf("there is no go.mod in %s or above it: the generated package needs a module, so run go mod init", dir)
		}
	}
}
