// This file holds the differential test: the same content in a plain mcp-go
// server, and the answers of both side by side.

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// plain returns an mcp-go server with everything registered the usual way.
func plain(t testing.TB, c *catalog.Catalog) *server.MCPServer {
	t.Helper()
	s := server.NewMCPServer(c.Name, c.Version,
		server.WithTitle(c.Title), server.WithDescription(c.Description), server.WithInstructions(c.Instructions),
		server.WithPromptCapabilities(false), server.WithResourceCapabilities(false, false), server.WithCompletions(),
		server.WithPromptCompletionProvider(choices{c}),
		server.WithExtensions(map[string]any{"io.modelcontextprotocol/skills": map[string]any{"directoryRead": true}}),
		server.WithCacheHints(defaultTTL.Milliseconds(), mcp.CacheScopePublic))
	for _, p := range c.Prompts {
		var entry mcp.Prompt
		if err := json.Unmarshal([]byte(p.Entry), &entry); err != nil {
			t.Fatal(err)
		}
		s.AddPrompt(entry, func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			messages, err := p.RenderNamed(req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			result := &mcp.GetPromptResult{Description: p.Description}
			// It must be made anew: mcp-go writes into it.
			var meta map[string]any
			if err := json.Unmarshal(p.AppendMeta(nil), &meta); err != nil {
				return nil, err
			}
			result.Meta = &mcp.Meta{AdditionalFields: meta}
			for _, m := range messages {
				result.Messages = append(result.Messages, mcp.NewPromptMessage(mcp.Role(m.Role), mcp.NewTextContent(m.Text)))
			}
			return result, nil
		})
	}
	for i := range c.Resources {
		var entry mcp.Resource
		if err := json.Unmarshal([]byte(c.Resources[i].Entry), &entry); err != nil {
			t.Fatal(err)
		}
		entry.Annotations = nil
		s.AddResource(entry, read(c.Resources[i].Document))
	}
	for _, text := range (&stock{mux: &catalog.Mux{}}).templateEntries() {
		var entry mcp.ResourceTemplate
		if err := json.Unmarshal([]byte(text), &entry); err != nil {
			t.Fatal(err)
		}
		entry.Annotations = nil
		s.AddResourceTemplate(entry, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return nil, nil
		})
	}
	return s
}

func read(d *catalog.Document) server.ResourceHandlerFunc {
	return func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: d.MIMEType, Text: d.String()}}, nil
	}
}

// choices completes by prefix, for mcp-go.
type choices struct{ *catalog.Catalog }

func (c choices) CompletePromptArgument(_ context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	p, ok := c.Prompt(name)
	if !ok {
		return nil, catalog.ErrNotFound
	}
	i, ok := p.Argument(argument.Name)
	if !ok {
		return nil, catalog.ErrNotFound
	}
	var result mcp.Completion
	for _, choice := range p.Arguments[i].Choices {
		if strings.HasPrefix(strings.ToLower(choice), strings.ToLower(argument.Value)) {
			if result.Total++; len(result.Values) < 100 {
				result.Values = append(result.Values, choice)
			}
		}
	}
	result.HasMore = result.Total > len(result.Values)
	return &result, nil
}

// TestAgainstMCPGo sends the same messages to this package and to mcp-go. Where
// ours is empty, the answers must be the same: the HTTP status, and the result or
// the error's code (the text of an error is everybody's own). Elsewhere ours and
// theirs are the outcomes, and why says why they differ.
func TestAgainstMCPGo(t *testing.T) {
	c := fixture()
	s, peer := newServer(t, Options{}, c), plain(t, c)
	peerHTTP := server.NewStreamableHTTPServer(peer, server.WithStateLess(true), server.WithDisableStreaming(true))
	wholeMeta := func(rest string) string {
		return `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}` + rest + `}}`
	}
	const (
		both = iota
		onlyLegacy
		onlyModern
		raw // message is sent as it is, as a legacy one
	)
	tests := []struct {
		eras           int
		method, params string
		ours, theirs   string // "outcome status", status of HTTP
		why            string
		stdioOnly      bool
	}{
		{method: "prompts/list"},
		{method: "prompts/list", params: `{}`},
		{method: "prompts/list", params: `{"cursor":null}`},
		{method: "prompts/get", params: `{"name":"plain"}`},
		{method: "prompts/get", params: `{"name":"plain","arguments":null}`},
		{method: "prompts/get", params: `{"name":"plain","arguments":{}}`},
		{method: "prompts/get", params: `{"name":"dialogue"}`},
		{method: "prompts/get", params: `{"name":"dialogue","arguments":{"a":"\u0041\"\\\n\ud83d\ude00 {{b}} <b>","b":"choice 003","c":null}}`},
		{method: "prompts/get", params: `{"name":"deploy-app","arguments":{"service":"web","environment":"prod \"2\"","version":""}}`},
		{method: "prompts/get", params: `{"name":"nope"}`},
		{eras: onlyLegacy, method: "prompts/get", params: `{}`},
		{eras: onlyLegacy, method: "prompts/get"},
		{method: "resources/list"},
		{method: "resources/templates/list"},
		{method: "resources/read", params: `{"uri":"resource://docs/readme.md"}`},
		{method: "resources/read", params: `{"uri":"resource://docs/guide/deep/intro.md"}`},
		{method: "resources/read", params: `{"uri":"resource://catalog/skills_index"}`},
		{method: "resources/read", params: `{"uri":"resource://catalog/skills/tests"}`},
		{method: "resources/read", params: `{"uri":"resource://skills/tests/document"}`},
		{method: "resources/read", params: `{"uri":"resource://skills/tests/references/marks"}`},
		{method: "resources/read", params: `{"uri":"file:///etc/passwd"}`},
		{method: "resources/read", params: `{"uri":""}`},
		{method: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"deploy-app"},"argument":{"name":"environment","value":"pro"}}`},
		{method: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"dialogue"},"argument":{"name":"b","value":""}}`},

		// The lifecycle is mcp-go's, and so are its answers.
		{method: "ping"},
		{method: "initialize", params: `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`},
		{method: "initialize", params: `{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`},
		{method: "initialize", params: `{"protocolVersion":"1900-01-01","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`},
		{method: "server/discover"},
		{method: "subscriptions/listen", params: `{"notifications":{"promptsListChanged":true}}`},
		{method: "logging/setLevel", params: `{"level":"debug"}`},
		{method: "resources/subscribe", params: `{"uri":"resource://docs/readme.md"}`},
		{method: "tools/list"},
		{method: "tasks/list"},
		{method: "prompts/nope"},
		{method: "no/such/method"},
		{method: "skills/list", eras: onlyLegacy, ours: "result 200", theirs: "-32601 200", why: "mcp-go has no methods for skills"},
		{method: "skills/get", eras: onlyModern, params: `{"uri":"skill://tests/SKILL.md"}`, ours: "result 200", theirs: "-32601 404", why: "mcp-go has no methods for skills"},

		// Revisions and _meta.
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":` + wholeMeta("") + `}`, stdioOnly: true},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, stdioOnly: true},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, stdioOnly: true},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}`},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"_meta":{"progressToken":1}}}`},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`,
			ours: "-32022 400", theirs: "result 200", why: "an unknown version must be refused, whatever its date"},

		// Messages.
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/list",`},
		{eras: raw, method: `{"jsonrpc":"1.0","id":7,"method":"prompts/list"}`,
			ours: "-32600 400", theirs: "-32600 200", why: "a server that cannot accept the body must say so by the status"},
		{eras: raw, method: `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{eras: raw, method: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`},
		{eras: raw, method: `{"jsonrpc":"2.0","method":"notifications/whatever"}`},
		{eras: raw, method: `{"jsonrpc":"2.0","id":3,"result":{}}`},
		{eras: raw, method: `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`,
			ours: "-32600 400", theirs: "-32700 400", why: "a batch is valid JSON"},
		{eras: raw, method: `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			ours: "-32600 400", theirs: "nothing 202", why: "the id of a request must not be null, and null does not make it a notification"},
		{eras: raw, method: `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
			ours: "-32600 400", theirs: "other id 200", why: "ids are texts and integers"},
		{eras: raw, method: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
			ours: "result 200", theirs: "other id 200", why: "mcp-go keeps ids as floating-point numbers"},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"ping","method":"prompts/list"}`,
			ours: "-32600 400", theirs: "result 200", why: "two readers must not see two messages"},
		{eras: raw, method: `{"JSONRPC":"2.0","Id":7,"METHOD":"ping"}`,
			ours: "-32600 400", theirs: "result 200", why: "names of members are case-sensitive"},
		{eras: raw, method: "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"prompts/get\",\"params\":{\"name\":\"dialogue\",\"arguments\":{\"a\":\"\xff\"}}}",
			ours: "-32700 400", theirs: "result 200", why: "mcp-go replaces invalid UTF-8 by U+FFFD"},
		{eras: raw, method: `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"dialogue","arguments":{"a":"\ud800"}}}`,
			ours: "-32700 400", theirs: "result 200", why: "mcp-go replaces lone surrogates by U+FFFD"},

		// Params.
		{eras: onlyLegacy, method: "prompts/get", params: `["plain"]`,
			ours: "-32602 200", theirs: "-32600 200", why: "the request is valid, its params are not"},
		{eras: onlyLegacy, method: "prompts/get", params: `{"name":"deploy-app"}`,
			ours: "-32602 200", theirs: "-32603 200", why: "bad arguments are the client's fault, and data tells which"},
		{eras: onlyModern, method: "prompts/get", params: `{"name":"deploy-app","arguments":{"service":"s","environment":"x","z":""}}`,
			ours: "-32602 400", theirs: "-32603 200", why: "bad arguments are the client's fault, and data tells which"},
		{eras: onlyLegacy, method: "prompts/get", params: `{"name":"dialogue","arguments":{"a":1}}`,
			ours: "-32602 200", theirs: "-32600 200", why: "bad arguments are the client's fault, and data tells which"},
		{eras: onlyLegacy, method: "prompts/get", params: `{"name":"dialogue","arguments":{"a":"1","a":"2"}}`,
			ours: "-32602 200", theirs: "result 200", why: "two readers must not see two messages"},
		{eras: onlyLegacy, method: "prompts/get", params: `{"NAME":"plain"}`,
			ours: "-32602 200", theirs: "result 200", why: "names of members are case-sensitive"},
		{eras: onlyLegacy, method: "prompts/list", params: `{"cursor":""}`,
			ours: "-32602 200", theirs: "result 200", why: "no list issues an empty cursor"},
		{eras: onlyLegacy, method: "prompts/list", params: `{"cursor":"eA=="}`,
			ours: "-32602 200", theirs: "result 200", why: "a cursor that was not issued is not a place"},
		{eras: onlyLegacy, method: "resources/read", params: `{}`,
			ours: "-32602 200", theirs: "-32002 200", why: "no URI is not an unknown one"},
		{method: "resources/read", params: `{"uri":"resource://docs/prompts/plain/PROMPT.md"}`,
			ours: "result 200", theirs: "other result 200", why: "documents that are not listed are found in a table, not by a template"},
		{eras: onlyLegacy, method: "resources/read", params: `{"uri":"resource://docs/no/such.md"}`,
			ours: "-32002 200", theirs: "result 200", why: "a URI that a template matches need not exist"},
		{eras: onlyModern, method: "resources/read", params: `{"uri":"resource://docs/no/such.md"}`,
			ours: "-32602 400", theirs: "result 200", why: "a URI that a template matches need not exist"},
		{eras: onlyLegacy, method: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"a","value":""}}`,
			ours: "-32602 200", theirs: "-32603 200", why: "an unknown prompt is the client's fault"},
		{method: "completion/complete", params: `{"ref":{"type":"ref/prompt","name":"dialogue"},"argument":{"name":"a","value":""}}`,
			ours: "result 200", theirs: "other result 200", why: "mcp-go leaves out a total of 0"},
	}
	stdio := func(t *testing.T, message string) (ours, theirs string) {
		// mcp-go may write notifications after the answer, and even after its end.
		last := func(lines []string) string {
			lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, `"method":`) })
			if len(lines) == 0 {
				return ""
			}
			return lines[len(lines)-1]
		}
		var out lockedBuffer
		if err := server.NewStdioServer(peer).Listen(context.Background(), strings.NewReader(message+"\n"), &out); err != nil {
			t.Fatal(err)
		}
		return outcome(t, last(ask(t, s, message))), outcome(t, last(out.lines()))
	}
	for _, test := range tests {
		for _, e := range []era{legacy, modern} {
			if e == legacy && test.eras == onlyModern || e == modern && (test.eras == onlyLegacy || test.eras == raw) {
				continue
			}
			message := test.method
			if test.eras != raw {
				message = e.request("7", test.method, test.params)
			}
			check := func(t *testing.T, ours, theirs string) {
				if test.ours == "" {
					if ours != theirs {
						t.Errorf("%s\nours   %s\ntheirs %s", message, ours, theirs)
					}
					return
				}
				short := func(outcome, want string) string {
					if strings.HasPrefix(outcome, "result") {
						kind := "result"
						if strings.HasPrefix(want, "other result") && ours != theirs {
							kind = "other result"
						}
						return kind + outcome[strings.LastIndexAny(outcome, "}]")+1:]
					}
					return outcome
				}
				if o, p := short(ours, test.ours), short(theirs, test.theirs); !strings.HasPrefix(test.ours, o) || !strings.HasPrefix(test.theirs, p) {
					t.Errorf("%s\nours   %s, want %s\ntheirs %s, want %s\nsince  %s", message, o, test.ours, p, test.theirs, test.why)
				}
			}
			name := fmt.Sprintf("%.60s %.60s/%s", test.method, test.params, e)
			t.Run(name+"/stdio", func(t *testing.T) {
				ours, theirs := stdio(t, message)
				check(t, ours, theirs)
			})
			if test.stdioOnly {
				continue
			}
			t.Run(name+"/HTTP", func(t *testing.T) {
				check(t, overHTTP(t, s.Handler(), e.post(message)), overHTTP(t, peerHTTP, e.post(message)))
			})
		}
	}
}

// outcome is the answer in a form that both sides share.
func outcome(t *testing.T, text string) string {
	t.Helper()
	switch {
	case text == "":
		return "nothing"
	case text[0] != '{':
		return "text"
	}
	a := decode(t, text)
	if id := string(a.ID); id != "7" && id != "null" && id != "9007199254740993" {
		return "other id"
	}
	if a.Error != nil {
		return fmt.Sprint(a.Error.Code)
	}
	for _, key := range []string{"resources", "resourceTemplates"} {
		entries, _ := a.Result[key].([]any)
		for _, entry := range entries {
			// mcp-go's type of annotations does not hold these.
			delete(entry.(map[string]any), "annotations")
		}
		// Ours are sorted by URI, mcp-go's by name.
		slices.SortFunc(entries, func(a, b any) int { return strings.Compare(toJSON(a), toJSON(b)) })
	}
	if c, ok := a.Result["completion"].(map[string]any); ok && c["hasMore"] == false && c["total"] != 0.0 {
		delete(c, "hasMore")
	}
	return "result " + toJSON(a.Result)
}

// overHTTP is the outcome of an HTTP request, and its status.
func overHTTP(t *testing.T, h http.Handler, req *http.Request) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	text := strings.TrimSpace(w.Body.String())
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream") {
		text = strings.TrimSpace(text[strings.LastIndex(text, "data:")+len("data:"):])
	}
	return fmt.Sprint(outcome(t, text), " ", w.Code)
}

// TestHeadersAgainstMCPGo changes the HTTP request instead of the message.
func TestHeadersAgainstMCPGo(t *testing.T) {
	c := fixture()
	ours := newServer(t, Options{}, c).Handler()
	theirs := server.NewStreamableHTTPServer(plain(t, c), server.WithStateLess(true), server.WithDisableStreaming(true))
	set := func(header, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(header, value) }
	}
	add := func(header, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Add(header, value) }
	}
	drop := func(header string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(header) } }
	method := func(method string) func(*http.Request) { return func(r *http.Request) { r.Method = method } }
	tests := []struct {
		name       string
		era        era
		change     func(*http.Request)
		ours, thrs string // as in TestAgainstMCPGo; empty for the same
		why        string
	}{
		{name: "no version", era: modern, change: drop(mcp.HeaderProtocolVersion)},
		{name: "other version", era: modern, change: set(mcp.HeaderProtocolVersion, "2025-11-25")},
		{name: "unknown version", era: modern, change: set(mcp.HeaderProtocolVersion, "2030-01-01")},
		{name: "no method", era: modern, change: drop(mcp.HeaderMethod)},
		{name: "other method", era: modern, change: set(mcp.HeaderMethod, "prompts/list")},
		{name: "no name", era: modern, change: drop(mcp.HeaderName)},
		{name: "other name", era: modern, change: set(mcp.HeaderName, "dialogue")},
		{name: "base64 name", era: modern, change: set(mcp.HeaderName, "=?base64?cGxhaW4=?=")},
		{name: "bad base64 name", era: modern, change: set(mcp.HeaderName, "=?base64?cGxhaW4?=")},
		{name: "half a sentinel", era: modern, change: set(mcp.HeaderName, "=?base64?cGxhaW4=")},
		{name: "session", era: modern, change: set(mcp.HeaderSessionID, "x")},
		{name: "modern header on a legacy body", era: legacy, change: set(mcp.HeaderProtocolVersion, "2026-07-28")},
		{name: "legacy header", era: legacy, change: set(mcp.HeaderProtocolVersion, "2025-06-18")},
		{name: "charset", era: legacy, change: set("Content-Type", "application/json; charset=utf-8")},
		{name: "no Accept", era: modern, change: drop("Accept")},

		{"version twice", modern, add(mcp.HeaderProtocolVersion, "2025-11-25"), "-32020 400", "result 200", "a gateway may have read the other one"},
		{"method twice", modern, add(mcp.HeaderMethod, "prompts/list"), "-32020 400", "result 200", "a gateway may have read the other one"},
		{"name twice", modern, add(mcp.HeaderName, "dialogue"), "-32020 400", "result 200", "a gateway may have read the other one"},
		{"last event", modern, set(mcp.HeaderLastEventID, "1"), "result 200", "-32020 400", "the header is to be ignored"},
		{"unknown legacy version", legacy, set(mcp.HeaderProtocolVersion, "1900-01-01"), "-32022 400", "text 400", "the client is told which versions there are"},
		{"other type", legacy, set("Content-Type", "text/plain"), "-32600 415", "text 400", "HTTP has a status for that"},
		{"not acceptable", legacy, set("Accept", "text/html"), "-32600 406", "result 200", "the answer would be of no use"},
		{"other origin", legacy, set("Origin", "https://evil.example"), "-32600 403", "result 200", "pages of other origins must not use a local server"},
		{"GET", legacy, method(http.MethodGet), "-32600 405", "text 405", "every answer is JSON-RPC"},
		{"DELETE", legacy, method(http.MethodDelete), "-32600 405", "nothing 200", "there is no session to end"},
		{"HEAD", legacy, method(http.MethodHead), "-32600 405", "nothing 200", "the endpoint takes POST alone"},
		{"OPTIONS", legacy, method(http.MethodOptions), "-32600 405", "text 404", "the endpoint takes POST alone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			message := test.era.request("7", "prompts/get", `{"name":"plain"}`)
			post := func() *http.Request {
				req := test.era.post(message)
				test.change(req)
				return req
			}
			got, peer := overHTTP(t, ours, post()), overHTTP(t, theirs, post())
			if test.ours == "" {
				if got != peer {
					t.Errorf("ours   %s\ntheirs %s", got, peer)
				}
				return
			}
			short := func(outcome string) string {
				kind, _, _ := strings.Cut(outcome, " ")
				return kind + outcome[strings.LastIndex(outcome, " "):]
			}
			if short(got) != test.ours || short(peer) != test.thrs {
				t.Errorf("ours   %s, want %s\ntheirs %s, want %s\nsince  %s", got, test.ours, peer, test.thrs, test.why)
			}
		})
	}
}

// A lockedBuffer is written by one goroutine and read by another.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Split(strings.TrimSuffix(b.text.String(), "\n"), "\n")
}
