// This file holds the tests of authentication, and of the file of tokens.

package serve

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// tokens returns the tokens of a file with the lines.
func tokens(t testing.TB, lines ...string) *Tokens {
	t.Helper()
	list, err := LoadTokens(written(t, strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// written returns the name of a file with the text.
func written(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestParseTokens(t *testing.T) {
	hash, other := digest("a"), digest("b")
	list, err := parseTokens([]byte("\ufeff# who may\n\nalice " + hash + "\r\n\tci-bot@x  " + strings.ToUpper(other) + "\ttags=git,ci prefixes=support/,ops/eu/ # until June\nalice " + digest("c")))
	if err != nil {
		t.Fatal(err)
	}
	want := []catalog.Principal{{Name: "alice"}, {Name: "ci-bot@x", Prefixes: []string{"support/", "ops/eu/"}, Tags: []string{"git", "ci"}}, {Name: "alice"}}
	if len(list) != len(want) {
		t.Fatalf("%d tokens", len(list))
	}
	for i := range list {
		if toJSON(list[i].principal) != toJSON(want[i]) {
			t.Errorf("token %d is %+v, want %+v", i, list[i].principal, want[i])
		}
	}
	for text, want := range map[string]string{
		"alice":                                     "1:6: the SHA-256 of the token must follow",
		"alice # " + hash:                           "1:6: the SHA-256 of the token must follow",
		"\n  alice secret-token":                    "2:9: the SHA-256 of the token must follow",
		"alice " + hash[1:]:                         "1:7: the SHA-256",
		"alice " + hash + "0":                       "1:7: the SHA-256",
		"alice " + "g" + hash[1:]:                   "1:7: the SHA-256",
		hash + " alice":                             "1:66: the SHA-256",
		"älice " + hash:                             "1:1: a name must be",
		strings.Repeat("a", 65) + " " + hash:        "1:1: a name must be",
		"alice:" + hash:                             "1:1: a name must be",
		"alice " + hash + "\nbob " + hash:           "2:5: the token of line 1 stands here again",
		"alice " + hash + " admin":                  "1:72: only prefixes=... and tags=...",
		"alice " + hash + " prefix=support/":        "1:72: only prefixes=... and tags=...",
		"alice " + hash + " prefixes=":              "1:81: a prefix must be",
		"alice " + hash + " prefixes=support":       "1:81: a prefix must be",
		"alice " + hash + " prefixes=a/,/":          "1:84: a prefix must be",
		"alice " + hash + " tags=a,":                "1:79: a tag must be",
		"alice " + hash + " tags=A":                 "1:77: a tag must be",
		"alice " + hash + " tags=a tags=b":          "1:79: tags stands twice",
		"alice " + hash + " tags=a, b":              "1:79: a tag must be",
		"alice \xff":                                "1:1: the line is not valid UTF-8",
		"\ufeff\ufeffalice " + hash:                 "1:1: a name must be",
		"alice " + hash + "\n\ufeffbob " + hash:     "2:1: a name must be",
		"\ufeffalice x":                             "1:7: the SHA-256",
		"a " + hash + " tags=x\x00":                 "1:73: a tag must be",
		"alice " + strings.Repeat("0123456789", 99): "1:7: the SHA-256",
	} {
		_, err := parseTokens([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		} else if tellsHash(err.Error()) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error tells too much: %v", text, err)
		}
	}
}

// tellsHash tells whether a text has what may be most of a hash.
func tellsHash(text string) bool { return regexp.MustCompile(`[0-9a-fA-F]{16}`).MatchString(text) }

func FuzzParseTokens(f *testing.F) {
	for _, seed := range []string{
		"", "# x", "alice " + digest("a"), "alice " + digest("a") + " prefixes=a/,b/ tags=c # d\n\nbob " + digest("b") + "\r\n",
		"alice", "\xff", "a b c", "a " + digest("a") + " tags=", "a\u00a0" + digest("a"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseTokens(data)
		if err != nil {
			if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*: `).MatchString(err.Error()) || tellsHash(err.Error()) || list != nil {
				t.Errorf("%v", err)
			}
			return
		}
		for _, token := range list {
			p := token.principal
			if !isTokenName(p.Name) {
				t.Errorf("the name %q", p.Name)
			}
			for _, prefix := range p.Prefixes {
				if !isNamePrefix(prefix) {
					t.Errorf("the prefix %q", prefix)
				}
			}
			for _, tag := range p.Tags {
				if !catalog.IsID(tag) {
					t.Errorf("the tag %q", tag)
				}
			}
		}
	})
}

func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer ", "bearer abc", "Bearer  a.b-c_d~e+f/g==", "Basic abc", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer \x00"} {
		f.Add(seed)
	}
	s := newServer(f, Options{HTTP: HTTPOptions{Tokens: tokens(f, "alice "+digest("secret"))}}, fixture())
	f.Fuzz(func(t *testing.T, value string) {
		token, ok := bearer(value)
		if ok && !regexp.MustCompile(`^[-A-Za-z0-9._~+/]+=*$`).MatchString(token) {
			t.Errorf("the token %q", token)
		}
		req := legacy.post(legacy.request("1", "ping", ""))
		req.Header["Authorization"] = []string{value}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		want := http.StatusUnauthorized
		if ok && token == "secret" {
			want = http.StatusOK
		}
		if w.Code != want {
			t.Errorf("%q: status %d, want %d", value, w.Code, want)
		}
	})
}

// An acquaintance is an Observer that keeps who asked.
type acquaintance struct{ principal *catalog.Principal }

func (a *acquaintance) Rendered(ctx context.Context, _ Rendering) {
	a.principal = catalog.RequestOf(ctx).Principal
}

func TestTokens(t *testing.T) {
	var log lockedBuffer
	var seen acquaintance
	s := newServer(t, Options{
		Observer: &seen, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		HTTP: HTTPOptions{Tokens: tokens(t, "alice "+digest("secret-a"), "bob "+digest("secret-b=")+" tags=a")},
	}, fixture())
	get := legacy.request("1", "prompts/get", `{"name":"plain"}`)
	send := func(address string, authorization ...string) *httptest.ResponseRecorder {
		req := legacy.post(get)
		req.URL.RawQuery = address
		req.Header["Authorization"] = authorization
		if authorization == nil {
			req.Header.Del("Authorization")
		}
		seen.principal = nil
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		decode(t, w.Body.String())
		return w
	}
	for authorization, want := range map[string]catalog.Principal{
		"Bearer secret-a": {Name: "alice"}, "bearer  secret-a": {Name: "alice"}, "BEARER secret-b=": {Name: "bob", Tags: []string{"a"}},
	} {
		if w := send("", authorization); w.Code != 200 || toJSON(seen.principal) != toJSON(want) {
			t.Errorf("%s: status %d, %+v", authorization, w.Code, seen.principal)
		}
	}

	const none = `Bearer realm="mcp"`
	if w := send(""); w.Code != 401 || w.Header().Get("WWW-Authenticate") != none || seen.principal != nil {
		t.Errorf("no token: status %d, %v", w.Code, w.Header())
	}
	for _, query := range []string{"access_token=secret-a", "a=b&access_token=", "%zz", "a;b"} {
		if w := send(query, "Bearer secret-a"); w.Code != 400 || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), `Bearer error="invalid_request"`) {
			t.Errorf("query %s: status %d, %v", query, w.Code, w.Header())
		}
	}
	if w := send("a=b", "Bearer secret-a"); w.Code != 200 {
		t.Errorf("another query: status %d", w.Code)
	}
	// What is wrong with a token cannot be told from the answer.
	first := send("", "Bearer secret-c")
	const invalid = `Bearer error="invalid_token", error_description="the token is not accepted", realm="mcp"`
	if first.Code != 401 || first.Header().Get("WWW-Authenticate") != invalid {
		t.Errorf("unknown token: status %d, %v", first.Code, first.Header())
	}
	for _, authorization := range [][]string{
		{"Bearer"}, {"Bearer "}, {""}, {"Basic c2VjcmV0LWE="}, {"secret-a"}, {"Bearersecret-a"}, {"Bearer secret-a "}, {"Bearer secret-a secret-a"},
		{"Bearer\tsecret-a"}, {"Bearer secret-a\x00"}, {"Bearer SECRET-A"}, {"Bearer secret-b"}, {"Bearer secret-a="}, {"Bearer " + digest("secret-a")},
		{"Bearer secret-a", "Bearer secret-a"}, {"Bearer " + strings.Repeat("s", longestToken+1)}, {"Bearer " + strings.Repeat("s", longestToken)}, {"Bearer a.b.c"},
	} {
		w := send("", authorization...)
		if w.Code != first.Code || w.Body.String() != first.Body.String() || toJSON(w.Header()) != toJSON(first.Header()) || seen.principal != nil {
			t.Errorf("%.60q: status %d, %v, %s", authorization, w.Code, w.Header(), w.Body)
		}
	}
	if text := log.String(); strings.Contains(strings.ToLower(text), "secret") || tellsHash(text) || !strings.Contains(text, "a token was refused") {
		t.Errorf("the log says %s", text)
	}
}

// TestOrderOfRefusals shows that strangers learn nothing of what would come next.
func TestOrderOfRefusals(t *testing.T) {
	s := newServer(t, Options{MaxRequest: 10, HTTP: HTTPOptions{
		Tokens:  tokens(t, "alice "+digest("secret")+"\nbob "+digest("prefix")+" prefixes=support/\ncarol "+digest("tag")+" tags=git"),
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("figures")) }),
	}}, fixture())
	for _, test := range []struct {
		method, path, authorization, contentType, body string
		status                                         int
	}{
		{"GET", "/mcp", "", "", "", 401},
		{"POST", "/mcp", "", "text/plain", strings.Repeat(" ", 20), 401},
		{"GET", "/mcp", "Bearer secret", "", "", 405},
		{"POST", "/mcp", "Bearer secret", "text/plain", "", 415},
		{"POST", "/mcp", "Bearer secret", "application/json", strings.Repeat(" ", 20), 413},
		{"GET", "/metrics", "", "", "", 401},
		{"GET", "/metrics", "Bearer x", "", "", 401},
		{"GET", "/metrics", "Bearer secret", "", "", 200},
		{"GET", "/metrics", "Bearer prefix", "", "", 403},
		{"HEAD", "/metrics", "Bearer tag", "", "", 403},
		{"GET", "/healthz", "", "", "", 200},
		{"GET", "/readyz", "", "", "", 200},
		{"GET", "/else", "", "", "", 404},
	} {
		req := httptest.NewRequest(test.method, "http://localhost"+test.path, strings.NewReader(test.body))
		for name, value := range map[string]string{"Authorization": test.authorization, "Content-Type": test.contentType} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		if w.Code != test.status || (w.Code == 401) != (w.Header().Get("WWW-Authenticate") != "") {
			t.Errorf("%s %s %s: status %d, want %d", test.method, test.path, test.authorization, w.Code, test.status)
		}
	}
}

// TestAuthenticatedIsPrivate: what one client may see, another may not.
func TestAuthenticatedIsPrivate(t *testing.T) {
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list", "server/discover"} {
		for want, opts := range map[string]HTTPOptions{"public": {}, "private": {Tokens: tokens(t, "alice "+digest("secret"))}} {
			s := newServer(t, Options{HTTP: opts}, fixture())
			req := modern.post(modern.request("1", method, ""))
			req.Header.Set("Authorization", "Bearer secret")
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			if got := decode(t, w.Body.String()).Result["cacheScope"]; got != want {
				t.Errorf("%s is %v, want %s", method, got, want)
			}
		}
	}
}

func TestReloadTokens(t *testing.T) {
	name := written(t, "alice "+digest("a"))
	list, err := LoadTokens(name)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("bob " + digest("b"))
	if err := list.Reload(); err != nil || list.find("a") != nil || list.find("b") == nil || list.Len() != 1 {
		t.Errorf("the tokens were not read again: %v", err)
	}
	for _, text := range []string{"bob " + digest("b") + "\nbroken", strings.Repeat("#", maxFile+1)} {
		write(text)
		if err := list.Reload(); err == nil || !strings.HasPrefix(err.Error(), name) || list.find("b") == nil {
			t.Errorf("a broken file: %v", err)
		}
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := list.Reload(); err == nil || list.find("b") == nil {
		t.Errorf("no file: %v", err)
	}
	if _, err := LoadTokens(filepath.Dir(name)); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	// A file without tokens takes them all away.
	write("# nobody\n")
	if err := list.Reload(); err != nil || list.find("b") != nil || list.find("") != nil || list.Len() != 0 {
		t.Errorf("an empty file: %v", err)
	}
}

// TestFrontPanics shows what is said where the front itself fails.
func TestFrontPanics(t *testing.T) {
	var log bytes.Buffer
	o, err := NewOAuth(OAuthOptions{Issuer: "https://auth.example", Audience: "https://mcp.example/mcp", JWKS: "https://auth.example/keys"})
	if err != nil {
		t.Fatal(err)
	}
	o.keys = nil
	s := newServer(t, Options{Logger: textLogger(&log), HTTP: HTTPOptions{OAuth: o}}, fixture())
	req := legacy.post(ping)
	req.Header.Set("Authorization", "Bearer "+newIssuer(t).sign(t, nil, nil))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`; w.Code != 500 || w.Body.String() != want {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	if text := log.String(); !strings.Contains(text, "a request panicked") || !strings.Contains(text, "goroutine") || strings.Contains(text, req.Header.Get("Authorization")) {
		t.Errorf("the log says %s", text)
	}
}

func (b *lockedBuffer) String() string { return strings.Join(b.lines(), "\n") }
