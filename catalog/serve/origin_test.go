// This file holds the tests of Host, Origin and CORS.

package serve

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// at makes a request as one that came in at a local address.
func at(req *http.Request, address string) *http.Request {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		panic(err)
	}
	return req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, net.Addr(addr)))
}

func TestGate(t *testing.T) {
	const loop, loop6, public = "127.0.0.1:8080", "[::1]:8080", "10.0.0.1:8080"
	listed := HTTPOptions{AllowHosts: []string{"MCP.example", "one.example:8443", "10.0.0.1", "[2001:db8::1]"}, AllowOrigins: []string{"https://app.example", "http://dev.example:3000"}}
	for _, test := range []struct {
		name               string
		opts               HTTPOptions
		addr, host, origin string
		pass               bool
	}{
		{"local", HTTPOptions{}, loop, "127.0.0.1:8080", "", true},
		{"localhost", HTTPOptions{}, loop, "LocalHost:8080", "", true},
		{"local, IPv6", HTTPOptions{}, loop6, "[::1]:8080", "", true},
		{"local, no port", HTTPOptions{}, loop, "localhost", "", true},
		{"local, rebound", HTTPOptions{}, loop, "evil.example:8080", "", false},
		{"local, rebound, looks local", HTTPOptions{}, loop, "localhost.evil.example", "", false},
		{"local, empty host", HTTPOptions{}, loop, "", "", false},
		{"local page", HTTPOptions{}, loop, "127.0.0.1:8080", "http://localhost:6274", true},
		{"foreign page", HTTPOptions{}, loop, "127.0.0.1:8080", "https://evil.example", false},
		{"foreign page, looks local", HTTPOptions{}, loop, "127.0.0.1:8080", "https://localhost.evil.example", false},
		{"page by another scheme", HTTPOptions{}, loop, "127.0.0.1:8080", "app://localhost", false},
		{"opaque origin", HTTPOptions{}, loop, "127.0.0.1:8080", "null", false},
		{"empty origin", HTTPOptions{}, loop, "127.0.0.1:8080", " ", false},

		{"public", HTTPOptions{}, public, "mcp.example", "", true},
		{"public, a page of the same name, which may be rebound", HTTPOptions{}, public, "mcp.example", "http://mcp.example", false},
		{"public, local page", HTTPOptions{}, public, "localhost:8080", "http://localhost:8080", false},
		{"public, opaque origin", HTTPOptions{}, public, "mcp.example", "null", false},

		{"listed host", listed, public, "mcp.EXAMPLE", "", true},
		{"listed host, any port", listed, public, "mcp.example:9000", "", true},
		{"listed host, its port", listed, public, "one.example:8443", "", true},
		{"listed host, another port", listed, public, "one.example:8444", "", false},
		{"listed host, without its port", listed, public, "one.example", "", false},
		{"listed address", listed, public, "10.0.0.1:8080", "", true},
		{"listed IPv6 address", listed, public, "[2001:db8::1]:8080", "", true},
		{"host that is not listed", listed, public, "other.example", "", false},
		{"below a listed host", listed, public, "a.mcp.example", "", false},
		{"listed host behind a proxy on this machine", listed, loop, "mcp.example", "", true},
		{"local name beside the list", listed, loop, "localhost:8080", "", true},
		{"local name at a public address", listed, public, "localhost:8080", "", false},
		{"page of a listed host", listed, public, "mcp.example", "https://mcp.example", true},
		{"page of a listed host, another port", listed, public, "mcp.example", "https://mcp.example:8443", false},
		{"listed origin", listed, public, "mcp.example", "https://APP.example", true},
		{"listed origin with a port", listed, public, "mcp.example", "http://dev.example:3000", true},
		{"listed origin, another port", listed, public, "mcp.example", "http://dev.example:3001", false},
		{"listed origin, another scheme", listed, public, "mcp.example", "http://app.example", false},
		{"listed origin, host not listed", listed, public, "other.example", "https://app.example", false},
		{"listed origin, local server", listed, loop, "localhost:8080", "https://app.example", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, Options{HTTP: test.opts}, fixture())
			req := at(legacy.post(legacy.request("1", "ping", "")), test.addr)
			if req.Host = test.host; test.origin != "" {
				req.Header.Set("Origin", strings.TrimSpace(test.origin))
			}
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			want := 403
			if test.pass {
				want = 200
			}
			if w.Code != want {
				t.Errorf("status %d, want %d: %s", w.Code, want, w.Body)
			}
			origin := ""
			if test.pass {
				origin = test.origin
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != origin {
				t.Errorf("Access-Control-Allow-Origin is %q", got)
			}
			decode(t, w.Body.String())
		})
	}
	s := newServer(t, Options{HTTP: listed}, fixture())
	req := legacy.post(ping)
	req.Host = "mcp.example"
	req.Header["Origin"] = []string{"https://app.example", "https://app.example"}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if w.Code != 403 {
		t.Errorf("two origins: status %d", w.Code)
	}
}

func TestLists(t *testing.T) {
	for _, o := range []HTTPOptions{
		{AllowHosts: []string{""}}, {AllowHosts: []string{"https://mcp.example"}}, {AllowHosts: []string{"mcp.example/mcp"}},
		{AllowHosts: []string{"*"}}, {AllowHosts: []string{"*.example"}}, {AllowHosts: []string{"mcp.example:"}}, {AllowHosts: []string{"a:b:c"}},
		{AllowOrigins: []string{""}}, {AllowOrigins: []string{"null"}}, {AllowOrigins: []string{"*"}}, {AllowOrigins: []string{"app.example"}},
		{AllowOrigins: []string{"https://app.example/"}}, {AllowOrigins: []string{"https://*.example"}}, {AllowOrigins: []string{"https://u@app.example"}},
		{MaxConnections: -1},
	} {
		var mux catalog.Mux
		if err := mux.Mount(fixture()); err != nil {
			t.Fatal(err)
		}
		if _, err := New(&mux, Options{HTTP: o}); err == nil || strings.Contains(err.Error(), "serve.") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestPreflight(t *testing.T) {
	s := newServer(t, Options{HTTP: HTTPOptions{AllowOrigins: []string{"https://app.example"}, Tokens: tokens(t, "alice "+digest("secret"))}}, fixture())
	ask := func(origin, method string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodOptions, "http://mcp.example/mcp", nil)
		for name, value := range map[string]string{"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": "authorization, mcp-method"} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		return w
	}
	// A preflight has no token, and gets no more than it asks for.
	w := ask("https://app.example", "POST")
	want := http.Header{
		"Access-Control-Allow-Origin":   {"https://app.example"},
		"Access-Control-Allow-Methods":  {"POST"},
		"Access-Control-Allow-Headers":  {"Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id"},
		"Access-Control-Expose-Headers": {"WWW-Authenticate"},
		"Access-Control-Max-Age":        {"7200"},
		"Vary":                          {"Origin"},
	}
	if got := w.Header(); w.Code != 204 || w.Body.Len() > 0 || toJSON(got) != toJSON(want) {
		t.Errorf("status %d, %s, want %s", w.Code, toJSON(got), toJSON(want))
	}
	for _, w := range []*httptest.ResponseRecorder{ask("https://evil.example", "POST"), ask("null", "POST"), ask("", "POST"), ask("https://app.example", "")} {
		if w.Code != 403 && w.Code != 401 || w.Header().Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("status %d, %v", w.Code, w.Header())
		}
	}
	for _, e := range w.Result().Header["Content-Type"] {
		t.Errorf("a preflight has the type %s", e)
	}
	// The page that is let in can read why its token is not.
	if w := ask("https://app.example", ""); w.Header().Get("Access-Control-Expose-Headers") != "WWW-Authenticate" || w.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("%v", w.Header())
	}
}

// TestPaths shows that nothing is served but what is named.
func TestPaths(t *testing.T) {
	s := newServer(t, Options{HTTP: HTTPOptions{Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("figures")) })}}, fixture())
	bare := newServer(t, Options{}, fixture())
	for _, test := range []struct {
		server       *Server
		method, path string
		status       int
	}{
		{bare, "GET", "/", 404}, {bare, "POST", "/", 404}, {bare, "POST", "/mcp/", 404}, {bare, "POST", "//mcp", 404}, {bare, "POST", "/x/../mcp", 404},
		{bare, "POST", "/MCP", 404}, {bare, "GET", "/metrics", 404}, {bare, "GET", "/.well-known/oauth-protected-resource", 404}, {bare, "GET", "/sse", 404}, {bare, "POST", "/refresh", 404},
		{bare, "GET", "/healthz", 200}, {bare, "HEAD", "/readyz", 200}, {bare, "POST", "/healthz", 405}, {bare, "DELETE", "/readyz", 405},
		{s, "GET", "/metrics", 200}, {s, "POST", "/metrics", 405},
	} {
		w := httptest.NewRecorder()
		test.server.Handler().ServeHTTP(w, httptest.NewRequest(test.method, "http://localhost"+test.path, nil))
		if w.Code != test.status {
			t.Errorf("%s %s: status %d, want %d", test.method, test.path, w.Code, test.status)
		}
		if w.Code == 405 && w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s %s: Allow is %q", test.method, test.path, w.Header().Get("Allow"))
		}
	}
	// Figures are nothing for pages of others either.
	req := httptest.NewRequest("GET", "http://localhost/metrics", nil)
	req.Header.Set("Origin", "https://evil.example")
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if w.Code != 403 {
		t.Errorf("metrics for a foreign page: status %d", w.Code)
	}
}
