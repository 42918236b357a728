// This file holds Reader, which reads a content directory again and again, and of it
// only what changed.

package gen

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// mostRereads is how often a file is read in one go that changes while it is read.
const mostRereads = 4

// A Reader reads a content directory as often as it is asked to. While nothing
// changed, that takes one look at each file and directory: at their sizes and times of
// change, and at the content of those that changed a moment ago.
//
// The layout is the content contract's. A Reader is not safe for concurrent use. What it
// returned is never changed afterwards.
type Reader struct {
	dir string
	opt Options

	place   place // while it reads
	dirs    map[string]*listing
	files   map[string]*content
	entries []check.Entry
	items   []check.Item
	// misplaced are the faults of the arrangement.
	misplaced diag.List
	// marks are those of all directories and files, by their paths.
	marks []placed
	// touched are the paths of those that are not what they were; nil if that is not
	// known, and any may be.
	touched map[string]bool
	tree    *check.Tree // nil: nothing is known
}

// A placed mark is that of what is at a path.
type placed struct {
	path string
	*mark
}

// A stamp is what a file system tells of something without it being read.
type stamp struct {
	kind     uint32 // a file, a directory or what else there is
	size     int64
	modified time.Time
	// changed is the time that nobody can set, of any change of the content, the name
	// or the rights; zero where the system does not tell.
	changed time.Time
}

// A mark tells whether something changed since it was read.
type mark struct {
	stamp
	// fresh tells that it had changed so shortly before that another change may bear
	// the same time, or that it could not be read.
	fresh bool
}

// markOf returns the mark of what is read after at.
func markOf(now stamp, at time.Time) mark { return mark{now, at.Sub(now.modified) < settled} }

// same tells whether now is the stamp of what was marked.
func (m *mark) same(now stamp) bool { return !m.fresh && m.stamp == now }

// A listing is what a directory held.
type listing struct {
	mark
	names []fs.DirEntry
}

// A content is what a file held.
type content struct {
	mark
	bytes int
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
	root, err := openDirectory(r.dir)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	if r.place, err = openPlace(root, r.dir); err != nil {
		return nil, false, err
	}
	defer r.place.close()
	known := r.tree
	r.tree, r.touched = nil, nil // until all went well
	if known != nil {
		if r.touched = r.look(); len(r.touched) == 0 {
			r.tree = known
			return known, false, nil
		}
	}
	moved := known == nil || r.moved()
	if moved {
		arranged, err := r.arrange(root.FS())
		if err != nil {
			return nil, false, err
		}
		if arranged {
			known = nil
		}
	}
	inputs, unread, differ, err := r.read(root.FS(), moved)
	if err != nil {
		return nil, false, err
	}
	if known != nil && !differ {
		r.tree = known
		return known, false, nil
	}
	r.tree = &check.Tree{Layout: check.Contract, Root: r.opt.Root, Inputs: inputs, Faults: slices.Concat(r.misplaced, unread)}
	return r.tree, true, nil
}

// openDirectory opens a directory, and nothing else: the dot keeps the system from opening
// a named pipe, which would wait for its writer.
func openDirectory(dir string) (*os.Root, error) {
	return os.OpenRoot(dir + string(filepath.Separator) + ".")
}

// look takes a look at all that was read, and returns the paths of what is not what it
// was. It goes by the path and not through an os.Root, which would open each directory on
// the way. What that can tell of a place outside of the tree is that something is
// different.
func (r *Reader) look() map[string]bool {
	const step = 512 // what is worth a goroutine
	touched := map[string]bool{}
	var mu sync.Mutex
	_ = inParallel((len(r.marks)+step-1)/step, func(i int) error {
		for _, m := range r.marks[i*step : min((i+1)*step, len(r.marks))] {
			if now, err := r.place.look(m.path); err != nil || !m.same(now) {
				mu.Lock()
				touched[m.path] = true
				mu.Unlock()
			}
		}
		return nil
	})
	return touched
}

// left tells that what is at a path is known to be what it was.
func (r *Reader) left(path string) bool { return r.touched != nil && !r.touched[path] }

// moved tells whether a directory is not what it was.
func (r *Reader) moved() bool {
	for path := range r.touched {
		if r.dirs[path] != nil {
			return true
		}
	}
	return false
}

// mark gathers the marks of all that was read, sorted by path, for directories to lie
// together with what is in them.
func (r *Reader) mark() {
	r.marks = make([]placed, 0, 1+len(r.entries))
	add := func(path string) {
		if d := r.dirs[path]; d != nil {
			r.marks = append(r.marks, placed{path, &d.mark})
		} else if f := r.files[path]; f != nil {
			r.marks = append(r.marks, placed{path, &f.mark})
		}
	}
	add(".")
	for _, e := range r.entries {
		add(e.Path)
	}
}

// arrange lists the tree and sorts out what each file is. It reports whether that is
// another arrangement than before.
func (r *Reader) arrange(fsys fs.FS) (bool, error) {
	var mu sync.Mutex
	dirs := map[string]*listing{}
	entries, unlisted, err := walk(func(dir string) ([]fs.DirEntry, error) {
		now, err := r.list(fsys, dir)
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

// list returns what a directory holds now.
func (r *Reader) list(fsys fs.FS, dir string) (*listing, error) {
	was := r.dirs[dir]
	if was != nil && r.left(dir) {
		return was, nil
	}
	// It is marked before it is listed, so that what comes in meanwhile shows the next
	// time.
	at := time.Now()
	stamp, err := r.place.look(dir)
	if err == nil && was != nil && was.same(stamp) {
		return was, nil
	}
	now := &listing{mark: markOf(stamp, at)}
	if err == nil {
		now.names, err = fs.ReadDir(fsys, dir)
	}
	if err != nil {
		now = &listing{mark: mark{fresh: true}}
	}
	return now, err
}

// read brings the files up to date, which may be others if something moved. differ tells
// whether one is not what it was.
func (r *Reader) read(fsys fs.FS, moved bool) (inputs []*check.Input, unread diag.List, differ bool, err error) {
	files := make([]*content, len(r.items))
	var differs atomic.Bool
	inputs, unread, err = read(r.items, func(i int) (*check.Input, int, error) {
		item := r.items[i]
		f := r.files[item.Path]
		if f == nil {
			f = &content{mark: mark{fresh: true}}
		}
		files[i] = f
		if f.input != nil && f.input.Kind == item.Kind && r.left(item.Path) {
			return f.input, f.bytes, nil
		}
		was := *f
		err := r.load(fsys, item, f)
		if f.input != was.input || f.failure != was.failure {
			differs.Store(true)
		}
		return f.input, f.bytes, err
	}, &r.opt)
	if err != nil {
		return nil, nil, false, err
	}
	if moved {
		r.files = make(map[string]*content, len(files))
		for i, f := range files {
			r.files[r.items[i].Path] = f
		}
		r.mark()
	}
	return inputs, unread, differs.Load(), nil
}

// load brings a file up to date.
func (r *Reader) load(fsys fs.FS, item check.Item, f *content) error {
	kept := f.input
	if kept != nil && kept.Kind != item.Kind {
		kept = nil
	}
	at := time.Now()
	stamp, err := r.place.look(item.Path)
	if err == nil && kept != nil && f.same(stamp) {
		return nil
	}
	var raw []byte
	for range mostRereads {
		if err == nil {
			raw, err = readFile(fsys, item.Path)
		}
		if err != nil {
			break
		}
		// A file that is being written while it is read would be served cut off.
		was := stamp
		if stamp, err = r.place.look(item.Path); err == nil && stamp == was {
			break
		}
	}
	if err != nil {
		*f = content{mark: mark{fresh: true}, failure: err.Error()}
		return err
	}
	sum := sha256.Sum256(raw)
	if kept == nil || f.sum != sum {
		kept = input(item, raw, r.opt.source)
	}
	*f = content{mark: markOf(stamp, at), bytes: len(raw), sum: sum, input: kept}
	return nil
}
