// This file runs the program as one that strangers can reach: with TLS, tokens,
// OAuth and metrics, and changes their files under it.

package promptd

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// A program is promptd while it runs.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr strings.Builder
}

// startProgram starts promptd, which ends with the test.
func startProgram(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	// A line that never comes must not be waited for without end.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	p := &program{t: t, cmd: exec.CommandContext(ctx, "promptd", args...)}
	p.cmd.Env = append(os.Environ(), env...)
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(io.TeeReader(stderr, &p.stderr))
	t.Cleanup(func() {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		for p.lines.Scan() {
		}
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, p.stderr.String())
		}
	})
	return p
}

// until reads what the program says up to a line that matches, and returns what
// the pattern's group matched.
func (p *program) until(pattern string) string {
	p.t.Helper()
	re := regexp.MustCompile(pattern)
	for p.lines.Scan() {
		if m := re.FindStringSubmatch(p.lines.Text()); m != nil {
			return m[len(m)-1]
		}
	}
	p.t.Fatalf("no line matches %s: %s", pattern, p.stderr.String())
	return ""
}

// hangup has the files read again, and waits for a line that matches.
func (p *program) hangup(pattern string) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	p.until(pattern)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func tokenLine(name, token string) string {
	hash := sha256.Sum256([]byte(token))
	return name + " " + hex.EncodeToString(hash[:]) + "\n"
}

// certify writes a certificate for this machine and its key, and returns a client
// that trusts nothing else.
func certify(t *testing.T, cert, key string) *http.Client {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	chain := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(t, cert, string(chain))
	write(t, key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(chain)
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// ping sends a message and returns the status of the answer.
func ping(t *testing.T, client *http.Client, url, token string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header
}

func expect(t *testing.T, client *http.Client, url, token string, want int) {
	t.Helper()
	if status, _ := ping(t, client, url, token); status != want {
		t.Errorf("with the token %q the status is %d, want %d", token, status, want)
	}
}

func TestReloads(t *testing.T) {
	dir := t.TempDir()
	tokens, cert, key := filepath.Join(dir, "tokens"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write(t, tokens, tokenLine("alice", "secret-one"))
	client := certify(t, cert, key)
	// Every setting comes by the environment, save what a flag says.
	p := startProgram(t, []string{
		"PROMPTD_HTTP=192.0.2.1:1", "PROMPTD_TOKENS=" + tokens, "PROMPTD_TLS_CERT=" + cert, "PROMPTD_TLS_KEY=" + key,
		"PROMPTD_LOG_LEVEL=debug", "PROMPTD_METRICS_ADDRESS=localhost:0",
	}, "--http", "127.0.0.1:0")
	metrics := "http://" + p.until(`msg="serving metrics" address=(\S+)`) + "/metrics"
	url := p.until(`"url": "(https://\S+)",`)
	p.until(`"headers": {"Authorization": "Bearer TOKEN"}`)
	p.until(`msg=serving .*tls=true authentication=true`)
	expect(t, client, url, "secret-one", 200)
	expect(t, client, url, "secret-two", 401)
	expect(t, client, url, "", 401)
	expect(t, client, url+"?access_token=secret-one", "secret-one", 400)

	write(t, tokens, tokenLine("alice", "secret-two"))
	p.hangup("msg=reloaded setting=tokens")
	expect(t, client, url, "secret-one", 401)
	expect(t, client, url, "secret-two", 200)
	// A broken file, and broken certificates, change nothing.
	write(t, tokens, "alice secret-three\n")
	write(t, key, "broken")
	p.hangup(`level=ERROR msg="cannot reload: what was read before stays" setting=tls-cert`)
	p.until(`level=ERROR msg="cannot reload: what was read before stays" setting=tokens .*tokens:1:7: the SHA-256`)
	expect(t, client, url, "secret-two", 200)
	// New certificates are for new connections.
	write(t, tokens, tokenLine("alice", "secret-two"))
	renewed := certify(t, cert, key)
	p.hangup("msg=reloaded setting=tls-cert")
	p.until("msg=reloaded setting=tokens")
	expect(t, renewed, url, "secret-two", 200)
	if resp, err := client.Get(strings.TrimSuffix(url, "/mcp") + "/healthz"); err == nil {
		resp.Body.Close()
		t.Error("the old certificate is still there")
	}
	// A file that is gone changes nothing, and one without tokens is told of.
	if err := os.Remove(tokens); err != nil {
		t.Fatal(err)
	}
	p.hangup(`level=ERROR msg="cannot reload: what was read before stays" setting=tokens`)
	expect(t, renewed, url, "secret-two", 200)
	write(t, tokens, "\ufeff# nobody\n")
	p.hangup(`level=WARN msg="the file of tokens has none in it: it lets nobody in"`)
	p.until("msg=reloaded setting=tokens")
	expect(t, renewed, url, "secret-two", 401)

	resp, err := http.Get(metrics)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`promptd_requests_total{code="0",era="legacy",method="ping",transport="http"} 5`,
		`promptd_refusals_total{status="401"} 4`,
		`promptd_refusals_total{status="400"} 1`,
		`promptd_build_info{catalog="example",catalog_version="2.0.0",digest="abab`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if said := p.stderr.String(); strings.Contains(said, "secret-") || strings.Contains(said, "access_token") {
		t.Errorf("a token is in the log: %s", said)
	}
}

func TestOAuthProgram(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys.json")
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	publish := func(id string) {
		text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: private.Public(), KeyID: id}}})
		if err != nil {
			t.Fatal(err)
		}
		write(t, keys, string(text))
	}
	sign := func(scope string) string {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private}, (&jose.SignerOptions{}).WithHeader("kid", "one"))
		if err != nil {
			t.Fatal(err)
		}
		token, err := jwt.Signed(signer).Claims(map[string]any{
			"iss": "https://auth.example", "aud": "https://mcp.example/mcp", "sub": "alice", "scope": scope, "exp": time.Now().Add(time.Hour).Unix(),
		}).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	publish("one")
	// Metrics on the address of MCP are for those who are let in.
	p := startProgram(t, nil, "--http", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0", "--log-level", "debug",
		"--oauth-issuer", "https://auth.example", "--oauth-audience", "https://mcp.example/mcp", "--oauth-jwks", keys, "--oauth-scopes", "mcp:read")
	url := p.until(`"url": "(http://\S+)"`)
	p.until(`msg=serving .*authentication=true`)
	good := sign("mcp:read")
	expect(t, http.DefaultClient, url, good, 200)
	status, header := ping(t, http.DefaultClient, url, sign("mcp:write"))
	if got := header.Get("WWW-Authenticate"); status != 403 || !strings.Contains(got, `error="insufficient_scope"`) || !strings.Contains(got, `scope="mcp:read"`) {
		t.Errorf("status %d, %s", status, got)
	}
	status, header = ping(t, http.DefaultClient, url, "")
	if got := header.Get("WWW-Authenticate"); status != 401 || got != `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp", scope="mcp:read"` {
		t.Errorf("status %d, %s", status, got)
	}
	base := strings.TrimSuffix(url, "/mcp")
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp": `"authorization_servers":["https://auth.example"]`,
		"/metrics": "this server needs a bearer token",
	} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %s, %v", path, text, err)
		}
	}
	publish("two")
	p.hangup("msg=reloaded setting=oauth-jwks")
	expect(t, http.DefaultClient, url, good, 401)
	for part := range strings.SplitSeq(good, ".") {
		if strings.Contains(p.stderr.String(), part) {
			t.Error("a token is in the log")
		}
	}
}
