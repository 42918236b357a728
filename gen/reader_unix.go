//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

// This file holds what is quick to be told of a file: by its path from a directory that
// is open, so that the way there is not walked for each of them.

package gen

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A place is a directory below which things are looked at.
type place struct{ dir *os.File }

// openPlace returns the place of a root, which is at a path.
func openPlace(root *os.Root, _ string) (place, error) {
	dir, err := root.Open(".")
	return place{dir}, err
}

func (p place) close() { p.dir.Close() } // which was only read

// look returns the stamp of what is at a path of the tree: of a link itself, and not of
// what it leads to.
func (p place) look(name string) (stamp, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstatat(int(p.dir.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return stamp{
				kind:     uint32(st.Mode) & unix.S_IFMT,
				size:     st.Size,
				modified: time.Unix(st.Mtim.Unix()),
				changed:  time.Unix(st.Ctim.Unix()),
			}, nil
		case unix.EINTR:
		default:
			return stamp{}, &os.PathError{Op: "stat", Path: name, Err: err}
		}
	}
}
