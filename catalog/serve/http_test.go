// This file holds the tests of the HTTP transport.

package serve

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

func TestHTTP(t *testing.T) {
	s := newServer(t, Options{MaxRequest: 1000}, fixture())
	get := `{"name":"plain"}`
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	drop := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	add := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Add(name, value) }
	}
	initialized := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	local := func(host string) func(*http.Request) {
		return func(r *http.Request) {
			addr := net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080})
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
			r.Host = host
		}
	}
	remote := func(host string) func(*http.Request) {
		return func(r *http.Request) {
			addr := net.Addr(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8080})
			*r = *r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
			r.Host = host
		}
	}
	both := func(changes ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, change := range changes {
				change(r)
			}
		}
	}
	tests := []struct {
		name    string
		era     era
		message string // prompts/get of plain if empty
		change  func(*http.Request)
		status  int
		code    int // of the JSON-RPC error; 0 for a result
	}{
		{"legacy", legacy, "", nil, 200, 0},
		{"modern", modern, "", nil, 200, 0},

		{"GET", legacy, "", func(r *http.Request) { r.Method = http.MethodGet }, 405, -32600},
		{"DELETE", legacy, "", func(r *http.Request) { r.Method = http.MethodDelete }, 405, -32600},
		{"GET of a modern client", modern, "", func(r *http.Request) { r.Method = http.MethodGet }, 405, -32600},
		{"OPTIONS", legacy, "", func(r *http.Request) { r.Method = http.MethodOptions }, 405, -32600},
		{"PUT", legacy, "", func(r *http.Request) { r.Method = http.MethodPut }, 405, -32600},

		{"no Content-Type", legacy, "", drop("Content-Type"), 415, -32600},
		{"other Content-Type", legacy, "", set("Content-Type", "text/plain"), 415, -32600},
		{"form", legacy, "", set("Content-Type", "application/x-www-form-urlencoded"), 415, -32600},
		{"charset", legacy, "", set("Content-Type", "Application/JSON; charset=utf-8"), 200, 0},
		{"compressed", legacy, "", set("Content-Encoding", "gzip"), 415, -32600},
		{"identity", legacy, "", set("Content-Encoding", "identity"), 200, 0},
		{"no Accept", legacy, "", drop("Accept"), 200, 0},
		{"Accept anything", legacy, "", set("Accept", "text/html, */*;q=0.1"), 200, 0},
		{"Accept JSON alone", legacy, "", set("Accept", "application/json"), 200, 0},
		{"Accept JSON with the weight 0", legacy, "", set("Accept", "application/json;q=0"), 406, -32600},
		{"Accept JSON with the weight 0.000", modern, "", set("Accept", "text/event-stream, application/json ; Q=0.000"), 406, -32600},
		{"Accept anything but JSON", legacy, "", set("Accept", "application/json;q=0, */*"), 406, -32600},
		{"Accept anything but JSON, the other way round", legacy, "", set("Accept", "application/*, application/json;q=0"), 406, -32600},
		{"Accept JSON and nothing else", legacy, "", set("Accept", "*/*;q=0, application/json;q=0.001"), 200, 0},
		{"Accept nothing", legacy, "", set("Accept", "*/*;q=0"), 406, -32600},
		{"Accept JSON twice", legacy, "", set("Accept", "application/json;v=1;q=0.5, application/json;v=2;q=0"), 200, 0},
		{"Accept something else", legacy, "", set("Accept", "text/html"), 406, -32600},

		{"local Host", legacy, "", local("localhost:8080"), 200, 0},
		{"local IPv6 Host", legacy, "", local("[::1]:8080"), 200, 0},
		{"rebound Host", legacy, "", local("evil.example:8080"), 403, -32600},
		{"rebound Host like a local one", legacy, "", local("127.0.0.1.evil.example"), 403, -32600},
		{"remote Host", legacy, "", remote("mcp.example"), 200, 0},
		{"Origin of a name that is not listed", legacy, "", both(remote("mcp.example"), set("Origin", "https://mcp.example")), 403, -32600},
		{"other Origin", legacy, "", both(remote("mcp.example"), set("Origin", "https://evil.example")), 403, -32600},
		{"same Origin by another port", legacy, "", both(remote("mcp.example"), set("Origin", "https://mcp.example:8443")), 403, -32600},
		{"local Origin", legacy, "", both(local("127.0.0.1:8080"), set("Origin", "http://localhost:6274")), 200, 0},
		{"other Origin on a local server", modern, "", both(local("127.0.0.1:8080"), set("Origin", "http://evil.example")), 403, -32600},
		{"local Origin on a remote server", legacy, "", both(remote("mcp.example"), set("Origin", "http://localhost:3000")), 403, -32600},
		{"Origin null", legacy, "", set("Origin", "null"), 403, -32600},
		{"Origin of a file", legacy, "", set("Origin", "file://"), 403, -32600},

		{"body as long as may be", legacy, strings.Repeat(" ", 1000-len(ping)) + ping, nil, 200, 0},
		{"body one byte longer", legacy, strings.Repeat(" ", 1001-len(ping)) + ping, nil, 413, -32600},
		{"long body of unknown length", legacy, strings.Repeat(" ", 2000) + ping, func(r *http.Request) { r.ContentLength = -1 }, 413, -32600},
		{"empty body", legacy, " ", nil, 400, -32700},
		{"not JSON", legacy, "{", nil, 400, -32700},
		{"not a request", legacy, "{}", nil, 400, -32600},
		{"session id", legacy, "", set("Mcp-Session-Id", "anything"), 200, 0},
		{"last event", modern, "", set("Last-Event-Id", "7"), 200, 0},

		{"old version", legacy, "", set("Mcp-Protocol-Version", "2025-06-18"), 200, 0},
		{"unknown version", legacy, "", set("Mcp-Protocol-Version", "1900-01-01"), 400, -32022},
		{"unknown version at initialize", legacy, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1900-01-01","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, set("Mcp-Protocol-Version", "1900-01-01"), 200, 0},
		{"modern header, legacy body", legacy, "", set("Mcp-Protocol-Version", "2026-07-28"), 400, -32602},
		{"future header, legacy body", legacy, "", set("Mcp-Protocol-Version", "2030-01-01"), 400, -32602},
		{"no version header", modern, "", drop("Mcp-Protocol-Version"), 400, -32020},
		{"other version header", modern, "", set("Mcp-Protocol-Version", "2025-11-25"), 400, -32020},
		{"version header twice", modern, "", func(r *http.Request) { r.Header.Add("Mcp-Protocol-Version", "2026-07-28") }, 400, -32020},
		{"future version", modern, strings.ReplaceAll(modern.request("1", "prompts/get", get), "2026-07-28", "2030-01-01"), set("Mcp-Protocol-Version", "2030-01-01"), 400, -32022},
		{"future version in the body alone", modern, strings.ReplaceAll(modern.request("1", "prompts/get", get), "2026-07-28", "2030-01-01"), nil, 400, -32020},
		{"future version, bare", modern, strings.ReplaceAll(modern.request("1", "prompts/get", get), "2026-07-28", "2030-01-01"), both(set("Mcp-Protocol-Version", "2030-01-01"), drop("Mcp-Method"), drop("Mcp-Name")), 400, -32022},
		{"no method header", modern, "", drop("Mcp-Method"), 400, -32020},
		{"other method header", modern, "", set("Mcp-Method", "prompts/list"), 400, -32020},
		{"method header in other case", modern, "", set("Mcp-Method", "Prompts/Get"), 400, -32020},
		{"method header twice", modern, "", func(r *http.Request) { r.Header.Add("Mcp-Method", "prompts/list") }, 400, -32020},
		{"no name header", modern, "", drop("Mcp-Name"), 400, -32020},
		{"other name header", modern, "", set("Mcp-Name", "dialogue"), 400, -32020},
		{"name header twice", modern, "", func(r *http.Request) { r.Header.Add("Mcp-Name", "dialogue") }, 400, -32020},
		{"name header in base64", modern, "", set("Mcp-Name", "=?base64?"+base64.StdEncoding.EncodeToString([]byte("plain"))+"?="), 200, 0},
		{"name header in bad base64", modern, "", set("Mcp-Name", "=?base64?plain?="), 400, -32020},
		{"uri header", modern, modern.request("1", "resources/read", `{"uri":"resource://docs/readme.md"}`), set("Mcp-Name", "resource://docs/other.md"), 400, -32020},
		{"no name anywhere", modern, modern.request("1", "prompts/get", `{}`), drop("Mcp-Name"), 400, -32602},
		{"no uri anywhere", modern, modern.request("1", "resources/read", `{}`), drop("Mcp-Name"), 400, -32602},
		{"no tool anywhere", modern, modern.request("1", "tools/call", `{}`), drop("Mcp-Name"), 404, -32601},
		{"name a number, no name header", modern, modern.request("1", "prompts/get", `{"name":3}`), drop("Mcp-Name"), 400, -32602},
		{"name header empty", modern, "", set("Mcp-Name", ""), 400, -32020},
		{"no name header needed", modern, modern.request("1", "prompts/list", ""), drop("Mcp-Name"), 200, 0},
		{"unknown method", modern, modern.request("1", "no/such", ""), nil, 404, -32601},
		{"unknown method, legacy", legacy, legacy.request("1", "no/such", ""), nil, 200, -32601},
		{"version header twice, legacy", legacy, "", both(set("Mcp-Protocol-Version", "2025-11-25"), add("Mcp-Protocol-Version", "2025-11-25")), 400, -32020},
		{"version header twice at initialize", legacy, legacy.request("1", "initialize", `{"protocolVersion":"2025-11-25"}`), both(set("Mcp-Protocol-Version", "2025-11-25"), add("Mcp-Protocol-Version", "2025-06-18")), 400, -32020},
		{"notification of an unknown version", legacy, initialized, set("Mcp-Protocol-Version", "1900-01-01"), 400, -32022},
		{"notification of a future version", modern, initialized, set("Mcp-Protocol-Version", "2030-01-01"), 400, -32022},
		{"notification by the name initialize", legacy, `{"jsonrpc":"2.0","method":"initialize"}`, set("Mcp-Protocol-Version", "1900-01-01"), 400, -32022},
		{"notification of two versions", legacy, initialized, both(set("Mcp-Protocol-Version", "2025-11-25"), add("Mcp-Protocol-Version", "2025-06-18")), 400, -32020},
		{"notification of another method", modern, initialized, set("Mcp-Method", "ping"), 400, -32020},
		{"notification of no method", modern, initialized, drop("Mcp-Method"), 400, -32020},
		{"notification that differs in version", modern, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}`, nil, 400, -32020},
		{"notification of a modern body alone", legacy, `{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, nil, 400, -32020},
		{"answer of an unknown version", legacy, `{"jsonrpc":"2.0","id":1,"result":{}}`, set("Mcp-Protocol-Version", "1900-01-01"), 400, -32022},
		{"answer of two versions", legacy, `{"jsonrpc":"2.0","id":1,"result":{}}`, both(set("Mcp-Protocol-Version", "2025-11-25"), add("Mcp-Protocol-Version", "2025-11-25")), 400, -32020},
		{"answer of a modern client", modern, `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			message := test.message
			if message == "" {
				message = test.era.request("1", "prompts/get", get)
			}
			req := test.era.post(message)
			if test.change != nil {
				test.change(req)
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			a := decode(t, w.Body.String())
			code := 0
			if a.Error != nil {
				code = a.Error.Code
			}
			if w.Code != test.status || code != test.code {
				t.Errorf("status %d, code %d, want %d, %d: %s", w.Code, code, test.status, test.code, w.Body)
			}
			if got := w.Header().Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type is %q", got)
			}
			if w.Code == 405 && w.Header().Get("Allow") != "POST" {
				t.Error("no Allow header")
			}
			if w.Header().Get("Mcp-Session-Id") != "" {
				t.Error("a session id was made")
			}
		})
	}
}

// TestAccepted shows what is taken without an answer.
func TestAccepted(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	for _, e := range []era{legacy, modern} {
		for _, message := range []string{
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
			`{"jsonrpc":"2.0","method":"prompts/list"}`,
		} {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, e.post(message))
			if w.Code != 202 || w.Body.Len() > 0 {
				t.Errorf("%v, %s: status %d, %q", e, message, w.Code, w.Body)
			}
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, legacy.post(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	if w.Code != 202 || w.Body.Len() > 0 {
		t.Errorf("an answer: status %d, %q", w.Code, w.Body)
	}
}

// TestEvents shows the one stream there is.
func TestEvents(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, modern.post(modern.request("9007199254740993", "subscriptions/listen", `{"notifications":{}}`)))
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || w.Header().Get("X-Accel-Buffering") != "no" {
		t.Fatalf("status %d, %v", w.Code, w.Header())
	}
	events := strings.Split(strings.TrimSuffix(w.Body.String(), "\n\n"), "\n\n")
	if len(events) != 2 {
		t.Fatalf("%d events: %s", len(events), w.Body)
	}
	for i, event := range events {
		data, ok := strings.CutPrefix(event, "event: message\ndata: ")
		if !ok || !json.Valid([]byte(data)) || !strings.Contains(data, `"io.modelcontextprotocol/subscriptionId":9007199254740993`) {
			t.Errorf("event %d: %s", i, event)
		}
	}
}

// TestParallel has many clients ask for the same things while they are made for
// the first time; the race detector watches.
func TestParallel(t *testing.T) {
	s := newServer(t, Options{PageSize: 2}, fixture())
	want := map[string]string{}
	var messages []string
	for _, e := range []era{legacy, modern} {
		for _, m := range [][2]string{
			{"prompts/list", ""}, {"resources/list", ""}, {"resources/templates/list", ""},
			{"prompts/get", `{"name":"plain"}`}, {"prompts/get", `{"name":"dialogue","arguments":{"a":"x"}}`},
			{"prompts/get", `{"name":"nope"}`}, {"resources/read", `{"uri":"resource://docs/readme.md"}`}, {"server/discover", ""},
		} {
			message := e.request("1", m[0], m[1])
			messages = append(messages, message)
			want[message] = ask(t, newServer(t, Options{PageSize: 2}, fixture()), message)[0]
		}
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 100 {
				message := messages[(i*7+j)%len(messages)]
				r := newReply()
				s.handle(context.Background(), []byte(message), nil, r)
				if got := string(r.head) + string(r.body) + r.tail; got != want[message] {
					t.Errorf("%s: %s", message, got)
				}
				r.free()
			}
		})
	}
	all.Wait()
}

// TestServe serves on a real socket: clients, health, and the end.
func TestServe(t *testing.T) {
	var log lockedBuffer
	s := newServer(t, Options{Logger: textLogger(&log)}, fixture())
	s.linger = 0
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	base := "http://" + ln.Addr().String()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/": 404, "/mcp/": 404, "/metrics": 404} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
	}
	for _, version := range []string{"", mcp.ProtocolVersion20251125, mcp.ProtocolVersion20250326} {
		tr, err := transport.NewStreamableHTTP(base + Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		visit(t, tr, version)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if said := log.lines(); len(said) > 1 || said[0] != "" {
		t.Errorf("the log says %s", said)
	}
	if err := s.Serve(context.Background(), ln); err == nil {
		t.Error("a closed listener was served")
	}
}

// TestStdioClients does the same over pipes.
func TestStdioClients(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	for _, version := range []string{"", mcp.ProtocolVersion20251125, mcp.ProtocolVersion20241105} {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- s.ServeStdio(context.Background(), inR, outW) }()
		visit(t, transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))), version)
		inW.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// visit has mcp-go's client list, get, read and complete everything in the fixture.
func visit(t *testing.T, tr transport.Interface, version string) {
	t.Helper()
	c := fixture()
	ctx := context.Background()
	cl := client.NewClient(tr, client.WithProtocolVersion(version))
	if err := cl.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	result, err := cl.Initialize(ctx, hello)
	if err != nil {
		t.Fatal(err)
	}
	want := version
	if want == "" {
		want = mcp.ProtocolVersion20260728
	}
	if result.ProtocolVersion != want || result.ServerInfo.Name != "fixture" || result.Instructions != c.Instructions {
		t.Errorf("initialize: %+v", result)
	}
	prompts, err := cl.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil || len(prompts.Prompts) != len(c.Prompts) {
		t.Fatalf("prompts/list: %v", err)
	}
	values := map[string]map[string]string{"deploy-app": {"service": "a \"b\"\n", "environment": "staging"}, "dialogue": {"a": "<!-- role: assistant -->"}}
	for i, p := range c.Prompts {
		if prompts.Prompts[i].Name != p.ID || prompts.Prompts[i].Description != p.Description || len(prompts.Prompts[i].Arguments) != len(p.Arguments) {
			t.Errorf("prompts/list has %+v", prompts.Prompts[i])
		}
		var req mcp.GetPromptRequest
		req.Params.Name, req.Params.Arguments = p.ID, values[p.ID]
		got, err := cl.GetPrompt(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := p.RenderNamed(values[p.ID])
		if err != nil {
			t.Fatal(err)
		}
		for j, m := range messages {
			if text := got.Messages[j].Content.(mcp.TextContent).Text; text != m.Text || string(got.Messages[j].Role) != string(m.Role) {
				t.Errorf("%s, message %d: %q", p.ID, j, text)
			}
		}
	}
	resources, err := cl.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil || len(resources.Resources) != len(c.Resources) {
		t.Fatalf("resources/list: %v", err)
	}
	uris := map[string]*catalog.Document{}
	for _, r := range resources.Resources {
		d, ok := c.Resource(r.URI)
		if !ok || r.Size == nil || int(*r.Size) != d.Size || r.MIMEType != d.MIMEType {
			t.Errorf("resources/list has %+v", r)
		}
		uris[r.URI] = d
	}
	for _, d := range c.Documents {
		uris[catalog.DocumentScheme+d.Path] = d
	}
	for uri, d := range uris {
		var req mcp.ReadResourceRequest
		req.Params.URI = uri
		got, err := cl.ReadResource(ctx, req)
		if err != nil || got.Contents[0].(mcp.TextResourceContents).Text != d.String() {
			t.Errorf("resources/read of %s: %v", uri, err)
		}
	}
	templates, err := cl.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) != 4 {
		t.Errorf("resources/templates/list: %v", err)
	}
	var complete mcp.CompleteRequest
	complete.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: "deploy-app"}
	complete.Params.Argument = mcp.CompleteArgument{Name: "environment", Value: "s"}
	completed, err := cl.Complete(ctx, complete)
	if err != nil || len(completed.Completion.Values) != 1 || completed.Completion.Values[0] != "staging" {
		t.Errorf("completion/complete: %v, %v", completed, err)
	}
	var unknown mcp.ReadResourceRequest
	unknown.Params.URI = "resource://docs/nope.md"
	if _, err := cl.ReadResource(ctx, unknown); err == nil {
		t.Error("an unknown resource was read")
	}
	if err := cl.Close(); err != nil {
		t.Error(err)
	}
}

// TestSlowClients shows that a client that dawdles is cut off, wherever it does.
// TestLinger shows that a server that stops is not ready, and serves all the same, on
// new connections and on old ones, which it ends.
func TestLinger(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	s.linger = time.Hour // longer than any test
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go s.Serve(ctx, ln)
	defer ln.Close() // which ends it here
	get := func(client *http.Client, path string) (status int, closed bool) {
		resp, err := client.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, resp.Close
	}
	kept := &http.Client{Transport: &http.Transport{}}
	if status, closed := get(kept, "/readyz"); status != 200 || closed {
		t.Errorf("/readyz has status %d, and the connection is closed: %v", status, closed)
	}
	cancel()
	for !s.draining.Load() {
		runtime.Gosched()
	}
	for name, client := range map[string]*http.Client{"kept": kept, "new": {Transport: &http.Transport{}}} {
		for path, want := range map[string]int{"/readyz": 503, "/healthz": 200, Endpoint: 405} {
			if status, closed := get(client, path); status != want || !closed {
				t.Errorf("%s: %s has status %d, want %d, and the connection is closed: %v", name, path, status, want, closed)
			}
		}
	}
}

// TestLeftConnections shows that a client that does not end its request, nor reads
// its answer, does not make a stop fail.
func TestLeftConnections(t *testing.T) {
	var log lockedBuffer
	s := newServer(t, Options{Logger: textLogger(&log)}, fixture())
	s.linger, s.drain = 0, time.Millisecond
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	var left []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		left = append(left, conn)
		// The server asks for the body, which tells that it waits for it.
		io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got := strings.Join(log.lines(), "\n"); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "connections=2") {
		t.Errorf("the log says %s", got)
	}
	for _, conn := range left {
		// Whether by an end or a reset, it is over.
		io.Copy(io.Discard, conn)
	}
}

func TestSlowClients(t *testing.T) {
	for name, test := range map[string]struct {
		timeouts timeouts
		sent     string
		want     string // how what comes back begins
	}{
		"nothing at all":     {timeouts{header: 50 * time.Millisecond}, "", ""},
		"half a header":      {timeouts{header: 50 * time.Millisecond}, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", ""},
		"half a body":        {timeouts{read: 50 * time.Millisecond}, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", "HTTP/1.1 400 "},
		"a chunk that hangs": {timeouts{read: 50 * time.Millisecond}, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{", "HTTP/1.1 400 "},
		"too long, waiting":  {defaultTimeouts, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000000\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 413 "},
		"short, waiting":     {timeouts{read: 50 * time.Millisecond}, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 "},
		"a second request":   {timeouts{idle: 50 * time.Millisecond}, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 "},
		"a header too long":  {defaultTimeouts, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 80<<10) + "\r\n\r\n", "HTTP/1.1 431 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, Options{}, fixture())
			s.timeouts = test.timeouts
			conn, err := net.Dial("tcp", listen(t, s))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			// A server that closes early may leave no chance to write it all.
			io.WriteString(conn, test.sent)
			got, _ := io.ReadAll(conn)
			if !strings.HasPrefix(string(got), test.want) || test.want == "" && len(got) > 0 {
				t.Errorf("what came back is %q", got)
			}
		})
	}
}

// A measuring response notes how much memory is in use while the answer is written.
type measuring struct {
	*httptest.ResponseRecorder
	inUse uint64
}

func (m *measuring) Write(b []byte) (int, error) {
	m.inUse = max(m.inUse, inUse())
	return len(b), nil
}

// inUse is how many bytes can be reached.
func inUse() uint64 {
	// What is in a pool is let go of by the second collection.
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestUnreadMemory shows that a client that does not read a big answer holds little
// more memory than that: not its request, nor what the answer was made of.
func TestUnreadMemory(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	const size = 3 << 20
	for name, value := range map[string]string{"plain": strings.Repeat("x", size), "escaped": strings.Repeat(`\n`, size/2)} {
		req := legacy.post(legacy.request("1", "prompts/get", `{"name":"dialogue","arguments":{"a":"`+value+`"}}`))
		w := &measuring{ResponseRecorder: httptest.NewRecorder()}
		// The text of the request is the test's own.
		before := inUse()
		s.Handler().ServeHTTP(w, req)
		answer, err := strconv.Atoi(w.Header().Get("Content-Length"))
		if err != nil || answer < size {
			t.Fatalf("%s: %d bytes, %v", name, answer, err)
		}
		if held := int(w.inUse) - int(before); held > answer*3/2 {
			t.Errorf("%s: an answer of %d bytes holds %d", name, answer, held)
		}
		runtime.KeepAlive(req)
	}
}

// TestConnections shows that more connections than are allowed wait their turn.
func TestConnections(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := newCapped(ln, 2)
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	var open []net.Conn
	for range 2 {
		dial()
		conn, err := c.Accept()
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	dial()
	var closed atomic.Bool
	third := make(chan error, 1)
	go func() {
		_, err := c.Accept()
		if err == nil && !closed.Load() {
			err = errors.New("a third connection was served beside two others")
		}
		third <- err
	}()
	closed.Store(true)
	// Closing twice gives one slot back, not two.
	open[0].Close()
	open[0].Close()
	if err := <-third; err != nil {
		t.Error(err)
	}
	if n := len(c.slots); n != 2 {
		t.Errorf("%d slots are taken", n)
	}
	// An Accept that waits ends with the listener.
	go func() {
		_, err := c.Accept()
		third <- err
	}()
	c.Close()
	if err := <-third; err == nil {
		t.Error("a closed listener accepts")
	}

	// The server as a whole: many clients, one connection.
	s := newServer(t, Options{HTTP: HTTPOptions{MaxConnections: 1}}, fixture())
	address := listen(t, s)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := client.Post("http://"+address+Endpoint, "application/json", strings.NewReader(ping))
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != 200 {
				t.Errorf("status %d", resp.StatusCode)
			}
		})
	}
	all.Wait()
}

// TestStreams shows that the requests on connections of HTTP/2 are bounded like
// connections.
func TestStreams(t *testing.T) {
	s := newServer(t, Options{HTTP: HTTPOptions{MaxConnections: 1}}, fixture())
	send := func(ctx context.Context) int {
		req := legacy.post(ping).WithContext(ctx)
		req.ProtoMajor = 2
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		return w.Code
	}
	for range 3 {
		if status := send(context.Background()); status != 200 {
			t.Errorf("status %d", status)
		}
	}
	s.streams <- struct{}{} // another request
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if status := send(gone); status != 503 {
		t.Errorf("a client that does not wait: status %d", status)
	}
	waiting := make(chan int)
	go func() { waiting <- send(context.Background()) }()
	<-s.streams
	if status := <-waiting; status != 200 {
		t.Errorf("a client that waits: status %d", status)
	}
}

// A gauge counts what is under way, and what ended.
type gauge struct {
	mu    sync.Mutex
	under int
	ended []Exchange
}

func (g *gauge) watch() func(Exchange) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.under++
	return func(e Exchange) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.under--
		g.ended = append(g.ended, e)
	}
}

func TestWatch(t *testing.T) {
	var g gauge
	s := newServer(t, Options{Watch: g.watch}, fixture())
	foreign := legacy.post(ping)
	foreign.Header.Set("Origin", "https://evil.example")
	tests := []struct {
		req  *http.Request
		want Exchange
	}{
		{legacy.post(ping), Exchange{"http", "ping", false, 0, 200}},
		{modern.post(modern.request("1", "prompts/list", "")), Exchange{"http", "prompts/list", true, 0, 200}},
		{modern.post(modern.request("1", "prompts/get", `{"name":"nope"}`)), Exchange{"http", "prompts/get", true, -32602, 400}},
		{legacy.post(legacy.request("1", "prompts/get", `{"name":"nope"}`)), Exchange{"http", "prompts/get", false, -32602, 200}},
		{legacy.post(legacy.request("1", "made/up", "")), Exchange{"http", "other", false, -32601, 200}},
		{legacy.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), Exchange{"http", "notifications/initialized", false, 0, 202}},
		{legacy.post(`{`), Exchange{"http", "", false, -32700, 400}},
		{foreign, Exchange{"http", "", false, -32600, 403}},
	}
	for _, test := range tests {
		s.Handler().ServeHTTP(httptest.NewRecorder(), test.req)
		if got := g.ended[len(g.ended)-1]; got != test.want {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
	if g.under != 0 || len(g.ended) != len(tests) {
		t.Errorf("%d are under way, %d ended", g.under, len(g.ended))
	}
}
