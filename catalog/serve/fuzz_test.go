// This file holds the fuzz tests: whatever comes in, what goes out is JSON-RPC.

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// seeds are messages of every kind, good and bad.
func seeds() []string {
	list := []string{
		"", "null", "{}", "[]", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0"`, "\xff", `"\ud800"`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{ "jsonrpc" : "2.0" , "id" : "\u0041" , "m\u0065thod" : "prompts/list" }`,
		strings.Repeat("[", 70) + strings.Repeat("]", 70),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
	}
	for _, e := range []era{legacy, modern} {
		for method, params := range map[string]string{
			"prompts/list": "", "resources/list": `{"cursor":"AAAA"}`, "resources/templates/list": `{"cursor":null}`,
			"prompts/get":         `{"name":"deploy-app","arguments":{"service":"\"\\\u00e9","environment":"prod \"2\"","version":null}}`,
			"resources/read":      `{"uri":"resource://docs/readme.md"}`,
			"completion/complete": `{"ref":{"type":"ref/prompt","name":"dialogue"},"argument":{"name":"b","value":"Choice 1"}}`,
			"server/discover":     "", "subscriptions/listen": `{"notifications":{}}`, "tools/list": "",
			"skills/list": `{"cursor":"AAAA"}`, "skills/get": `{"uri":"skill://tests/SKILL.md"}`, "resources/directory/read": `{"uri":"skill://tests/assets/a"}`,
			"tools/call": `{"name":"get_prompt","arguments":{"name":"dialogue","arguments":{"a":"\ud83d\ude00","b":null}}}`,
		} {
			list = append(list, e.request("7", method, params))
		}
		list = append(list,
			e.request("8", "prompts/get", `{"name":"live/a","arguments":{"x":"\u0041","y":null,"x":1}}`),
			e.request("8", "resources/read", `{"uri":"skill://tests/assets/odd%20name%25.txt"}`),
			e.request("8", "prompts/get", `{"name":"live/a","arguments":{"x":"\ud83d\ude00\\","y":null}}`),
			e.request("8", "prompts/get", `{"name":"live/none"}`),
			e.request("8", "prompts/get", `{"name":"own/all","arguments":{"who":"\u0041","how":"badly"}}`),
			e.request("8", "prompts/get", `{"name":"own/all","arguments":{"how":"so","where":"here"}}`),
			e.request("8", "prompts/get", `{"name":"deploy-app","arguments":{"service":1,"environment":"no","a":"b"}}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/prompt","name":"own/all"},"argument":{"name":"how","value":"W"}}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/prompt","name":"live/a"},"argument":{"name":"x","value":""}}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/resource","uri":"own://{x}"},"argument":{"name":"x","value":""}}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://docs/{+path}"},"argument":{"name":"path","value":"Guide/"}}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/other"},"argument":{"name":1}}`),
			e.request("8", "resources/read", `{"uri":"own://a"}`),
			e.request("8", "resources/read", `{"uri":"own://a/b"}`),
			e.request("8", "resources/read", `{"uri":"resource://docs/..%2f..%2fetc/passwd"}`),
			e.request("8", "skills/get", `{"uri":"skill://none/SKILL.md"}`),
			e.request("8", "skills/get", `{"uri":"skill://tests/references/marks.md"}`),
			e.request("8", "resources/directory/read", `{"uri":"skill://tests"}`),
			e.request("8", "resources/directory/read", `{"uri":"skill://tests/assets/a/"}`),
			e.request("8", "resources/directory/read", `{"uri":"skill://tests/../tests"}`),
			e.request("8", "tools/call", `{"name":"list_skills","arguments":{}}`),
			e.request("8", "tools/call", `{"name":"list_prompts","arguments":{"cursor":"AAAA"}}`),
			e.request("8", "tools/call", `{"name":"get_prompt","arguments":{"name":"own/all","arguments":{"who":"x"}}}`),
			e.request("8", "tools/call", `{"name":"get_prompt","arguments":{"name":"plain","name":"plain"}}`),
			e.request("8", "tools/call", `{"name":"read_skill","arguments":{"skill_id":"tests","ref_id":1,"x":null}}`),
			e.request("8", "tools/call", `{"name":"read_document","arguments":{"uri":"skill://tests/assets/a/deep/logo.png"}}`),
			e.request("8", "tools/call", `{"name":"no_such_tool","arguments":[]}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/references/{ref_id}"},"argument":{"name":"ref_id","value":"m"},"context":{"arguments":{"skill_id":"tests"}}}`),
			e.request("8", "tools/call", `{"name":"list_prompts"}`),
			e.request("8", "tools/call", `{"name":"read_skill","arguments":{"skill_id":"tests","ref_id":"marks"}}`),
			e.request("8", "tools/call", `{"name":"read_document","arguments":{"uri":"own://a"}}`),
			e.request("8", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":1,"version":"\n"}}`),
			e.request("8", "initialize", `{"protocolVersion":3,"capabilities":[],"ClientInfo":"x"}`),
			e.request("8", "prompts/get", `{"name":"`+strings.Repeat("x", 1025)+`"}`),
			e.request("8", strings.Repeat("m", 65), `{}`),
			e.request("8", "resources/subscribe", `{"uri":[]}`),
			e.request("8", "logging/setLevel", `{"level":{}}`),
			e.request("8", "subscriptions/listen", `{"notifications":3}`),
			e.request("8", "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["a", "b" ],"toolsListChanged":false}}`))
	}
	return list
}

// checkAnswer fails where text is not one JSON-RPC answer on one line.
func checkAnswer(t *testing.T, text []byte) {
	t.Helper()
	if !json.Valid(text) || !utf8.Valid(text) || bytes.IndexByte(text, '\n') >= 0 {
		t.Fatalf("not a line of JSON: %q", text)
	}
	decode(t, string(text))
}

// mountAll mounts something of everything that does not fail.
func mountAll(m *catalog.Mux) error {
	return errors.Join(
		m.Mount(fixture()),
		m.MountRepository(pages("live/", "a", "", "b")),
		m.MountFuncs("own/", catalog.PromptFunc{
			Name: "own/all", Description: "All kinds of content.",
			Arguments: []catalog.Argument{
				{Name: "who", Description: "Who.", Required: true},
				{Name: "how", Description: "How.", Choices: []string{"well", "badly"}, Default: "well"},
			},
			Render: func(_ context.Context, arguments map[string]string) ([]catalog.Message, error) {
				return []catalog.Message{
					{Role: catalog.User, Text: arguments["who"] + " " + arguments["how"]},
					{Role: catalog.Assistant, Content: catalog.Image{Data: []byte{1, 2}, MIMEType: "image/png"}},
					{Role: catalog.User, Content: catalog.Embedded{URI: "own://item", Text: arguments["who"]}},
					{Role: catalog.User, Content: catalog.Link{URI: "own://item", Name: arguments["how"]}},
				}, nil
			},
		}),
		m.MountResource(catalog.ResourceFunc{
			URI: "own://{x}", Name: "own",
			Read: func(_ context.Context, uri string, variables map[string]string) (catalog.Embedded, error) {
				return catalog.Embedded{Text: uri + variables["x"]}, nil
			},
		}))
}

// cursorSeeds are requests for all pages of all lists of a server, and for pages of
// one list with the cursor of another.
func cursorSeeds(t testing.TB, s *Server) []string {
	t.Helper()
	var requests []string
	for _, e := range []era{legacy, modern} {
		last := `"AAAA"`
		for _, list := range []struct{ method, params string }{
			{"prompts/list", `{"cursor":%s}`}, {"resources/list", `{"cursor":%s}`}, {"resources/templates/list", `{"cursor":%s}`},
			{"skills/list", `{"cursor":%s}`}, {"resources/directory/read", `{"uri":"skill://tests","cursor":%s}`}, {"tools/list", `{"cursor":%s}`},
			{"tools/call", `{"name":"list_prompts","arguments":{"cursor":%s}}`},
		} {
			at := func(cursor string) string {
				return e.request("9", list.method, strings.Replace(list.params, "%s", cursor, 1))
			}
			requests = append(requests, at(last))
			for cursor := "null"; cursor != ""; {
				requests = append(requests, at(cursor))
				lines := ask(t, s, at(cursor))
				_, after, ok := strings.Cut(strings.ReplaceAll(lines[0], `\"`, `"`), `"nextCursor":"`)
				if cursor = ""; ok {
					cursor, _, _ = strings.Cut(after, `"`)
					cursor = `"` + cursor + `"`
					last = cursor
				}
			}
		}
	}
	return requests
}

// knownCode tells whether an error code is one that clients cause.
func knownCode(code int) bool {
	switch code {
	case 0, mcp.PARSE_ERROR, mcp.INVALID_REQUEST, mcp.METHOD_NOT_FOUND, mcp.INVALID_PARAMS, mcp.RESOURCE_NOT_FOUND,
		mcp.HEADER_MISMATCH, mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return true
	}
	return false
}

// FuzzHandle has two servers of the same content, as replicas are, answer alike, and
// one whose content could change.
func FuzzHandle(f *testing.F) {
	opts := Options{Tools: true, PageSize: 2}
	s, twin := newMuxServer(f, opts, mountAll), newMuxServer(f, opts, mountAll)
	live, _ := newLive(f, opts, muxOf(f, mountAll))
	for _, seed := range append(seeds(), cursorSeeds(f, s)...) {
		f.Add([]byte(seed))
	}
	principals := []*catalog.Principal{nil, {Name: "a"}, {Name: "b", Prefixes: []string{"live/", "te"}, Tags: []string{"a"}}}
	answerOf := func(s *Server, p *catalog.Principal, message []byte) (text []byte, code int) {
		r := newReply()
		defer r.free()
		s.handle(catalog.WithRequest(context.Background(), &catalog.Request{Principal: p}), message, nil, r)
		return append(append(bytes.Clone(r.head), r.body...), r.tail...), r.code
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		kept := bytes.Clone(message)
		for _, p := range principals {
			text, code := answerOf(s, p, message)
			if !bytes.Equal(kept, message) {
				t.Error("the message was changed")
			}
			if !knownCode(code) {
				t.Errorf("the code is %d: %s", code, text)
			}
			if len(text) > 0 {
				checkAnswer(t, text)
			}
			if bytes.Contains(text, []byte("cannot unmarshal")) && !bytes.Contains(message, []byte("unmarshal")) {
				t.Errorf("speaks of Go: %s", text)
			}
			if other, _ := answerOf(twin, p, message); !bytes.Equal(other, text) {
				t.Errorf("two servers answer\n%s\n%s", text, other)
			}
			other, _ := answerOf(live, p, message)
			if kept, static := unhinted(other), unhinted(text); !bytes.Equal(kept, static) {
				t.Errorf("servers of fixed and of changing content answer\n%s\n%s", static, kept)
			}
		}
	})
}

// FuzzHTTP sends requests of any kind to two servers: with authorization to one that
// lets nobody in but the holder of a token, by two names and from one origin, and
// without to an open one on this machine.
func FuzzHTTP(f *testing.F) {
	const token, host, origin = "a-good-token", "mcp.example", "https://app.example"
	type fields struct{ method, path, contentType, accept, origin, authorization, preflight, version, mcpMethod, name, host, body string }
	add := func(r fields) {
		f.Add(r.method, r.path, r.contentType, r.accept, r.origin, r.authorization, r.preflight, r.version, r.mcpMethod, r.name, r.host, r.body)
	}
	opts := Options{MaxRequest: 4096, Tools: true, PageSize: 2}
	open := newMuxServer(f, opts, mountAll)
	opts.HTTP = HTTPOptions{
		Tokens: tokens(f, "a "+digest(token)+" prefixes=live/ tags=go"), AllowHosts: []string{host, "mcp.test:8443"}, AllowOrigins: []string{origin},
		Metrics: http.NotFoundHandler(),
	}
	secured, content := newLive(f, opts, muxOf(f, mountAll))
	for _, seed := range append(seeds(), cursorSeeds(f, open)...) {
		r := fields{method: "POST", path: Endpoint, contentType: "application/json", host: "localhost", body: seed}
		add(r)
		// The headers are those that the message asks for.
		h := modern.post(seed).Header
		r.version, r.mcpMethod, r.name = h.Get(mcp.HeaderProtocolVersion), h.Get(mcp.HeaderMethod), h.Get(mcp.HeaderName)
		r.accept = h.Get("Accept")
		add(r)
		r.authorization, r.host, r.origin = "Bearer "+token, host, origin
		add(r)
	}
	plain := modern.request("1", "prompts/get", `{"name":"plain"}`)
	for _, r := range []fields{
		{method: "GET", path: Endpoint, accept: "text/event-stream", origin: "null", version: "2025-11-25", host: "x"},
		{method: "GET", path: Endpoint, accept: "text/event-stream", host: "localhost"},
		{method: "POST", path: Endpoint, contentType: "text/plain", host: "127.0.0.1:80", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", accept: "text/html, application/xml;q=0.9", host: "[::1]:80", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "2099-01-01", host: "localhost", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "2025-06-18", host: "localhost", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", accept: "application/json;q=0, */*;q=0.5", host: "localhost", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "1900-01-01", host: "localhost", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "2026-07-28", mcpMethod: "ping", host: "localhost", body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "2026-07-28", mcpMethod: "prompts/get", host: "localhost", body: modern.request("1", "prompts/get", "{}")},
		{method: "DELETE", path: "/healthz", host: "localhost"},
		{method: "GET", path: "/.well-known/oauth-protected-resource/mcp", authorization: "x", host: host},
		{method: "OPTIONS", path: Endpoint, origin: origin, authorization: "x", preflight: "POST", host: host},
		{method: "OPTIONS", path: Endpoint, origin: "http://localhost:99", preflight: "POST", host: "localhost"},
		{method: "POST", path: Endpoint, contentType: "application/json", origin: "https://evil.example", authorization: "bearer  " + token, host: host, body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json; charset=utf-8", authorization: "Bearer " + token + "=", host: "MCP.test:8443", body: plain},
		{method: "POST", path: Endpoint + "?access_token=" + token, contentType: "application/json", authorization: "Bearer " + token, host: host, body: plain},
		{method: "GET", path: "/metrics", authorization: "Bearer " + token, host: host},
		{method: "GET", path: "/", authorization: "Bearer " + token, host: host},
		{method: "GET", path: "/", host: "localhost"},
		{method: "POST", path: "/refresh?x=%zz", authorization: "Bearer " + token, host: host, origin: origin, body: "x"},
		{method: "PUT", path: "/refresh", authorization: "x", host: host},
		{method: "POST", path: Endpoint + "?refresh=true", contentType: "application/json", authorization: "Bearer " + token, host: host, body: plain},
		{method: "HEAD", path: "/healthz", host: "localhost"},
		{method: "GET", path: "/healthz", authorization: "x", host: host},
		{method: "GET", path: "/readyz", authorization: "x", host: host},
		{method: "POST", path: "/../mcp", contentType: "application/json", host: "localhost", body: plain},
		{method: "POST", path: Endpoint, contentType: "application/json", version: "2026-07-28", mcpMethod: "prompts/get", name: "=?base64?cGxhaW4=?=", host: "localhost", body: plain},
	} {
		add(r)
	}
	f.Fuzz(func(t *testing.T, method, path, contentType, accept, from, authorization, preflight, version, mcpMethod, name, host, body string) {
		req := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		req.Method, req.Host = method, host
		req.URL.Path, req.URL.RawQuery, _ = strings.Cut(path, "?")
		for header, value := range map[string]string{
			"Content-Type": contentType, "Accept": accept, "Origin": from, "Authorization": authorization,
			"Access-Control-Request-Method": preflight,
			mcp.HeaderProtocolVersion:       version, mcp.HeaderMethod: mcpMethod, mcp.HeaderName: name,
		} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		s := secured
		if authorization == "" {
			s = open
			local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
			req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, local))
		}
		w, refreshed := httptest.NewRecorder(), content.refreshed.Load()
		s.Handler().ServeHTTP(w, req)

		known := strings.HasSuffix(authorization, " "+token)
		if refreshed != content.refreshed.Load() && (s == open || !known) {
			t.Errorf("%s refreshes with %q", path, authorization)
		}
		if shared := w.Header().Get("Access-Control-Allow-Origin"); shared != "" {
			if name, _, _ := strings.Cut(from, ":"); shared != from || !strings.EqualFold(name, "http") && !strings.EqualFold(name, "https") {
				t.Errorf("shared with %q, asked from %q", shared, from)
			}
			if u, err := url.Parse(from); err == nil && s == secured && !strings.EqualFold(from, origin) && !strings.EqualFold(u.Host, host) {
				t.Errorf("shared with %q", shared)
			}
		}
		if req.URL.Path != Endpoint {
			// The holder of the token has limits.
			told := map[string]string{"/readyz": "ok\n", "/healthz": "ok\n"}
			if s == secured {
				told["/healthz"] = "ok\nhealth\n"
			}
			if s == secured && known {
				told["/"], told["/refresh"] = "health\n", "health\n"
			}
			if w.Code == http.StatusOK && w.Body.String() != told[req.URL.Path] {
				t.Errorf("%s answers %s", path, w.Body)
			}
			return
		}
		if s == secured && w.Code < 300 && w.Code != http.StatusNoContent && !known {
			t.Errorf("let in with %q", authorization)
		}
		switch events := w.Header().Get("Content-Type") == "text/event-stream"; {
		case w.Code >= 500:
			t.Errorf("an error of the server's: %s", w.Body)
		case w.Code == http.StatusAccepted || w.Code == http.StatusNoContent:
			if w.Body.Len() > 0 {
				t.Errorf("status %d with a body: %s", w.Code, w.Body)
			}
		case events:
			for event := range strings.SplitSeq(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n") {
				if _, data, ok := strings.Cut(event, "\ndata: "); !ok || !json.Valid([]byte(data)) {
					t.Errorf("not an event: %q", event)
				}
			}
		default:
			checkAnswer(t, w.Body.Bytes())
		}
	})
}

// FuzzScan holds the scanner and the walks against encoding/json.
func FuzzScan(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{`-0.1e+5`, `01`, `1.`, `"\u00e9\/\b\f\ud83d\ude00"`, `{"a":{"b":[1,{"c":"\\\""}],"d":{}},"e":[]}`, `[1,]`, `{"a":1,}`, "\"\u2028\x7f\"", "\"a\tb\"", "tru", "nullx"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{data: data}
		s.space()
		ok := s.value(0)
		if ok {
			if s.space(); s.pos != len(data) {
				ok = s.fail(s.pos, "more than one JSON value")
			}
		}
		whole := scanner{data: data}
		if got := whole.whole(func([]byte) bool { return whole.value(1) }); got != ok || whole.pos != s.pos || whole.fault != s.fault {
			t.Fatalf("whole found %v, %q at %d, not %v, %q at %d", got, whole.fault, whole.pos, ok, s.fault, s.pos)
		}
		if s.pos > len(data) || !ok && s.fault == "" {
			t.Fatalf("fault %q at %d of %d", s.fault, s.pos, len(data))
		}
		valid := json.Valid(data) && utf8.Valid(data)
		if ok && !valid {
			t.Fatalf("accepted %q", data)
		}
		if !ok {
			if valid && !strings.Contains(s.fault, "surrogate") && !strings.Contains(s.fault, "nested") {
				t.Fatalf("refused %q: %s at %d", data, s.fault, s.pos)
			}
			return
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			return // a number that is too big
		}
		compare(t, bytes.TrimSpace(data), want)
	})
}

// compare walks a value and what encoding/json made of it.
func compare(t *testing.T, value []byte, want any) {
	if n := skip(value); n != len(value) {
		t.Fatalf("%d of %q were skipped", n, value)
	}
	switch want := want.(type) {
	case string:
		if got := text(value); got != want {
			t.Errorf("text of %q is %q, want %q", value, got, want)
		}
	case map[string]any:
		last := map[string][]byte{}
		for walk := object(value); ; {
			name, member, ok := walk.next()
			if !ok {
				break
			}
			last[text(name)] = member
		}
		if len(last) != len(want) {
			t.Errorf("%d members in %q, want %d", len(last), value, len(want))
		}
		for name, member := range last {
			if _, ok := want[name]; !ok {
				t.Fatalf("no member %q in %q", name, value)
			}
			compare(t, member, want[name])
		}
	}
}
