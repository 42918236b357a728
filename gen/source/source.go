// This file holds Source: what is asked of it, and who waits for which fetch.

package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Limits of a tree where Options say nothing.
const (
	DefaultMaxBytes = 64 << 20
	DefaultMaxFiles = 10_000
)

// Options are what all sources of a program have in common.
type Options struct {
	// Dir is the directory of the cache, which several processes and sources may
	// share; promptc in the user's cache directory if empty.
	Dir string
	// Log gets fetches, and at Warn or Error why one failed; nothing is logged if nil.
	Log *slog.Logger
	// MaxBytes is how many bytes the files of a tree may have together, and MaxFiles
	// how many there may be; DefaultMaxBytes and DefaultMaxFiles if 0. A download of
	// more than four times MaxBytes is stopped.
	MaxBytes int64
	MaxFiles int
	// Getenv returns the value of an environment variable; os.Getenv if nil.
	Getenv func(name string) string
}

// How long a fetch may take, how long a caller of Snapshot waits for one, and how long
// none is tried after the first of several that failed.
const (
	defaultTimeout  = 60 * time.Second
	defaultPatience = 10 * time.Second
	firstBackoff    = 5 * time.Second
)

// A Source is a tree of content in a git repository. It is safe for concurrent use.
type Source struct {
	settings   Settings
	options    Options
	repository *url.URL
	// shown is how messages name the repository.
	shown string
	cache *cache

	// Tests change these.
	now      func() time.Time
	timeout  time.Duration
	patience time.Duration

	ctx  context.Context // ends when the source is closed
	stop context.CancelFunc

	// loading is held while a tree is taken over from the cache, so that no two users
	// open the same one and close each other's.
	loading sync.Mutex

	mu     sync.Mutex
	closed bool
	// working counts what uses the cache on disk.
	working sync.WaitGroup
	// current is what is cached, nil if nothing is known to be, and fetched when that
	// was last known to be the newest.
	current *tree
	fetched time.Time
	// failure is why the last fetch failed, nil if it did not; failures counts how
	// many did in a row, and no other is tried before retry unless it is forced.
	failure  error
	failures int
	retry    time.Time
	// running is the fetch under way, nil if there is none. begun and ended count
	// fetches.
	running      *flight
	begun, ended int
}

// A flight is a fetch that any number of callers wait for.
type flight struct {
	done chan struct{} // closed at its end
	late chan struct{} // closed when nobody should wait any longer
}

// A Snapshot is a tree as it is in one commit. Its files stay there and as they are
// until it is closed, whatever is fetched meanwhile.
type Snapshot struct {
	// FS holds the files below the path of the settings.
	FS fs.FS
	// Commit is the name of the commit, in hex.
	Commit string
	// Fetched is when the commit was last known to be the branch's newest.
	Fetched time.Time
	// Links and Submodules are the paths of what is not in FS because it is a symbolic
	// link, which could lead anywhere, or a submodule, which is another repository.
	Links, Submodules []string
	// Stale is why the tree is older than asked for; nil if it is not.
	Stale error

	close func() error
}

// Close lets the tree be removed once a newer one is there. Closing again does nothing.
func (s *Snapshot) Close() error { return s.close() }

// Open returns the source that settings describe. It fetches nothing, and writes
// nothing yet. It fails where the settings are wrong, as Settings.Check tells, or where
// there is no cache directory.
func Open(settings Settings, options Options) (*Source, error) {
	if err := settings.Check(); err != nil {
		return nil, err
	}
	repository, err := parseRepository(settings.Repository)
	if err != nil {
		return nil, err
	}
	if settings.Name == "" {
		settings.Name = Name(settings.Repository)
	}
	if settings.TTL == 0 {
		settings.TTL = DefaultTTL
	}
	if options.Dir == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, errors.New("this user has no cache directory; name one for the content of git repositories")
		}
		options.Dir = filepath.Join(dir, "promptc")
	}
	if options.Dir, err = filepath.Abs(options.Dir); err != nil {
		return nil, errors.New("the working directory is gone, and the cache directory is relative to it")
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	if options.MaxFiles <= 0 {
		options.MaxFiles = DefaultMaxFiles
	}
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	plain := *repository
	plain.User = nil
	s := &Source{
		settings: settings, options: options, repository: repository, shown: shown(repository),
		cache: newCache(options.Dir, plain.String(), settings.Branch, settings.Path),
		now:   time.Now, timeout: defaultTimeout, patience: defaultPatience,
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Name is the source's id.
func (s *Source) Name() string { return s.settings.Name }

// Repository names the repository to people: its URL without user name and password,
// and for a file:// URL without the directories of this machine.
func (s *Source) Repository() string { return s.shown }

// Close stops a fetch under way. Snapshots stay usable until they are closed.
func (s *Source) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.working.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil
	}
	current := s.current
	s.current = nil
	return current.release()
}

// Snapshot returns the newest tree. What was fetched within the TTL is new enough,
// unless refresh says that the repository is to be asked at once.
//
// Else it waits for a fetch, which it shares with all who wait. Where that fails, or
// takes more than ten seconds or than ctx lets it, the tree that is cached is returned
// with Stale set; an error means that none is. A fetch that failed is tried again by
// later calls, after 5 seconds, and twice as long each time it fails again, up to the
// TTL; with refresh at once.
func (s *Source) Snapshot(ctx context.Context, refresh bool) (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !refresh {
		if s.freshLocked() {
			return s.current.snapshot(s.fetched, nil), nil
		}
		if s.running == nil && s.failure != nil && s.now().Before(s.retry) {
			return s.cachedLocked(s.failure)
		}
	}
	// A fetch under way may have asked the repository before the caller knew that there
	// is something new; a refresh needs one that begins after it came.
	wanted := s.begun + 1
	if s.running != nil && !refresh {
		wanted = s.begun
	}
	for s.ended < wanted {
		if s.closed {
			return nil, s.errClosed()
		}
		f := s.running
		if f == nil {
			f = s.beginLocked(refresh)
		}
		s.mu.Unlock()
		var late error
		select {
		case <-f.done:
		case <-f.late:
			late = s.errorf("the server is slow; the fetch goes on")
		case <-ctx.Done():
			late = s.errorf("there was no time to wait for it; the fetch goes on")
		}
		s.mu.Lock()
		if late != nil && s.ended < wanted {
			return s.cachedLocked(late)
		}
	}
	return s.cachedLocked(s.failure)
}

// Resolve returns the tree of one commit, or of the branch's newest if commit is empty,
// and an error if that cannot be had now: it is for copying content, and not for
// serving it. commit is given in full, in hex. It waits as long as ctx lets it, and at
// most a minute.
func (s *Source) Resolve(ctx context.Context, commit string) (*Snapshot, error) {
	if commit != "" && !isObject(commit) {
		return nil, s.errorf("%.80q is not the full name of a commit, which has 40 or 64 hexadecimal digits in lower case", commit)
	}
	if !s.use() {
		return nil, s.errClosed()
	}
	defer s.working.Done()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if commit == "" {
		if err := s.update(ctx, true); err != nil {
			return nil, err
		}
	} else if s.adopt(); !s.has(commit) {
		t, err := s.at(ctx, commit)
		if err != nil {
			return nil, err
		}
		defer t.release()
		return t.snapshot(t.Fetched, nil), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cachedLocked(nil)
}

// use begins a use of the cache on disk, which ends with working.Done, unless the
// source is closed.
func (s *Source) use() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.working.Add(1)
	}
	return !s.closed
}

// beginLocked starts a fetch, which is nobody's: it goes on when those who wait for it
// leave.
func (s *Source) beginLocked(forced bool) *flight {
	f := &flight{make(chan struct{}), make(chan struct{})}
	s.running = f
	s.begun++
	s.working.Add(1)
	timer := time.AfterFunc(s.patience, func() { close(f.late) })
	go func() {
		defer s.working.Done()
		ctx, cancel := context.WithTimeout(s.ctx, s.timeout)
		defer cancel()
		err := s.update(ctx, forced)
		timer.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.landedLocked(err)
		close(f.done)
	}()
	return f
}

// landedLocked notes how the fetch under way has ended.
func (s *Source) landedLocked(err error) {
	s.running = nil
	s.ended = s.begun
	s.failure = err
	if err == nil {
		s.failures = 0
		return
	}
	wait := firstBackoff << min(s.failures, 20)
	s.failures++
	s.retry = s.now().Add(min(wait, s.settings.TTL))
	switch {
	case s.closed:
	case s.current == nil:
		s.options.Log.Error("content could not be fetched, and none is cached", "source", s.settings.Name, "error", err)
	default:
		s.options.Log.Warn("content could not be fetched; what is cached is served", "source", s.settings.Name, "commit", s.current.Commit, "error", err)
	}
}

// freshLocked tells whether what is cached is younger than the TTL.
func (s *Source) freshLocked() bool {
	return s.current != nil && sinceFetched(s.now(), s.fetched) < s.settings.TTL
}

// cachedLocked returns what is cached, and why nothing newer is; where nothing is
// cached, that is the error.
func (s *Source) cachedLocked(stale error) (*Snapshot, error) {
	switch {
	case s.current != nil:
		return s.current.snapshot(s.fetched, stale), nil
	case stale != nil:
		return nil, stale
	}
	return nil, s.errClosed()
}

func (s *Source) errorf(format string, args ...any) error {
	return s.explain(&access{}, problem(fmt.Sprintf(format, args...)))
}

func (s *Source) errClosed() error { return s.errorf("it is no longer in use") }

// adopt makes what the cache holds the source's, if it is sound, and tells whether the
// source has a tree that is fresh.
func (s *Source) adopt() bool {
	s.loading.Lock()
	defer s.loading.Unlock()
	have := s.tree()
	t, st := s.cache.load(have)
	switch {
	case t == nil:
	case t == have:
		s.mu.Lock()
		if st.Fetched.After(s.fetched) {
			s.fetched = st.Fetched
		}
		s.mu.Unlock()
	default:
		s.set(t, st.Fetched)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freshLocked()
}

// tree returns what is cached, which stays open as long as nothing replaces it.
func (s *Source) tree() *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *Source) has(commit string) bool {
	t := s.tree()
	return t != nil && t.Commit == commit
}

// set makes a tree what is cached, and takes it over from the caller.
func (s *Source) set(t *tree, fetched time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.current
	s.current, s.fetched = t, fetched
	if old != nil && old != t {
		old.release()
	}
}

// report logs that a tree is new, and what of it is not served.
func (s *Source) report(t *tree) {
	log := s.options.Log.With("source", s.settings.Name, "commit", t.Commit)
	log.Info("content fetched", "repository", s.shown)
	if n := len(t.Links) + len(t.Submodules); n > 0 {
		log.Warn("symbolic links and submodules are not served", "links", len(t.Links), "submodules", len(t.Submodules), "first", append(t.Links, t.Submodules...)[0])
	}
}
