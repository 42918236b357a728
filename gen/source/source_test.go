// This file tests what callers of a source see, against a real server over HTTPS.

package source

import (
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

const (
	token    = "s3cr3t+token/with=signs&more%"
	variable = "TEAM_TOKEN"
)

// A bench is a source on a test server, with its log and a clock that tests set.
type bench struct {
	*Source
	t      *testing.T
	server *sourcetest.Server
	dir    string // of the cache
	log    *logged

	mu    sync.Mutex
	clock time.Time
	env   map[string]string
}

// A logged is what was logged, at every level.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// newBench opens a source on the server, whose settings change changes.
func newBench(t *testing.T, server *sourcetest.Server, change ...func(*Settings, *Options)) *bench {
	t.Helper()
	b := &bench{t: t, server: server, dir: t.TempDir(), log: &logged{}, clock: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	b.env = map[string]string{variable: token}
	b.reopen(change...)
	return b
}

// reopen is a new start of the program, on the same cache.
func (b *bench) reopen(change ...func(*Settings, *Options)) {
	b.t.Helper()
	if b.Source != nil {
		b.Source.Close()
	}
	settings := Settings{Repository: b.server.URL, Token: variable}
	options := Options{Dir: b.dir, Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	options.Getenv = func(name string) string {
		b.mu.Lock()
		extra := maps.Clone(b.env)
		b.mu.Unlock()
		return b.server.Getenv(extra)(name)
	}
	for _, f := range change {
		f(&settings, &options)
	}
	s, err := Open(settings, options)
	if err != nil {
		b.t.Fatal(err)
	}
	s.now = func() time.Time {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.clock
	}
	// A machine may have much else to do.
	s.patience, s.timeout = time.Minute, 2*time.Minute
	b.Source = s
	b.t.Cleanup(func() { s.Close() })
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = b.clock.Add(d)
}

func (b *bench) setenv(name, value string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.env[name] = value
}

// files returns what the source serves, which must not be stale, and its commit.
func (b *bench) files(refresh bool) map[string]string {
	b.t.Helper()
	s, err := b.Snapshot(b.t.Context(), refresh)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	if s.Stale != nil {
		b.t.Fatalf("stale: %v", s.Stale)
	}
	return filesOf(b.t, s.FS)
}

// stale returns what the source serves, which must be stale, and why.
func (b *bench) stale(refresh bool) (map[string]string, string) {
	b.t.Helper()
	s, err := b.Snapshot(b.t.Context(), refresh)
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	if s.Stale == nil {
		b.t.Fatal("what is served is not stale")
	}
	return filesOf(b.t, s.FS), s.Stale.Error()
}

// fails returns the error of a source that has nothing to serve.
func (b *bench) fails() string {
	b.t.Helper()
	s, err := b.Snapshot(b.t.Context(), true)
	if err == nil {
		s.Close()
		b.t.Fatal("there is no error")
	}
	return err.Error()
}

func filesOf(t *testing.T, fsys fs.FS) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func equal(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("files are %q, want %q", got, want)
	}
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q does not hold %q", text, want)
	}
}

// local changes settings so that they name the same repository on the disk, which is
// faster.
func local(server *sourcetest.Server) func(*Settings, *Options) {
	return func(s *Settings, _ *Options) { s.Repository, s.Token = server.FileURL, "" }
}

var (
	first  = map[string]string{"prompts/a/PROMPT.md": "one\r\ntwo\n", "README.md": "", "bin": "\x00\xff"}
	second = map[string]string{"prompts/b/PROMPT.md": "three"}
)

func TestCloneAndPull(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	commit := server.Push(sourcetest.Branch, first)
	for name, change := range map[string]func(*Settings, *Options){
		"https": func(*Settings, *Options) {},
		"file":  local(server),
		"password": func(s *Settings, _ *Options) {
			u, _ := url.Parse(server.URL)
			u.User, s.Token = url.UserPassword("me", token), ""
			s.Repository = u.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			server.Git("", "update-ref", "refs/heads/"+sourcetest.Branch, commit)
			b := newBench(t, server, change)
			if b.Name() != "team-prompts" {
				t.Errorf("the name is %q", b.Name())
			}
			s, err := b.Snapshot(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			equal(t, filesOf(t, s.FS), first)
			if s.Commit != commit || !s.Fetched.Equal(b.clock) || s.Stale != nil {
				t.Errorf("the snapshot is %+v", s)
			}
			looks := server.Looks.Load()

			// What is pushed is seen after the TTL, and not before.
			pushed := server.Push(sourcetest.Branch, second)
			b.pass(DefaultTTL - 1)
			equal(t, b.files(false), first)
			if server.Looks.Load() != looks {
				t.Error("the server was asked within the TTL")
			}
			b.pass(1)
			equal(t, b.files(false), second)

			// At once on refresh.
			server.Push(sourcetest.Branch, first)
			equal(t, b.files(false), second)
			equal(t, b.files(true), first)

			// The snapshot has been what it was all along.
			equal(t, filesOf(t, s.FS), first)
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Error(err)
			}

			// A commit that is cached is not fetched again.
			fetches := server.Fetches.Load()
			equal(t, b.files(true), first)
			b.reopen(change)
			looks = server.Looks.Load()
			equal(t, b.files(false), first)
			if server.Looks.Load() != looks {
				t.Error("the server was asked within the TTL, after a new start")
			}
			equal(t, b.files(true), first)
			if server.Fetches.Load() != fetches {
				t.Error("a commit that is cached was fetched")
			}

			// One commit.
			exact, err := b.Resolve(t.Context(), pushed)
			if err != nil {
				t.Fatal(err)
			}
			defer exact.Close()
			equal(t, filesOf(t, exact.FS), second)
			if exact.Commit != pushed {
				t.Errorf("the commit is %s, want %s", exact.Commit, pushed)
			}
			equal(t, b.files(false), first)
			newest, err := b.Resolve(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer newest.Close()
			equal(t, filesOf(t, newest.FS), first)
			if _, err := b.Resolve(t.Context(), "main"); err == nil {
				t.Error("a branch is no commit")
			}
			_, err = b.Resolve(t.Context(), strings.Repeat("0123456789", 4))
			if err == nil {
				t.Fatal("there is no such commit")
			}
			contains(t, err.Error(), "has no such commit")
			b.clean()
		})
	}
}

// clean looks whether the cache holds one tree, and nothing that was abandoned or that
// others may read. The newest fetch is the last thing that happened.
func (b *bench) clean() {
	b.t.Helper()
	b.files(true)
	b.Close()
	trees := 0
	err := filepath.WalkDir(filepath.Join(b.dir, "sources"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want := map[bool]fs.FileMode{true: fs.ModeDir | 0o700, false: 0o600}[d.IsDir()]; info.Mode() != want {
			b.t.Errorf("%s has mode %v", path, info.Mode())
		}
		switch dir := filepath.Base(filepath.Dir(path)); {
		case dir == "work":
			b.t.Errorf("%s was left behind", d.Name())
		case dir == "trees" && d.IsDir():
			trees++
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if trees > 2 {
		b.t.Errorf("%d trees are there", trees)
	}
}
