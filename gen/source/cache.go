// This file holds the cache of one source on disk.

package source

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// A cache is the directory of one source:
//
//	lock               held by the process that fetches
//	current.json       the state: which tree is the newest
//	trees/<id>/        plain files; nothing changes in them
//	trees/<id>.lock    held shared by every process that has the tree open
//	work/<id>/         what is being fetched; abandoned where nobody holds lock
//
// An id is never used twice. A tree is complete before current.json names it, and is
// removed only by the holder of lock that could also take the tree's.
type cache struct{ dir string }

// maxState is how large current.json may be, in bytes.
const maxState = 64 << 20

// lockPoll is how often a lock that another process holds is tried.
const lockPoll = 20 * time.Millisecond

// A state is what current.json holds.
type state struct {
	Commit     string    `json:"commit"`
	Fetched    time.Time `json:"fetched"`
	Tree       string    `json:"tree"`
	Digest     string    `json:"digest"`
	Links      []string  `json:"links,omitempty"`
	Submodules []string  `json:"submodules,omitempty"`
}

// newCache returns the cache of a repository without user and password, a branch and
// a path. Nothing is written.
func newCache(dir, repository, branch, path string) *cache {
	key := sha256.Sum256([]byte(repository + "\x00" + branch + "\x00" + path))
	return &cache{filepath.Join(dir, "sources", hex.EncodeToString(key[:16]))}
}

func (c *cache) at(elements ...string) string {
	return filepath.Join(append([]string{c.dir}, elements...)...)
}

// lock makes the directories and waits until no other process fetches.
func (c *cache) lock(ctx context.Context) (*flock.Flock, error) {
	for _, dir := range []string{c.at("trees"), c.at("work")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	lock := flock.New(c.at("lock"))
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, problem("another process has been fetching the same repository all the time; look whether it hangs")
		}
		return nil, err
	}
	return lock, nil
}

// workDir makes a temporary directory. The caller holds the lock.
func (c *cache) workDir() (string, error) {
	dir := c.at("work", rand.Text())
	return dir, os.Mkdir(dir, 0o700)
}

// read returns the state, nil if there is none or nothing can be made of it.
func (c *cache) read() *state {
	f, err := os.Open(c.at("current.json"))
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxState))
	var s state
	if err != nil || json.Unmarshal(data, &s) != nil || !isObject(s.Commit) || !isTreeID(s.Tree) {
		return nil
	}
	return &s
}

// write replaces the state at once. The caller holds the lock.
func (c *cache) write(s *state) (err error) {
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	name := c.at("work", rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(name)
		}
	}()
	_, err = f.Write(append(data, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name, c.at("current.json")); err != nil {
		return err
	}
	// A directory cannot be synced everywhere, and need not be: the old state is as
	// sound as the new one.
	if d, err := os.Open(c.dir); err == nil {
		d.Sync()
		d.Close()
	}
	return nil
}

// add moves a finished tree into place and opens it. The caller holds the lock.
func (c *cache) add(dir string, s *state) (*tree, error) {
	s.Tree = rand.Text()
	if err := os.WriteFile(c.at("trees", s.Tree+".lock"), nil, 0o600); err != nil {
		return nil, err
	}
	if err := os.Rename(dir, c.at("trees", s.Tree)); err != nil {
		return nil, err
	}
	return c.open(s)
}

// open opens the tree of a state. It fails where the tree was removed since the state
// was read.
func (c *cache) open(s *state) (*tree, error) {
	// Without os.O_CREATE: a lock that is gone must not come back.
	lock := flock.New(c.at("trees", s.Tree+".lock"), flock.SetFlag(os.O_RDONLY))
	locked, err := lock.TryRLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fs.ErrNotExist // it is being removed
	}
	root, err := os.OpenRoot(c.at("trees", s.Tree))
	if err != nil {
		lock.Unlock()
		return nil, err
	}
	t := &tree{state: *s, root: root, lock: lock}
	t.users.Store(1)
	return t, nil
}

// load returns the newest tree, nil if there is none that is sound. Where that is have,
// it is have, and not looked at again. It needs no lock, and writes nothing.
func (c *cache) load(have *tree) (*tree, *state) {
	// Another process may remove what the state named a moment ago.
	for range 5 {
		s := c.read()
		if s == nil {
			return nil, nil
		}
		if have != nil && have.Tree == s.Tree {
			return have, s
		}
		t, err := c.open(s)
		if err != nil {
			continue
		}
		if !t.sound() {
			t.release()
			continue
		}
		return t, s
	}
	return nil, nil
}

// clean removes what nobody needs: abandoned work, and trees but the current one that
// no process has open. The caller holds the lock.
func (c *cache) clean() {
	var current string
	if s := c.read(); s != nil {
		current = s.Tree
	}
	work, _ := os.ReadDir(c.at("work"))
	for _, d := range work {
		os.RemoveAll(c.at("work", d.Name()))
	}
	trees, _ := os.ReadDir(c.at("trees"))
	for _, d := range trees {
		id, isLock := strings.CutSuffix(d.Name(), ".lock")
		if !isLock || id == current || !isTreeID(id) {
			continue
		}
		lock := flock.New(c.at("trees", d.Name()), flock.SetFlag(os.O_RDONLY))
		if locked, err := lock.TryLock(); err != nil || !locked {
			continue
		}
		// The tree goes at once, so that no part of it is ever found, and its lock when it
		// is released, since an open file cannot be removed everywhere.
		gone := c.at("work", rand.Text())
		err := os.Rename(c.at("trees", id), gone)
		os.RemoveAll(gone)
		lock.Unlock()
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			os.Remove(lock.Path())
		}
	}
}

// isTreeID tells whether a text has the form of rand.Text.
func isTreeID(id string) bool {
	return len(id) >= 20 && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'A' || c > 'Z') && (c < '2' || c > '7')
	})
}

// A tree is one that is open. It is closed when its last user releases it.
type tree struct {
	state
	root  *os.Root
	lock  *flock.Flock
	users atomic.Int64
}

// snapshot returns the tree for one more user.
func (t *tree) snapshot(fetched time.Time, stale error) *Snapshot {
	t.users.Add(1)
	s := &Snapshot{
		FS: t.root.FS(), Commit: t.Commit, Fetched: fetched, Stale: stale,
		Links: slices.Clone(t.Links), Submodules: slices.Clone(t.Submodules),
	}
	s.close = sync.OnceValue(t.release)
	return s
}

// sound tells whether the files are still what was fetched: cleaners of temporary files
// and disks that lost power take some away.
func (t *tree) sound() bool {
	digest, err := digestOf(t.root.FS())
	return err == nil && digest == t.Digest
}

// release ends the use of one user.
func (t *tree) release() error {
	if t.users.Add(-1) > 0 {
		return nil
	}
	err := t.root.Close()
	return cmp.Or(err, t.lock.Unlock())
}

// A digester makes the digest of a tree: the SHA-256 of a line for each file, in the
// order of their paths.
type digester struct{ lines []string }

func (d *digester) add(path string, content hash.Hash) {
	d.lines = append(d.lines, fmt.Sprintf("%s\x00%x\n", path, content.Sum(nil)))
}

func (d *digester) sum() string {
	slices.Sort(d.lines)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(d.lines, ""))))
}

// digestOf makes the digest of a tree on disk.
func digestOf(fsys fs.FS) (string, error) {
	var d digester
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if !e.Type().IsRegular() {
			return fs.ErrInvalid
		}
		f, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		content := sha256.New()
		if _, err := io.Copy(content, f); err != nil {
			return err
		}
		d.add(name, content)
		return nil
	})
	return d.sum(), err
}
