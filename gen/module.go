// This file finds the import path of a directory.

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
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for root := abs; ; root = filepath.Dir(root) {
		data, err := os.ReadFile(filepath.Join(root, "go.mod"))
		switch {
		case err == nil:
			module := modfile.ModulePath(data)
			if module == "" {
				return "", fmt.Errorf("the go.mod above %s names no module", dir)
			}
			rel, err := filepath.Rel(root, abs)
			if err != nil {
				return "", err
			}
			return path.Join(module, filepath.ToSlash(rel)), nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
			if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
				err = cause.Err // without the path, which is the machine's
			}
			return "", fmt.Errorf("the go.mod above %s cannot be read: %w", dir, err)
		case filepath.Dir(root) == root:
			return "", fmt.Errorf("there is no go.mod in %s or above it: the generated package needs a module, so run go mod init", dir)
		}
	}
}
