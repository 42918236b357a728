// This file holds Make, which makes a release, and what it wants to know.

package dist

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed33527553/promptc/catalog"
)

// A Target is a platform that a program is built for.
type Target struct{ OS, Arch string }

// String returns the target as the go command writes it, such as "linux/amd64".
func (t Target) String() string { return t.OS + "/" + t.Arch }

// Targets returns the platforms that a release can be made for.
func Targets() []Target {
	return []Target{
		{"darwin", "amd64"}, {"darwin", "arm64"},
		{"linux", "amd64"}, {"linux", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"},
	}
}

// ParseTarget returns the target that a word such as "linux/amd64" names.
func ParseTarget(word string) (Target, error) {
	var names []string
	for _, t := range Targets() {
		if t.String() == word {
			return t, nil
		}
		names = append(names, t.String())
	}
	return Target{}, fmt.Errorf("%q is no platform; there are %s", word, strings.Join(names, ", "))
}

// About is what a release says of itself. What is empty is not said.
type About struct {
	// Version is a Semantic Version 2.0; Title and Description are for people.
	Version, Title, Description string
	// Author is who made it, License an SPDX expression.
	Author, License string
	// Repository is the URL of the source, Revision the commit of it.
	Repository, Revision string
	// Name is the server's in the MCP registry, such as "io.github.owner/name".
	Name string
	// DownloadURL is the directory on the web where the files of the release will be.
	DownloadURL string
	// Image is what the image will be called in its registry, without a tag.
	Image string
}

// A File goes into the archives besides the program.
type File struct {
	// Name is its path there, with slashes, and Path where it is.
	Name, Path string
}

// Options are what Make wants to know.
type Options struct {
	// Program is built, with Catalog compiled in.
	Program *Program
	Catalog *catalog.Catalog
	// Targets are the platforms to build for, each once.
	Targets []Target
	About   About
	// Files go into the archives.
	Files []File
	// Output is the directory that is made. If it exists it must be empty, or one that
	// Make made.
	Output string
	// Time stands in the artifacts where a time has to; without one that is 1980-01-01,
	// the first that ZIP knows.
	Time time.Time
	// Progress, if not nil, is told what is being done.
	Progress func(doing string)
}

// A Made artifact is a file of a release.
type Made struct {
	// Name is the file's path in the output directory, with slashes.
	Name string
	// Digest is the SHA-256 of the file, in lower-case hexadecimal, and Size its length
	// in bytes.
	Digest string
	Size   int64
}

// Make makes a release and returns its files, sorted by name. The output directory is
// there as a whole or, after an error, as it was before.
func Make(ctx context.Context, opt Options) ([]Made, error) {
	if opt.Progress == nil {
		opt.Progress = func(string) {}
	}
	if err := opt.About.check(opt.Targets); err != nil {
		return nil, err
	}
	out, err := newOutput(opt.Output)
	if err != nil {
		return nil, err
	}
	defer out.discard()
	r := &release{Options: opt, out: out}
	if err := r.make(ctx); err != nil {
		return nil, err
	}
	opt.Progress("writing " + sumsName)
	if err := out.finish(); err != nil {
		return nil, err
	}
	return out.made, nil
}

// A release is one that is being made.
type release struct {
	Options
	out   *output
	built []*built // in the order of the targets
	// bundles are the MCP bundles, in the order of the targets.
	bundles []Made
	// image is the digest of the image's index, if there is one.
	image string
}

// make makes all artifacts.
func (r *release) make(ctx context.Context) error {
	files, err := r.texts()
	if err != nil {
		return err
	}
	slices.SortFunc(r.Targets, func(a, b Target) int { return strings.Compare(a.String(), b.String()) })
	r.Targets = slices.Compact(r.Targets)
	for _, t := range r.Targets {
		r.Progress("building for " + t.String())
		b, err := r.build(ctx, t)
		if err != nil {
			return err
		}
		r.built = append(r.built, b)
	}
	for _, m := range r.built[0].info.Deps {
		if m.Replace != nil && filepath.IsAbs(m.Replace.Path) {
			r.Progress("note: the directory that replaces " + m.Path + " is named in the program, which elsewhere is another one")
		}
	}
	for _, b := range r.built {
		r.Progress("packing for " + b.target.String())
		program, err := b.read()
		if err != nil {
			return err
		}
		if err := r.archive(b, program, files); err != nil {
			return err
		}
		if err := r.bundle(b, program, files); err != nil {
			return err
		}
	}
	r.Progress("making the image")
	if err := r.makeImage(); err != nil {
		return err
	}
	if err := r.billOfMaterials(); err != nil {
		return err
	}
	return r.registryEntry()
}

// build builds the program for a target, and proves that the catalog is in it.
func (r *release) build(ctx context.Context, t Target) (*built, error) {
	b, err := r.Program.build(ctx, t, &r.About, r.out.scratch)
	if err != nil {
		return nil, err
	}
	program, err := b.read()
	if err != nil {
		return nil, err
	}
	if err := b.holds(program, r.Catalog.Digest); err != nil {
		return nil, err
	}
	if t == (Target{runtime.GOOS, runtime.GOARCH}) {
		if err := b.says(ctx, r.Catalog.Digest); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// texts reads the files that go into archives. A text has newlines there as line ends.
func (r *release) texts() ([]entry, error) {
	var entries []entry
	for _, f := range r.Files {
		info, err := os.Stat(f.Path)
		if err == nil && (!info.Mode().IsRegular() || info.Size() > maxText) {
			return nil, fmt.Errorf("%s is no file of at most %d bytes, and goes into every archive: move it away", f.Name, maxText)
		}
		var data []byte
		if err == nil {
			data, err = os.ReadFile(f.Path)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", f.Name, withoutPath(err))
		}
		entries = append(entries, entry{name: f.Name, mode: 0o644, data: []byte(catalog.Normalize(data))})
	}
	return entries, nil
}

// maxText is how long a file besides the program may be, in bytes.
const maxText = 4 << 20

// name returns the name of an artifact: that of the program, the version, and what is
// told apart further.
func (r *release) name(more ...string) string {
	return strings.Join(append([]string{r.Program.Name, r.About.Version}, more...), "_")
}

// time returns the time that stands in artifacts, from 1980 on.
func (r *release) time() time.Time {
	first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	if r.Time.Before(first) {
		return first
	}
	return r.Time.UTC()
}

// reverseDNS starts the names of what is ours in formats of others.
const reverseDNS = "io.github.seed33527553.promptc"

// A compiled tells in formats of others which catalog is in a server.
type compiled struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
}

func (r *release) compiled() compiled {
	return compiled{r.Catalog.Name, r.Catalog.Version, r.Catalog.Digest}
}

// Licences returns the files that should go into archives: licences, notices and readmes
// in dirs, of which the first that has a name wins. Their names get a directory before
// them, if it is not empty.
func Licences(directory string, dirs ...string) ([]File, error) {
	var files []File
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, withoutPath(err)
		}
		for _, e := range entries {
			name := path.Join(directory, e.Name())
			known := slices.ContainsFunc(files, func(f File) bool { return f.Name == name })
			if e.Type().IsRegular() && goesAlong(e.Name()) && !known {
				files = append(files, File{name, filepath.Join(dir, e.Name())})
			}
		}
	}
	return files, nil
}

// goesAlong tells whether a file of the given name goes with the program.
func goesAlong(name string) bool {
	stem, extension, _ := strings.Cut(strings.ToUpper(name), ".")
	switch extension {
	case "", "MD", "TXT":
	default:
		return false
	}
	word, _, _ := strings.Cut(stem, "-") // LICENSE-MIT
	return slices.Contains([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "README"}, word)
}
