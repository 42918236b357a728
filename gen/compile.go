// This file holds Compile: from a tree of files to a program.

package gen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// Limits of a content tree. A tree beyond them is an error, not a fault: it is
// no content that somebody wrote.
const (
	// MaxEntries is how many files and directories a tree may have.
	MaxEntries = 1 << 18
	// MaxTreeBytes is how large all files of a tree may be together.
	MaxTreeBytes = 1 << 30
	// MaxFileBytes is how large one file may be; it is the most that a skill may
	// have in all.
	MaxFileBytes = check.MaxSkillBytes
)

// Options are what Compile and Load want to know besides the tree.
type Options struct {
	// Root is how the tree's directory is shown in diagnostics: its path from the
	// working directory, with slashes.
	Root string
	// Layout is the tree's; Load detects it if it is empty. Compile knows the content
	// contract's alone.
	Layout check.Layout
	// Links are the paths of symbolic links that belong to the tree and are not in its
	// file system.
	Links []string
	// Progress, if not nil, is called as files are read, at times by several
	// goroutines at once, with how many are done and how many there are.
	Progress func(done, total int)
}

// source returns the source that diagnostics of a file point into.
func (o *Options) source(p string) *diag.Source { return &diag.Source{Name: path.Join(o.Root, p)} }

// Compile reads the content tree in fsys and checks it. It returns the program, or
// all faults of the tree, sorted. The error is an I/O error, or says that the tree
// is larger than the limits.
//
// Links are never followed: each is a fault. Names that start with a dot are
// passed over.
func Compile(fsys fs.FS, opt Options) (*check.Program, diag.List, error) {
	opt.Layout = check.Contract
	tree, err := Load(fsys, opt)
	if err != nil {
		return nil, nil, err
	}
	if tree.Root = path.Base(opt.Root); tree.Root == "." || tree.Root == "/" {
		tree.Root = ""
	}
	program, faults, _ := check.Trees([]*check.Tree{tree})
	faults.Sort()
	if len(faults) > 0 {
		return nil, faults, nil
	}
	return program, nil, nil
}

// Load reads the content tree in fsys as Compile does, for [check.Trees].
func Load(fsys fs.FS, opt Options) (*check.Tree, error) {
	entries, unlisted, err := walk(func(dir string) ([]fs.DirEntry, error) { return fs.ReadDir(fsys, dir) }, opt.source)
	if err != nil {
		return nil, err
	}
	for _, p := range opt.Links {
		entries = append(entries, check.Entry{Path: p, Type: fs.ModeSymlink})
	}
	if len(opt.Links) > 0 {
		sortEntries(entries)
	}
	if opt.Layout == "" {
		opt.Layout = check.Detect(entries, func(p string) string {
			start, _ := readStart(fsys, p)
			return string(start)
		})
	}
	items, misplaced := check.Arrange(opt.Layout, entries, opt.source)
	inputs, unread, err := read(items, func(i int) (*check.Input, int, error) {
		raw, err := readFile(fsys, items[i].Path)
		if err != nil {
			return nil, 0, err
		}
		return input(items[i], raw, opt.source), len(raw), nil
	}, &opt)
	if err != nil {
		return nil, err
	}
	return &check.Tree{Layout: opt.Layout, Root: opt.Root, Inputs: inputs, Faults: slices.Concat(misplaced, unlisted, unread)}, nil
}

// walk lists what is in a tree, sorted, and so each directory before what is in it.
// Directories that cannot be listed, and names that no path can hold, are faults. list
// is called by several goroutines at once.
func walk(list func(dir string) ([]fs.DirEntry, error), source func(string) *diag.Source) (entries []check.Entry, faults diag.List, err error) {
	for dirs := []string{"."}; len(dirs) > 0; {
		listings := make([][]fs.DirEntry, len(dirs))
		errs := make([]error, len(dirs))
		_ = inParallel(len(dirs), func(i int) error {
			listings[i], errs[i] = list(dirs[i])
			return nil
		})
		var below []string
		for i, dir := range dirs {
			if errs[i] != nil {
				if dir == "." {
					return nil, nil, errs[i]
				}
				unreadable(&faults, source(dir), errs[i])
			}
			for _, d := range listings[i] {
				p := path.Join(dir, d.Name())
				switch {
				case strings.HasPrefix(d.Name(), "."):
					continue
				case !utf8.ValidString(d.Name()):
					faults.Add(source(p).Top(), "file-name", "a name that is not valid UTF-8", "rename it")
					continue
				case len(entries) == MaxEntries:
					return nil, nil, fmt.Errorf("the tree has more than %d files and directories", MaxEntries)
				}
				entries = append(entries, check.Entry{Path: p, Type: d.Type()})
				if d.IsDir() {
					below = append(below, p)
				}
			}
		}
		dirs = below
	}
	sortEntries(entries)
	return entries, faults, nil
}

func sortEntries(entries []check.Entry) {
	slices.SortFunc(entries, func(a, b check.Entry) int { return strings.Compare(a.Path, b.Path) })
}

// unreadable reports a file or directory that cannot be read. It is a fault and not
// an error of the run, so that it does not hide the others.
func unreadable(faults *diag.List, source *diag.Source, err error) {
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err // without the path, which is the machine's
	}
	faults.Add(source.Top(), "unreadable", fmt.Sprintf("it cannot be read: %v", err), "make it readable, or remove it")
}

// read gets the inputs of items, as many at a time as there are processors, from load,
// which returns an item's input and how many bytes it has. Files that are too large, or
// cannot be read, are faults and left out.
func read(items []check.Item, load func(i int) (*check.Input, int, error), opt *Options) ([]*check.Input, diag.List, error) {
	inputs := make([]*check.Input, len(items))
	errs := make([]error, len(items))
	var done, total atomic.Int64
	_ = inParallel(len(items), func(i int) error {
		if total.Load() > MaxTreeBytes {
			return nil
		}
		in, size, err := load(i)
		if errs[i] = err; err == nil && total.Add(int64(size)) <= MaxTreeBytes {
			inputs[i] = in
		}
		if opt.Progress != nil {
			opt.Progress(int(done.Add(1)), len(items))
		}
		return nil
	})
	if total.Load() > MaxTreeBytes {
		return nil, nil, fmt.Errorf("the tree's files have more than %d bytes", MaxTreeBytes)
	}
	var faults diag.List
	kept := inputs[:0]
	for i, in := range inputs {
		switch {
		case in != nil:
			kept = append(kept, in)
		case errors.Is(errs[i], errTooLarge):
			faults.Add(opt.source(items[i].Path).Top(), "file-size", fmt.Sprintf("the file has more than %d bytes", MaxFileBytes), "leave it out, or split it")
		default:
			unreadable(&faults, opt.source(items[i].Path), errs[i])
		}
	}
	return kept, faults, nil
}

// input makes what check wants of a file's bytes.
func input(item check.Item, raw []byte, source func(string) *diag.Source) *check.Input {
	in := &check.Input{Item: item}
	text := ""
	if item.Kind == check.Data {
		in.Data = string(raw)
		text = in.Data
	} else {
		s := source(item.Path)
		s.Text = catalog.Normalize(raw)
		in.File = parse.Parse(s, item.Kind)
		text = s.Text
	}
	if string(raw) != text { // which makes no copy
		raw = []byte(text)
	}
	sum := sha256.Sum256(raw)
	in.Size, in.Digest = len(text), hex.EncodeToString(sum[:])
	return in
}

var errTooLarge = errors.New("too large")

// readFile reads a regular file of at most MaxFileBytes.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file any more")
	case info.Size() > MaxFileBytes:
		return nil, errTooLarge
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, MaxFileBytes+1)); err != nil {
		return nil, err
	}
	if b.Len() > MaxFileBytes {
		return nil, errTooLarge
	}
	return b.Bytes(), nil
}

// readStart reads as much of a file as its frontmatter can hold.
func readStart(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, parse.MaxFrontmatter))
}
