// This file holds the tests of what a program's own code answers, well-behaved or
// hostile.

package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
)

// mountOwn mounts the fixture, and under own/ prompts and a resource in Go.
func mountOwn(m *catalog.Mux) error {
	fails := func(text string) func(context.Context, map[string]string) ([]catalog.Message, error) {
		return func(context.Context, map[string]string) ([]catalog.Message, error) {
			switch text {
			case "fails":
				return nil, errors.New("a secret")
			case "panics":
				panic("a secret")
			case "system":
				return []catalog.Message{{Role: "system", Text: "x"}}, nil
			}
			return nil, nil
		}
	}
	return errors.Join(m.Mount(fixture()),
		m.MountFuncs("own/",
			catalog.PromptFunc{
				Name: "own/all", Title: "All", Description: "All kinds of content.",
				Arguments: []catalog.Argument{
					{Name: "who", Description: "Who.", Required: true},
					{Name: "how", Description: "How.", Choices: []string{"well", "badly"}, Default: "well"},
				},
				Render: func(_ context.Context, arguments map[string]string) ([]catalog.Message, error) {
					return []catalog.Message{
						{Role: catalog.User, Text: arguments["who"] + " " + arguments["how"]},
						{Role: catalog.Assistant, Content: catalog.Image{Data: []byte{1, 2}, MIMEType: "image/png"}},
						{Role: catalog.User, Content: catalog.Audio{Data: []byte{3}, MIMEType: "audio/wav"}},
						{Role: catalog.User, Content: catalog.Embedded{URI: "own://item/1", Text: "one"}},
						{Role: catalog.User, Content: catalog.Link{URI: "own://item/2", Name: "two"}},
					}, nil
				},
			},
			catalog.PromptFunc{Name: "own/fails", Description: "Fails.", Render: fails("fails")},
			catalog.PromptFunc{Name: "own/panics", Description: "Panics.", Render: fails("panics")},
			catalog.PromptFunc{Name: "own/silent", Description: "Says nothing.", Render: fails("silent")},
			catalog.PromptFunc{Name: "own/system", Description: "Has no role.", Render: fails("system")},
		),
		m.MountResource(catalog.ResourceFunc{
			URI: "own://item/{id}", Name: "item", MIMEType: "text/plain",
			Read: func(_ context.Context, uri string, variables map[string]string) (catalog.Embedded, error) {
				switch id := variables["id"]; id {
				case "none":
					return catalog.Embedded{}, fmt.Errorf("item %s: %w", id, catalog.ErrNotFound)
				case "fails":
					return catalog.Embedded{}, errors.New("a secret")
				case "blob":
					return catalog.Embedded{URI: "own://elsewhere", MIMEType: "image/png", Blob: []byte{1}}, nil
				default:
					return catalog.Embedded{Text: "item " + id}, nil
				}
			},
		}),
		m.MountResource(catalog.ResourceFunc{
			URI: "own://state", Name: "state", Title: "The state",
			Read: func(ctx context.Context, _ string, _ map[string]string) (catalog.Embedded, error) {
				r := catalog.RequestOf(ctx)
				return catalog.Embedded{Text: r.ClientName + " " + r.ClientVersion + " " + string(r.Meta)}, nil
			},
		}))
}

func TestPromptFuncs(t *testing.T) {
	s := newMuxServer(t, Options{}, mountOwn)
	for _, e := range []era{legacy, modern} {
		a, _ := request(t, s, e, "prompts/get", `{"name":"own/all","arguments":{"who":"\u0041\"","how":null}}`)
		want := `[{"content":{"text":"A\" well","type":"text"},"role":"user"},` +
			`{"content":{"data":"AQI=","mimeType":"image/png","type":"image"},"role":"assistant"},` +
			`{"content":{"data":"Aw==","mimeType":"audio/wav","type":"audio"},"role":"user"},` +
			`{"content":{"resource":{"text":"one","uri":"own://item/1"},"type":"resource"},"role":"user"},` +
			`{"content":{"name":"two","type":"resource_link","uri":"own://item/2"},"role":"user"}]`
		if got := toJSON(a.Result["messages"]); got != want || a.Result["description"] != "All kinds of content." {
			t.Errorf("%v: %s", a.Result["description"], got)
		}
		if _, ok := a.Result["resultType"]; ok != bool(e) {
			t.Errorf("%v: resultType is there: %v", e, ok)
		}
		a, _ = request(t, s, e, "prompts/list", "")
		if got := namesOf(a, "prompts"); got != "deploy-app dialogue plain" || a.Result["nextCursor"] == nil {
			t.Errorf("the first page is %s", got)
		}
		a, _ = request(t, s, e, "prompts/list", toJSON(map[string]any{"cursor": a.Result["nextCursor"]}))
		if got := namesOf(a, "prompts"); got != "own/all own/fails own/panics own/silent own/system" || a.Result["nextCursor"] != nil {
			t.Errorf("the second page is %s", got)
		}
		if e == modern && a.Result["ttlMs"] != 86400000.0 {
			t.Errorf("ttlMs of prompts that change with the program only is %v", a.Result["ttlMs"])
		}
		a, _ = request(t, s, e, "completion/complete", `{"ref":{"type":"ref/prompt","name":"own/all"},"argument":{"name":"how","value":"W"}}`)
		if got := toJSON(a.Result["completion"]); got != `{"hasMore":false,"total":1,"values":["well"]}` {
			t.Errorf("completion: %s", got)
		}
	}
}

func TestResourceFuncs(t *testing.T) {
	s := newMuxServer(t, Options{}, mountOwn)
	for uri, want := range map[string]string{
		"own://item/7":    `[{"mimeType":"text/plain","text":"item 7","uri":"own://item/7"}]`,
		"own://item/a%2F": `[{"mimeType":"text/plain","text":"item a%2F","uri":"own://item/a%2F"}]`,
		"own://item/blob": `[{"blob":"AQ==","mimeType":"image/png","uri":"own://elsewhere"}]`,
	} {
		for _, e := range []era{legacy, modern} {
			a, _ := request(t, s, e, "resources/read", `{"uri":"`+uri+`"}`)
			if got := toJSON(a.Result["contents"]); got != want {
				t.Errorf("%s: %s", uri, got)
			}
			if e == modern && (a.Result["ttlMs"] != 0.0 || a.Result["cacheScope"] != "public") {
				t.Errorf("%s: ttlMs %v, cacheScope %v", uri, a.Result["ttlMs"], a.Result["cacheScope"])
			}
		}
	}
	a, _ := request(t, s, legacy, "resources/list", "")
	if got := namesOf(a, "resources"); !strings.HasSuffix(got, " state") || strings.Contains(got, "item") {
		t.Errorf("resources/list has %s", got)
	}
	a, _ = request(t, s, legacy, "resources/templates/list", "")
	if got := namesOf(a, "resourceTemplates"); !strings.HasSuffix(got, " item") || strings.Contains(got, "state") {
		t.Errorf("resources/templates/list has %s", got)
	}
}

// TestRequestOf shows what a program's own code learns of who asks.
func TestRequestOf(t *testing.T) {
	s := newMuxServer(t, Options{}, mountOwn)
	read := `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"own://state"}}`
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"an \"old\" client","version":"0.1"}}}`
	textOf := func(line string) string {
		return decode(t, line).Result["contents"].([]any)[0].(map[string]any)["text"].(string)
	}
	if got := textOf(ask(t, s, read)[0]); got != "  " {
		t.Errorf("a client that did not say is %q", got)
	}
	lines := ask(t, s, hello+"\n"+read)
	slices.Sort(lines)
	if got := textOf(lines[1]); got != `an "old" client 0.1 ` {
		t.Errorf("a client that said at initialize is %q", got)
	}
	a, _ := request(t, s, modern, "resources/read", `{"uri":"own://state"}`)
	if got := toJSON(a.Result["contents"]); !strings.Contains(got, `"text":"test 1 {\"io.modelcontextprotocol/protocolVersion\"`) {
		t.Errorf("a client that says each time is %s", got)
	}
}

// namesOf returns the names of a list, in one text.
func namesOf(a answer, key string) string {
	var names []string
	entries, _ := a.Result[key].([]any)
	for _, entry := range entries {
		names = append(names, entry.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

// A repo is a repository made of functions.
type repo struct {
	prefix string
	list   func(ctx context.Context, cursor string) (catalog.Page, error)
	get    func(ctx context.Context, name string, arguments map[string]string) (catalog.Result, error)
}

func (r *repo) Prefix() string { return r.prefix }
func (r *repo) List(ctx context.Context, cursor string) (catalog.Page, error) {
	return r.list(ctx, cursor)
}
func (r *repo) Get(ctx context.Context, name string, arguments map[string]string) (catalog.Result, error) {
	return r.get(ctx, name, arguments)
}

// A hinted repo says how its pages may be kept.
type hinted struct {
	repo
	hint catalog.CacheHint
}

func (h *hinted) CacheHint() catalog.CacheHint { return h.hint }

// pages is a repository of fixed pages, each a text of ids; its cursors are their
// numbers.
func pages(prefix string, texts ...string) *repo {
	return &repo{prefix: prefix, list: func(_ context.Context, cursor string) (catalog.Page, error) {
		at := 0
		if cursor != "" {
			var err error
			if at, err = strconv.Atoi(cursor); err != nil || at <= 0 || at >= len(texts) {
				return catalog.Page{}, fmt.Errorf("no page %s: %w", cursor, catalog.ErrCursor)
			}
		}
		var page catalog.Page
		if at < len(texts) {
			for id := range strings.FieldsSeq(texts[at]) {
				page.Prompts = append(page.Prompts, catalog.Listing{Name: prefix + id, Description: "x"})
			}
		}
		if at+1 < len(texts) {
			page.Next = strconv.Itoa(at + 1)
		}
		return page, nil
	}, get: func(_ context.Context, name string, arguments map[string]string) (catalog.Result, error) {
		if !strings.Contains(" "+strings.Join(texts, " ")+" ", " "+strings.TrimPrefix(name, prefix)+" ") {
			return catalog.Result{}, catalog.ErrNotFound
		}
		return catalog.Result{Messages: []catalog.Message{{Role: catalog.User, Text: fmt.Sprint(name, arguments)}}}, nil
	}}
}

// serveRepos serves repositories beside a catalog of n prompts.
func serveRepos(t testing.TB, opts Options, n int, repositories ...catalog.Repository) *Server {
	t.Helper()
	return newMuxServer(t, opts, func(m *catalog.Mux) error {
		err := m.Mount(numbered(n))
		for _, r := range repositories {
			err = errors.Join(err, m.MountRepository(r))
		}
		return err
	})
}

// walkPrompts reads all pages of prompts/list, and returns the names, a page a text,
// and the cursors.
func walkPrompts(t testing.TB, s *Server, p *catalog.Principal) (texts, cursors []string) {
	t.Helper()
	params := ""
	for range 100 {
		a, _ := exchangeAs(t, s, p, modern, modern.request("7", "prompts/list", params))
		if a.Error != nil {
			t.Fatalf("after %q: %v", texts, a.Error)
		}
		texts = append(texts, namesOf(a, "prompts"))
		next, ok := a.Result["nextCursor"].(string)
		if !ok {
			return texts, cursors
		}
		cursors = append(cursors, next)
		params = `{"cursor":"` + next + `"}`
	}
	t.Fatal("the list has no end")
	return nil, nil
}

func TestPagesAcrossMounts(t *testing.T) {
	two := "prompt-00000 prompt-00001"
	for name, test := range map[string]struct {
		prompts int
		size    int
		repos   []catalog.Repository
		want    []string
	}{
		"nothing at all":            {0, 0, nil, []string{""}},
		"nothing but empty ones":    {0, 0, []catalog.Repository{pages("a/"), pages("b/", "", "")}, []string{""}},
		"only empty ones after":     {2, 0, []catalog.Repository{pages("a/"), pages("b/")}, []string{two}},
		"many empty ones after":     {2, 0, empties(40), []string{two}},
		"many empty ones between":   {2, 0, append(empties(40), pages("z/", "x")), []string{two, "z/x"}},
		"no prompts in the catalog": {0, 0, []catalog.Repository{pages("a/", "x", "y")}, []string{"a/x", "a/y"}},
		"never mixed":               {2, 1, []catalog.Repository{pages("a/", "x y", "z"), pages("b/", "x")}, []string{"prompt-00000", "prompt-00001", "a/x a/y", "a/z", "b/x"}},
		"empty pages":               {2, 0, []catalog.Repository{pages("a/", "", "x", "", "", "y", ""), pages("b/", "")}, []string{two, "a/x", "a/y"}},
		"exactly full":              {2, 2, []catalog.Repository{pages("a/", "x")}, []string{two, "a/x"}},
	} {
		if got, _ := walkPrompts(t, serveRepos(t, Options{PageSize: test.size}, test.prompts, test.repos...), nil); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func empties(n int) (all []catalog.Repository) {
	for i := range n {
		all = append(all, pages(fmt.Sprintf("e%d/", i), "", ""))
	}
	return all
}

// TestHiddenPages shows that pages that are not for a principal are no fault of
// anybody's, and that the work for one request has a bound all the same.
func TestHiddenPages(t *testing.T) {
	texts := slices.Repeat([]string{"x"}, 50)
	texts[39] = "team-a team-b"
	asked := 0
	counted := func(r *repo) *repo {
		list := r.list
		r.list = func(ctx context.Context, cursor string) (catalog.Page, error) {
			asked++
			return list(ctx, cursor)
		}
		return r
	}
	s := serveRepos(t, Options{}, 1, counted(pages("h/", texts...)))
	for name, test := range map[string]struct {
		p    catalog.Principal
		want string
	}{
		"some":                {catalog.Principal{Prefixes: []string{"h/team-"}}, "h/team-a h/team-b"},
		"one":                 {catalog.Principal{Prefixes: []string{"prompt-00000", "h/team-b"}}, "prompt-00000 h/team-b"},
		"none, all elsewhere": {catalog.Principal{Prefixes: []string{"prompt-00000"}}, "prompt-00000"},
		"none, tags alone":    {catalog.Principal{Tags: []string{"a"}}, "prompt-00000"},
	} {
		asked = 0
		params, pages, got := "", 0, []string{}
		for {
			before := asked
			a, _ := exchangeAs(t, s, &test.p, modern, modern.request("7", "prompts/list", params))
			if a.Error != nil {
				t.Fatalf("%s: %v", name, a.Error)
			}
			// Both transports were asked.
			if n := asked - before; n > 2*(2*mostEmpty+1) {
				t.Errorf("%s: %d pages were asked for at once", name, n)
			}
			if names := namesOf(a, "prompts"); names != "" {
				got = append(got, names)
			}
			if pages++; a.Result["nextCursor"] == nil {
				break
			}
			params = toJSON(map[string]any{"cursor": a.Result["nextCursor"]})
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q, want %s", name, got, test.want)
		}
		if strings.HasPrefix(name, "none") && asked > 0 {
			t.Errorf("%s: %d pages were asked for in vain", name, asked)
		}
	}
}

// TestCursorsAcrossMounts tries cursors where they do not belong.
func TestCursorsAcrossMounts(t *testing.T) {
	repos := func() []catalog.Repository { return []catalog.Repository{pages("a/", "x", "y"), pages("b/", "x")} }
	s := serveRepos(t, Options{PageSize: 1}, 2, repos()...)
	_, cursors := walkPrompts(t, s, nil)
	if len(cursors) != 4 {
		t.Fatalf("%d cursors", len(cursors))
	}
	taken := func(s *Server, method, cursor string) bool {
		a, _ := request(t, s, legacy, method, toJSON(map[string]string{"cursor": cursor}))
		if a.Error != nil && a.Error.Code != -32602 {
			t.Errorf("a cursor gives %v", a.Error)
		}
		return a.Error == nil
	}
	replica := serveRepos(t, Options{PageSize: 2}, 2, repos()...)
	others := map[string]*Server{
		"other content":      serveRepos(t, Options{PageSize: 1}, 3, repos()...),
		"other repositories": serveRepos(t, Options{PageSize: 1}, 2, pages("c/", "x", "y")),
	}
	for i, cursor := range cursors {
		if !taken(replica, "prompts/list", cursor) {
			t.Errorf("a replica does not take cursor %d", i)
		}
		for name, other := range others {
			// The catalog's cursor is good wherever the catalog is the same.
			if taken(other, "prompts/list", cursor) && !(name == "other repositories" && i == 0) {
				t.Errorf("%s: cursor %d is taken", name, i)
			}
		}
		for _, method := range []string{"resources/list", "resources/templates/list", "skills/list"} {
			if taken(newMuxServer(t, Options{}, mountOwn), method, cursor) {
				t.Errorf("%s takes cursor %d", method, i)
			}
		}
		for at := range markSize {
			b, err := base64.RawURLEncoding.DecodeString(cursor)
			if err != nil {
				t.Fatal(err)
			}
			b[at] ^= 4
			if taken(s, "prompts/list", base64.RawURLEncoding.EncodeToString(b)) {
				t.Errorf("cursor %d, broken at %d, is taken", i, at)
			}
		}
	}
	// The repository does not know this one.
	b, _ := base64.RawURLEncoding.DecodeString(cursors[2])
	if taken(s, "prompts/list", base64.RawURLEncoding.EncodeToString(append(b[:markSize], "99"...))) {
		t.Error("a cursor that the repository refuses is taken")
	}
}

// TestHostileRepositories shows that a repository can harm nobody but itself.
func TestHostileRepositories(t *testing.T) {
	listing := func(names ...string) (all []catalog.Listing) {
		for _, name := range names {
			all = append(all, catalog.Listing{Name: name})
		}
		return all
	}
	always := func(page catalog.Page, err error) *repo {
		return &repo{prefix: "h/", list: func(context.Context, string) (catalog.Page, error) { return page, err }}
	}
	for name, test := range map[string]struct {
		repo *repo
		want string // the names; "!" for an internal error
		log  string
	}{
		"error":            {always(catalog.Page{}, errors.New("broken pipe")), "!", "broken pipe"},
		"own cursor error": {always(catalog.Page{}, catalog.ErrCursor), "!", "not a cursor"},
		"panic":            {&repo{prefix: "h/", list: func(context.Context, string) (catalog.Page, error) { panic("ouch") }}, "!", "stack="},
		"duplicates":       {always(catalog.Page{Prompts: listing("h/x", "h/y", "h/x")}, nil), "h/x h/y", "it stands twice on one page"},
		"foreign":          {always(catalog.Page{Prompts: listing("x", "H/x", "h/x", "", "h/")}, nil), "h/x", "does not start with the repository's prefix"},
		"routed elsewhere": {always(catalog.Page{Prompts: listing("h/x", "h/deep/x")}, nil), "h/x", "another mount answers for it"},
		"not text":         {always(catalog.Page{Prompts: listing("h/x", "h/\xff")}, nil), "h/x", "not valid UTF-8"},
		"huge page":        {always(catalog.Page{Prompts: make([]catalog.Listing, mostListed+1)}, nil), "!", "a page holds 10001 prompts"},
		"huge cursor":      {always(catalog.Page{Prompts: listing("h/x"), Next: strings.Repeat("x", mostNext+1)}, nil), "!", "a cursor has 1025 bytes"},
		"circle": {&repo{prefix: "h/", list: func(_ context.Context, cursor string) (catalog.Page, error) {
			return catalog.Page{Next: "again"}, nil
		}}, "!", "a page is followed by itself"},
		"endless emptiness": {&repo{prefix: "h/", list: func(_ context.Context, cursor string) (catalog.Page, error) {
			return catalog.Page{Next: cursor + "x"}, nil
		}}, "!", "16 pages in a row are empty"},
		"nothing but foreign names": {&repo{prefix: "h/", list: func(_ context.Context, cursor string) (catalog.Page, error) {
			return catalog.Page{Prompts: listing("x"), Next: cursor + "x"}, nil
		}}, "!", "16 pages in a row are empty"},
	} {
		var log bytes.Buffer
		s := serveRepos(t, Options{Logger: textLogger(&log)}, 1, test.repo, pages("h/deep/", "good"))
		a, _ := request(t, s, legacy, "prompts/list", "")
		if got := namesOf(a, "prompts"); got != "prompt-00000" || a.Result["nextCursor"] == nil {
			t.Errorf("%s: the page before is %s", name, toJSON(a))
			continue
		}
		if log.Len() > 0 {
			t.Errorf("%s: a look ahead was logged: %s", name, &log)
		}
		a, _ = request(t, s, legacy, "prompts/list", toJSON(map[string]any{"cursor": a.Result["nextCursor"]}))
		got := namesOf(a, "prompts")
		if a.Error != nil {
			got = "!"
			if a.Error.Code != -32603 || a.Error.Message != "internal error" || a.Error.Data != nil {
				t.Errorf("%s: %v", name, a.Error)
			}
		}
		if got != test.want || !strings.Contains(log.String(), test.log) {
			t.Errorf("%s: got %s, want %s; the log has\n%s", name, got, test.want, &log)
		}
	}
}

// TestSlowRepository shows that a repository that does not answer is given up.
func TestSlowRepository(t *testing.T) {
	var log bytes.Buffer
	slow := &repo{
		prefix: "h/",
		list: func(ctx context.Context, _ string) (catalog.Page, error) {
			<-ctx.Done()
			return catalog.Page{}, ctx.Err()
		},
		get: func(ctx context.Context, _ string, _ map[string]string) (catalog.Result, error) {
			<-ctx.Done()
			return catalog.Result{}, ctx.Err()
		},
	}
	s := serveRepos(t, Options{Logger: textLogger(&log)}, 1, slow)
	s.patience = time.Millisecond
	a, _ := request(t, s, legacy, "prompts/list", "")
	if namesOf(a, "prompts") != "prompt-00000" {
		t.Errorf("the page before is %s", toJSON(a))
	}
	a, _ = request(t, s, legacy, "prompts/list", toJSON(map[string]any{"cursor": a.Result["nextCursor"]}))
	if a.Error == nil || a.Error.Code != -32603 {
		t.Errorf("the page is %s", toJSON(a))
	}
	if a, _ = request(t, s, legacy, "prompts/get", `{"name":"h/x"}`); a.Error == nil || a.Error.Code != -32603 || !strings.Contains(log.String(), "deadline exceeded") {
		t.Errorf("the prompt is %s; the log has\n%s", toJSON(a), &log)
	}
}

// TestClientGone shows that a client that goes away is no error in the log.
func TestClientGone(t *testing.T) {
	var log bytes.Buffer
	ctx, cancel := context.WithCancel(context.Background())
	s := serveRepos(t, Options{Logger: textLogger(&log)}, 1, &repo{
		prefix: "h/",
		get: func(ctx context.Context, _ string, _ map[string]string) (catalog.Result, error) {
			cancel()
			<-ctx.Done()
			return catalog.Result{}, ctx.Err()
		},
	})
	r := newReply()
	s.handle(ctx, []byte(legacy.request("7", "prompts/get", `{"name":"h/x"}`)), nil, r)
	if r.code != -32603 || !strings.Contains(log.String(), "level=INFO") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("code %d; the log has\n%s", r.code, &log)
	}
}

// TestAside shows that a repository that takes its time holds up nobody else.
func TestAside(t *testing.T) {
	free := make(chan struct{})
	s := serveRepos(t, Options{}, 1, &repo{
		prefix: "h/",
		list:   func(context.Context, string) (catalog.Page, error) { return catalog.Page{}, nil },
		get: func(_ context.Context, name string, arguments map[string]string) (catalog.Result, error) {
			<-free
			return catalog.Result{Messages: []catalog.Message{{Role: catalog.User, Text: name + arguments["a"]}}}, nil
		},
	})
	in, to := io.Pipe()
	from, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(context.Background(), in, out) }()
	answers := lineReader{in: from, most: 1 << 20, wait: func() bool { return true }}
	next := func() answer {
		line, err := answers.next()
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, string(line))
	}
	for i := range 3 {
		fmt.Fprintln(to, legacy.request(strconv.Itoa(i), "prompts/get", fmt.Sprintf(`{"name":"h/x","arguments":{"a":"%d"}}`, i)))
	}
	fmt.Fprintln(to, legacy.request("9", "prompts/get", `{"name":"prompt-00000","arguments":{"language":"go","code":"x"}}`))
	if a := next(); string(a.ID) != "9" {
		t.Errorf("%s was answered first", a.ID)
	}
	close(free)
	for range 3 {
		// Each has its own memory, though lines after it were read into the same buffer.
		if a := next(); !strings.Contains(toJSON(a.Result), `"text":"h/x`+string(a.ID)+`"`) {
			t.Errorf("%s was answered by %s", a.ID, toJSON(a.Result))
		}
	}
	to.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestCacheHints(t *testing.T) {
	hinting := func(prefix string, hint catalog.CacheHint) *hinted {
		return &hinted{*pages(prefix, "x"), hint}
	}
	for name, test := range map[string]struct {
		repos []catalog.Repository
		want  string // ttlMs of each page and the scope
	}{
		"catalog alone":      {nil, "86400000 public"},
		"without a hint":     {[]catalog.Repository{pages("a/", "x")}, "86400000 0 public"},
		"empty hint":         {[]catalog.Repository{hinting("a/", catalog.CacheHint{})}, "86400000 86400000 public"},
		"of its own":         {[]catalog.Repository{hinting("a/", catalog.CacheHint{TTL: time.Second}), pages("b/", "x")}, "86400000 1000 0 public"},
		"below zero":         {[]catalog.Repository{hinting("a/", catalog.CacheHint{TTL: -1})}, "86400000 0 public"},
		"private":            {[]catalog.Repository{hinting("a/", catalog.CacheHint{TTL: time.Second}), hinting("b/", catalog.CacheHint{Scope: "private", TTL: time.Minute})}, "86400000 1000 60000 private"},
		"nothing follows":    {[]catalog.Repository{pages("a/")}, "0 public"},
		"nothing follows it": {[]catalog.Repository{hinting("a/", catalog.CacheHint{TTL: time.Minute}), &hinted{*pages("b/"), catalog.CacheHint{TTL: time.Second}}}, "86400000 1000 public"},
	} {
		s := serveRepos(t, Options{}, 1, test.repos...)
		for _, p := range []*catalog.Principal{nil, {Name: "somebody"}} {
			var got, scope string
			params := ""
			for {
				a, _ := exchangeAs(t, s, p, modern, modern.request("7", "prompts/list", params))
				if scope != "" && scope != a.Result["cacheScope"] {
					t.Errorf("%s: the scopes differ", name)
				}
				scope = a.Result["cacheScope"].(string)
				got += fmt.Sprintf("%.0f ", a.Result["ttlMs"])
				if a.Result["nextCursor"] == nil {
					break
				}
				params = toJSON(map[string]any{"cursor": a.Result["nextCursor"]})
			}
			want := test.want
			if p != nil {
				want = strings.Replace(want, "public", "private", 1)
			}
			if got+scope != want {
				t.Errorf("%s: got %s, want %s", name, got+scope, want)
			}
		}
	}
	for _, method := range []string{"server/discover", "resources/templates/list"} {
		if a, _ := exchangeAs(t, serveRepos(t, Options{}, 1), &catalog.Principal{}, modern, modern.request("7", method, "")); a.Result["cacheScope"] != "private" {
			t.Errorf("%s is %v to somebody who was authenticated", method, a.Result["cacheScope"])
		}
	}
}
