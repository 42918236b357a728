// Package sourcetest has a git repository behind HTTPS, for tests of what fetches
// content. It serves with git http-backend, as a real server does.
package sourcetest

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// Branch is the branch that HEAD names.
const Branch = "main"

// A Server serves one bare repository, which is empty at first.
type Server struct {
	// URL is the repository's, over https; FileURL is the same one's over file.
	URL, FileURL string
	// CAFile holds the certificate of the server, for GIT_SSL_CAINFO.
	CAFile string
	// Looks counts the requests for what branches there are, and Fetches those for
	// objects.
	Looks, Fetches atomic.Int64

	t         testing.TB
	dir       string
	token     string
	server    *httptest.Server
	intercept atomic.Pointer[Interceptor]
}

// An Interceptor answers a request, or lets next answer it.
type Interceptor func(w http.ResponseWriter, r *http.Request, next http.Handler)

// NewServer starts a server, which ends with the test. It lets in who presents the
// token as a password beside any user name; everybody if the token is empty. The test
// is skipped where there is no git.
func NewServer(t testing.TB, token string) *Server {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	s := &Server{t: t, token: token, dir: filepath.Join(t.TempDir(), "team-prompts.git")}
	s.run("", "init", "--quiet", "--bare", "--initial-branch="+Branch, s.dir)
	s.Git("", "config", "uploadpack.allowAnySHA1InWant", "true")
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.StartTLS()
	t.Cleanup(func() {
		s.server.CloseClientConnections()
		s.server.Close()
	})
	s.URL = s.server.URL + "/" + filepath.Base(s.dir)
	s.FileURL = "file://" + filepath.ToSlash(s.dir)
	if !strings.HasPrefix(s.FileURL, "file:///") {
		s.FileURL = "file:///" + filepath.ToSlash(s.dir)
	}
	s.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw})
	if err := os.WriteFile(s.CAFile, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Close ends the server before the test does, so that nobody answers at its address.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Getenv is os.Getenv, save that GIT_SSL_CAINFO names CAFile and that the variables
// have the values that extra holds.
func (s *Server) Getenv(extra map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := extra[name]; ok {
			return value
		}
		if name == "GIT_SSL_CAINFO" {
			return s.CAFile
		}
		return os.Getenv(name)
	}
}

// Intercept lets f see every request that is let in from now on, save that nil ends it.
func (s *Server) Intercept(f Interceptor) {
	if f == nil {
		s.intercept.Store(nil)
		return
	}
	s.intercept.Store(&f)
}

// Push commits files, by path, to a branch, of which nothing else is left, and returns
// the commit's name.
func (s *Server) Push(branch string, files map[string]string) string {
	s.t.Helper()
	var entries []Entry
	for _, path := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, Entry{"100644", path, files[path]})
	}
	return s.PushEntries(branch, entries...)
}

// An Entry is one of a tree: a file (mode 100644), executable (100755) or symbolic link
// (120000) with its text, or a submodule (160000), whose text is a commit.
type Entry struct{ Mode, Path, Text string }

// PushEntries is Push for entries of all kinds.
func (s *Server) PushEntries(branch string, entries ...Entry) string {
	s.t.Helper()
	var script bytes.Buffer
	fmt.Fprintf(&script, "commit refs/heads/%s\ncommitter A <a@example.com> 1700000000 +0000\ndata 4\npush\n", branch)
	if old := s.Commit(branch); old != "" {
		fmt.Fprintf(&script, "from %s\n", old)
	}
	script.WriteString("deleteall\n")
	for _, e := range entries {
		if e.Mode == "160000" {
			fmt.Fprintf(&script, "M 160000 %s %s\n", e.Text, e.Path)
			continue
		}
		fmt.Fprintf(&script, "M %s inline %s\ndata %d\n%s\n", e.Mode, e.Path, len(e.Text), e.Text)
	}
	s.Git(script.String(), "fast-import", "--quiet", "--force")
	return s.Commit(branch)
}

// Commit returns the name of a branch's commit, empty if there is no such branch.
func (s *Server) Commit(branch string) string {
	s.t.Helper()
	return s.Git("", "for-each-ref", "--format=%(objectname)", "refs/heads/"+branch)
}

// Git runs a command of git in the repository and returns what it prints, without white
// space around it.
func (s *Server) Git(stdin string, args ...string) string {
	s.t.Helper()
	return s.run(stdin, append([]string{"--git-dir=" + s.dir}, args...)...)
}

func (s *Server) run(stdin string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Env = environment()
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out))
}

// environment keeps the configuration of whoever runs the tests out of them.
func environment() []string {
	return append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
}

// IsFetch tells whether a request that an Interceptor sees is for objects, and not for
// what branches there are.
func IsFetch(r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && !bytes.Contains(body, []byte("command=ls-refs"))
}

// serve lets in, counts, and hands a request to git.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if _, password, _ := r.BasicAuth(); s.token != "" && password != s.token {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			http.Error(w, "bad gzip", http.StatusBadRequest)
			return
		}
		if body, err = io.ReadAll(unzipped); err != nil {
			http.Error(w, "bad gzip", http.StatusBadRequest)
			return
		}
		r.Header.Del("Content-Encoding")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	switch {
	case strings.HasSuffix(r.URL.Path, "/info/refs"):
		s.Looks.Add(1)
	case IsFetch(r):
		s.Fetches.Add(1)
	}
	var next http.Handler = &cgi.Handler{
		Path:   filepath.Join(execPath(), "git-http-backend"),
		Env:    []string{"GIT_PROJECT_ROOT=" + filepath.Dir(s.dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_PROTOCOL=" + r.Header.Get("Git-Protocol")},
		Stderr: io.Discard,
		Logger: log.New(io.Discard, "", 0),
	}
	if f := s.intercept.Load(); f != nil {
		(*f)(w, r, next)
		return
	}
	next.ServeHTTP(w, r)
}

// execPath is where git keeps its parts.
func execPath() string {
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
