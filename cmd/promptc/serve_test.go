// This file runs promptc serve as a process of its own, and talks to it as clients do.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A server is a program that serves over HTTP.
type server struct {
	t   *testing.T
	cmd *exec.Cmd
	// base is its URL, without a slash at the end; empty if it ended before it served.
	base  string
	said  *said
	ended chan struct{} // closed when the process has ended
}

// A said is what a process wrote to stderr so far.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// startHTTP starts a program and waits until it serves or has ended. It ends with the
// test, if it did not before.
func startHTTP(t *testing.T, env []string, program string, args ...string) *server {
	t.Helper()
	s := &server{t: t, said: &said{}, ended: make(chan struct{})}
	s.cmd = exec.Command(program, append(args, "--http", "127.0.0.1:0", "--log-level", "debug")...)
	s.cmd.Env = append(os.Environ(), env...)
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	serving := make(chan string, 1)
	go func() {
		defer close(s.ended)
		defer s.cmd.Wait()
		defer close(serving)
		for lines := bufio.NewReader(io.TeeReader(stderr, s.said)); ; {
			line, err := lines.ReadString('\n')
			if _, after, ok := strings.Cut(line, "msg=serving address="); ok {
				address, _, _ := strings.Cut(after, " ")
				serving <- "http://" + address
			}
			if err != nil {
				return
			}
		}
	}()
	s.base = <-serving
	return s
}

// kill ends the process as kill -9 does.
func (s *server) kill() {
	s.cmd.Process.Kill() // no more than an error if it has ended
	<-s.ended
}

// do sends a request and returns the status and what came back.
func (s *server) do(method, path, body string, header http.Header) (int, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if header != nil {
		req.Header = header.Clone()
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatalf("%v: %s", err, s.said)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// get returns what is at a path, which must be there.
func (s *server) get(path string) string {
	s.t.Helper()
	status, text := s.do(http.MethodGet, path, "", nil)
	if status != http.StatusOK {
		s.t.Fatalf("%s has status %d: %s", path, status, text)
	}
	return text
}

// refresh has everything looked at, and returns what is said of it.
func (s *server) refresh() string {
	s.t.Helper()
	status, text := s.do(http.MethodPost, "/refresh", "", nil)
	if status != http.StatusOK {
		s.t.Fatalf("/refresh has status %d: %s", status, text)
	}
	return text
}

// call sends a request of the era before the stateless one, and returns the answer.
func (s *server) call(path, method, params string) string {
	s.t.Helper()
	m := newRequest("2025-11-25", method, params)
	_, text := s.do(http.MethodPost, path, m.body(1), m.header())
	return text
}

// prompts returns the names that are listed, each of a source with its name.
func (s *server) prompts() string {
	s.t.Helper()
	return listed(s.t, s.call("/mcp", "prompts/list", ""))
}

// listed returns the names in an answer to prompts/list, each of a source with its name.
func listed(t *testing.T, answer string) string {
	t.Helper()
	var list struct {
		Result struct {
			Prompts []struct {
				Name string
				Meta map[string]any `json:"_meta"`
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	var names []string
	for _, p := range list.Result.Prompts {
		name := p.Name
		if source, ok := p.Meta["promptc/source"].(string); ok && source != "built-in" {
			name += "@" + source
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// want compares the prompts that are served now.
func (s *server) want(names string) {
	s.t.Helper()
	if got := s.prompts(); got != names {
		s.t.Errorf("%q are served, want %q: %s", got, names, s.said)
	}
}

// until polls until something is so, for a minute at most.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after a minute: %s", what)
		}
	}
}

// becomes polls until the prompts are served.
func (s *server) becomes(names string) {
	s.t.Helper()
	var got string
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if got = s.prompts(); got == names {
			return
		}
		if time.Now().After(deadline) {
			s.t.Errorf("%q are served, want %q: %s", got, names, s.said)
			return
		}
	}
}

// says polls until the process has written a text.
func (s *server) says(text string) {
	s.t.Helper()
	until(s.t, "it says "+text, func() bool { return strings.Contains(s.said.String(), text) })
}

// refreshFails has everything looked at, which must not go well, and the log say why.
func (s *server) refreshFails(why string) {
	s.t.Helper()
	before := len(s.said.String())
	if got := s.refresh(); !strings.Contains(got, " old, and cannot be read again now\n") {
		s.t.Errorf("the refresh says %s", got)
	}
	until(s.t, "the log says "+why, func() bool { return strings.Contains(s.said.String()[before:], why) })
}

// A pipe is a program that serves over stdio.
type pipe struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *said
}

// startStdio starts a program, which ends with the test.
func startStdio(t *testing.T, env []string, program string, args ...string) *pipe {
	t.Helper()
	p := &pipe{t: t, cmd: exec.Command(program, args...), said: &said{}}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p.said
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReader(out)
	t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("after the end of its input: %v: %s", err, p.said)
		}
	})
	return p
}

// ask sends a message and returns the answer to it. Notifications are passed over.
func (p *pipe) ask(message string) string {
	p.t.Helper()
	if _, err := io.WriteString(p.in, message+"\n"); err != nil {
		p.t.Fatalf("%v: %s", err, p.said)
	}
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%v: %s", err, p.said)
		}
		if strings.Contains(line, `"id":`) {
			return line
		}
	}
}

// A place is a content directory that a test changes.
type place struct {
	t   testing.TB
	dir string
}

// newPlace returns content with a prompt for each name.
func newPlace(t testing.TB, names ...string) *place {
	t.Helper()
	p := &place{t, filepath.Join(t.TempDir(), "content")}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p.prompt(name, "The text of "+name+".")
	}
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) prompt(name, body string) {
	p.t.Helper()
	p.write("prompts/"+name+"/PROMPT.md", "---\nprompt: {version: 1.0.0, description: A prompt.}\n---\n"+body+"\n")
}

func (p *place) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, filepath.FromSlash(name))); err != nil {
		p.t.Fatal(err)
	}
}

// age makes everything so old that its time of change can be relied on.
func (p *place) age() {
	p.t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(p.dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(name, old, old)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// flat is a prompt of a tree in the flat layout.
func flat(name string) string {
	return "---\nname: " + name + "\ndescription: A prompt.\n---\nThe text of " + name + ".\n"
}

func TestServeFollowsEdits(t *testing.T) {
	t.Parallel()
	c := newPlace(t, "a", "b")
	s := startHTTP(t, nil, "promptc", "serve", c.dir)
	s.want("a b")
	text := func(name string) string { t.Helper(); return s.call("/mcp", "prompts/get", `{"name":"`+name+`"}`) }
	for i := range 20 { // each edit is in the next answer, however short the time between
		c.prompt("a", fmt.Sprint("Edit ", i, "."))
		if got := text("a"); !strings.Contains(got, fmt.Sprint("Edit ", i, ".")) {
			t.Fatalf("after edit %d: %s", i, got)
		}
	}
	c.prompt("c", "New.")
	c.remove("prompts/b")
	s.want("a c")

	// While there are faults, what was served goes on, and everybody is told.
	c.write("prompts/a/PROMPT.md", "none")
	c.prompt("d", "New.")
	s.want("a c")
	if got := text("a"); !strings.Contains(got, "Edit 19.") {
		t.Errorf("while there are faults: %s", got)
	}
	const fault = "content/prompts/a/PROMPT.md:1:1: frontmatter-missing: the file has no frontmatter"
	s.says(fault)
	if got := s.get("/"); !strings.Contains(got, fault) {
		t.Errorf("/ has %s", got)
	}
	if got := s.get("/healthz"); !strings.HasPrefix(got, "ok\ncontent: 1 fault; ") || strings.Contains(got, "PROMPT.md") {
		t.Errorf("/healthz has %s", got)
	}
	const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`
	if got := s.call("/mcp", "initialize", hello); !strings.Contains(got, fault) {
		t.Errorf("the instructions are %s", got)
	}
	c.prompt("a", "Mended.")
	s.want("a c d")
	s.says("the content has no faults any more")
	if got := s.call("/mcp", "initialize", hello); strings.Contains(got, "instructions") {
		t.Errorf("the instructions are %s", got)
	}

	// A tree that goes and comes back.
	away := c.dir + ".away"
	if err := os.Rename(c.dir, away); err != nil {
		t.Fatal(err)
	}
	s.want("a c d")
	s.says("content cannot be read: no such file or directory")
	if got := s.get("/healthz"); !strings.HasPrefix(got, "ok\ncontent: cannot be read; ") {
		t.Errorf("/healthz has %s", got)
	}
	if got := s.get("/"); strings.Contains(got, filepath.Dir(c.dir)) {
		t.Errorf("/ has a path of this machine: %s", got)
	}
	if err := os.Rename(away, c.dir); err != nil {
		t.Fatal(err)
	}
	c.prompt("e", "New.")
	s.want("a c d e")
	// Another one in its place.
	other := newPlace(t, "other")
	c.remove(".")
	s.want("a c d e")
	if err := os.Rename(other.dir, c.dir); err != nil {
		t.Fatal(err)
	}
	s.want("other")
	if text := s.said.String(); strings.Contains(text, "DATA RACE") || strings.Contains(text, "panic") {
		t.Error(text)
	}
}

func TestServeFollowsEditsOverStdio(t *testing.T) {
	t.Parallel()
	c := newPlace(t, "a")
	p := startStdio(t, nil, "promptc", "serve", c.dir)
	list := func() string {
		t.Helper()
		return listed(t, p.ask(newRequest("2026-07-28", "prompts/list", "").body(1)))
	}
	if got := list(); got != "a" {
		t.Errorf("%q are served", got)
	}
	c.prompt("b", "New.")
	if got := list(); got != "a b" {
		t.Errorf("%q are served", got)
	}
	c.write("prompts/a/PROMPT.md", "none")
	if got := list(); got != "a b" {
		t.Errorf("while there are faults, %q are served", got)
	}
	until(t, "it tells of the fault", func() bool { return strings.Contains(p.said.String(), "frontmatter-missing") })
	c.prompt("a", "Mended.")
	if got := p.ask(newRequest("2025-11-25", "prompts/get", `{"name":"a"}`).body(2)); !strings.Contains(got, "Mended.") {
		t.Errorf("after it was mended: %s", got)
	}
	c.remove("prompts/a")
	if got := list(); got != "b" {
		t.Errorf("%q are served", got)
	}
}

// An edit that leaves the size and the time of a file as they were is seen, save where the
// system tells no other time, which the help says.
func TestServeSeesKeptTimes(t *testing.T) {
	t.Parallel()
	c := newPlace(t, "a")
	c.age()
	s := startHTTP(t, nil, "promptc", "serve", c.dir)
	get := func() string { t.Helper(); return s.call("/mcp", "prompts/get", `{"name":"a"}`) }
	get()
	file := filepath.Join(c.dir, "prompts", "a", "PROMPT.md")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	c.prompt("a", "The TEXT of a.")
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := get(); runtime.GOOS != "windows" && !strings.Contains(got, "The TEXT of a.") {
		t.Errorf("it is not seen: %s", got)
	}
	help, err := exec.Command("promptc", "serve", "--help").Output()
	if err != nil || !strings.Contains(string(help), "keeps the size and the time") {
		t.Errorf("the help does not tell of it: %v", err)
	}
}

// A server that stays alive at a hangup, and ends well at the other signals.
func TestServeSignals(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		s := startHTTP(t, nil, "promptc", "serve", newPlace(t, "a").dir)
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.want("a")
		if err := s.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-s.ended
		if !s.cmd.ProcessState.Success() {
			t.Errorf("after %v: %v: %s", signal, s.cmd.ProcessState, s.said)
		}
	}
}

// Without a word in catalog.yaml, nothing is to be kept by clients, for the next answer
// may be another.
func TestServeFreshness(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]string{
		"":                     `"ttlMs":0,`,
		"catalog: {name: x}\n": `"ttlMs":0,`,
		"catalog: {name: x, cache: {ttl: 90s}}\n": `"ttlMs":90000,`,
	} {
		c := newPlace(t, "a")
		if settings != "" {
			c.write("catalog.yaml", settings)
		}
		p := startStdio(t, nil, "promptc", "serve", c.dir)
		for _, method := range []string{"prompts/list", "resources/list"} {
			if got := p.ask(newRequest("2026-07-28", method, "").body(1)); !strings.Contains(got, want) {
				t.Errorf("with %q, %s answers %s", settings, method, got)
			}
		}
	}
	help, err := exec.Command("promptc", "serve", "--help").Output()
	if err != nil || !strings.Contains(string(help), "cache:") {
		t.Errorf("the help does not tell of it: %v", err)
	}
}
