// This file holds Write and Stale, which bring an output directory and the files that
// belong there together.

package gen

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/seed33527553/promptc/gen/emit"
)

// A Difference is a file in which an output directory differs from what the content
// compiles to.
type Difference struct {
	// Path is relative to the output directory, with slashes.
	Path string
	Kind DifferenceKind
}

// A DifferenceKind says how a file differs.
type DifferenceKind string

const (
	// Changed is a file with other content: the Markdown was edited since, or the
	// Go file was, by hand.
	Changed DifferenceKind = "stale"
	// Missing is a file that is not there.
	Missing DifferenceKind = "missing"
	// Orphaned is a generated file whose Markdown is gone.
	Orphaned DifferenceKind = "orphaned"
)

// Write makes the files the generated ones of a directory, which it creates if need
// be, and returns the paths that it wrote or removed, sorted.
//
// It touches nothing but what differs: a file that was generated from the same input
// and not edited since is not even printed again. Each file is replaced at once, by
// renaming, and only when all could be printed and stored; generated files that no
// longer belong there are removed after that. Files without the header of promptc are
// not touched, and where one is in the way, or a symbolic link is, Write changes
// nothing and says so.
func Write(dir string, files []emit.File) (changed []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, outputError("create", dir, "", err)
	}
	out, err := openOutput(dir)
	if err != nil {
		return nil, err
	}
	defer out.root.Close()
	orphans, err := out.inspect(files)
	if err != nil {
		return nil, err
	}

	temporary := make([]string, len(files)) // empty where the file is up to date
	defer func() {
		for _, name := range temporary {
			if name != "" {
				out.root.Remove(name)
			}
		}
	}()
	err = inParallel(len(files), func(i int) error {
		f := &files[i]
		old, err := out.read(f.Path)
		if err != nil {
			return err
		}
		if key, ok := emit.Sealed(old); ok && key == f.Key {
			return nil
		}
		content, err := f.Render()
		if err != nil || bytes.Equal(old, content) {
			return err
		}
		temporary[i], err = out.store(f.Path, content)
		return err
	})
	if err != nil {
		return nil, err
	}

	for i := range files {
		if temporary[i] == "" {
			continue
		}
		if err := out.root.Rename(temporary[i], filepath.FromSlash(files[i].Path)); err != nil {
			return nil, outputError("write", dir, files[i].Path, err)
		}
		temporary[i] = ""
		changed = append(changed, files[i].Path)
	}
	for _, orphan := range orphans {
		if err := out.root.Remove(filepath.FromSlash(orphan)); err != nil {
			return nil, outputError("remove", dir, orphan, err)
		}
		changed = append(changed, orphan)
		// Removing a directory fails unless it is empty now.
		for d := path.Dir(orphan); d != "."; d = path.Dir(d) {
			out.root.Remove(filepath.FromSlash(d))
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// Stale returns what Write would change in a directory, sorted by path, and changes
// nothing. It prints every file anew, so that it finds what a change of the compiler
// itself makes of the same content.
func Stale(dir string, files []emit.File) ([]Difference, error) {
	out, err := openOutput(dir)
	if errors.Is(err, fs.ErrNotExist) {
		differences := make([]Difference, len(files))
		for i := range files {
			differences[i] = Difference{files[i].Path, Missing}
		}
		return differences, nil
	}
	if err != nil {
		return nil, err
	}
	defer out.root.Close()
	orphans, err := out.inspect(files)
	if err != nil {
		return nil, err
	}
	kinds := make([]DifferenceKind, len(files)) // empty where there is none
	err = inParallel(len(files), func(i int) error {
		old, err := out.read(files[i].Path)
		if err != nil {
			return err
		}
		content, err := files[i].Render()
		switch {
		case err != nil:
			return err
		case old == nil:
			kinds[i] = Missing
		case !bytes.Equal(old, content):
			kinds[i] = Changed
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var differences []Difference
	for i, kind := range kinds {
		if kind != "" {
			differences = append(differences, Difference{files[i].Path, kind})
		}
	}
	for _, orphan := range orphans {
		differences = append(differences, Difference{orphan, Orphaned})
	}
	slices.SortFunc(differences, func(a, b Difference) int { return cmp.Compare(a.Path, b.Path) })
	return differences, nil
}

// An output is an open output directory. Nothing outside of it can be reached through
// it.
type output struct {
	dir  string
	root *os.Root
}

func openOutput(dir string) (*output, error) {
	root, err := openDirectory(dir)
	if err != nil {
		return nil, outputError("open", dir, "", err)
	}
	return &output{dir, root}, nil
}

// inspect returns the generated files in the directory that are not among the given
// ones, sorted, and fails where something other than a file stands in the way of one
// of those, or other than a directory in the way of theirs.
func (o *output) inspect(files []emit.File) (orphans []string, err error) {
	wanted := map[string]bool{}
	dirs := map[string]bool{".": true} // true for those that are needed
	for i := range files {
		wanted[files[i].Path] = true
		for d := path.Dir(files[i].Path); d != "."; d = path.Dir(d) {
			dirs[d] = true
		}
	}
	shards, err := o.list(emit.Shards, dirs[emit.Shards])
	if err != nil {
		return nil, err
	}
	for _, e := range shards {
		if dir := path.Join(emit.Shards, e.Name()); !dirs[dir] {
			dirs[dir] = false
		}
	}
	for dir, needed := range dirs {
		entries, err := o.list(dir, needed)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case wanted[name] && e.Type()&fs.ModeSymlink != 0:
				return nil, fmt.Errorf("%s is a symbolic link: remove it, or choose another output directory", o.show(name))
			case wanted[name] && !e.Type().IsRegular():
				return nil, fmt.Errorf("%s is not a file: remove it, or choose another output directory", o.show(name))
			case wanted[name] || !strings.HasSuffix(name, "_gen.go") || !e.Type().IsRegular():
				continue
			}
			generated, err := o.generated(name)
			if err != nil {
				return nil, err
			}
			if generated {
				orphans = append(orphans, name)
			}
		}
	}
	slices.Sort(orphans)
	return orphans, nil
}

// list returns the entries of a directory of the output; there are none where it does
// not exist. If the directory is not needed, something else may be in its place.
func (o *output) list(dir string, needed bool) ([]fs.DirEntry, error) {
	info, err := o.root.Lstat(filepath.FromSlash(dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, outputError("read", o.dir, dir, err)
	case !info.IsDir() && needed:
		return nil, fmt.Errorf("%s is not a directory: remove it, or choose another output directory", o.show(dir))
	case !info.IsDir():
		return nil, nil
	}
	entries, err := fs.ReadDir(o.root.FS(), dir)
	if err != nil {
		return nil, outputError("read", o.dir, dir, err)
	}
	return entries, nil
}

// maxHeader is more than a first line of promptc's can have.
const maxHeader = 8 << 10

// generated tells whether a file has the header of promptc.
func (o *output) generated(name string) (bool, error) {
	f, err := o.root.Open(filepath.FromSlash(name))
	if err != nil {
		return false, outputError("read", o.dir, name, err)
	}
	defer f.Close()
	head := make([]byte, maxHeader)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, outputError("read", o.dir, name, err)
	}
	return emit.Generated(head[:n]), nil
}

// read returns the content of a generated file, and nil if there is none. It fails
// for any other file.
func (o *output) read(name string) ([]byte, error) {
	content, err := o.root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, outputError("read", o.dir, name, err)
	}
	if !emit.Generated(content) {
		return nil, fmt.Errorf("%s was not generated by promptc: move it away, or choose another output directory", o.show(name))
	}
	return content, nil
}

// store writes content to a new file beside the one with the given name, and returns
// its own. The name starts with a dot, so that the go command passes over it.
func (o *output) store(name string, content []byte) (temporary string, err error) {
	dir, base := path.Split(name)
	if dir != "" {
		if err := o.root.MkdirAll(filepath.FromSlash(path.Clean(dir)), 0o777); err != nil {
			return "", outputError("create", o.dir, dir, err)
		}
	}
	temporary = filepath.FromSlash(dir + "." + base + "." + rand.Text())
	f, err := o.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", outputError("write", o.dir, name, err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		o.root.Remove(temporary)
		return "", outputError("write", o.dir, name, err)
	}
	return temporary, nil
}

// show returns a path for readers: the directory as it was given, and what is in it.
func (o *output) show(name string) string { return path.Join(filepath.ToSlash(o.dir), name) }

// outputError says what could not be done to a file of the output.
func outputError(verb, dir, name string, err error) error {
	return fmt.Errorf("cannot %s %s: %w", verb, path.Join(filepath.ToSlash(dir), name), systemError(err))
}

// inParallel calls f for all i below n, on every processor, and returns the error of
// the lowest i. After an error it starts no other call.
func inParallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error {
			if ctx.Err() == nil {
				errs[i] = f(i)
			}
			return errs[i]
		})
	}
	_ = g.Wait() // the first in time, which another run may not have
	return cmp.Or(errs...)
}
