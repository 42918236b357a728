// This file holds the tests of OAuth, against an issuer on a real socket.

package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/seed33527553/promptc/catalog"
)

const testAudience = "https://mcp.example/mcp"

// rsaKey takes a while to make, so the tests share it.
var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// An issuer is an authorization server, as much of it as there is to see.
type issuer struct {
	*httptest.Server
	served  atomic.Pointer[http.HandlerFunc]
	fetches atomic.Int32
	rsa     *rsa.PrivateKey
}

// newIssuer returns an issuer with one RSA key, called first.
func newIssuer(t testing.TB) *issuer {
	t.Helper()
	i := &issuer{rsa: rsaKey()}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		i.fetches.Add(1)
		(*i.served.Load())(w, req)
	}))
	t.Cleanup(i.Close)
	i.publish(t, public("first", i.rsa.Public()))
	return i
}

func public(id string, key any) jose.JSONWebKey {
	return jose.JSONWebKey{Key: key, KeyID: id, Use: "sig"}
}

func (i *issuer) serve(h http.HandlerFunc) { i.served.Store(&h) }

func (i *issuer) publish(t testing.TB, keys ...jose.JSONWebKey) {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	i.serve(func(w http.ResponseWriter, _ *http.Request) { w.Write(text) })
}

// sign returns a token with the claims of a good one and those given; nil takes a
// claim away. A header does the same for headers.
func (i *issuer) sign(t testing.TB, given map[string]any, header map[string]any) string {
	t.Helper()
	return sign(t, jose.RS256, i.rsa, i.claims(given), header)
}

func (i *issuer) claims(given map[string]any) map[string]any {
	now := time.Now().Unix()
	all := map[string]any{"iss": i.URL, "aud": testAudience, "sub": "alice", "exp": now + 600, "iat": now, "scope": "mcp:read other"}
	maps.Copy(all, given)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
	return all
}

func sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, claims, header map[string]any) string {
	t.Helper()
	opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "first")
	for name, value := range header {
		if value == nil {
			delete(opts.ExtraHeaders, jose.HeaderKey(name))
		} else {
			opts.WithHeader(jose.HeaderKey(name), value)
		}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, opts)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// oauth returns an OAuth for the issuer, and the nanoseconds that its clock, which
// stands still, is ahead.
func (i *issuer) oauth(t testing.TB, log *slog.Logger, scopes ...string) (o *OAuth, clock *atomic.Int64) {
	t.Helper()
	o, err := NewOAuth(OAuthOptions{Issuer: i.URL, Audience: testAudience, JWKS: i.URL + "/keys", Scopes: scopes, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	clock = new(atomic.Int64)
	start := time.Now()
	o.now = func() time.Time { return start.Add(time.Duration(clock.Load())) }
	o.keys.now = o.now
	return o, clock
}

func TestOAuth(t *testing.T) {
	i := newIssuer(t)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	edPublic, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	pinned := public("pinned", i.rsa.Public())
	pinned.Algorithm = "PS256"
	encryption := public("encryption", i.rsa.Public())
	encryption.Use = "enc"
	i.publish(t, public("first", i.rsa.Public()), public("ec", ec.Public()), public("ed", edPublic), pinned, encryption,
		public("weak", weak.Public()), public("shared", []byte("a secret that was published by mistake")))

	der, err := x509.MarshalPKIXPublicKey(i.rsa.Public())
	if err != nil {
		t.Fatal(err)
	}
	asPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	now := time.Now().Unix()
	set := func(name string, value any) map[string]any { return map[string]any{name: value} }
	b64 := base64.RawURLEncoding.EncodeToString
	unsigned := func(header string) string {
		payload, err := json.Marshal(i.claims(nil))
		if err != nil {
			t.Fatal(err)
		}
		return b64([]byte(header)) + "." + b64(payload) + "."
	}
	good := i.sign(t, nil, nil)
	parts := strings.Split(good, ".")
	forged := b64([]byte(strings.Replace(func() string { p, _ := base64.RawURLEncoding.DecodeString(parts[1]); return string(p) }(), "alice", "mallory", 1)))

	for _, test := range []struct {
		name, token string
		want        error
		principal   catalog.Principal // of a good one
	}{
		{"RS256", good, nil, catalog.Principal{Name: "alice"}},
		{"PS256", sign(t, jose.PS256, i.rsa, i.claims(nil), nil), nil, catalog.Principal{Name: "alice"}},
		{"ES256", sign(t, jose.ES256, ec, i.claims(nil), set("kid", "ec")), nil, catalog.Principal{Name: "alice"}},
		{"EdDSA", sign(t, jose.EdDSA, ed, i.claims(nil), set("kid", "ed")), nil, catalog.Principal{Name: "alice"}},
		{"typ JWT", i.sign(t, nil, set("typ", "JWT")), nil, catalog.Principal{Name: "alice"}},
		{"no typ", i.sign(t, nil, set("typ", nil)), nil, catalog.Principal{Name: "alice"}},
		{"long typ", i.sign(t, nil, set("typ", "application/AT+JWT")), nil, catalog.Principal{Name: "alice"}},
		{"several audiences", i.sign(t, set("aud", []string{"https://other.example", testAudience}), nil), nil, catalog.Principal{Name: "alice"}},
		{"client", i.sign(t, map[string]any{"sub": nil, "client_id": "batch"}, nil), nil, catalog.Principal{Name: "batch"}},
		{"scp, an array", i.sign(t, map[string]any{"scope": nil, "scp": []string{"mcp:read"}}, nil), nil, catalog.Principal{Name: "alice"}},
		{"scp, a text", i.sign(t, map[string]any{"scope": nil, "scp": "mcp:read"}, nil), nil, catalog.Principal{Name: "alice"}},
		{"limits", i.sign(t, map[string]any{"promptc_prefixes": []string{"support/"}, "promptc_tags": "git go"}, nil), nil,
			catalog.Principal{Name: "alice", Prefixes: []string{"support/"}, Tags: []string{"git", "go"}}},
		{"limits by scopes", i.sign(t, map[string]any{"promptc_tags": []string{}, "scope": "mcp:read promptc:prefix:support/ promptc:tag:git"}, nil), nil,
			catalog.Principal{Name: "alice", Prefixes: []string{"support/"}, Tags: []string{"git"}}},
		{"expired a moment ago", i.sign(t, set("exp", now-10), nil), nil, catalog.Principal{Name: "alice"}},
		{"made by a clock that is ahead", i.sign(t, map[string]any{"iat": now + 10, "nbf": now + 10}, nil), nil, catalog.Principal{Name: "alice"}},

		{"expired", i.sign(t, set("exp", now-40), nil), errToken, catalog.Principal{}},
		{"without exp", i.sign(t, set("exp", nil), nil), errToken, catalog.Principal{}},
		{"exp is a text", i.sign(t, set("exp", "tomorrow"), nil), errToken, catalog.Principal{}},
		{"not valid yet", i.sign(t, set("nbf", now+60), nil), errToken, catalog.Principal{}},
		{"from the future", i.sign(t, set("iat", now+60), nil), errToken, catalog.Principal{}},
		{"other audience", i.sign(t, set("aud", "https://other.example"), nil), errToken, catalog.Principal{}},
		{"audience with a slash", i.sign(t, set("aud", testAudience+"/"), nil), errToken, catalog.Principal{}},
		{"no audience", i.sign(t, set("aud", nil), nil), errToken, catalog.Principal{}},
		{"other issuer", i.sign(t, set("iss", "https://evil.example"), nil), errToken, catalog.Principal{}},
		{"no issuer", i.sign(t, set("iss", nil), nil), errToken, catalog.Principal{}},
		{"nobody", i.sign(t, set("sub", nil), nil), errToken, catalog.Principal{}},
		{"sub is a number", i.sign(t, set("sub", 7), nil), errToken, catalog.Principal{}},
		{"scope lacks", i.sign(t, set("scope", "other"), nil), errScope, catalog.Principal{}},
		{"scope in other letters", i.sign(t, set("scope", "MCP:READ"), nil), errScope, catalog.Principal{}},
		{"no scope", i.sign(t, set("scope", nil), nil), errScope, catalog.Principal{}},
		{"scope is an object", i.sign(t, set("scope", map[string]any{}), nil), errToken, catalog.Principal{}},
		{"empty limits", i.sign(t, set("promptc_prefixes", []string{}), nil), errToken, catalog.Principal{}},
		{"limits by the empty text", i.sign(t, set("promptc_tags", ""), nil), errToken, catalog.Principal{}},
		{"limit that is none", i.sign(t, set("promptc_prefixes", []string{""}), nil), errToken, catalog.Principal{}},
		{"prefix without slash", i.sign(t, set("promptc_prefixes", "support"), nil), errToken, catalog.Principal{}},
		{"limit by a bad scope", i.sign(t, set("scope", "mcp:read promptc:tag:"), nil), errToken, catalog.Principal{}},

		{"alg none", unsigned(`{"alg":"none","kid":"first"}`), errToken, catalog.Principal{}},
		{"alg None", unsigned(`{"alg":"None","kid":"first"}`), errToken, catalog.Principal{}},
		{"no alg", unsigned(`{"kid":"first"}`), errToken, catalog.Principal{}},
		{"signature taken away", parts[0] + "." + parts[1] + ".", errToken, catalog.Principal{}},
		{"claims changed", parts[0] + "." + forged + "." + parts[2], errToken, catalog.Principal{}},
		{"HS256 with the public key in PEM", sign(t, jose.HS256, asPEM, i.claims(nil), nil), errToken, catalog.Principal{}},
		{"HS256 with the public key in DER", sign(t, jose.HS256, der, i.claims(nil), nil), errToken, catalog.Principal{}},
		{"HS256 with a key of the set", sign(t, jose.HS256, []byte("a secret that was published by mistake"), i.claims(nil), set("kid", "shared")), errToken, catalog.Principal{}},
		{"short RSA key", sign(t, jose.RS256, weak, i.claims(nil), set("kid", "weak")), errToken, catalog.Principal{}},
		{"key of another algorithm", sign(t, jose.RS256, i.rsa, i.claims(nil), set("kid", "pinned")), errToken, catalog.Principal{}},
		{"key for encryption", i.sign(t, nil, set("kid", "encryption")), errToken, catalog.Principal{}},
		{"key of another kind", sign(t, jose.RS256, i.rsa, i.claims(nil), set("kid", "ec")), errToken, catalog.Principal{}},
		{"key that is not known", i.sign(t, nil, set("kid", "nope")), errToken, catalog.Principal{}},
		{"no kid where there are several", i.sign(t, nil, set("kid", nil)), errToken, catalog.Principal{}},
		{"key in the token", sign(t, jose.ES256, ec, i.claims(nil), map[string]any{"kid": "nope", "jwk": jose.JSONWebKey{Key: ec.Public()}}), errToken, catalog.Principal{}},
		{"key at a URL in the token", i.sign(t, nil, map[string]any{"kid": "nope", "jku": i.URL + "/keys"}), errToken, catalog.Principal{}},
		{"token of another kind", i.sign(t, nil, set("typ", "logout+jwt")), errToken, catalog.Principal{}},
		{"critical header", unsigned(`{"alg":"RS256","kid":"first","crit":["x"],"x":1}`) + parts[2], errToken, catalog.Principal{}},
		{"opaque", "0123456789abcdef", errToken, catalog.Principal{}},
		{"two dots", "..", errToken, catalog.Principal{}},
		{"four dots", "a.b.c.d.e", errToken, catalog.Principal{}},
		{"JSON form", `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`, errToken, catalog.Principal{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, _ := i.oauth(t, nil, "mcp:read")
			p, err := o.principal(context.Background(), test.token)
			if !errors.Is(err, test.want) || (test.want != nil) != (err != nil) {
				t.Fatalf("%v, want %v", err, test.want)
			}
			if err == nil && toJSON(p) != toJSON(test.principal) {
				t.Errorf("%+v, want %+v", p, test.principal)
			}
			for part := range strings.SplitSeq(test.token, ".") {
				if err != nil && len(part) > 3 && strings.Contains(err.Error(), part) {
					t.Errorf("the error tells of the token: %v", err)
				}
			}
		})
	}
}

// TestOAuthAnswers looks at what is on the wire.
func TestOAuthAnswers(t *testing.T) {
	i := newIssuer(t)
	var log lockedBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	o, _ := i.oauth(t, logger, "mcp:read", "mcp:list")
	s := newServer(t, Options{Logger: logger, HTTP: HTTPOptions{
		OAuth: o, Tokens: tokens(t, "robot "+digest("static-secret")), AllowOrigins: []string{"https://app.example"},
	}}, fixture())
	var sent []string
	send := func(token string) *httptest.ResponseRecorder {
		req := legacy.post(legacy.request("1", "prompts/get", `{"name":"plain"}`))
		if token != "" {
			sent = append(sent, token)
			req.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		decode(t, w.Body.String())
		return w
	}
	const where = `resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="mcp:read mcp:list"`
	all := map[string]any{"scope": "mcp:list mcp:read"}
	for _, test := range []struct {
		token     string
		status    int
		challenge string
	}{
		{"", 401, `Bearer ` + where},
		{i.sign(t, all, nil), 200, ""},
		{"static-secret", 200, ""},
		{i.sign(t, map[string]any{"scope": "mcp:list"}, nil), 403, `Bearer error="insufficient_scope", error_description="the token lacks a scope that is required", ` + where},
		{i.sign(t, map[string]any{"exp": 1}, nil), 401, `Bearer error="invalid_token", error_description="the token is not accepted", ` + where},
		{"unknown", 401, `Bearer error="invalid_token", error_description="the token is not accepted", ` + where},
		{strings.Repeat("a", longestToken+1), 401, `Bearer error="invalid_token", error_description="the token is not accepted", ` + where},
	} {
		w := send(test.token)
		if got := w.Header().Get("WWW-Authenticate"); w.Code != test.status || got != test.challenge {
			t.Errorf("%.40s: status %d, %s, want %d, %s", test.token, w.Code, got, test.status, test.challenge)
		}
	}
	const metadata = `{"resource":"https://mcp.example/mcp","authorization_servers":["` + "%" + `"],"scopes_supported":["mcp:read","mcp:list"],"bearer_methods_supported":["header"]}`
	for path, want := range map[string]int{
		"/.well-known/oauth-protected-resource": 200, "/.well-known/oauth-protected-resource/mcp": 200, "/.well-known/oauth-protected-resource/else": 404,
		"/.well-known/oauth-authorization-server": 404,
	} {
		req := httptest.NewRequest(http.MethodGet, "http://mcp.example"+path, nil)
		req.Header.Set("Origin", "https://app.example")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, req)
		if w.Code != want || want == 200 && (w.Body.String() != strings.Replace(metadata, "%", i.URL, 1) || w.Header().Get("Content-Type") != "application/json" ||
			w.Header().Get("Access-Control-Allow-Origin") != "https://app.example") {
			t.Errorf("%s: status %d, %v, %s", path, w.Code, w.Header(), w.Body)
		}
	}
	req := httptest.NewRequest(http.MethodGet, "http://mcp.example"+metadataPath, nil)
	req.Header.Set("Origin", "https://evil.example")
	w := httptest.NewRecorder()
	if s.Handler().ServeHTTP(w, req); w.Code != 403 {
		t.Errorf("metadata for a foreign page: status %d", w.Code)
	}
	// No part of a token is in the log, not even of one that was good.
	for _, token := range sent {
		for part := range strings.SplitSeq(token, ".") {
			if len(part) > 8 && strings.Contains(log.String(), part) {
				t.Errorf("the log tells of a token: %s", part)
			}
		}
	}
	if !strings.Contains(log.String(), "it is expired") {
		t.Errorf("the log does not say why: %s", log.String())
	}
}

// TestKeys follows the keys of an issuer as they change.
func TestKeys(t *testing.T) {
	i := newIssuer(t)
	second, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	o, clock := i.oauth(t, textLogger(&log))
	long := map[string]any{"exp": time.Now().Add(100 * time.Hour).Unix()}
	first := i.sign(t, long, nil)
	next := sign(t, jose.ES256, second, i.claims(long), map[string]any{"kid": "second"})
	check := func(what, token string, want error, fetches int32) {
		t.Helper()
		o.keys.mu.Lock()
		under := o.keys.fetching
		o.keys.mu.Unlock()
		if under != nil {
			<-under
		}
		if _, err := o.principal(context.Background(), token); !errors.Is(err, want) || (want != nil) != (err != nil) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		o.keys.mu.Lock()
		under = o.keys.fetching
		o.keys.mu.Unlock()
		if under != nil {
			<-under
		}
		if got := i.fetches.Load(); got != fetches {
			t.Errorf("%s: %d fetches, want %d", what, got, fetches)
		}
	}
	pass := func(d time.Duration) { clock.Add(int64(d)) }

	check("the first token", first, nil, 1)
	check("the keys are kept", first, nil, 1)
	// The issuer starts to use another key. The pause holds, then it is found.
	i.publish(t, public("first", i.rsa.Public()), public("second", second.Public()))
	for range 20 {
		check("a new key, at once", next, errToken, 1)
	}
	pass(fetchPause)
	check("a new key", next, nil, 2)
	check("the old key beside it", first, nil, 2)
	for range 20 {
		check("keys that are made up", sign(t, jose.ES256, second, i.claims(nil), map[string]any{"kid": "made-up"}), errToken, 2)
	}
	// The old key is withdrawn, which counts once the keys are fetched again.
	i.publish(t, public("second", second.Public()))
	pass(keysFresh)
	check("the keys are no longer fresh, and still do", first, nil, 3)
	check("the withdrawn key", first, errToken, 3)
	check("the key that stays", next, nil, 3)
	check("no kid, and one key", sign(t, jose.ES256, second, i.claims(long), map[string]any{"kid": nil}), nil, 3)
	// The issuer is out of order: what is known stays good for a day.
	i.serve(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of order", 500) })
	pass(keysFresh)
	check("the issuer fails", next, nil, 4)
	check("it is left alone", next, nil, 4)
	pass(fetchPause)
	check("it is asked again", next, nil, 5)
	pass(keysGood)
	check("a day has gone by", next, errKeys, 6)
	check("it is left alone still", next, errKeys, 6)
	i.publish(t, public("second", second.Public()))
	pass(fetchPause)
	check("the issuer is back", next, nil, 7)
	if err := o.Reload(); err != nil {
		t.Fatal(err)
	}
	check("asked to read the keys again", next, nil, 8)
	if !strings.Contains(log.String(), "the answer has the status 500") {
		t.Errorf("the log says %s", log.String())
	}
}

// TestBadKeys shows what is not taken for keys. No token can be checked then, which
// is not the client's fault.
func TestBadKeys(t *testing.T) {
	i := newIssuer(t)
	token := i.sign(t, nil, nil)
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public("first", i.rsa.Public())}})
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Repeat(`{"kty":"oct","k":"AA"},`, mostKeys) + `{"kty":"oct","k":"AA"}`
	gone := make(chan struct{})
	for name, test := range map[string]struct {
		h    http.HandlerFunc
		want string
	}{
		"not JSON":    {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>")) }, "is not a JWK Set"},
		"no keys":     {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("{}")) }, "has no public key"},
		"shared keys": {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"keys":[{"kty":"oct","k":"AA"}]}`)) }, "has no public key"},
		"broken keys": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"keys":[7,{"kty":"RSA"},{"kty":"new"}]}`))
		}, "has no public key"},
		"many keys":  {func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"keys":[` + many + `]}`)) }, "has more than 100 keys"},
		"long":       {func(w http.ResponseWriter, _ *http.Request) { w.Write(set); w.Write(make([]byte, mostKeyBytes)) }, "has more than 524288 bytes"},
		"redirected": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/else", http.StatusFound) }, "has the status 302"},
		"missing":    {http.NotFound, "has the status 404"},
		"never an end": {func(w http.ResponseWriter, r *http.Request) {
			w.Write(set)
			http.NewResponseController(w).Flush()
			<-gone
		}, "exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			i.serve(test.h)
			var log lockedBuffer
			o, _ := i.oauth(t, textLogger(&log))
			if name == "never an end" {
				defer close(gone)
				o.keys.client.Timeout = 100 * time.Millisecond
			}
			s := newServer(t, Options{HTTP: HTTPOptions{OAuth: o}}, fixture())
			req := legacy.post(ping)
			req.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, req)
			if w.Code != 503 || w.Header().Get("Retry-After") != "10" || w.Header().Get("WWW-Authenticate") != "" {
				t.Errorf("status %d, %v", w.Code, w.Header())
			}
			if !strings.Contains(log.String(), test.want) {
				t.Errorf("the log says %s, want %s", log.String(), test.want)
			}
		})
	}
	// A key of another kind beside a good one does no harm.
	i.serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"keys":[{"kty":"new","kid":"x"},` + strings.TrimPrefix(string(set), `{"keys":[`)))
	})
	o, _ := i.oauth(t, nil)
	if _, err := o.principal(context.Background(), token); err != nil {
		t.Error(err)
	}
	// A client that does not wait is not waited for.
	i.serve(func(http.ResponseWriter, *http.Request) { t.Error("fetched for a client that is gone") })
	i.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o, _ = i.oauth(t, nil)
	if _, err := o.principal(ctx, token); !errors.Is(err, errKeys) {
		t.Errorf("an issuer that is not there: %v", err)
	}
}

// TestKeysAtOnce has many first tokens come together.
func TestKeysAtOnce(t *testing.T) {
	i := newIssuer(t)
	o, _ := i.oauth(t, nil)
	token := i.sign(t, nil, nil)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := o.principal(context.Background(), token); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := i.fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

func TestKeysFromFile(t *testing.T) {
	i := newIssuer(t)
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public("first", i.rsa.Public())}})
	if err != nil {
		t.Fatal(err)
	}
	name := written(t, string(set))
	o, err := NewOAuth(OAuthOptions{Issuer: i.URL, Audience: testAudience, JWKS: name})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want bool) {
		t.Helper()
		if _, err := o.principal(context.Background(), i.sign(t, nil, nil)); (err == nil) != want {
			t.Error(err)
		}
	}
	check(true)
	if err := os.WriteFile(name, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.Reload(); err == nil {
		t.Error("a broken file was read")
	}
	check(true)
	second, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public("second", i.rsa.Public()), public("third", i.rsa.Public())}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, second, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := o.Reload(); err != nil {
		t.Error(err)
	}
	check(false)
}

func TestOAuthOptions(t *testing.T) {
	good := OAuthOptions{Issuer: "https://auth.example", Audience: testAudience, JWKS: "https://auth.example/keys?p=x"}
	if _, err := NewOAuth(good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*OAuthOptions){
		"Issuer must be a URL":                         func(o *OAuthOptions) { o.Issuer = "auth.example" },
		"Issuer must be an https URL":                  func(o *OAuthOptions) { o.Issuer = "http://auth.example" },
		"Audience must be a URL":                       func(o *OAuthOptions) { o.Audience = "" },
		"Audience must be a URL such":                  func(o *OAuthOptions) { o.Audience = "https://mcp.example/mcp?a=b" },
		"Audience must be a URL such as":               func(o *OAuthOptions) { o.Audience = "https://mcp.example/\"mcp" },
		"JWKS must be an https URL":                    func(o *OAuthOptions) { o.JWKS = "http://auth.example/keys" },
		"cannot read nope: no such file":               func(o *OAuthOptions) { o.JWKS = "nope" },
		"Scopes must be printable ASCII":               func(o *OAuthOptions) { o.Scopes = []string{"a b"} },
		"Scopes must be printable ASCII without space": func(o *OAuthOptions) { o.Scopes = []string{""} },
	} {
		o := good
		change(&o)
		if _, err := NewOAuth(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
