// This file holds the tests of content that changes while it is served.

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
)

// changing is content that a test changes.
type changing struct {
	mux atomic.Pointer[catalog.Mux]
	// before, if not nil, is called first when the content is asked for, and after
	// last.
	before func(ctx context.Context)
	after  func()
	// asked and refreshed count how often that was, and how often at once.
	asked, refreshed atomic.Int64
}

func (c *changing) content(ctx context.Context, refresh bool) *catalog.Mux {
	c.asked.Add(1)
	if refresh {
		c.refreshed.Add(1)
	}
	if c.before != nil {
		c.before(ctx)
	}
	if c.after != nil {
		defer c.after()
	}
	return c.mux.Load()
}

// newLive returns a server of a mux that can change.
func newLive(t testing.TB, opts Options, mux *catalog.Mux) (*Server, *changing) {
	t.Helper()
	var c changing
	c.mux.Store(mux)
	opts.Live = &Live{
		Content: c.content,
		Health:  func() string { return "health" },
		Status:  func() string { return "status\nof all\n" },
	}
	s, err := New(mux, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s, &c
}

// unhinted is an answer as it would be if nothing stayed fresh for a day.
func unhinted(answer []byte) []byte {
	return bytes.ReplaceAll(answer, []byte(`"ttlMs":86400000,`), []byte(`"ttlMs":0,`))
}

// bothWays is what comes back for a message by stdio and, with the headers that an
// era asks for, by HTTP.
func bothWays(t *testing.T, s *Server, p *catalog.Principal, e era, message string) string {
	t.Helper()
	ctx := catalog.WithRequest(context.Background(), &catalog.Request{Principal: p})
	lines := askAs(ctx, t, s, message)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, e.post(message).WithContext(ctx))
	return fmt.Sprintln(lines, w.Code, w.Body)
}

// TestLiveAnswers holds a server whose content could change against one whose content
// cannot, message by message.
func TestLiveAnswers(t *testing.T) {
	hinted := fixture()
	hinted.Cache = catalog.CacheHint{TTL: time.Hour}
	withPages := func(m *catalog.Mux) error {
		return errors.Join(m.Mount(hinted), m.MountRepository(pages("live/", "a", "", "b")))
	}
	for _, mount := range []func(*catalog.Mux) error{withPages, mountOwn} {
		for _, opts := range []Options{{}, {Tools: true, PageSize: 2}} {
			static := newMuxServer(t, opts, mount)
			live, content := newLive(t, opts, muxOf(t, mount))
			var messages []string
			for _, test := range errorCases() {
				if test.legacy != 0 {
					messages = append(messages, legacy.request("7", test.method, test.params))
				}
				if test.modern != 0 {
					messages = append(messages, modern.request("7", test.method, test.params))
				}
			}
			// Functions do not say how long their list stays fresh.
			if static.stock.Load().repositories[0].Funcs == nil {
				messages = append(append(messages, seeds()...), cursorSeeds(t, static)...)
			}
			for _, message := range messages {
				for _, p := range []*catalog.Principal{nil, {Name: "a"}, {Name: "b", Prefixes: []string{"live/", "te"}, Tags: []string{"a"}}} {
					for _, e := range []era{legacy, modern} {
						if want, got := bothWays(t, static, p, e, message), bothWays(t, live, p, e, message); got != want {
							t.Errorf("to %s\nthe answer is  %s\nand should be  %s", message, got, want)
						}
					}
				}
			}
			if content.asked.Load() == 0 {
				t.Error("the content was never asked for")
			}
		}
	}
}

// edition is one state of content that changes.
func edition(name string, skills ...*catalog.Skill) *catalog.Catalog {
	prompts := []*catalog.Prompt{
		prompt("first", "The "+name+" text for {{whom}}.", catalog.Argument{Name: "whom", Description: "Whom.", Choices: []string{name + " one", name + " two"}}),
		prompt("of-"+name, "Only in "+name+"."),
	}
	documents := []*catalog.Document{document("readme.md", name, "# "+name+"\n")}
	for _, s := range skills {
		documents = append(documents, markdown(s)...)
	}
	c := assemble("", prompts, skills, documents)
	c.Version, c.Instructions = name, "Ask for "+name+"."
	c.Cache = catalog.CacheHint{TTL: time.Minute}
	return c
}

// TestLiveChanges changes what is served between requests: each is answered as by a
// server of what there is then, and no answer is the one of before.
func TestLiveChanges(t *testing.T) {
	editions := []*catalog.Catalog{
		edition("a", skill("tests", nil, "references/marks.md", "# a\n")),
		edition("b", skill("tests", nil, "references/notes.md", "# b\n"), skill("more", nil)),
		edition("c"),
	}
	opts := Options{Tools: true, PageSize: 10}
	var statics []*Server
	var muxes []*catalog.Mux
	for _, c := range editions {
		mux := muxOf(t, mounting(c))
		muxes = append(muxes, mux)
		static, err := New(mux, opts)
		if err != nil {
			t.Fatal(err)
		}
		statics = append(statics, static)
	}
	live, content := newLive(t, opts, muxes[0])
	requests := []struct{ method, params string }{
		{"prompts/list", ""}, {"prompts/get", `{"name":"first"}`}, {"prompts/get", `{"name":"of-b"}`},
		{"resources/list", ""}, {"resources/read", `{"uri":"resource://docs/readme.md"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"first"},"argument":{"name":"whom","value":""}}`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/document"},"argument":{"name":"skill_id","value":""}}`},
		{"skills/list", ""}, {"skills/get", `{"uri":"skill://more/SKILL.md"}`}, {"resources/directory/read", `{"uri":"skill://tests/references"}`},
		{"tools/call", `{"name":"list_prompts"}`}, {"tools/call", `{"name":"get_prompt","arguments":{"name":"first"}}`}, {"tools/call", `{"name":"list_skills"}`},
		{"tools/call", `{"name":"read_document","arguments":{"uri":"resource://docs/readme.md"}}`},
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`}, {"server/discover", ""},
	}
	for _, e := range []era{legacy, modern} {
		for _, r := range requests {
			if r.method == "initialize" && e == modern || r.method == "server/discover" && e == legacy {
				continue
			}
			message := e.request("7", r.method, r.params)
			different := map[string]bool{}
			for _, at := range []int{0, 1, 2, 0} {
				content.mux.Store(muxes[at])
				got, want := bothWays(t, live, nil, e, message), bothWays(t, statics[at], nil, e, message)
				if got != want {
					t.Errorf("edition %d answers %s\nwith  %s\nnot   %s", at, message, got, want)
				}
				different[got] = true
			}
			if len(different) < 2 {
				t.Errorf("every edition answers %s alike", message)
			}
		}
	}
	for i, name := range []string{"a", "b", "c"} {
		content.mux.Store(muxes[i])
		for e, method := range map[era]string{legacy: "initialize", modern: "server/discover"} {
			if a, _ := request(t, live, e, method, ""); a.Result["instructions"] != "Ask for "+name+"." {
				t.Errorf("%s tells %v, want those of %s", method, a.Result["instructions"], name)
			}
		}
	}
}

// TestLiveCursors follows a cursor into content that is not the one it was made for.
func TestLiveCursors(t *testing.T) {
	a, b := muxOf(t, mounting(edition("a"))), muxOf(t, mounting(edition("b")))
	s, content := newLive(t, Options{PageSize: 1}, a)
	for _, method := range []string{"prompts/list", "resources/list"} {
		content.mux.Store(a)
		page, _ := request(t, s, modern, method, "")
		params := toJSON(map[string]any{"cursor": page.Result["nextCursor"]})
		if page, _ := request(t, s, modern, method, params); page.Result == nil {
			t.Errorf("%s: no second page: %v", method, page.Error)
		}
		content.mux.Store(b)
		if page, _ := request(t, s, modern, method, params); page.Error == nil || page.Error.Code != -32602 || !strings.Contains(page.Error.Message, "start again") {
			t.Errorf("%s: a cursor of other content gives %v", method, page)
		}
		content.mux.Store(a)
		if page, _ := request(t, s, modern, method, params); page.Result == nil {
			t.Errorf("%s: the content is as it was, and the cursor is not: %v", method, page.Error)
		}
	}
}

// TestLiveUnderWay changes the content while a request waits: it ends with what it
// began with.
func TestLiveUnderWay(t *testing.T) {
	started, release := make(chan struct{}, 2), make(chan struct{})
	old := muxOf(t, func(m *catalog.Mux) error {
		return errors.Join(m.Mount(edition("a")), m.MountRepository(&repo{prefix: "slow/",
			list: func(context.Context, string) (catalog.Page, error) {
				return catalog.Page{Prompts: []catalog.Listing{{Name: "slow/x"}}}, nil
			},
			get: func(context.Context, string, map[string]string) (catalog.Result, error) {
				started <- struct{}{}
				<-release
				return catalog.Result{Messages: []catalog.Message{{Role: catalog.User, Text: "slowly"}}}, nil
			}}))
	})
	s, content := newLive(t, Options{}, old)
	c := connect(t, context.Background(), s)
	message := modern.request(`"slow"`, "prompts/get", `{"name":"slow/x"}`)
	answers := make(chan string, 1)
	go func() {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, modern.post(message))
		answers <- w.Body.String()
	}()
	c.send(t, message)
	<-started
	<-started
	content.mux.Store(muxOf(t, mounting(edition("b"))))
	c.send(t, modern.request(`"new"`, "prompts/get", `{"name":"slow/x"}`))
	if line := c.line(t); !strings.Contains(line, `"id":"new"`) || !strings.Contains(line, "-32602") {
		t.Errorf("after the change %s", line)
	}
	close(release)
	for _, line := range []string{c.line(t), <-answers} {
		if a := decode(t, line); !strings.Contains(line, "slowly") || !strings.Contains(toJSON(a.Result["_meta"]), `"version":"a"`) {
			t.Errorf("a request that was under way ends with %s", line)
		}
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// counted is a repository that counts how often it is prepared to be served. The
// first time, wait is called meanwhile, if it is not nil.
type counted struct {
	repo
	asked atomic.Int64
	wait  func()
}

func (c *counted) CacheHint() catalog.CacheHint {
	if c.asked.Add(1) == 1 && c.wait != nil {
		c.wait()
	}
	return catalog.CacheHint{TTL: time.Second}
}

// TestLiveWaits has many requests wait for content that is slow to come: other
// messages are answered meanwhile, and what came is prepared once.
func TestLiveWaits(t *testing.T) {
	const many, all = 50, 50 + mostWaiting - 1
	s, content := newLive(t, Options{}, muxOf(t, mounting(edition("a"))))
	counting := func() (*counted, *catalog.Mux) {
		c := &counted{repo: *pages("own/", "x")}
		return c, muxOf(t, func(m *catalog.Mux) error { return errors.Join(m.Mount(edition("b")), m.MountRepository(c)) })
	}
	once, mux := counting()
	if _, err := New(mux, Options{}); err != nil {
		t.Fatal(err)
	}
	repository, next := counting()
	started, given, release := make(chan struct{}, all), make(chan struct{}, all), make(chan struct{})
	content.after = func() { given <- struct{}{} }
	repository.wait = func() {
		// Every request has the new content, and none has an answer.
		for range all {
			<-given
		}
	}
	content.before = func(context.Context) {
		started <- struct{}{}
		<-release
	}
	address := "http://" + listen(t, s)
	var clients sync.WaitGroup
	for range many {
		clients.Go(func() {
			req := modern.post(modern.request("7", "prompts/list", ""))
			sent, err := http.NewRequest(req.Method, address+Endpoint, req.Body)
			if err != nil {
				t.Error(err)
				return
			}
			sent.Header = req.Header
			answer, err := http.DefaultClient.Do(sent)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			if body, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(body), `"of-b"`) {
				t.Errorf("%v: %s", err, body)
			}
		})
	}
	c := connect(t, context.Background(), s)
	for range mostWaiting - 1 {
		c.send(t, legacy.request("7", "prompts/get", `{"name":"of-b"}`))
	}
	for range all {
		<-started
	}
	c.send(t, ping)
	if line := c.line(t); line != pong {
		t.Errorf("while the content is waited for, a ping gets %s", line)
	}
	content.mux.Store(next)
	close(release)
	clients.Wait()
	for range mostWaiting - 1 {
		if line := c.line(t); !strings.Contains(line, "Only in b.") {
			t.Errorf("after the content came: %s", line)
		}
	}
	if got, want := repository.asked.Load(), once.asked.Load(); got != want {
		t.Errorf("to prepare what came, it was asked %d times, and not %d", got, want)
	}
	if got := content.asked.Load(); got != all {
		t.Errorf("the content was asked for %d times", got)
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

func TestLivePanics(t *testing.T) {
	var log lockedBuffer
	s, content := newLive(t, Options{Logger: textLogger(&log)}, muxOf(t, mounting(edition("a"))))
	content.before = func(context.Context) { panic("a secret") }
	for _, e := range []era{legacy, modern} {
		a, status := request(t, s, e, "prompts/list", "")
		if a.Error == nil || a.Error.Code != -32603 || a.Error.Message != "internal error" || a.Error.Data != nil || (status == 500) != (e == modern) {
			t.Errorf("%v: got %v with status %d", e, a, status)
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("POST", "http://localhost/refresh", nil))
	if w.Code != 500 || w.Body.String() != "internal error\n" {
		t.Errorf("/refresh: %d %s", w.Code, w.Body)
	}
	lines := log.lines()
	if len(lines) != 5 {
		t.Errorf("the log has %d lines: %q", len(lines), lines)
	}
	for _, line := range lines {
		if !strings.Contains(line, "looking at the content failed") || !strings.Contains(line, "a secret") || !strings.Contains(line, "live_test.go") {
			t.Errorf("the log says %s", line)
		}
	}
	if got := strings.Join(ask(t, s, ping), ""); got != pong {
		t.Errorf("a ping gets %s", got)
	}
	content.before = nil
	if a, _ := request(t, s, legacy, "prompts/list", ""); a.Error != nil {
		t.Errorf("after the panics: %v", a.Error)
	}
	broken := func() string { panic("a secret") }
	s.live.Health, s.live.Status = broken, broken
	for path, want := range map[string]string{"/healthz": "200 ok\n", "/": "500 internal error\n"} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+path, nil))
		if got := fmt.Sprint(w.Code, " ", w.Body); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestLivePatience has the content take longer than a request may wait.
func TestLivePatience(t *testing.T) {
	s, content := newLive(t, Options{}, muxOf(t, mounting(edition("a"))))
	s.patience = 10 * time.Millisecond
	content.before = func(ctx context.Context) { <-ctx.Done() }
	if a, _ := request(t, s, modern, "prompts/get", `{"name":"of-a"}`); a.Error != nil {
		t.Errorf("with what there is when time is up: %v", a.Error)
	}
	// A client that goes away ends the wait too.
	s.patience = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	content.before = func(ctx context.Context) {
		cancel()
		<-ctx.Done()
	}
	s.Handler().ServeHTTP(httptest.NewRecorder(), modern.post(modern.request("7", "prompts/list", "")).WithContext(ctx))
}

// TestLiveRefused has nothing, and a mux that cannot be served, come in place of the
// content.
func TestLiveRefused(t *testing.T) {
	var log lockedBuffer
	s, content := newLive(t, Options{Logger: textLogger(&log)}, muxOf(t, mounting(edition("a"))))
	for _, mux := range []*catalog.Mux{nil, {}} {
		content.mux.Store(mux)
		for range 3 {
			if a, _ := request(t, s, legacy, "prompts/get", `{"name":"of-a"}`); a.Error != nil {
				t.Errorf("what was served before is not: %v", a.Error)
			}
		}
	}
	if lines := log.lines(); len(lines) != 1 || !strings.Contains(lines[0], "what changed is not served") || !strings.Contains(lines[0], "no catalog is mounted") {
		t.Errorf("the log says %q", lines)
	}
	content.mux.Store(muxOf(t, mounting(edition("b"))))
	if a, _ := request(t, s, legacy, "prompts/get", `{"name":"of-b"}`); a.Error != nil {
		t.Errorf("what can be served again is not: %v", a.Error)
	}
	if _, err := New(content.mux.Load(), Options{Live: &Live{}}); err == nil || !strings.Contains(err.Error(), "Live has no Content") {
		t.Errorf("without Content: %v", err)
	}
	if _, err := New(&catalog.Mux{}, Options{Live: s.live}); err == nil {
		t.Error("served without a catalog at first")
	}
}

func TestLiveFreshness(t *testing.T) {
	silent, said := edition("a"), edition("b")
	silent.Cache = catalog.CacheHint{}
	other := numbered(1)
	other.Prefix = "other/"
	for name, test := range map[string]struct {
		catalogs []*catalog.Catalog
		want     float64
	}{
		"silent":            {[]*catalog.Catalog{silent}, 0},
		"hinted":            {[]*catalog.Catalog{said}, 60_000},
		"hinted and silent": {[]*catalog.Catalog{said, other}, 0},
	} {
		s, _ := newLive(t, Options{Tools: true}, muxOf(t, mounting(test.catalogs...)))
		for method, params := range map[string]string{"prompts/list": "", "resources/list": "", "resources/read": `{"uri":"resource://docs/readme.md"}`, "server/discover": ""} {
			if a, _ := request(t, s, modern, method, params); a.Result["ttlMs"] != test.want {
				t.Errorf("%s: %s stays fresh for %v, want %v", name, method, a.Result["ttlMs"], test.want)
			}
		}
		for _, method := range []string{"tools/list", "resources/templates/list"} {
			if a, _ := request(t, s, modern, method, ""); a.Result["ttlMs"] != 86_400_000.0 {
				t.Errorf("%s: %s stays fresh for %v", name, method, a.Result["ttlMs"])
			}
		}
	}
	s, _ := newLive(t, Options{}, muxOf(t, func(m *catalog.Mux) error {
		return errors.Join(m.Mount(edition("a")), m.MountRepository(&hinted{*pages("own/", "x"), catalog.CacheHint{}}))
	}))
	first, _ := request(t, s, modern, "prompts/list", "")
	if a, _ := request(t, s, modern, "prompts/list", toJSON(map[string]any{"cursor": first.Result["nextCursor"]})); a.Result["ttlMs"] != 0.0 {
		t.Errorf("a repository that says nothing stays fresh for %v", a.Result["ttlMs"])
	}
}

// unread is a body that nobody should read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, io.EOF
}

// TestLivePaths asks for the state of the content, and has it looked at at once.
func TestLivePaths(t *testing.T) {
	const all, some = "token-of-all", "token-of-some"
	mux := muxOf(t, mounting(edition("a")))
	open, opened := newLive(t, Options{}, mux)
	secured, content := newLive(t, Options{HTTP: HTTPOptions{
		Tokens:     tokens(t, "all "+digest(all), "some "+digest(some)+" tags=a"),
		AllowHosts: []string{"mcp.example"}, AllowOrigins: []string{"https://app.example"},
	}}, mux)
	bare, err := New(mux, Options{Live: &Live{Content: content.content}})
	if err != nil {
		t.Fatal(err)
	}
	static := newServer(t, Options{}, edition("a"))
	list := modern.request("7", "prompts/list", "")
	for _, test := range []struct {
		server                              *Server
		method, path, token, origin, header string // header is one of the answer, and its value
		want                                string
		refreshes                           bool
	}{
		{server: open, method: "GET", path: "/healthz", want: "200 ok\nhealth\n"},
		{server: secured, method: "GET", path: "/healthz", want: "200 ok\nhealth\n", header: "Content-Type: text/plain; charset=utf-8"},
		{server: secured, method: "GET", path: "/readyz", want: "200 ok\n"},
		{server: bare, method: "GET", path: "/healthz", want: "200 ok\n"},
		{server: static, method: "GET", path: "/healthz", want: "200 ok\n"},

		{server: open, method: "GET", path: "/", want: "200 status\nof all\n", header: "Content-Type: text/plain; charset=utf-8"},
		{server: open, method: "GET", path: "/", origin: "https://evil.example", want: "403 requests from pages of this origin are not served\n"},
		{server: open, method: "POST", path: "/", want: "405 only GET and HEAD are served here\n", header: "Allow: GET, HEAD"},
		{server: bare, method: "GET", path: "/", want: "200 "},
		{server: secured, method: "GET", path: "/", want: "401 this server needs a bearer token in the header Authorization\n", header: `Www-Authenticate: Bearer realm="mcp"`},
		{server: secured, method: "GET", path: "/", token: "x", want: "401 the token is not accepted\n"},
		{server: secured, method: "GET", path: "/", token: all, want: "200 status\nof all\n", header: "Cache-Control: no-store"},
		{server: secured, method: "GET", path: "/", token: all, origin: "https://app.example", want: "200 status\nof all\n"},
		{server: secured, method: "GET", path: "/", token: all, origin: "https://evil.example", want: "403 requests from pages of this origin are not served\n"},
		{server: secured, method: "GET", path: "/", token: some, want: "200 health\n"},
		{server: secured, method: "GET", path: "/?access_token=" + all, want: "400 a token must stand in the header Authorization, never in the address\n"},

		{server: open, method: "POST", path: "/refresh", want: "200 health\n", refreshes: true},
		{server: open, method: "POST", path: "/refresh", origin: "https://evil.example", want: "403 requests from pages of this origin are not served\n"},
		{server: bare, method: "POST", path: "/refresh", want: "200 ", refreshes: true},
		{server: secured, method: "POST", path: "/refresh", want: "401 this server needs a bearer token in the header Authorization\n"},
		{server: secured, method: "POST", path: "/refresh", token: "x", want: "401 the token is not accepted\n"},
		{server: secured, method: "POST", path: "/refresh", token: some, want: "200 health\n", refreshes: true},
		{server: secured, method: "POST", path: "/refresh", token: all, want: "200 health\n", refreshes: true},
		{server: secured, method: "GET", path: "/refresh", token: all, want: "405 only POST is served here\n", header: "Allow: POST"},
		{server: secured, method: "HEAD", path: "/refresh", token: all, want: "405 only POST is served here\n", header: "Allow: POST"},

		{server: open, method: "POST", path: "/mcp?refresh=true", want: "200", refreshes: true},
		{server: secured, method: "POST", path: "/mcp?x=1&refresh=true", token: some, want: "200", refreshes: true},
		{server: secured, method: "POST", path: "/mcp?refresh=true", want: "401"},
		{server: secured, method: "POST", path: "/mcp?refresh=true", token: all, origin: "https://evil.example", want: "403"},
		{server: open, method: "POST", path: "/mcp", want: "200"},
		{server: open, method: "POST", path: "/mcp?refresh=1", want: "200"},
		{server: open, method: "POST", path: "/mcp?refresh=false", want: "200"},
		{server: open, method: "POST", path: "/mcp?refresh=%zz", want: "200"},
		{server: open, method: "GET", path: "/mcp?refresh=true", want: "405"},
		{server: static, method: "POST", path: "/mcp?refresh=true", want: "200"},
		{server: static, method: "GET", path: "/", want: "404 404 page not found\n"},
		{server: static, method: "POST", path: "/refresh", want: "404 404 page not found\n"},
	} {
		name := fmt.Sprint(test.method, " ", test.path, " ", test.token, " ", test.origin)
		before := opened.refreshed.Load() + content.refreshed.Load()
		req := httptest.NewRequest(test.method, "http://localhost"+test.path, unread{t})
		whole := true
		if req.URL.Path == Endpoint {
			posted := modern.post(list)
			req.Body, req.Header, whole = posted.Body, posted.Header, false
		}
		if test.server == secured {
			req.Host = "mcp.example"
		} else {
			local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
			req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local))
		}
		if test.token != "" {
			req.Header.Set("Authorization", "Bearer "+test.token)
		}
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		test.server.Handler().ServeHTTP(w, req)
		got := fmt.Sprint(w.Code)
		if whole {
			got += " " + w.Body.String()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		if field, value, ok := strings.Cut(test.header, ": "); ok && w.Header().Get(field) != value {
			t.Errorf("%s: the header %s is %q", name, field, w.Header().Get(field))
		}
		want := int64(0)
		if test.refreshes {
			want = 1
		}
		if got := opened.refreshed.Load() + content.refreshed.Load() - before; got != want {
			t.Errorf("%s: looked at once %d times, want %d", name, got, want)
		}
	}
	// Other names than those allowed are refused here as elsewhere.
	for _, r := range [][2]string{{"GET", "/"}, {"POST", "/refresh"}} {
		req := httptest.NewRequest(r[0], "http://evil.example"+r[1], nil)
		req.Header.Set("Authorization", "Bearer "+all)
		w := httptest.NewRecorder()
		if secured.Handler().ServeHTTP(w, req); w.Code != 403 {
			t.Errorf("%s %s by another name: status %d", r[0], r[1], w.Code)
		}
	}
}
