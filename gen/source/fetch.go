// This file holds the fetch of one commit: from a repository to a tree of plain files.

package source

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// downloadFactor is how much larger than the limit of the content a download may be:
// what lies outside the path, or starts with a dot, is downloaded too.
const downloadFactor = 4

// A fetch brings one commit into the cache, whose lock it is under.
type fetch struct {
	source *Source
	access *access
	git    *git
	// dir is the temporary directory, in which git runs.
	dir string
}

// begin prepares a fetch.
func (s *Source) begin(a *access) (*fetch, error) {
	dir, err := s.cache.workDir()
	if err != nil {
		return nil, err
	}
	g, err := newGit(dir, a, downloadFactor*min(s.options.MaxBytes, math.MaxInt64/downloadFactor), s.options.Getenv)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return &fetch{s, a, g, dir}, nil
}

func (f *fetch) end() { os.RemoveAll(f.dir) }

// reference is what the branch is called in the repository.
func (f *fetch) reference() string {
	if f.source.settings.Branch == "" {
		return "HEAD"
	}
	return "refs/heads/" + f.source.settings.Branch
}

// head asks the repository for the branch's commit.
func (f *fetch) head(ctx context.Context) (string, error) {
	var references map[string]string
	err := f.git.run(ctx, nil, func(r io.Reader) (err error) {
		references, err = readReferences(r)
		return err
	}, "ls-remote", "--symref", "--", f.access.url, "HEAD", f.reference())
	if err != nil {
		return "", err
	}
	if commit := references[f.reference()]; commit != "" {
		return commit, nil
	}
	branch := f.source.settings.Branch
	switch {
	case branch == "":
		return "", problem("no branch is there; the repository is empty, its HEAD names none, or the URL leads to something else; push a commit, name a branch, or check the URL")
	case len(references) == 0:
		return "", problem(fmt.Sprintf("there is no branch %.100q; the repository may be empty, or the URL lead to something else", branch))
	}
	return "", problem(fmt.Sprintf("there is no branch %.100q; check its name", branch))
}

// get downloads what a reference or commit names, writes its files and returns them as
// a tree. object is a name of the form that the repository uses.
func (f *fetch) get(ctx context.Context, wanted, object string) (*tree, error) {
	now := f.source.now()
	const tip = "refs/promptc/tip"
	format := "sha1"
	if len(object) == 64 {
		format = "sha256"
	}
	err := f.git.run(ctx, nil, nil, "init", "--quiet", "--bare", "--object-format="+format, repository)
	if err != nil {
		return nil, err
	}
	in := func(args ...string) []string { return append([]string{"--git-dir=" + repository}, args...) }
	err = f.git.run(ctx, nil, nil, in("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance",
		"--no-write-fetch-head", "--", f.access.url, "+"+wanted+":"+tip)...)
	if err != nil {
		return nil, err
	}
	s := &state{Fetched: now}
	err = f.git.run(ctx, nil, func(r io.Reader) error {
		line, err := io.ReadAll(io.LimitReader(r, 100))
		s.Commit = strings.TrimSuffix(string(line), "\n")
		if err == nil && !isObject(s.Commit) {
			err = errOutput
		}
		return err
	}, in("rev-parse", "--verify", "--end-of-options", tip+"^{commit}")...)
	if err != nil {
		return nil, err
	}
	top, err := f.directory(ctx, in, s.Commit)
	if err != nil {
		return nil, err
	}
	files, err := f.list(ctx, in, top, s)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(f.dir, "tree")
	if s.Digest, err = f.write(ctx, in, dir, files); err != nil {
		return nil, err
	}
	return f.source.cache.add(dir, s)
}

// directory returns the object to list: the commit, or the directory that the path of
// the settings names in it.
func (f *fetch) directory(ctx context.Context, in func(...string) []string, commit string) (string, error) {
	wanted := f.source.settings.Path
	if wanted == "" {
		return commit, nil
	}
	var found *entry
	err := f.git.run(ctx, nil, func(r io.Reader) error {
		return readEntries(r, func(e entry) error {
			if e.path == wanted {
				found = &e
			}
			return nil
		})
	}, in("ls-tree", "-l", "-z", commit, "--", wanted)...)
	switch {
	case err != nil:
		return "", err
	case found == nil:
		return "", problem(fmt.Sprintf("there is no directory %.100q in it; check the path", wanted))
	case found.mode == modeLink:
		return "", problem(fmt.Sprintf("%.100q in it is a symbolic link, which is never followed; name the directory", wanted))
	case found.mode == modeSubmodule:
		return "", problem(fmt.Sprintf("%.100q in it is a submodule, which is never fetched; name its own repository", wanted))
	case found.mode != modeDirectory:
		return "", problem(fmt.Sprintf("%.100q in it is a file; name a directory", wanted))
	}
	return found.object, nil
}

// list returns the files to write, after every one was checked, and notes in the state
// what is not served.
func (f *fetch) list(ctx context.Context, in func(...string) []string, object string, s *state) ([]entry, error) {
	var files []entry
	options := &f.source.options
	count, size := 0, int64(0)
	err := f.git.run(ctx, nil, func(r io.Reader) error {
		return readEntries(r, func(e entry) error {
			if !isLocal(e.path) {
				return problem(fmt.Sprintf("it holds the path %.200q, which cannot be a file's on every system; rename it", e.path))
			}
			if isHidden(e.path) {
				return nil
			}
			if count++; count > options.MaxFiles {
				return problem(fmt.Sprintf("it holds more than %d files; name the directory of the content by its path, or remove some", options.MaxFiles))
			}
			switch e.mode {
			case modeLink:
				s.Links = append(s.Links, e.path)
			case modeSubmodule:
				s.Submodules = append(s.Submodules, e.path)
			case modeDirectory:
				return errOutput
			default:
				// Compared so that no sum of sizes can overflow.
				if e.size > options.MaxBytes-size {
					return problem("its files hold more than " + megabytes(options.MaxBytes) + "; name the directory of the content by its path, or remove some")
				}
				size += e.size
				files = append(files, e)
			}
			return nil
		})
	}, in("ls-tree", "-r", "-l", "-z", "--full-tree", object)...)
	return files, err
}

// isHidden tells whether a file is left out: it, or a directory that it is in, starts
// with a dot.
func isHidden(p string) bool { return p[0] == '.' || strings.Contains(p, "/.") }

// write writes files into a new directory and returns their digest.
func (f *fetch) write(ctx context.Context, in func(...string) []string, dir string, files []entry) (string, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	var digest digester
	var objects strings.Builder
	for _, e := range files {
		objects.WriteString(e.object + "\n")
	}
	err = f.git.run(ctx, strings.NewReader(objects.String()), func(r io.Reader) error {
		b := bufio.NewReader(r)
		for _, e := range files {
			if err := readBlob(b, e); err != nil {
				return err
			}
			content := sha256.New()
			if err := writeFile(root, e, io.TeeReader(io.LimitReader(b, e.size), content)); err != nil {
				return err
			}
			if c, err := b.ReadByte(); err != nil || c != '\n' {
				return errOutput
			}
			digest.add(e.path, content)
		}
		return nil
	}, in("cat-file", "--batch")...)
	return digest.sum(), err
}

// writeFile writes one file, which must not be there, and its directories.
func writeFile(root *os.Root, e entry, content io.Reader) error {
	name := filepath.FromSlash(e.path)
	if d := path.Dir(e.path); d != "." {
		if err := root.MkdirAll(filepath.FromSlash(d), 0o700); err != nil {
			return err
		}
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	n, err := io.Copy(file, content)
	if err != nil {
		return err
	}
	if n != e.size {
		return errOutput
	}
	return file.Close()
}

// update brings the cache up to date, as far as it is not older than the TTL or the
// fetch is forced, and makes the newest tree the source's.
func (s *Source) update(ctx context.Context, forced bool) error {
	if s.adopt() && !forced {
		return nil
	}
	lock, err := s.cache.lock(ctx)
	if err != nil {
		return s.explain(&access{}, err)
	}
	defer lock.Unlock()
	// Another process may have fetched while this one waited.
	if s.adopt() && !forced {
		return nil
	}
	s.cache.clean()
	a, err := newAccess(s.repository, s.settings.Token, s.options.Getenv)
	if err != nil {
		return s.explain(&access{}, err)
	}
	return s.explain(a, s.pull(ctx, a))
}

// pull asks for the branch's commit, and fetches it unless the source has it. The
// caller holds the cache's lock.
func (s *Source) pull(ctx context.Context, a *access) error {
	f, err := s.begin(a)
	if err != nil {
		return err
	}
	defer f.end()
	now := s.now()
	commit, err := f.head(ctx)
	if err != nil {
		return err
	}
	current := s.tree()
	if current != nil && current.Commit == commit && current.sound() {
		same := current.state
		same.Fetched = now
		if err := s.cache.write(&same); err != nil {
			return err
		}
		s.set(current, now)
		return nil
	}
	t, err := f.get(ctx, f.reference(), commit)
	if err != nil {
		return err
	}
	t.Fetched = now
	if err := s.cache.write(&t.state); err != nil {
		t.release()
		return err
	}
	s.set(t, now)
	s.cache.clean()
	s.report(t)
	return nil
}

// at fetches one commit, whatever the branch is at, for its caller alone.
func (s *Source) at(ctx context.Context, commit string) (*tree, error) {
	lock, err := s.cache.lock(ctx)
	if err != nil {
		return nil, s.explain(&access{}, err)
	}
	defer lock.Unlock()
	s.cache.clean()
	a, err := newAccess(s.repository, s.settings.Token, s.options.Getenv)
	if err != nil {
		return nil, s.explain(&access{}, err)
	}
	f, err := s.begin(a)
	if err != nil {
		return nil, s.explain(a, err)
	}
	defer f.end()
	t, err := f.get(ctx, commit, commit)
	return t, s.explain(a, err)
}

// sinceFetched tells how old what was fetched is; a time in the future, as of a clock
// that was set back, makes it older than anything.
func sinceFetched(now, fetched time.Time) time.Duration {
	if age := now.Sub(fetched); age >= 0 {
		return age
	}
	return 1<<63 - 1
}
