// This file holds Vendor, which copies sources beside the content for a release.

package gen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
	"github.com/seed33527553/promptc/gen/source"
)

// VendorOptions are what Vendor wants to know.
type VendorOptions struct {
	// Dir is the content directory, and Root how it is shown.
	Dir, Root string
	// Sources are the ones that the command line or the environment names; they come
	// before those of catalog.yaml.
	Sources []check.Source
	// Update takes the newest commit of every source. Otherwise one that is locked stays
	// at its commit.
	Update bool
	// Cache is where and how sources are fetched.
	Cache source.Options
}

// A Vendored source is one that Vendor dealt with.
type Vendored struct {
	Locked
	// Was is the commit that was vendored before; empty if none was.
	Was string
	// Fetched tells that its files were written, and Removed that they were removed,
	// since nothing names the source any more.
	Fetched, Removed bool
}

// Vendor makes the vendored trees and the lock beside a content directory what its
// sources are. A source that is there as it is locked is not fetched. It returns what
// it did, in the order of the lock; or the faults of catalog.yaml, and then did nothing.
// After an error no source is half written, and the lock is as it was.
func Vendor(ctx context.Context, opt VendorOptions) ([]Vendored, diag.List, error) {
	wanted, faults, err := vendorSources(opt)
	if err != nil || len(faults) > 0 {
		return nil, faults, err
	}
	lock, err := readLock(os.DirFS(around(opt.Dir)))
	if err != nil && !opt.Update {
		return nil, nil, err
	}
	if lock == nil {
		lock = &Lock{} // which is made anew
	}
	// Nothing is written outside of the directory around the content, whatever links
	// there are.
	root, err := openDirectory(around(opt.Dir))
	if err != nil {
		return nil, nil, systemError(err)
	}
	defer root.Close()
	if err := sweep(root); err != nil {
		return nil, nil, err
	}
	var done []Vendored
	next := &Lock{Sources: []Locked{}}
	for i := range wanted {
		s := &wanted[i]
		v, err := vendor(ctx, root, opt, lock, s, i < len(opt.Sources))
		if err != nil {
			return nil, nil, err
		}
		next.Sources = append(next.Sources, v.Locked)
		done = append(done, *v)
	}
	for _, l := range lock.Sources {
		if slices.ContainsFunc(next.Sources, func(n Locked) bool { return n.Name == l.Name }) {
			continue
		}
		if err := root.RemoveAll(path.Join(VendorDir, l.Name)); err != nil {
			return nil, nil, fmt.Errorf("cannot remove %s: %w", vendorRoot(opt.Root, l.Name), systemError(err))
		}
		done = append(done, Vendored{Locked: l, Was: l.Commit, Removed: true})
	}
	return done, nil, writeLock(root, lock, next)
}

// CheckVendored tells whether what Vendor makes is there as the lock and catalog.yaml say,
// as faults at the places where they say it. It reads nothing from elsewhere.
func CheckVendored(opt VendorOptions) (diag.List, error) {
	wanted, faults, err := vendorSources(opt)
	if err != nil || len(faults) > 0 {
		return faults, err
	}
	lock, err := readLock(os.DirFS(around(opt.Dir)))
	if err != nil {
		return nil, err
	}
	lockFile := &diag.Source{Name: path.Join(path.Dir(vendorRoot(opt.Root, "")), LockFile)}
	for i := range wanted {
		s := &wanted[i]
		place := s.Span
		if place.Source == nil { // the command line names it
			place = lockFile.Top()
		}
		unlocked(&faults, lock, s, i < len(opt.Sources), place)
	}
	for i := range lock.Sources {
		l := &lock.Sources[i]
		tree, err := loadVendored(opt.Dir, opt.Root, l)
		if err == nil && tree.Digest() != l.Digest {
			err = fmt.Errorf("%s is not what is locked", vendorRoot(opt.Root, l.Name))
		}
		if err != nil {
			faults.Add(lockFile.Top(), "sources", err.Error(), "run promptc vendor")
		}
		if !slices.ContainsFunc(wanted, func(s check.Source) bool { return s.Name == l.Name }) {
			faults.Add(lockFile.Top(), "sources", fmt.Sprintf("nothing names the source %q any more", l.Name), "run promptc vendor, which removes it")
		}
	}
	faults.Sort()
	return faults, nil
}

// vendorSources returns all sources, those that were given first, or what is wrong with
// the ones in catalog.yaml.
func vendorSources(opt VendorOptions) ([]check.Source, diag.List, error) {
	root, err := openDirectory(opt.Dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	tree, err := Load(root.FS(), Options{Root: opt.Root, Layout: check.Contract})
	if err != nil {
		return nil, nil, err
	}
	wanted, twice := allSources(opt.Sources, tree)
	return wanted, slices.Concat(settingsFaults(tree), twice), nil
}

// allSources returns the sources that were given and those that the catalog.yaml of a
// tree names, without the ones among these that have the name of one that was given,
// which are faults.
func allSources(given []check.Source, tree *check.Tree) (all []check.Source, twice diag.List) {
	all = slices.Clone(given)
	for _, s := range check.Sources(tree.Inputs) {
		if slices.ContainsFunc(given, func(g check.Source) bool { return g.Name == s.Name }) {
			twice.Add(s.Span, "sources", fmt.Sprintf("the command line or the environment names a source %q too", s.Name), "give this one another name")
			continue
		}
		all = append(all, s)
	}
	return all, twice
}

// settingsFaults returns the faults of a tree's catalog.yaml.
func settingsFaults(tree *check.Tree) diag.List {
	i := slices.IndexFunc(tree.Inputs, isSettings)
	if i < 0 {
		return nil
	}
	alone := *tree
	alone.Inputs, alone.Faults = tree.Inputs[i:i+1], nil
	_, faults, _ := check.Trees([]*check.Tree{&alone})
	return faults
}

func isSettings(in *check.Input) bool { return in.Kind == parse.Settings }

// vendor makes the vendored tree of one source what it should be.
func vendor(ctx context.Context, root *os.Root, opt VendorOptions, lock *Lock, s *check.Source, given bool) (*Vendored, error) {
	v := &Vendored{}
	commit := "" // the newest
	if i := slices.IndexFunc(lock.Sources, func(l Locked) bool { return l.Name == s.Name }); i >= 0 {
		l := lock.Sources[i]
		v.Was = l.Commit
		if !opt.Update && l.names(s, given) {
			if tree, err := loadVendored(opt.Dir, opt.Root, &l); err == nil && tree.Digest() == l.Digest {
				v.Locked = l
				return v, nil
			}
			commit = l.Commit
			v.Digest = l.Digest
		}
	}
	from, err := source.Open(settingsOf(*s), opt.Cache)
	if err != nil {
		return nil, fmt.Errorf("the source %q: %w", s.Name, err)
	}
	defer from.Close()
	snapshot, err := from.Resolve(ctx, commit)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	tree, err := Load(snapshot.FS, Options{Root: shownSource(s.Name, snapshot.Commit), Layout: s.Layout, Links: snapshot.Links})
	if err != nil {
		return nil, fmt.Errorf("the content of the source %q cannot be read: %w", s.Name, systemError(err))
	}
	tree.Source = catalog.Source{Name: s.Name}
	if commit != "" && tree.Digest() != v.Digest {
		return nil, fmt.Errorf("the commit %.12s of the source %q has other files than %s says: settings changed, or the repository did; run promptc vendor --update to take what is there", commit, s.Name, LockFile)
	}
	v.Locked = Locked{Name: s.Name, Repository: s.Repository, Branch: s.Branch, Path: s.Path, Layout: tree.Layout, Given: given, Commit: snapshot.Commit, Digest: tree.Digest()}
	v.Fetched = true
	if err := copyTree(root, s.Name, snapshot.FS, tree); err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", vendorRoot(opt.Root, s.Name), systemError(err))
	}
	return v, nil
}

// unfinished starts the names of what is there only while it is written, or until it is
// removed.
const unfinished = ".promptc-"

// sweep removes what a run that was killed left behind.
func sweep(root *os.Root) error {
	for _, dir := range []string{VendorDir, "."} {
		left, err := fs.Glob(root.FS(), path.Join(dir, unfinished+"*"))
		if err != nil {
			return err
		}
		for _, name := range left {
			if err := root.RemoveAll(name); err != nil {
				return fmt.Errorf("cannot remove %s, which a run that was interrupted left behind: %w", name, systemError(err))
			}
		}
	}
	return nil
}

// copyTree puts the files of a tree, and the licence beside them, in the place of what
// is vendored of a source: all of them, or none.
func copyTree(root *os.Root, name string, from fs.FS, tree *check.Tree) error {
	if info, err := root.Lstat(VendorDir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no directory, and a link is not followed: remove it", VendorDir)
	}
	if err := root.MkdirAll(VendorDir, 0o755); err != nil {
		return err
	}
	place := path.Join(VendorDir, name)
	fresh := path.Join(VendorDir, unfinished+rand.Text())
	stale := path.Join(VendorDir, unfinished+rand.Text())
	defer root.RemoveAll(fresh)
	if err := root.Mkdir(fresh, 0o755); err != nil {
		return err
	}
	names, err := licences(from)
	if err != nil {
		return err
	}
	for _, in := range tree.Inputs {
		names = append(names, in.Path)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		raw, err := readFile(from, name)
		if err != nil {
			return err
		}
		to := path.Join(fresh, name)
		if err := root.MkdirAll(path.Dir(to), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(to, raw, 0o644); err != nil {
			return err
		}
	}
	switch err := root.Rename(place, stale); {
	case err == nil:
		defer root.RemoveAll(stale)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return root.Rename(fresh, place)
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// licences returns the names of files beside a tree's own that must go with them.
func licences(from fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(from, ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		// Markdown would be content.
		if e.Type().IsRegular() && licence.MatchString(e.Name()) && !strings.EqualFold(filepath.Ext(e.Name()), ".md") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// writeLock puts a lock in the place of another, all of it or nothing.
func writeLock(root *os.Root, was, now *Lock) error {
	if len(now.Sources) == 0 {
		if len(was.Sources) == 0 {
			return nil
		}
		// The directory is removed too if it is empty.
		_ = root.Remove(VendorDir)
		return root.Remove(LockFile)
	}
	if slices.Equal(was.Sources, now.Sources) {
		return nil
	}
	fresh := unfinished + rand.Text()
	defer root.Remove(fresh)
	err := root.WriteFile(fresh, now.bytes(), 0o644)
	if err == nil {
		err = root.Rename(fresh, LockFile)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", LockFile, systemError(err))
	}
	return nil
}
