// This file holds the fuzz tests: whatever comes in, what goes out is JSON-RPC.

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
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
			e.request("8", "resources/read", `{"uri":"own://a/b"}`),
			e.request("8", "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/references/{ref_id}"},"argument":{"name":"ref_id","value":"m"},"context":{"arguments":{"skill_id":"tests"}}}`),
			e.request("8", "tools/call", `{"name":"list_prompts"}`),
			e.request("8", "tools/call", `{"name":"read_skill","arguments":{"skill_id":"tests","ref_id":"marks"}}`),
			e.request("8", "tools/call", `{"name":"read_document","arguments":{"uri":"own://a"}}`),
			e.request("8", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":1,"version":"\n"}}`))
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

func FuzzHandle(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	s := newMuxServer(f, Options{Tools: true, PageSize: 2}, func(m *catalog.Mux) error {
		return errors.Join(m.Mount(fixture()), m.MountRepository(pages("live/", "a", "", "b")), m.MountResource(catalog.ResourceFunc{
			URI: "own://{x}", Name: "own",
			Read: func(_ context.Context, uri string, variables map[string]string) (catalog.Embedded, error) {
				return catalog.Embedded{Text: uri + variables["x"]}, nil
			},
		}))
	})
	principals := []*catalog.Principal{nil, {Name: "a"}, {Name: "b", Prefixes: []string{"live/", "te"}, Tags: []string{"a"}}}
	f.Fuzz(func(t *testing.T, message []byte) {
		kept := bytes.Clone(message)
		for _, p := range principals {
			r := newReply()
			s.handle(catalog.WithRequest(context.Background(), &catalog.Request{Principal: p}), message, nil, r)
			if !bytes.Equal(kept, message) {
				t.Error("the message was changed")
			}
			if r.code == mcp.INTERNAL_ERROR {
				t.Errorf("an internal error: %s", r.head)
			}
			if !r.empty() {
				checkAnswer(t, append(append(bytes.Clone(r.head), r.body...), r.tail...))
			}
			r.free()
		}
	})
}

func FuzzHTTP(f *testing.F) {
	for _, seed := range seeds() {
		f.Add("POST", "application/json", "*/*", "", "", "", "", "localhost", seed)
		f.Add("POST", "application/json", "application/json, text/event-stream", "http://localhost", "2026-07-28", "prompts/get", "deploy-app", "localhost", seed)
	}
	f.Add("GET", "", "text/event-stream", "null", "2025-11-25", "", "", "x", "")
	f.Add("POST", "application/json", "", "", "2026-07-28", "prompts/get", "=?base64?cGxhaW4=?=", "localhost", modern.request("1", "prompts/get", `{"name":"plain"}`))
	s := newServer(f, Options{MaxRequest: 4096}, fixture())
	h := s.Handler()
	f.Fuzz(func(t *testing.T, method, contentType, accept, origin, version, mcpMethod, name, host, body string) {
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
		req.Method, req.Host = method, host
		for header, value := range map[string]string{
			"Content-Type": contentType, "Accept": accept, "Origin": origin,
			mcp.HeaderProtocolVersion: version, mcp.HeaderMethod: mcpMethod, mcp.HeaderName: name,
		} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		switch w.Code {
		case http.StatusAccepted:
			if w.Body.Len() > 0 {
				t.Errorf("202 with a body: %s", w.Body)
			}
		case http.StatusInternalServerError:
			t.Errorf("an internal error: %s", w.Body)
		default:
			if w.Header().Get("Content-Type") == "text/event-stream" {
				for event := range strings.SplitSeq(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n") {
					if _, data, ok := strings.Cut(event, "\ndata: "); !ok || !json.Valid([]byte(data)) {
						t.Errorf("not an event: %q", event)
					}
				}
				return
			}
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
