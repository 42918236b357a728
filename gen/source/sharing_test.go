// This file tests sources that many use at once: callers, sources and processes, some of
// which are killed.

package source

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

// TestMain is also the program that tests kill: it fetches from the repository that the
// variables name.
func TestMain(m *testing.M) {
	if repository := os.Getenv("SOURCE_TEST_REPOSITORY"); repository != "" {
		s, err := Open(Settings{Repository: repository, Token: variable}, Options{Dir: os.Getenv("SOURCE_TEST_CACHE")})
		if err == nil {
			_, err = s.Resolve(context.Background(), "")
		}
		if err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A stall stops the answers of a server.
type stall struct {
	reached chan struct{} // gets a value for each answer that stands still
	release func()
}

// newStall stops every answer to requests that match after it wrote some bytes, until it
// is released, or the test ends.
func newStall(t *testing.T, server *sourcetest.Server, after int, match func(*http.Request) bool) *stall {
	released := make(chan struct{})
	s := &stall{reached: make(chan struct{}, 100), release: sync.OnceFunc(func() { close(released) })}
	t.Cleanup(s.release)
	server.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !match(r) {
			next.ServeHTTP(w, r)
			return
		}
		written := 0
		next.ServeHTTP(&slowWriter{ResponseWriter: w, each: func(n int) error {
			if written += n; written <= after {
				return nil
			}
			select {
			case s.reached <- struct{}{}:
			default:
			}
			<-released
			return nil
		}}, r)
	})
	return s
}

// looks tells whether a request is the first of git.
func looks(r *http.Request) bool { return r.Method == http.MethodGet }

func TestFiftyCallersShareOneFetch(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	other := newBench(t, server, func(_ *Settings, o *Options) { o.Dir = b.dir })
	all := func(refresh bool, want map[string]string) {
		stalled := newStall(t, server, 0, looks)
		var callers sync.WaitGroup
		for i := range 50 {
			callers.Go(func() {
				source := []*bench{b, other}[i%2]
				s, err := source.Snapshot(context.Background(), refresh)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if s.Stale != nil {
					t.Error(s.Stale)
				}
				equal(t, filesOf(t, s.FS), want)
			})
		}
		<-stalled.reached
		stalled.release()
		callers.Wait()
	}
	all(false, first)
	if n := server.Fetches.Load(); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
	server.Push(sourcetest.Branch, second)
	all(true, second)
	if n := server.Fetches.Load(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
	b.pass(DefaultTTL)
	other.pass(DefaultTTL)
	server.Push(sourcetest.Branch, first)
	all(false, first)
	if n := server.Fetches.Load(); n != 3 {
		t.Errorf("%d fetches, want 3", n)
	}
	other.Close()
	b.clean()
}

// Callers of all kinds, on a source that has just been opened, get a tree that is open.
func TestSnapshotBesideResolve(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server, local(server))
	for range 3 {
		var callers sync.WaitGroup
		for i := range 12 {
			callers.Go(func() {
				var s *Snapshot
				var err error
				if i%3 == 0 {
					s, err = b.Resolve(context.Background(), "")
				} else {
					s, err = b.Snapshot(context.Background(), i%3 == 1)
				}
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				equal(t, filesOf(t, s.FS), first)
			})
		}
		callers.Wait()
		b.reopen(local(server))
	}
	b.clean()
}

// The token goes beside the user name of the URL, or one that suits GitHub.
func TestUserName(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	for user, want := range map[string]string{"": defaultUser, "me@": "me", "m%c3%a9%40x@": "mé@x"} {
		var mu sync.Mutex
		got := map[string]bool{}
		server.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			name, password, _ := r.BasicAuth()
			mu.Lock()
			got[name+":"+password] = true
			mu.Unlock()
			next.ServeHTTP(w, r)
		})
		b := newBench(t, server, func(s *Settings, _ *Options) { s.Repository = strings.Replace(s.Repository, "://", "://"+user, 1) })
		equal(t, b.files(false), first)
		mu.Lock()
		if len(got) != 1 || !got[want+":"+token] {
			t.Errorf("with %q, the server got %v", user, got)
		}
		mu.Unlock()
		b.Close()
	}
}

// A refresh that comes while a fetch is under way sees what was pushed after that one
// had asked.
func TestRefreshDuringFetch(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	stalled := newStall(t, server, 0, sourcetest.IsFetch)
	var callers sync.WaitGroup
	callers.Go(func() { b.files(false) })
	<-stalled.reached
	server.Push(sourcetest.Branch, second)
	callers.Go(func() { equal(t, b.files(true), second) })
	stalled.release()
	callers.Wait()
}

func TestSlowFetch(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	b.files(false)
	server.Push(sourcetest.Branch, second)
	stalled := newStall(t, server, 0, sourcetest.IsFetch)
	b.patience = time.Millisecond
	files, why := b.stale(true)
	equal(t, files, first)
	contains(t, why, "the server is slow; the fetch goes on")
	// Who comes later does not wait again.
	b.pass(DefaultTTL)
	equal(t, first, func() map[string]string { files, _ := b.stale(false); return files }())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := b.Snapshot(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	contains(t, s.Stale.Error(), "the fetch goes on")

	// Where there is nothing to serve meanwhile, that is an error.
	empty := newBench(t, server)
	empty.patience = time.Millisecond
	contains(t, empty.fails(), "the server is slow; the fetch goes on")

	b.Source.mu.Lock()
	running := b.running
	b.Source.mu.Unlock()
	stalled.release()
	<-running.done
	b.patience = time.Minute
	equal(t, b.files(false), second)
	if n := strings.Count(b.log.String(), "level=WARN"); n != 0 {
		t.Errorf("a slow fetch is logged as a failure: %s", b.log)
	}
}

// commandLines returns the command lines of the processes that name a text.
func commandLines(t *testing.T, text string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no processes in /proc")
	}
	var lines []string
	for _, name := range names {
		if line, err := os.ReadFile(name); err == nil && bytes.Contains(line, []byte(text)) {
			lines = append(lines, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return lines
}

// gone waits until no process names the server.
func gone(t *testing.T, server *sourcetest.Server) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		lines := commandLines(t, server.URL)
		if len(lines) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still running: %q", lines)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// While git runs, the token is in no file and no command line, and no process outlives
// a source.
func TestTokenWhileGitRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("command lines are looked for in /proc")
	}
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	for name, match := range map[string]func(*http.Request) bool{"ls-remote": looks, "fetch": sourcetest.IsFetch} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, server)
			stalled := newStall(t, server, 0, match)
			result := make(chan error, 1)
			go func() {
				_, err := b.Snapshot(context.Background(), false)
				result <- err
			}()
			<-stalled.reached
			lines := commandLines(t, server.URL)
			if all := strings.Join(lines, "\n"); !strings.Contains(all, name) || !strings.Contains(all, "remote-https") {
				t.Errorf("git does not run: %q", lines)
			}
			b.discreet(lines...)
			b.Close()
			err := <-result
			if err == nil {
				t.Fatal("there is no error")
			}
			b.discreet(err.Error())
			gone(t, server)
		})
	}
}

// A process that is killed leaves a cache from which the next start serves.
func TestKilled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no kill -9")
	}
	server := sourcetest.NewServer(t, token)
	large := map[string]string{"large": noise(500_000)}
	for _, pull := range []bool{false, true} {
		t.Run(map[bool]string{false: "clone", true: "pull"}[pull], func(t *testing.T) {
			server.Intercept(nil)
			server.Push(sourcetest.Branch, first)
			b := newBench(t, server)
			if pull {
				b.files(false)
			}
			server.Push(sourcetest.Branch, large)
			b.Close()
			stalled := newStall(t, server, 100_000, sourcetest.IsFetch)

			victim := exec.Command(os.Args[0])
			victim.Env = append(os.Environ(), "SOURCE_TEST_REPOSITORY="+server.URL, "SOURCE_TEST_CACHE="+b.dir, variable+"="+token, "GIT_SSL_CAINFO="+server.CAFile)
			var said bytes.Buffer
			victim.Stderr = &said
			if err := victim.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- victim.Wait() }()
			select {
			case <-stalled.reached:
			case err := <-ended:
				t.Fatalf("the process ended by itself: %v: %s", err, &said)
			}
			victim.Process.Kill()
			<-ended
			left, err := filepath.Glob(filepath.Join(b.dir, "sources", "*", "work", "*"))
			if err != nil || len(left) == 0 {
				t.Fatal("the process left nothing behind")
			}

			// Within the TTL, the next start needs no server; without a cache, it does.
			b.reopen()
			if pull {
				server.Intercept(respond(503))
				equal(t, b.files(false), first)
				files, _ := b.stale(true)
				equal(t, files, first)
			}
			server.Intercept(nil)
			equal(t, b.files(true), large)
			// What the process had started ends by itself, at the latest when the server
			// says nothing for half a minute.
			stalled.release()
			gone(t, server)
			b.clean()
		})
	}
}
