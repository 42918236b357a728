//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

// This file holds what every system tells of a file.

package gen

import (
	"os"
	"path/filepath"
)

// A place is a directory below which things are looked at.
type place struct{ dir string }

// openPlace returns the place of a root, which is at a path.
func openPlace(_ *os.Root, dir string) (place, error) { return place{dir}, nil }

func (p place) close() {}

// look returns the stamp of what is at a path of the tree: of a link itself, and not of
// what it leads to. The directory itself may be a link.
func (p place) look(name string) (stamp, error) {
	at := filepath.Join(p.dir, filepath.FromSlash(name))
	if name == "." {
		at = p.dir + string(filepath.Separator) + "."
	}
	info, err := os.Lstat(at)
	if err != nil {
		return stamp{}, err
	}
	return stamp{kind: uint32(info.Mode().Type()), size: info.Size(), modified: info.ModTime()}, nil
}
