package metrics

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
)

// figures returns what a scrape gets.
func figures(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func check(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}

// TestServed measures a real server.
func TestServed(t *testing.T) {
	hello := &catalog.Prompt{ID: "hello", Version: "1.0.0", Description: "Says hello.", Document: &catalog.Document{Path: "prompts/hello/PROMPT.md"},
		Messages: []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{{Text: "Hello."}}}}}
	hello.Entry = catalog.PromptEntry(hello, "")
	c := &catalog.Catalog{Name: "example", Version: "1.2.3", Digest: "abc", Prompts: []*catalog.Prompt{hello}, PromptTable: catalog.NewTable([]string{"hello"})}
	var mux catalog.Mux
	if err := mux.Mount(c); err != nil {
		t.Fatal(err)
	}
	m := New(c, "v1.0.0")
	s, err := serve.New(&mux, serve.Options{Observer: m, Watch: m.Watch, HTTP: serve.HTTPOptions{Metrics: m.Handler()}})
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, params string) {
		req := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
		req.Header.Set("Content-Type", "application/json")
		s.Handler().ServeHTTP(httptest.NewRecorder(), req)
	}
	send("prompts/get", `{"name":"hello"}`)
	send("prompts/get", `{"name":"made-up"}`)
	send("made/up", `{}`)
	s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "http://localhost/mcp", nil))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/metrics", nil))
	text := w.Body.String()
	check(t, text,
		`promptd_requests_total{code="0",era="legacy",method="prompts/get",transport="http"} 1`,
		`promptd_requests_total{code="-32602",era="legacy",method="prompts/get",transport="http"} 1`,
		`promptd_requests_total{code="-32601",era="legacy",method="other",transport="http"} 1`,
		`promptd_request_duration_seconds_count{method="prompts/get",transport="http"} 2`,
		`promptd_refusals_total{status="405"} 1`,
		`promptd_requests_in_flight 0`,
		`promptd_renders_total{outcome="ok",prompt="hello"} 1`,
		`promptd_renders_total{outcome="not-found",prompt=""} 1`,
		`promptd_render_duration_seconds_count 2`,
	)
	if !strings.Contains(text, `promptd_build_info{catalog="example",catalog_version="1.2.3",digest="abc",go_version="go`) || strings.Contains(text, "made") {
		t.Error(text)
	}
}

// TestBounded shows that labels have an end.
func TestBounded(t *testing.T) {
	m := New(&catalog.Catalog{}, "")
	for i := range 2 * mostPrompts {
		for _, r := range []serve.Rendering{
			{Prompt: fmt.Sprintf("prompt-%d", i), Outcome: serve.Rendered, Duration: time.Millisecond},
			{Prompt: fmt.Sprintf("live/prompt-%d", i), Mount: "live/", Dynamic: true, Outcome: serve.Rendered},
		} {
			m.Rendered(context.Background(), r)
		}
	}
	// What is known stays known.
	m.Rendered(context.Background(), serve.Rendering{Prompt: "prompt-0", Outcome: serve.Rendered})
	text := figures(t, m)
	check(t, text,
		`promptd_renders_total{outcome="ok",prompt="prompt-0"} 2`,
		`promptd_renders_total{outcome="ok",prompt="prompt-999"} 1`,
		`promptd_renders_total{outcome="ok",prompt="*"} 1000`,
		`promptd_renders_total{outcome="ok",prompt="live/*"} 2000`,
	)
	if n := strings.Count(text, "promptd_renders_total{"); n != mostPrompts+2 {
		t.Errorf("%d series", n)
	}
}

// TestInFlight looks while a message is being answered.
func TestInFlight(t *testing.T) {
	m := New(&catalog.Catalog{}, "")
	first, second := m.Watch(), m.Watch()
	check(t, figures(t, m), "promptd_requests_in_flight 2")
	first(serve.Exchange{Transport: "stdio"})
	second(serve.Exchange{Transport: "http", Status: 401})
	check(t, figures(t, m), "promptd_requests_in_flight 0", `promptd_refusals_total{status="401"} 1`,
		`promptd_requests_total{code="0",era="legacy",method="",transport="stdio"} 1`)
}

func TestServe(t *testing.T) {
	m := New(&catalog.Catalog{}, "")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- m.Serve(ctx, ln) }()
	for path, want := range map[string]int{"/metrics": 200, "/": 404, "/mcp": 404, "/debug/pprof/": 404} {
		resp, err := http.Get("http://" + ln.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := m.Serve(context.Background(), ln); err == nil {
		t.Error("a closed listener was served")
	}
}
