// This file holds memory, a file system in memory for trees that lie elsewhere.

package breaking

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"
)

// A memory is a tree of files in memory.
type memory struct {
	nodes map[string]*node // by path; "." is the root
	bytes int64            // of all files
}

// A node is a file or directory. It is its own fs.FileInfo and fs.DirEntry.
type node struct {
	name    string
	mode    fs.FileMode
	size    int64
	content []byte
	below   []fs.DirEntry // of a directory, sorted
}

func newMemory() *memory {
	return &memory{nodes: map[string]*node{".": {name: ".", mode: fs.ModeDir | 0o555}}}
}

// add puts a node at a path that is valid, with the directories above it. A path twice
// is an error, and so is one below a file.
func (m *memory) add(p string, mode fs.FileMode, size int64, content []byte) error {
	if n := m.nodes[p]; n != nil {
		if n.IsDir() && mode.IsDir() {
			return nil
		}
		return fmt.Errorf("it holds %q twice", p)
	}
	dir := path.Dir(p)
	if err := m.add(dir, fs.ModeDir|0o555, 0, nil); err != nil {
		return fmt.Errorf("it holds %q, and %q below it", dir, p)
	}
	n := &node{name: path.Base(p), mode: mode, size: size, content: content}
	m.nodes[p] = n
	parent := m.nodes[dir]
	at, _ := slices.BinarySearchFunc(parent.below, n.name, func(e fs.DirEntry, name string) int { return cmp.Compare(e.Name(), name) })
	parent.below = slices.Insert(parent.below, at, fs.DirEntry(n))
	m.bytes += size
	return nil
}

// Open opens a file or directory.
func (m *memory) Open(name string) (fs.File, error) {
	n := m.nodes[name]
	switch {
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	case n == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n.IsDir():
		return &openDir{node: n, path: name}, nil
	}
	return &openFile{n, bytes.NewReader(n.content)}, nil
}

func (n *node) Name() string               { return n.name }
func (n *node) Size() int64                { return n.size }
func (n *node) Mode() fs.FileMode          { return n.mode }
func (n *node) Type() fs.FileMode          { return n.mode.Type() }
func (n *node) ModTime() time.Time         { return time.Time{} }
func (n *node) IsDir() bool                { return n.mode.IsDir() }
func (n *node) Sys() any                   { return nil }
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

type openFile struct {
	*node
	*bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.node, nil }
func (f *openFile) Close() error               { return nil }
func (f *openFile) Size() int64                { return f.node.size }

type openDir struct {
	*node
	path string
	at   int // of the next entry to list
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.node, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.path, Err: fs.ErrInvalid}
}

// ReadDir lists the next entries, n of them, or all if n is not positive.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.below[d.at:]
	if n > 0 {
		if len(rest) == 0 {
			return nil, io.EOF
		}
		rest = rest[:min(n, len(rest))]
	}
	d.at += len(rest)
	return slices.Clone(rest), nil
}
