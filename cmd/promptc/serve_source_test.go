// This file has promptc serve follow a git repository behind a real server, while the
// repository, the network and the disk do what they like.

package main

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

const gitToken = "s3cr3t+token/with=signs&more%"

// team returns a tree with a prompt for each name.
func team(names ...string) map[string]string {
	files := map[string]string{"README.md": "# Prompts\n"}
	for _, name := range names {
		files[name+".md"] = flat(name)
	}
	return files
}

// environ is the environment in which a program follows the repository, save for what
// more says.
func environ(t *testing.T, git *sourcetest.Server, more map[string]string) []string {
	t.Helper()
	all := map[string]string{
		"GIT_SSL_CAINFO": git.CAFile, "PROMPTC_CACHE_DIR": t.TempDir(), "PROMPTC_USER_PROMPTS_REPO": git.URL,
		"PROMPTC_GIT_TOKEN": gitToken, "PROMPTC_USER_PROMPTS_CACHE_TTL": "3600",
	}
	maps.Copy(all, more)
	var env []string
	for name, value := range all {
		env = append(env, name+"="+value)
	}
	return env
}

// A repository on the same machine is named without the directories that lead to it.
func TestServeFileSource(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, "")
	git.Push(sourcetest.Branch, team("t1"))
	s := startHTTP(t, environ(t, git, map[string]string{"PROMPTC_USER_PROMPTS_REPO": git.FileURL, "PROMPTC_USER_PROMPTS_CACHE_TTL": "1"}), "promptc", "serve", newPlace(t, "p").dir)
	s.becomes("p t1@team-prompts")
	if got := s.get("/"); !strings.Contains(got, "source team-prompts: file:///…/team-prompts.git\n") {
		t.Errorf("/ has %s", got)
	}
	git.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
	s.refreshFails("no branch is there")
	dir := strings.TrimSuffix(strings.TrimPrefix(git.FileURL, "file://"), "/team-prompts.git")
	for _, text := range []string{s.get("/"), s.said.String()} {
		if strings.Contains(text, dir) {
			t.Errorf("a path of this machine: %s", text)
		}
	}
}

// failing answers as a server does that is down.
func failing(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	http.Error(w, "no", http.StatusServiceUnavailable)
}

func TestServeSource(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	env := environ(t, git, nil)
	c := newPlace(t, "p")
	s := startHTTP(t, env, "promptc", "serve", c.dir)
	s.becomes("p t1@team-prompts")
	for _, call := range []string{s.call("/mcp", "prompts/list", ""), s.call("/mcp", "prompts/get", `{"name":"t1"}`)} {
		if !strings.Contains(call, `"promptc/source":"team-prompts"`) {
			t.Errorf("the source is not told in %s", call)
		}
	}
	if got := s.call("/mcp", "prompts/get", `{"name":"p"}`); !strings.Contains(got, `"promptc/source":"built-in"`) {
		t.Errorf("the source is not told in %s", got)
	}

	// What is pushed within the TTL is seen when it is asked for.
	looks := git.Looks.Load()
	git.Push(sourcetest.Branch, team("t1", "t2"))
	s.want("p t1@team-prompts")
	if git.Looks.Load() != looks {
		t.Error("the repository was asked within the TTL")
	}
	s.refresh()
	s.becomes("p t1@team-prompts t2@team-prompts")
	git.Push(sourcetest.Branch, team("t3"))
	s.call("/mcp?refresh=true", "prompts/list", "")
	s.becomes("p t3@team-prompts")
	if runtime.GOOS != "windows" {
		git.Push(sourcetest.Branch, team("t4"))
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.becomes("p t4@team-prompts")
	}

	// A history that is another one.
	git.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
	git.Push(sourcetest.Branch, team("t5"))
	s.refresh()
	s.becomes("p t5@team-prompts")
	// Nothing is left in the tree.
	git.Push(sourcetest.Branch, nil)
	s.refresh()
	s.becomes("p")
	git.Push(sourcetest.Branch, team("t6"))
	s.refresh()
	s.becomes("p t6@team-prompts")

	// Faults of a source are warnings, and edits of the content are seen beside it.
	files := team("p", "t6", "t7")
	files["broken.md"] = "none"
	commit := git.Push(sourcetest.Branch, files)[:7]
	c.prompt("q", "New.")
	s.refresh()
	s.becomes("p q t6@team-prompts t7@team-prompts")
	for _, text := range []string{
		"team-prompts@" + commit + "/broken.md:1:1: warning: frontmatter-missing: ",
		"team-prompts@" + commit + "/p.md:1:1: warning: id-repeated: ", "content/prompts/p/PROMPT.md:1:1",
	} {
		s.says(text)
		if got := s.get("/"); !strings.Contains(got, text) {
			t.Errorf("/ has no %q: %s", text, got)
		}
	}

	// What was read is served whatever happens to the repository.
	git.Git("", "update-ref", "-d", "refs/heads/"+sourcetest.Branch)
	stale := func(why string) {
		t.Helper()
		s.refreshFails(why)
		s.want("p q t6@team-prompts t7@team-prompts")
	}
	stale("no branch is there")
	git.Intercept(failing)
	stale("the server has failed; look again later")
	git.Intercept(nil)
	git.Push(sourcetest.Branch, map[string]string{"large.md": strings.Repeat("a", 65<<20)})
	stale("its files hold more than 64 MiB")
	git.Close()
	stale("the server cannot be reached")

	// The next start serves it too.
	s.kill()
	s = startHTTP(t, env, "promptc", "serve", c.dir)
	s.want("p q t6@team-prompts t7@team-prompts")
}

// A failure at the start is told, and is over once the repository can be read.
func TestServeSourceComesLater(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	var asked atomic.Int64
	git.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		asked.Add(1)
		failing(w, r, next)
	})
	s := startHTTP(t, environ(t, git, map[string]string{"PROMPTC_USER_PROMPTS_CACHE_TTL": "1"}), "promptc", "serve", newPlace(t, "p").dir)
	s.want("p")
	s.says("level=ERROR")
	if got := s.get("/healthz"); !strings.Contains(got, "source team-prompts: nothing was read yet") {
		t.Errorf("/healthz has %s", got)
	}
	// Requests try again, and not each of them.
	before := asked.Load()
	requests := int64(0)
	until(t, "it is tried again", func() bool { requests++; s.want("p"); return asked.Load() > before })
	if n := asked.Load() - before; requests > 20 && n > requests/2 {
		t.Errorf("%d requests had the repository asked %d times", requests, n)
	}
	git.Intercept(nil)
	s.becomes("p t1@team-prompts")
	// A push is seen once the TTL has passed.
	git.Push(sourcetest.Branch, team("t2"))
	s.becomes("p t2@team-prompts")

	// Once what was read is older than that, and cannot be read again, all are told.
	git.Intercept(failing)
	old := regexp.MustCompile(`(?m)^source team-prompts: [0-9hms]+ old, and cannot be read again now$`)
	until(t, "/healthz tells the age", func() bool { s.want("p t2@team-prompts"); return old.MatchString(s.get("/healthz")) })
	s.says("level=WARN")
	if got := s.get("/"); !strings.Contains(got, "the server has failed; look again later") {
		t.Errorf("/ does not say why: %s", got)
	}
	if got := s.get("/healthz"); strings.Contains(got, "https://") {
		t.Errorf("/healthz names the repository: %s", got)
	}
}

func TestServeSourceRefused(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	s := startHTTP(t, environ(t, git, map[string]string{"PROMPTC_GIT_TOKEN": "wrong"}), "promptc", "serve", newPlace(t, "p").dir)
	s.want("p")
	const why = "the server refused the token in PROMPTC_GIT_TOKEN; check that it is valid and may read the repository"
	s.says(why)
	if got := s.get("/"); !strings.Contains(got, why) {
		t.Errorf("/ has %s", got)
	}
	if git.Fetches.Load() != 0 {
		t.Error("the server let somebody in")
	}
}

// Who has no sources hears nothing of them, and needs no git and no cache.
func TestServeWithoutSources(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	s := startHTTP(t, []string{"PROMPTC_CACHE_DIR=" + cache, "PATH="}, "promptc", "serve", newPlace(t, "p").dir)
	s.want("p")
	s.refresh()
	for _, text := range []string{s.said.String(), s.get("/healthz"), s.get("/")} {
		if strings.Contains(text, "source") || strings.Contains(text, "git") || strings.Contains(text, "level=WARN") {
			t.Errorf("it says %s", text)
		}
	}
	if _, err := os.Stat(cache); err == nil {
		t.Error("there is a cache")
	}
}

// TestServeSharesFetch has fifty clients come while the repository is being asked.
func TestServeSharesFetch(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	s := startHTTP(t, environ(t, git, map[string]string{"PROMPTC_USER_PROMPTS_CACHE_TTL": "5"}), "promptc", "serve", newPlace(t, "p").dir)
	s.becomes("p t1@team-prompts")
	git.Push(sourcetest.Branch, team("t2"))
	fetches, looks := git.Fetches.Load(), git.Looks.Load()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	git.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		once.Do(func() { close(held) })
		<-release
		next.ServeHTTP(w, r)
	})
	asking := make(chan struct{})
	go func() {
		defer close(asking)
		s.becomes("p t2@team-prompts")
	}()
	<-held
	var clients, sent sync.WaitGroup
	for range 50 {
		sent.Add(1)
		clients.Go(func() {
			sent.Done()
			s.becomes("p t2@team-prompts")
		})
	}
	sent.Wait()
	if n := git.Looks.Load() - looks; n != 1 {
		t.Errorf("the repository was asked %d times", n)
	}
	close(release)
	clients.Wait()
	<-asking
	if n := git.Fetches.Load() - fetches; n != 1 {
		t.Errorf("%d fetches", n)
	}
}

// secretForms are the forms in which a token may be seen, beside a user name.
func secretForms(user, token string) []string {
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + token))
	plain := base64.StdEncoding.EncodeToString([]byte(token))
	return []string{token, url.QueryEscape(token), url.PathEscape(token), strings.TrimRight(basic, "="), strings.TrimRight(plain, "=")}
}

// TestServeHidesToken looks for the token wherever the program leaves something.
func TestServeHidesToken(t *testing.T) {
	t.Parallel()
	for _, given := range []struct{ name, user, url, variable string }{
		{"variable", "x-access-token", "", gitToken},
		{"user in variable", "me", "", "me:" + gitToken},
		{"URL", "x-access-token", url.User(gitToken).String() + "@", ""},
		{"user in URL", "me", url.UserPassword("me", gitToken).String() + "@", ""},
		{"user in URL, token in variable", "me", "me@", gitToken},
	} {
		for _, right := range []bool{true, false} {
			t.Run(fmt.Sprint(given.name, ", ", right), func(t *testing.T) {
				t.Parallel()
				theirs := gitToken
				if !right {
					theirs = "another"
				}
				git := sourcetest.NewServer(t, theirs)
				git.Push(sourcetest.Branch, team("t1"))
				cache := t.TempDir()
				env := environ(t, git, map[string]string{
					"PROMPTC_CACHE_DIR": cache, "PROMPTC_GIT_TOKEN": given.variable,
					"PROMPTC_USER_PROMPTS_REPO": strings.Replace(git.URL, "https://", "https://"+given.url, 1),
				})
				forms := secretForms(given.user, gitToken)
				look := func(where, text string) {
					for _, form := range forms {
						if strings.Contains(text, form) {
							t.Errorf("the token is in %s: %s", where, text)
						}
					}
				}
				var seen atomic.Int64
				git.Intercept(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
					seen.Add(1)
					lookAtMachine(look, cache)
					if user, _, _ := r.BasicAuth(); user != given.user {
						t.Errorf("the user is %q", user)
					}
					next.ServeHTTP(w, r)
				})
				s := startHTTP(t, env, "promptc", "serve", newPlace(t, "p").dir)
				if right {
					s.becomes("p t1@team-prompts")
					// What goes wrong later is told too.
					git.Intercept(func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
						http.Error(w, "you sent "+r.Header.Get("Authorization"), http.StatusForbidden)
					})
					look("/refresh", s.refresh())
					s.says("level=WARN")
				} else {
					s.says("level=ERROR")
				}
				s.says("the server refused the token in PROMPTC_")
				if right != (seen.Load() > 0) {
					t.Errorf("%d requests were let in", seen.Load())
				}
				lookAtMachine(look, cache)
				for _, path := range []string{"/", "/healthz", "/readyz"} {
					look(path, s.get(path))
				}
				for _, r := range everyRequest("2025-11-25", programOf(t, newPlace(t, "p").dir).Catalog) {
					look(r.method, s.call("/mcp", r.method, r.params))
				}
				look("prompts/get", s.call("/mcp", "prompts/get", `{"name":"t1"}`))
				look("stderr", s.said.String())
			})
		}
	}
}

// lookAtMachine looks at the command lines of all processes, where the system shows
// them, and at the names and bytes of all files of a cache.
func lookAtMachine(look func(where, text string), cache string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		if text, err := os.ReadFile(file); err == nil {
			look("a command line", string(text))
		}
	}
	filepath.WalkDir(cache, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it comes and goes
		}
		look("the name of a file", name)
		if text, err := os.ReadFile(name); err == nil {
			look(name, string(text))
		}
		return nil
	})
}

// halfway answers fetches with a half of the answer, tells so, and then waits until the
// client is gone.
func halfway(reached chan<- struct{}) sourcetest.Interceptor {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !sourcetest.IsFetch(r) {
			next.ServeHTTP(w, r)
			return
		}
		whole := httptest.NewRecorder()
		next.ServeHTTP(whole, r)
		maps.Copy(w.Header(), whole.Header())
		w.Header().Del("Content-Length")
		w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
		http.NewResponseController(w).Flush()
		reached <- struct{}{}
		<-r.Context().Done()
	}
}

// TestServeKilled kills the program in the middle of a clone and of a pull.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	cache := t.TempDir()
	env := environ(t, git, map[string]string{"PROMPTC_CACHE_DIR": cache})
	c := newPlace(t, "p")
	reached := make(chan struct{})
	// begin starts the program and does not wait for it to serve.
	begin := func() *exec.Cmd {
		cmd := exec.Command("promptc", "serve", "--http", "127.0.0.1:0", c.dir)
		cmd.Env = append(os.Environ(), env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	for range 3 {
		git.Intercept(halfway(reached))
		killed := begin()
		<-reached
		killed.Process.Kill()
		killed.Wait()
	}
	// Nothing is there, and nothing half is taken for something.
	git.Intercept(failing)
	s := startHTTP(t, env, "promptc", "serve", c.dir)
	s.want("p")
	git.Intercept(nil)
	s.refresh()
	s.becomes("p t1@team-prompts")

	git.Push(sourcetest.Branch, team("t2"))
	git.Intercept(halfway(reached))
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-reached
	s.kill()
	git.Intercept(failing)
	s = startHTTP(t, env, "promptc", "serve", c.dir)
	s.want("p t1@team-prompts")
	git.Intercept(nil)
	s.refresh()
	s.becomes("p t2@team-prompts")
	if left, err := filepath.Glob(filepath.Join(cache, "sources", "*", "work", "*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

// smallDisk mounts a file system of 1 MiB on a directory, which needs the right to, and
// returns what remounts it with other options.
func smallDisk(t *testing.T) (dir string, remount func(options string)) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("this user cannot mount a small disk: %v %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir, func(options string) {
		t.Helper()
		if out, err := exec.Command("mount", "-o", "remount,"+options, dir).CombinedOutput(); err != nil {
			t.Skipf("this user cannot mount a disk anew: %v %s", err, out)
		}
	}
}

func TestServeDiskFull(t *testing.T) {
	t.Parallel()
	cache, remount := smallDisk(t)
	git := sourcetest.NewServer(t, gitToken)
	large := team("t1")
	large["large.md"] = strings.Repeat("a", 2<<20)
	git.Push(sourcetest.Branch, large)
	env := environ(t, git, map[string]string{"PROMPTC_CACHE_DIR": cache})
	c := newPlace(t, "p")
	s := startHTTP(t, env, "promptc", "serve", c.dir)
	s.want("p")
	const full, frozen = "the disk that holds the cache is full; free some space", "the cache directory cannot be written to"
	s.says(full)
	git.Push(sourcetest.Branch, team("t1"))
	s.refresh()
	s.becomes("p t1@team-prompts")
	git.Push(sourcetest.Branch, large)
	refused := func(why string) {
		t.Helper()
		s.refreshFails(why)
		s.want("p t1@team-prompts")
	}
	refused(full)
	remount("ro")
	refused(frozen)
	s.kill()
	s = startHTTP(t, env, "promptc", "serve", c.dir)
	s.want("p t1@team-prompts")
	refused(frozen)
	remount("rw")
	git.Push(sourcetest.Branch, team("t2"))
	s.refresh()
	s.becomes("p t2@team-prompts")
}

// TestServeFollowsSettings edits the sources of catalog.yaml while it serves.
func TestServeFollowsSettings(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	git.Push("other", team("t2"))
	c := newPlace(t, "p")
	s := startHTTP(t, environ(t, git, map[string]string{"PROMPTC_USER_PROMPTS_REPO": "", "PROMPTC_USER_PROMPTS_CACHE_TTL": ""}), "promptc", "serve", c.dir)
	s.want("p")
	one := "  - {repository: " + git.URL + ", name: one, token: PROMPTC_GIT_TOKEN, ttl: 1h}\n"
	two := "  - {repository: " + git.URL + ", name: two, token: PROMPTC_GIT_TOKEN, branch: other, ttl: 1h}\n"
	c.write("catalog.yaml", "sources:\n"+one)
	s.becomes("p t1@one")
	c.write("catalog.yaml", "sources:\n"+two+one)
	s.becomes("p t1@one t2@two")
	fetches := git.Fetches.Load()
	c.write("catalog.yaml", "# A comment moves them.\nsources:\n"+one+two)
	s.want("p t1@one t2@two")
	c.write("catalog.yaml", "sources:\n  - {repository: http://x}\n")
	s.want("p t1@one t2@two")
	s.says("content/catalog.yaml:2:18: sources: ")
	c.write("catalog.yaml", "sources:\n"+two)
	s.want("p t2@two")
	if git.Fetches.Load() != fetches {
		t.Error("an edit of other lines has a source fetched again")
	}
	c.remove("catalog.yaml")
	s.want("p")
	if got := s.get("/healthz"); strings.Contains(got, "source") {
		t.Errorf("/healthz has %s", got)
	}
}

// One name cannot be that of two sources, wherever they are named.
func TestServeSourceNamedTwice(t *testing.T) {
	t.Parallel()
	git := sourcetest.NewServer(t, gitToken)
	git.Push(sourcetest.Branch, team("t1"))
	c := newPlace(t, "p")
	c.write("catalog.yaml", "sources:\n  - {repository: "+git.URL+", token: PROMPTC_GIT_TOKEN}\n")
	const fault = `content/catalog.yaml:2:18: sources: the command line or the environment names a source "team-prompts" too`
	s := startHTTP(t, environ(t, git, nil), "promptc", "serve", c.dir)
	if s.base != "" || !strings.Contains(s.said.String(), fault) {
		t.Errorf("it says %s", s.said)
	}
	s = startHTTP(t, environ(t, git, nil), "promptc", "serve", "--keep-going", c.dir)
	s.becomes("p t1@team-prompts")
	c.remove("catalog.yaml")
	s.want("p t1@team-prompts")
	s.says("the content has no faults any more")
}

// corpus returns a repository with the files of a directory beside this repository, and
// skips the test where there is none.
func corpus(t *testing.T, name string) (repository string, files map[string]string) {
	t.Helper()
	git := sourcetest.NewServer(t, "")
	root := filepath.Join("..", "..", "..", "shared", "corpus", filepath.FromSlash(name))
	files = map[string]string{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(file)
		rel, _ := filepath.Rel(root, file)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Skip("there is no corpus")
	}
	git.Push(sourcetest.Branch, files)
	return git.FileURL, files
}

var warned = regexp.MustCompile(`(?m)^team-prompts@[0-9a-f]{7}/(.+\.md):(\d+):(\d+): warning: [a-z-]+: .`)

func TestServeSharedPrompts(t *testing.T) {
	t.Parallel()
	repository, files := corpus(t, "dot-ai/shared-prompts")
	s := startHTTP(t, []string{"PROMPTC_CACHE_DIR=" + t.TempDir(), "PROMPTC_USER_PROMPTS_REPO=" + repository}, "promptc", "serve", newPlace(t, "built-in-prompt").dir)
	until(t, "the source is served", func() bool { return strings.Contains(s.prompts(), "@team-prompts") })
	said := map[string]bool{}
	for _, m := range warned.FindAllStringSubmatch(s.get("/"), -1) {
		said[m[1]] = true
		lines := strings.Split(files[m[1]], "\n")
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		if line < 1 || line > len(lines) || column < 1 || column > len([]rune(lines[line-1]))+1 {
			t.Errorf("%s is no place", m[0])
		}
	}
	names := regexp.MustCompile(`(?m)^name: *["']?([^"'\n]*)`)
	served := " " + s.prompts() + " "
	sound := 0
	for file, text := range files {
		if !strings.HasSuffix(file, ".md") || file == "README.md" {
			continue
		}
		name := strings.TrimSuffix(file, ".md")
		if m := names.FindStringSubmatch(text); m != nil {
			name = m[1]
		}
		isServed := strings.Contains(served, " "+name+"@team-prompts ")
		if isServed == said[file] {
			t.Errorf("%s (%s): served %v, warned of %v", file, name, isServed, said[file])
		}
		if !isServed {
			continue
		}
		sound++
		if got := s.call("/mcp", "prompts/get", `{"name":"`+name+`"}`); !strings.Contains(got, `"result"`) && !strings.Contains(got, "required") {
			t.Errorf("%s answers %s", name, got)
		}
	}
	t.Logf("%d are served, %d have faults", sound, len(said))
	if sound == 0 {
		t.Error("none is served")
	}
}

func TestServeAgentSkills(t *testing.T) {
	t.Parallel()
	repository, files := corpus(t, "superpowers")
	s := startHTTP(t, []string{"PROMPTC_CACHE_DIR=" + t.TempDir()}, "promptc", "serve", "--user-prompts-repo", repository, "--user-prompts-layout", "agent-skills", newPlace(t, "p").dir)
	until(t, "the source is served", func() bool { return strings.Contains(s.get("/healthz"), "old") })
	index := s.call("/mcp", "resources/read", `{"uri":"resource://catalog/skills_index"}`)
	status := s.get("/")
	sound := 0
	for file := range files {
		dir, ok := strings.CutSuffix(file, "/SKILL.md")
		if !ok || !strings.HasPrefix(dir, "skills/") || strings.Count(dir, "/") != 1 {
			continue
		}
		id := strings.TrimPrefix(dir, "skills/")
		read := s.call("/mcp", "resources/read", `{"uri":"skill://`+id+`/SKILL.md"}`)
		switch isServed := strings.Contains(read, `"result"`); {
		case isServed:
			sound++
			if !strings.Contains(index, id) {
				t.Errorf("the index lacks %s", id)
			}
		case !strings.Contains(status, "/"+dir+"/"):
			t.Errorf("%s is not served, and nobody is told why", id)
		}
	}
	t.Logf("%d are served", sound)
	if sound == 0 {
		t.Error("none is served")
	}
}
