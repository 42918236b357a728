// This file holds the output directory, which is there as a whole or not at all.

package dist

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	sumsName  = "checksums.txt"
	imageName = "oci"
)

// An output is a directory that is being made.
type output struct {
	// final is where it will be, dir where it is, and scratch a directory for what is
	// not released; both are in temporary.
	final, temporary, dir, scratch string
	made                           []Made
}

// newOutput returns an empty directory that will take the place of final. What is there
// now must be nothing, or a release.
func newOutput(final string) (*output, error) {
	final, err := filepath.Abs(final)
	if err != nil {
		return nil, err
	}
	o := &output{final: final}
	if err := o.replaceable(); err != nil {
		return nil, err
	}
	parent := filepath.Dir(final)
	err = os.MkdirAll(parent, 0o777)
	if err == nil {
		// Beside its place, so that it can be renamed.
		o.temporary, err = os.MkdirTemp(parent, "."+filepath.Base(final)+"-")
	}
	o.dir, o.scratch = filepath.Join(o.temporary, "new"), filepath.Join(o.temporary, "scratch")
	for _, dir := range []string{o.dir, o.scratch} {
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
	}
	if err != nil {
		o.discard()
		return nil, fmt.Errorf("cannot write beside %s: %w", o.name(), withoutPath(err))
	}
	return o, nil
}

// name is what readers know the directory by.
func (o *output) name() string { return filepath.Base(o.final) }

// replaceable fails if the directory has anything in it that Make did not write.
func (o *output) replaceable() error {
	info, err := os.Lstat(o.final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", o.name(), withoutPath(err))
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: remove it, or choose another one with --output", o.name())
	}
	entries, err := os.ReadDir(o.final)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", o.name(), withoutPath(err))
	}
	ours := []string{sumsName}
	if sums, err := readText(filepath.Join(o.final, sumsName)); err == nil {
		for line := range strings.Lines(sums) {
			if _, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
				ours = append(ours, name)
			}
		}
		if _, err := os.Lstat(filepath.Join(o.final, imageName, "oci-layout")); err == nil {
			ours = append(ours, imageName)
		}
	}
	for _, e := range entries {
		if !slices.Contains(ours, e.Name()) {
			return fmt.Errorf("%s holds %q, which is no part of a release: move it away, or choose another directory with --output", o.name(), e.Name())
		}
	}
	return nil
}

// readText reads a file of at most maxText bytes.
func readText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText))
	return string(text), err
}

// write makes an artifact of what fill writes.
func (o *output) write(name string, fill func(io.Writer) error) (Made, error) {
	path := filepath.Join(o.dir, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		err = f.Chmod(0o644) // whatever the umask
	}
	if err != nil {
		return Made{}, fmt.Errorf("cannot write %s: %w", name, withoutPath(err))
	}
	h := sha256.New()
	err = fill(io.MultiWriter(f, h))
	size, seekErr := f.Seek(0, io.SeekCurrent)
	if err := errors.Join(err, seekErr, f.Close()); err != nil {
		return Made{}, fmt.Errorf("cannot write %s: %w", name, withoutPath(err))
	}
	made := Made{Name: name, Digest: hex.EncodeToString(h.Sum(nil)), Size: size}
	o.made = append(o.made, made)
	return made, nil
}

// finish writes the checksums, in the form of sha256sum, and puts the directory in its
// place.
func (o *output) finish() error {
	slices.SortFunc(o.made, func(a, b Made) int { return strings.Compare(a.Name, b.Name) })
	var sums strings.Builder
	for _, m := range o.made {
		fmt.Fprintf(&sums, "%s  %s\n", m.Digest, m.Name)
	}
	if _, err := o.write(sumsName, func(w io.Writer) error {
		_, err := io.WriteString(w, sums.String())
		return err
	}); err != nil {
		return err
	}
	slices.SortFunc(o.made, func(a, b Made) int { return strings.Compare(a.Name, b.Name) })
	if err := os.Chmod(o.dir, 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w", o.name(), withoutPath(err))
	}
	// Something may have been put there since.
	if err := o.replaceable(); err != nil {
		return err
	}
	old := filepath.Join(o.temporary, "old")
	err := os.Rename(o.final, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot replace %s: %w", o.name(), withoutPath(err))
	}
	replaced := err == nil
	if err := os.Rename(o.dir, o.final); err != nil {
		if replaced {
			err = errors.Join(err, os.Rename(old, o.final))
		}
		return fmt.Errorf("cannot write %s: %w", o.name(), withoutPath(err))
	}
	return nil
}

// discard removes what is temporary.
func (o *output) discard() {
	if o.temporary != "" {
		_ = os.RemoveAll(o.temporary)
	}
}

// withoutPath returns an error of the system's without the paths, which are the
// machine's.
func withoutPath(err error) error {
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
