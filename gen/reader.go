// This file holds Reader, which reads a content directory again and again, and of it
// only what changed.

package gen

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// settled is how long something must have been left alone before its time of change
// can be relied on: some file systems count in steps of two seconds, and a change
// within the step of the last reading would not show.
const settled = 2 * time.Second

// A Reader reads a content directory as often as it is asked to. While nothing
// changed, that takes a look at each file and directory: at their sizes and times of
// change, and at the content of those that changed a moment ago.
//
// The layout is the content contract's. A Reader is not safe for concurrent use. What it returned is never changed afterwards.
type Reader struct {
	dir string
	opt Options

	dirs    map[string]*listing
	files   map[string]*content
	entries []check.Entry
	items   []check.Item
	// misplaced are the faults of the arrangement.
	misplaced diag.List
	// marks are those of all directories and files.
	marks []placed
	tree  *check.Tree // nil: nothing is known
}

// A placed mark is that of what is at a path.
type placed struct {
	mark
	path string
}

// A mark tells whether something changed since it was read.
type mark struct {
	mode     fs.FileMode
	size     int64
	modified time.Time
	// fresh tells that it had changed so shortly before that another change may bear
	// the same time.
	fresh bool
}

// markOf returns the mark of what is read after at.
func markOf(info fs.FileInfo, at time.Time) mark {
	return mark{info.Mode().Type(), info.Size(), info.ModTime(), at.Sub(info.ModTime()) < settled}
}

// same tells whether info tells of what was marked.
func (m mark) same(info fs.FileInfo) bool {
	return !m.fresh && m.mode == info.Mode().Type() && m.size == info.Size() && m.modified.Equal(info.ModTime())
}

// A listing is what a directory held.
type listing struct {
	mark
	names []fs.DirEntry
}

// A content is what a file held.
type content struct {
	mark
	sum   [sha256.Size]byte // of its bytes as they are
	input *check.Input      // nil if it could not be read, for the reason in failure
	// failure tells why the file could not be read.
	failure string
}

// NewReader returns a reader of a content directory.
func NewReader(dir string, opt Options) *Reader { return &Reader{dir: dir, opt: opt} }

// Read returns the tree as it is now, and whether it is another one than the last time.
// The error is an I/O error, or says that the tree is larger than the limits; the next
// call tries again.
func (r *Reader) Read() (tree *check.Tree, changed bool, err error) {
	// Through an os.Root nothing outside the directory can be read, whatever changes in
	// it meanwhile. It is opened each time, for another may have taken its place.
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	known := r.tree
	if known != nil && r.untouched() {
		return known, false, nil
	}
	r.tree = nil // until all went well
	if known == nil || r.moved() {
		arranged, err := r.arrange(root.FS())
		if err != nil {
			return nil, false, err
		}
		if arranged {
			known = nil
		}
	}
	inputs, unread, differ, err := r.read(root.FS())
	if err != nil {
		return nil, false, err
	}
	r.mark()
	if known != nil && !differ {
		r.tree = known
		return known, false, nil
	}
	r.tree = &check.Tree{Layout: check.Contract, Root: r.opt.Root, Inputs: inputs, Faults: slices.Concat(r.misplaced, unread)}
	return r.tree, true, nil
}

// look returns what is at a path of the tree: a link itself, and not what it leads to.
// It goes by the path and not through an os.Root, which would open each directory on the
// way. What that can tell of a place outside of the tree is that something is different.
func (r *Reader) look(name string) (fs.FileInfo, error) { return os.Lstat(r.path(name)) }

// path returns where a path of the tree is. The directory itself may be a link.
func (r *Reader) path(name string) string {
	if name == "." {
		return r.dir + string(filepath.Separator) + "."
	}
	return filepath.Join(r.dir, filepath.FromSlash(name))
}

// mark gathers the marks of all that was read.
func (r *Reader) mark() {
	r.marks = make([]placed, 0, len(r.dirs)+len(r.files))
	for name, d := range r.dirs {
		r.marks = append(r.marks, placed{d.mark, r.path(name)})
	}
	for name, f := range r.files {
		r.marks = append(r.marks, placed{f.mark, r.path(name)})
	}
	// What shows a change is told first, and directories lie together.
	slices.SortFunc(r.marks, func(a, b placed) int { return strings.Compare(a.path, b.path) })
}

// moved tells whether a directory is not what it was.
func (r *Reader) moved() bool {
	for dir, was := range r.dirs {
		if info, err := r.look(dir); err != nil || !was.same(info) {
			return true
		}
	}
	return false
}

// untouched tells whether all directories and files are what they were.
func (r *Reader) untouched() bool {
	const step = 256 // what is worth a goroutine
	return inParallel((len(r.marks)+step-1)/step, func(i int) error {
		for _, m := range r.marks[i*step : min((i+1)*step, len(r.marks))] {
			if info, err := os.Lstat(m.path); err != nil || !m.same(info) {
				return errTouched
			}
		}
		return nil
	}) == nil
}

var errTouched = errors.New("a file or directory changed")

// arrange lists the tree and sorts out what each file is. It reports whether that is
// another arrangement than before.
func (r *Reader) arrange(fsys fs.FS) (bool, error) {
	var mu sync.Mutex
	dirs := map[string]*listing{}
	entries, unlisted, err := walk(func(dir string) ([]fs.DirEntry, error) {
		// It is marked before it is listed, so that what comes in meanwhile shows the
		// next time.
		at := time.Now()
		info, err := r.look(dir)
		now := r.dirs[dir]
		if err == nil && (now == nil || !now.same(info)) {
			now = &listing{mark: markOf(info, at)}
			now.names, err = fs.ReadDir(fsys, dir)
		}
		if err != nil {
			now = &listing{} // whose mark is never the same
		}
		mu.Lock()
		defer mu.Unlock()
		dirs[dir] = now
		return now.names, err
	}, r.opt.source)
	if err != nil {
		return false, err
	}
	r.dirs = dirs
	if slices.Equal(entries, r.entries) && len(unlisted)+len(r.misplaced) == 0 {
		return false, nil
	}
	r.entries = entries
	r.items, r.misplaced = check.Arrange(check.Contract, entries, r.opt.source)
	r.misplaced = append(r.misplaced, unlisted...)
	return true, nil
}

// read brings the files up to date. differ tells whether one is not what it was.
func (r *Reader) read(fsys fs.FS) (inputs []*check.Input, unread diag.List, differ bool, err error) {
	files := make([]*content, len(r.items))
	var differs atomic.Bool
	inputs, unread, err = read(r.items, func(i int) (*check.Input, int, error) {
		item := r.items[i]
		was := r.files[item.Path]
		if was != nil && was.input != nil && was.input.Kind != item.Kind {
			was = nil
		}
		at := time.Now()
		info, err := r.look(item.Path)
		if err == nil && was != nil && was.input != nil && was.same(info) {
			files[i] = was
			return was.input, int(was.size), nil
		}
		now := &content{}
		files[i] = now
		var raw []byte
		if err == nil {
			now.mark = markOf(info, at)
			raw, err = readFile(fsys, item.Path)
		}
		if err != nil {
			now.failure = err.Error()
			if was == nil || was.failure != now.failure {
				differs.Store(true)
			}
			return nil, 0, err
		}
		now.sum = sha256.Sum256(raw)
		if was != nil && was.input != nil && was.sum == now.sum {
			now.input = was.input
		} else {
			differs.Store(true)
			now.input = input(item, raw, r.opt.source)
		}
		return now.input, len(raw), nil
	}, &r.opt)
	if err != nil {
		return nil, nil, false, err
	}
	r.files = make(map[string]*content, len(files))
	for i, f := range files {
		r.files[r.items[i].Path] = f
	}
	return inputs, unread, differs.Load(), nil
}
