// This file holds the lock and the vendored trees: sources as they are in a release.

package gen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
)

// What Vendor writes lies beside the content directory.
const (
	// LockFile says which commit of each source a release is made of.
	LockFile = "promptc.lock"
	// VendorDir holds a directory for each source, with the files of that commit that
	// the compiler reads, and its licence.
	VendorDir = "promptc.vendor"
)

// maxLock is how long a lock may be, in bytes.
const maxLock = 1 << 20

// A Lock is what LockFile says.
type Lock struct {
	// Sources are in the order in which they are merged.
	Sources []Locked `json:"sources"`
}

// A Locked source is one that was vendored.
type Locked struct {
	Name       string       `json:"name"`
	Repository string       `json:"repository"`
	Branch     string       `json:"branch,omitempty"`
	Path       string       `json:"path,omitempty"`
	Layout     check.Layout `json:"layout"`
	// Given tells that the command line or the environment named the source, and not
	// catalog.yaml.
	Given bool `json:"given,omitempty"`
	// Commit is the full name of the commit, in hexadecimal.
	Commit string `json:"commit"`
	// Digest is that of the tree; see catalog.Source.
	Digest string `json:"digest"`
}

// names tells whether the locked source is the one that settings name.
func (l *Locked) names(s *check.Source, given bool) bool {
	return l.Name == s.Name && l.Repository == s.Repository && l.Branch == s.Branch && l.Path == s.Path &&
		(s.Layout == "" || s.Layout == l.Layout) && l.Given == given
}

var (
	commitForm = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)
	digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// readLock reads the lock beside a content directory; it is empty where there is none.
func readLock(beside fs.FS) (*Lock, error) {
	broken := func(why string) error {
		return fmt.Errorf("%s %s; restore it, or run promptc vendor --update to make it anew", LockFile, why)
	}
	info, err := fs.Stat(beside, LockFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Lock{}, nil
	case err == nil && !info.Mode().IsRegular(): // the opening of a named pipe has no end
		return nil, broken("is not a file")
	}
	f, err := beside.Open(LockFile)
	if err != nil {
		return nil, broken("cannot be read: " + systemError(err).Error())
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLock+1))
	switch {
	case err != nil:
		return nil, broken("cannot be read: " + systemError(err).Error())
	case len(text) > maxLock:
		return nil, broken(fmt.Sprintf("has more than %d bytes", maxLock))
	}
	lock := &Lock{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if !json.Valid(text) || d.Decode(lock) != nil { // a decoder stops before what follows
		return nil, broken("is not what promptc vendor writes")
	}
	names := map[string]bool{}
	for i := range lock.Sources {
		l := &lock.Sources[i]
		switch {
		case !catalog.IsID(l.Name) || l.Name == catalog.BuiltIn:
			return nil, broken(fmt.Sprintf("names a source %.70q, which is not an id", l.Name))
		case names[l.Name]:
			return nil, broken(fmt.Sprintf("names the source %q twice", l.Name))
		case !commitForm.MatchString(l.Commit), !digestForm.MatchString(l.Digest), !slices.Contains(check.Layouts(), string(l.Layout)):
			return nil, broken(fmt.Sprintf("does not say commit, digest and layout of the source %q", l.Name))
		}
		names[l.Name] = true
	}
	return lock, nil
}

// bytes returns the lock as it is written.
func (l *Lock) bytes() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(l); err != nil {
		panic(err) // texts are always JSON
	}
	return b.Bytes()
}

// around is the directory that holds a content directory.
func around(content string) string {
	abs, err := filepath.Abs(content)
	if err != nil {
		return filepath.Join(content, "..")
	}
	return filepath.Dir(abs)
}

// systemError returns an error without the path, which is the machine's.
func systemError(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// vendorRoot is how the vendored tree of a source is named, if the content directory
// is named root.
func vendorRoot(root, name string) string {
	dir := path.Dir(root)
	if root == "." || strings.HasPrefix(dir, "..") {
		dir = "."
	}
	return path.Join(dir, VendorDir, name)
}

// loadVendored reads the vendored tree of a source.
func loadVendored(content, root string, l *Locked) (*check.Tree, error) {
	dir, err := openDirectory(filepath.Join(around(content), VendorDir, l.Name))
	if err != nil {
		return nil, notVendored(root, l, err)
	}
	defer dir.Close()
	return l.load(dir.FS(), root)
}

// load reads the vendored tree of the source from its directory.
func (l *Locked) load(dir fs.FS, root string) (*check.Tree, error) {
	tree, err := Load(dir, Options{Root: vendorRoot(root, l.Name), Layout: l.Layout})
	if err != nil {
		return nil, notVendored(root, l, err)
	}
	tree.Source = catalog.Source{Name: l.Name, Repository: l.Repository, Branch: l.Branch, Path: l.Path, Commit: l.Commit}
	return tree, nil
}

// notVendored returns the error for a vendored tree that cannot be read.
func notVendored(root string, l *Locked, err error) error {
	shown := vendorRoot(root, l.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there, which %s names; run promptc vendor", shown, LockFile)
	}
	return fmt.Errorf("cannot read %s: %w", shown, systemError(err))
}

// A Release is a content directory and what was vendored beside it.
type Release struct {
	root  string
	trees []*check.Tree
	// Program is what they come to together; nil where there are faults.
	Program          *check.Program
	Faults, Warnings diag.List
	// Unvendored are the faults of sources that catalog.yaml names and that are not
	// vendored as it has them, and of those that are vendored and that it does not name.
	Unvendored diag.List
}

// CompileRelease compiles a content directory with what was vendored beside it. The
// error is an I/O error, says that a tree is larger than the limits, or that what was
// vendored is not what the lock says.
func CompileRelease(content string, opt Options) (*Release, error) {
	opt.Layout = check.Contract
	root, err := openDirectory(content)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	tree, err := Load(root.FS(), opt)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(os.DirFS(around(content)))
	if err != nil {
		return nil, err
	}
	trees, err := withVendored(tree, lock, func(l *Locked) (*check.Tree, error) { return loadVendored(content, opt.Root, l) })
	if err != nil {
		return nil, err
	}
	r := &Release{root: opt.Root, trees: trees}
	r.Program, r.Faults, r.Warnings = check.Trees(trees)
	r.Unvendored = unvendored(check.Sources(tree.Inputs), lock, tree)
	return r, nil
}

// Sound returns the program of what has no faults, which is all of it where there are
// none.
func (r *Release) Sound() *check.Program {
	if r.Program != nil {
		return r.Program
	}
	return sound(r.trees)
}

// sound returns the program of what has no faults in trees.
func sound(trees []*check.Tree) *check.Program {
	lenient := make([]*check.Tree, len(trees))
	for i, t := range trees {
		copied := *t
		copied.Lenient = true
		lenient[i] = &copied
	}
	program, _, _ := check.Trees(lenient)
	return program
}

// LoadRelease reads the content tree in content, with what was vendored beside it, as
// CompileRelease does, for [check.Trees]. What lies beside the content directory is in
// beside.
func LoadRelease(content, beside fs.FS, opt Options) ([]*check.Tree, error) {
	opt.Layout = check.Contract
	tree, err := Load(content, opt)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(beside)
	if err != nil {
		return nil, err
	}
	return withVendored(tree, lock, func(l *Locked) (*check.Tree, error) {
		dir, err := fs.Sub(beside, path.Join(VendorDir, l.Name))
		if err != nil {
			return nil, notVendored(opt.Root, l, err)
		}
		return l.load(dir, opt.Root)
	})
}

// withVendored returns a content tree and the vendored ones that the lock names, which
// load reads and which must be what is locked.
func withVendored(tree *check.Tree, lock *Lock, load func(*Locked) (*check.Tree, error)) ([]*check.Tree, error) {
	declared := check.Sources(tree.Inputs)
	trees := []*check.Tree{tree}
	for i := range lock.Sources {
		l := &lock.Sources[i]
		vendored, err := load(l)
		if err != nil {
			return nil, err
		}
		if vendored.Digest() != l.Digest {
			return nil, fmt.Errorf("%s is not what %s says; run promptc vendor to have it so again, or promptc vendor --update for the newest", vendored.Root, LockFile)
		}
		if j := slices.IndexFunc(declared, func(s check.Source) bool { return s.Name == l.Name }); j >= 0 {
			vendored.Lenient = declared[j].SkipInvalid
		}
		trees = append(trees, vendored)
	}
	return trees, nil
}

// Rename names the content directory root where the program tells what a file was made
// from, and what lies beside it accordingly.
func (r *Release) Rename(root string) {
	r.Program.Root = root
	for p, origin := range r.Program.Origins {
		if rest, ok := strings.CutPrefix(origin, vendorRoot(r.root, "")+"/"); ok {
			r.Program.Origins[p] = vendorRoot(root, rest)
		}
	}
}

// unlocked reports a source that is not locked as its settings are.
func unlocked(faults *diag.List, lock *Lock, s *check.Source, given bool, place diag.Span) {
	at := slices.IndexFunc(lock.Sources, func(l Locked) bool { return l.Name == s.Name })
	switch {
	case at < 0:
		faults.Add(place, "sources", fmt.Sprintf("the source %q is not vendored", s.Name), "run promptc vendor")
	case !lock.Sources[at].names(s, given):
		faults.Add(place, "sources", fmt.Sprintf("the source %q was vendored with other settings", s.Name), "run promptc vendor")
	}
}

// unvendored returns the faults of sources that are not vendored as catalog.yaml has
// them.
func unvendored(declared []check.Source, lock *Lock, tree *check.Tree) (faults diag.List) {
	for i := range declared {
		unlocked(&faults, lock, &declared[i], false, declared[i].Span)
	}
	for _, l := range lock.Sources {
		if !l.Given && !slices.ContainsFunc(declared, func(s check.Source) bool { return s.Name == l.Name }) {
			faults.Add((&Options{Root: tree.Root}).source(check.SettingsFile).Top(), "sources",
				fmt.Sprintf("the source %q is vendored, and not named here", l.Name), "run promptc vendor, which removes it")
		}
	}
	return faults
}
