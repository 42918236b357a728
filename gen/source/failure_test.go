// This file tests what goes wrong: what is said, what is served meanwhile, and that no
// token is in any of it.

package source

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

// forms are all the ways to write the token.
func forms(user string) []string {
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + token))
	return []string{token, url.QueryEscape(token), url.PathEscape(token), basic, strings.TrimRight(basic, "="), base64.StdEncoding.EncodeToString([]byte(token))}
}

// discreet fails where one of the texts, the log or a file of the cache holds the token
// or a path of this machine.
func (b *bench) discreet(texts ...string) {
	b.t.Helper()
	texts = append(texts, b.log.String())
	for _, text := range texts {
		if strings.Contains(text, b.dir) || strings.Contains(text, os.TempDir()) {
			b.t.Errorf("a path of this machine is in %q", text)
		}
	}
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it comes and goes
		}
		if data, err := os.ReadFile(path); err == nil {
			texts = append(texts, path, string(data))
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, form := range append(forms(defaultUser), forms("me")...) {
		for _, text := range texts {
			if strings.Contains(text, form) {
				b.t.Errorf("the token is in %q", text)
			}
		}
	}
}

// respond makes an interceptor that gives every request the same answer.
func respond(status int, header ...string) sourcetest.Interceptor {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	type change = func(*Settings, *Options)
	for _, test := range []struct {
		name string
		// setting is what is wrong from the start; with it, nothing is ever cached.
		setting change
		// fault is what goes wrong later too.
		fault func(b *bench)
		want  string
	}{
		{"wrong token", nil, func(b *bench) { b.setenv(variable, "wrong") }, "the server refused the token in TEAM_TOKEN"},
		{"no token", func(s *Settings, _ *Options) { s.Token = "" }, nil, "the server wants a token"},
		{"wrong password", func(s *Settings, _ *Options) {
			s.Token, s.Repository = "", strings.Replace(s.Repository, "https://", "https://me:wrong@", 1)
		}, nil, "the server refused the password in the URL"},
		{"token unset", nil, func(b *bench) { b.setenv(variable, "") }, "the environment variable TEAM_TOKEN, which is to hold the token, is not set"},
		{"token with a line break", nil, func(b *bench) { b.setenv(variable, token+"\n") }, "the token in TEAM_TOKEN holds a line break"},
		{"server down", nil, func(b *bench) { b.server.Close() }, "the server cannot be reached"},
		{"unknown host", func(s *Settings, _ *Options) { s.Repository = "https://git.invalid/team-prompts" }, nil, "the host is unknown"},
		{"certificate", nil, func(b *bench) { b.setenv("GIT_SSL_CAINFO", os.DevNull) }, "the server's certificate is not trusted"},
		{"no repository", func(s *Settings, _ *Options) { s.Repository = strings.Replace(s.Repository, "team", "other", 1) }, nil, "there is no such repository, or the token in TEAM_TOKEN may not read it"},
		{"no repository here", func(s *Settings, _ *Options) { s.Repository, s.Token = "file:///no/such/team-prompts", "" }, nil, "there is no such repository"},
		{"no branch", func(s *Settings, _ *Options) { s.Branch = "other" }, nil, `there is no branch "other"; check`},
		{"branch deleted", nil, func(b *bench) {
			b.server.Git("", "update-ref", "refs/heads/other", "refs/heads/"+sourcetest.Branch)
			b.server.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
		}, "no branch is there; the repository is empty"},
		{"emptied", func(s *Settings, _ *Options) { s.Branch = sourcetest.Branch }, func(b *bench) {
			b.server.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
		}, `there is no branch "main"; the repository may be empty`},
		{"no path", func(s *Settings, _ *Options) { s.Path = "no/such" }, nil, `there is no directory "no/such" in it`},
		{"path of a file", func(s *Settings, _ *Options) { s.Path = "README.md" }, nil, `"README.md" in it is a file`},
		{"many files", nil, func(b *bench) {
			files := map[string]string{}
			for i := range 51 {
				files[fmt.Sprint("f", i)] = ""
			}
			b.server.Push(sourcetest.Branch, files)
		}, "it holds more than 50 files"},
		{"large files", nil, func(b *bench) {
			b.server.Push(sourcetest.Branch, map[string]string{"a": strings.Repeat("a", 400_000), "b": strings.Repeat("a", 200_000)})
		}, "its files hold more than 500000 bytes"},
		{"large elsewhere", nil, func(b *bench) {
			b.server.Push(sourcetest.Branch, map[string]string{"a": "a", ".large": noise(3 << 20)})
			b.server.Intercept(trickle)
		}, "the repository is too large: the download of its newest commit exceeds 1.9 MiB"},
		{"redirect", nil, func(b *bench) { b.server.Intercept(respond(302, "Location", "https://other.invalid/x")) }, "the server redirects to another URL"},
		{"forbidden", nil, func(b *bench) { b.server.Intercept(respond(403)) }, "the server refused the token"},
		{"too many", nil, func(b *bench) { b.server.Intercept(respond(429)) }, "the server has had too many requests"},
		{"broken", nil, func(b *bench) { b.server.Intercept(respond(503)) }, "the server has failed"},
		{"cut off", nil, func(b *bench) {
			b.server.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if r.Method == http.MethodPost {
					next = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
				}
				next.ServeHTTP(w, r)
			})
		}, "the connection broke"},
		{"no git server", nil, func(b *bench) {
			b.server.Intercept(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { fmt.Fprintln(w, "<html>") })
		}, "there is no such repository, or the token in TEAM_TOKEN may not read it"},
		{"slow", nil, func(b *bench) {
			b.timeout = time.Second
			b.server.Intercept(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() })
		}, "it took longer than 1s"},
		{"proxy", nil, func(b *bench) { b.setenv("https_proxy", "http://me:"+url.QueryEscape(token)+"@proxy.invalid:1") }, "the proxy did not let the connection through"},
		{"control characters of the server", nil, func(b *bench) {
			b.server.Intercept(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
				text := "ERR \x1b[31m" + token + " at /etc/passwd https://me:" + url.QueryEscape(token) + "@host/"
				fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s", len(text)+4, text)
			})
		}, "git says: fatal: remote error: ?[31m… at … https://host/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := sourcetest.NewServer(t, token)
			server.Push(sourcetest.Branch, first)
			limits := func(_ *Settings, o *Options) { o.MaxBytes, o.MaxFiles = 500_000, 50 }
			setting := limits
			if test.setting != nil {
				setting = func(s *Settings, o *Options) { limits(s, o); test.setting(s, o) }
			}
			b := newBench(t, server, setting)
			cached := test.fault != nil
			if cached {
				equal(t, b.files(false), first)
				test.fault(b)
				b.pass(DefaultTTL)
				files, why := b.stale(false)
				equal(t, files, first)
				contains(t, why, "cannot fetch team-prompts from https://127.0.0.1:")
				contains(t, why, "/team-prompts.git: "+test.want)
				contains(t, b.log.String(), "level=WARN")
				if n := strings.Count(b.log.String(), "level=WARN"); n != 1 {
					t.Errorf("%d failures are logged", n)
				}
				b.discreet(why)
				// Nor is there anything to serve in another cache.
				b.dir = t.TempDir()
				timeout := b.timeout
				b.reopen(setting)
				b.timeout = timeout
			}
			why := b.fails()
			contains(t, why, test.want)
			contains(t, b.log.String(), "level=ERROR")
			b.discreet(why)
			left, _ := filepath.Glob(filepath.Join(b.dir, "sources", "*", "work", "*"))
			if len(left) > 0 {
				t.Errorf("%v was left behind", left)
			}
		})
	}
}

// noise is text that cannot be compressed.
func noise(n int) string {
	text := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(text)
	return string(text)
}

// trickle slows an answer down, so that it is still under way when its size is looked
// at.
func trickle(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(&slowWriter{ResponseWriter: w, each: func(n int) error {
		select {
		case <-r.Context().Done():
			return context.Cause(r.Context())
		case <-time.After(time.Duration(n) * time.Microsecond):
			return nil
		}
	}}, r)
}

// A slowWriter calls each before it writes, with how much that is.
type slowWriter struct {
	http.ResponseWriter
	each func(n int) error
}

func (w *slowWriter) Write(p []byte) (int, error) {
	if err := w.each(len(p)); err != nil {
		return 0, err
	}
	n, err := w.ResponseWriter.Write(p)
	w.ResponseWriter.(http.Flusher).Flush()
	return n, err
}

func TestHistoryRewritten(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	equal(t, b.files(false), first)
	server.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
	server.Push(sourcetest.Branch, second)
	b.pass(DefaultTTL)
	equal(t, b.files(false), second)
	b.clean()
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server, func(s *Settings, _ *Options) { s.TTL = 30 * time.Second })
	b.files(false)
	var asked atomic.Int64
	server.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		asked.Add(1)
		respond(503)(w, r, next)
	})
	b.pass(30 * time.Second)
	for i, wait := range []time.Duration{5, 10, 20, 30, 30} {
		b.stale(false)
		if n := asked.Load(); n != int64(i+1) {
			t.Fatalf("the server was asked %d times, want %d", n, i+1)
		}
		b.pass(wait*time.Second - 1)
		b.stale(false)
		if asked.Load() != int64(i+1) {
			t.Fatalf("the server was asked before %v had passed", wait*time.Second)
		}
		b.pass(1)
	}
	b.stale(true)
	b.stale(true)
	if n := asked.Load(); n != 7 {
		t.Errorf("the server was asked %d times, want 7", n)
	}
	server.Intercept(nil)
	b.stale(false)
	equal(t, b.files(true), first)
	server.Intercept(respond(503))
	b.pass(30 * time.Second)
	b.stale(false)
	server.Intercept(nil)
	b.pass(5 * time.Second)
	equal(t, b.files(false), first)
}

// What is fresh is not stale because a refresh has failed.
func TestFreshAfterFailedRefresh(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	b.files(false)
	server.Intercept(respond(503))
	b.stale(true)
	equal(t, b.files(false), first)
}

func TestRedirectDoesNotTakeTheTokenAlong(t *testing.T) {
	t.Parallel()
	var requests, headers atomic.Int64
	other := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		headers.Add(int64(len(r.Header.Values("Authorization"))))
	}))
	defer other.Close()
	server := sourcetest.NewServer(t, "")
	server.Push(sourcetest.Branch, first)
	server.Intercept(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		http.Redirect(w, r, other.URL+r.URL.RequestURI(), http.StatusFound)
	})
	b := newBench(t, server)
	contains(t, b.fails(), "the server redirects")
	if requests.Load() > 0 {
		t.Error("the redirect was followed")
	}
	// Without a token, it is.
	b = newBench(t, server, func(s *Settings, _ *Options) { s.Token = "" })
	b.fails()
	if requests.Load() == 0 || headers.Load() > 0 {
		t.Errorf("the other host got %d requests, with %d headers", requests.Load(), headers.Load())
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	repository, err := parseRepository("https://me@example.com/team")
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAccess(repository, variable, func(string) string { return token })
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range forms("me") {
		for _, text := range []string{"%s", "x%sx", "https://%s@host/x", "https://me:%s@host/x", "/a/%s/b", "Authorization: Basic %s"} {
			if got := a.scrub(fmt.Sprintf(text, form)); strings.Contains(got, form) {
				t.Errorf("the token stays in %q", got)
			}
		}
	}
	for text, want := range map[string]string{
		"fatal: '/home/x/y.git' is odd":       "fatal: '…' is odd",
		"cannot open /tmp/a/b: no (/etc/x)":   "cannot open …: no (…)",
		`open C:\Users\x: no`:                 "open …: no",
		"see https://example.com/a/b and a/b": "see https://example.com/a/b and a/b",
		"https://other:pw@example.com/":       "https://example.com/",
	} {
		if got := a.scrub(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestForeignOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	server := sourcetest.NewServer(t, "")
	server.Push(sourcetest.Branch, first)
	if err := os.Chown(strings.TrimPrefix(server.FileURL, "file://"), 12345, 12345); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, server, local(server))
	why := b.fails()
	contains(t, why, "the repository belongs to another user")
	b.discreet(why)
}

func TestNoGit(t *testing.T) {
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	b := newBench(t, server)
	b.files(false)
	t.Setenv("PATH", t.TempDir())
	b.pass(DefaultTTL)
	files, why := b.stale(false)
	equal(t, files, first)
	contains(t, why, "git is not installed")
}
