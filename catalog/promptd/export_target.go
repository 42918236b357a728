// This file holds the directory that is exported to, and the record of what was written
// there.
//
// The record is written before anything else, with the digests of what is there and of
// what will be, and once more after everything. So whenever an export ends, what it
// wrote is on record, and the next one knows it from what somebody else wrote.

package promptd

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// A unit is what appears in a target whole or not at all: the directory of a skill, or
// the file of a prompt.
type unit struct {
	// Path is from the target, with slashes.
	Path string
	// Files are the contents by path from the unit's. A unit that is a file has one,
	// with an empty path.
	Files map[string]string
}

// stateDir holds the records of exports and, while one runs, what is not yet or no
// longer in its place.
const stateDir = ".promptc-export"

// maxRecordBytes is how long a record may be.
const maxRecordBytes = 64 << 20

// A record is what was written, and may be taken away again.
type record struct {
	Format int `json:"format"`
	// Directories are those that were made for units, from the target.
	Directories []string `json:"directories"`
	// Units are by path.
	Units map[string]*recorded `json:"units"`
}

// recordFormat is the format of records that this program writes and reads.
const recordFormat = 1

// recorded is a unit in a record.
type recorded struct {
	// Layouts are the names of those that the unit was written for.
	Layouts []string `json:"layouts"`
	// Files are the SHA-256 that each file may have, in lower-case hexadecimal: one
	// or, while an export runs, several.
	Files map[string][]string `json:"files"`
}

// A target is a directory that is exported to.
type target struct {
	root *os.Root
	// state is what the names of the catalog's record, and of the directory for
	// what is on its way, start with.
	state  string
	record record
	// moved counts the units that were put out of the way.
	moved int
}

// openTarget opens a directory and reads the record of a catalog's exports to it.
func openTarget(dir string, c *catalog.Catalog) (*target, error) {
	root, err := openDirectory(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot export to %s: %w", dir, plainCause(err))
	}
	t := &target{root: root, state: stateDir + "/" + slug(name(c)), record: record{Format: recordFormat, Units: map[string]*recorded{}}}
	if err := t.read(); err != nil {
		root.Close()
		return nil, fmt.Errorf("%s in %s: %w", t.recordName(), dir, err)
	}
	return t, nil
}

// slug returns a name as a part of a file's name. Catalogs of other names have other
// ones, so that several can be exported to one directory.
func slug(name string) string {
	if catalog.IsID(name) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "_" + hex.EncodeToString(sum[:8])
}

func (t *target) recordName() string { return t.state + ".json" }
func (t *target) staging() string    { return t.state + ".staging" }

// read reads the record, if there is one.
func (t *target) read() error {
	if info, err := t.root.Lstat(stateDir); err == nil && !info.IsDir() {
		return errors.New("it cannot be read, for " + stateDir + " is no directory")
	}
	f, err := t.root.Open(t.recordName())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return plainCause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecordBytes+1))
	switch {
	case err != nil:
		return plainCause(err)
	case len(data) > maxRecordBytes:
		return errors.New("the record is too long to be one of an export")
	}
	r, err := parseRecord(data)
	if err != nil {
		return fmt.Errorf("it is no record of an export (%w); nothing is touched", err)
	}
	t.record = *r
	return nil
}

// parseRecord reads a record. It is taken from a directory that others write to: only
// what an export could have written is accepted.
func parseRecord(data []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, errors.New("it is not the JSON that is expected")
	}
	if r.Format != recordFormat {
		return nil, fmt.Errorf("its format is %d and not %d", r.Format, recordFormat)
	}
	if r.Units == nil {
		r.Units = map[string]*recorded{}
	}
	for _, dir := range r.Directories {
		if !slices.ContainsFunc(layouts(), func(l layout) bool { return within(dir, l.skills) || l.commands != "" && within(dir, l.commands) }) {
			return nil, fmt.Errorf("it has the directory %q", dir)
		}
	}
	for p, u := range r.Units {
		if u == nil || len(u.Layouts) == 0 || len(u.Files) == 0 {
			return nil, fmt.Errorf("nothing is said of %q", p)
		}
		for _, name := range u.Layouts {
			if !slices.ContainsFunc(layouts(), func(l layout) bool { return l.name == name && l.holds(p, u) }) {
				return nil, fmt.Errorf("%q is no place of the layout %q", p, name)
			}
		}
	}
	return &r, nil
}

// within tells whether a directory is another one or leads to it.
func within(dir, to string) bool { return dir != "" && strings.HasPrefix(to+"/", dir+"/") }

// holds tells whether a recorded unit can be one of the layout's.
func (l *layout) holds(p string, u *recorded) bool {
	dir, base := path.Dir(p), path.Base(p)
	if _, single := u.Files[""]; single {
		id, ok := strings.CutSuffix(base, l.suffix)
		return l.commands != "" && dir == l.commands && ok && catalog.IsID(id) && len(u.Files) == 1
	}
	for file := range u.Files {
		if !fs.ValidPath(file) || file == "." {
			return false
		}
	}
	return dir == l.skills && catalog.IsID(base)
}

// save writes the record, which appears whole or not at all.
func (t *target) save() error {
	data, err := json.MarshalIndent(t.record, "", "  ")
	if err != nil {
		return err
	}
	if err := t.makeDirs(stateDir); err != nil {
		return err
	}
	next := t.recordName() + ".new"
	f, err := t.root.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return cannotWrite(next, err)
	}
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return cannotWrite(next, err)
	}
	return cannotWrite(t.recordName(), t.root.Rename(next, t.recordName()))
}

// makeDirs makes a directory and what leads to it.
func (t *target) makeDirs(dir string) error {
	return cannotWrite(dir, t.root.MkdirAll(dir, 0o755))
}

// missingDirs returns those of the directories that lead to a path that there are not.
func (t *target) missingDirs(p string) (missing []string) {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if _, err := t.root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, dir)
		}
	}
	return missing
}

// A condition is what a unit's place holds.
type condition int

const (
	absent  condition = iota // nothing
	written                  // what was written, or a part of it, and nothing else
	joined                   // that, and what somebody added
	edited                   // something else
)

// look tells what the place of a unit holds, by the record; u is nil for a unit that is
// not on record. about names a file for which it is joined or edited.
func (t *target) look(p string, u *recorded) (is condition, about string, err error) {
	info, err := t.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, "", nil
	case err != nil:
		return edited, "", cannotRead(p, err)
	case u == nil:
		return edited, "", nil
	}
	if _, single := u.Files[""]; single != info.Mode().IsRegular() || !single && !info.IsDir() {
		return edited, "", nil
	}
	if !info.IsDir() {
		digest, err := digest(t.root, p)
		if err != nil {
			return edited, "", cannotRead(p, err)
		}
		if !slices.Contains(u.Files[""], digest) {
			return edited, "", nil
		}
		return written, "", nil
	}
	dir, err := t.root.OpenRoot(p)
	if err != nil {
		return edited, "", cannotRead(p, err)
	}
	defer dir.Close()
	leading := map[string]bool{} // directories that a file of the unit is in
	for file := range u.Files {
		for d := path.Dir(file); d != "."; d = path.Dir(d) {
			leading[d] = true
		}
	}
	is = written
	err = fs.WalkDir(dir.FS(), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return cannotRead(path.Join(p, file), err)
		}
		digests, known := u.Files[file]
		switch {
		case file == "." || d.IsDir() && leading[file]:
			return nil
		case !known:
			is, about = max(is, joined), cmp.Or(about, file)
			return nil
		case d.Type().IsRegular():
			sum, err := digest(dir, file)
			if err != nil {
				return cannotRead(path.Join(p, file), err)
			}
			if slices.Contains(digests, sum) {
				return nil
			}
		}
		is, about = edited, file
		return fs.SkipAll
	})
	return is, about, err
}

// digest returns the SHA-256 of a file, or nothing for one that is longer than any that
// was ever written.
func digest(root *os.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, io.LimitReader(f, maxFileBytes+1)); err != nil || n > maxFileBytes {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// holds tells whether the place of a unit holds all of it as it is to be.
func (t *target) holds(u *unit) (bool, error) {
	whole := recorded{Files: digestsOf(u)}
	if is, _, err := t.look(u.Path, &whole); err != nil || is == absent || is == edited {
		return false, err
	}
	for file := range u.Files {
		if _, err := t.root.Lstat(path.Join(u.Path, file)); err != nil {
			return false, nil
		}
	}
	return true, nil
}

// digestsOf returns what a record says of a unit that was written.
func digestsOf(u *unit) map[string][]string {
	digests := map[string][]string{}
	for file, text := range u.Files {
		sum := sha256.Sum256([]byte(text))
		digests[file] = []string{hex.EncodeToString(sum[:])}
	}
	return digests
}

// put writes a unit to its place, where there is nothing or what was written before.
func (t *target) put(u *unit) error {
	next := t.staging() + "/next"
	if err := t.root.RemoveAll(next); err != nil {
		return cannotWrite(next, err)
	}
	if text, single := u.Files[""]; single {
		if err := t.makeDirs(t.staging()); err != nil {
			return err
		}
		if err := t.root.WriteFile(next, []byte(text), 0o644); err != nil {
			return cannotWrite(u.Path, err)
		}
	} else if err := t.writeDir(next, u); err != nil {
		return cannotWrite(u.Path, err)
	}
	if err := t.makeDirs(path.Dir(u.Path)); err != nil {
		return err
	}
	if _, single := u.Files[""]; !single {
		// A directory cannot take the place of another one.
		if err := t.take(u.Path); err != nil {
			return err
		}
	}
	return cannotWrite(u.Path, t.root.Rename(next, u.Path))
}

// writeDir writes the files of a unit to a new directory.
func (t *target) writeDir(name string, u *unit) error {
	if err := t.root.MkdirAll(name, 0o755); err != nil {
		return err
	}
	dir, err := t.root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for file, text := range u.Files {
		if err := dir.MkdirAll(path.Dir(file), 0o755); err != nil {
			return err
		}
		if err := dir.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// take takes a unit from its place, if it is there, all at once.
func (t *target) take(p string) error {
	if _, err := t.root.Lstat(p); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := t.makeDirs(t.staging()); err != nil {
		return err
	}
	t.moved++
	return cannotWrite(p, t.root.Rename(p, t.staging()+"/old"+strconv.Itoa(t.moved)))
}

// takeFiles takes the files of a unit from among others: first the one that makes a
// directory a skill, so that no host finds the rest.
func (t *target) takeFiles(p string, u *recorded) error {
	names := slices.Sorted(maps.Keys(u.Files))
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/"))
	})
	if i := slices.Index(names, "SKILL.md"); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "SKILL.md")
	}
	for _, file := range names {
		name := path.Join(p, file)
		if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotWrite(name, err)
		}
		for dir := path.Dir(name); dir != p && t.root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
	}
	return nil
}

// clear removes what is on its way, which a former export may have left.
func (t *target) clear() error {
	return cannotWrite(t.staging(), t.root.RemoveAll(t.staging()))
}

// finish saves the record or, where nothing is on it any more, removes it and the
// directories that exports made.
func (t *target) finish() error {
	if err := t.clear(); err != nil {
		return err
	}
	// The deepest first; those that others use are not empty.
	slices.SortFunc(t.record.Directories, func(a, b string) int { return cmp.Compare(b, a) })
	t.record.Directories = slices.DeleteFunc(slices.Compact(t.record.Directories), func(dir string) bool {
		needed := slices.ContainsFunc(slices.Collect(maps.Keys(t.record.Units)), func(p string) bool { return strings.HasPrefix(p, dir+"/") })
		if needed {
			return false
		}
		err := t.root.Remove(dir)
		return err == nil || errors.Is(err, fs.ErrNotExist) || len(t.record.Units) == 0
	})
	if len(t.record.Units) > 0 {
		return t.save()
	}
	for _, name := range []string{t.recordName(), t.recordName() + ".new"} {
		if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotWrite(name, err)
		}
	}
	_ = t.root.Remove(stateDir) // another catalog's record may be there
	return nil
}
