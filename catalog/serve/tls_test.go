// This file holds the tests of TLS.

package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certify writes a certificate for this machine, and its key, which sign
// themselves, and returns what trusts it.
func certify(t testing.TB, chain, key string) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{chain: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(cert)
	return pool
}

// listen serves on a free port of this machine for the length of the test, and
// returns its address.
func listen(t testing.TB, s *Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.linger = 0 // there is no balancer to be told
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

func TestTLS(t *testing.T) {
	chain, key := filepath.Join(t.TempDir(), "chain.pem"), filepath.Join(t.TempDir(), "key.pem")
	trusted := certify(t, chain, key)
	c, err := LoadCertificate(chain, key)
	if err != nil {
		t.Fatal(err)
	}
	address := listen(t, newServer(t, Options{HTTP: HTTPOptions{Certificate: c}}, fixture()))
	// ask sends a request over a connection of its own.
	ask := func(config *tls.Config) (*http.Response, error) {
		tr := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
		defer tr.CloseIdleConnections()
		req, err := http.NewRequest(http.MethodPost, "https://"+address+Endpoint, strings.NewReader(ping))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := tr.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
			t.Errorf("status %d, %s, %v", resp.StatusCode, body, err)
		}
		return resp, nil
	}
	resp, err := ask(&tls.Config{RootCAs: trusted})
	if err != nil || resp.ProtoMajor != 2 || resp.TLS.Version != tls.VersionTLS13 {
		t.Fatalf("%+v, %v", resp, err)
	}
	if resp, err := ask(&tls.Config{RootCAs: trusted, MaxVersion: tls.VersionTLS12}); err != nil || resp.TLS.Version != tls.VersionTLS12 {
		t.Errorf("TLS 1.2: %v", err)
	}
	if _, err := ask(&tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 was spoken")
	}
	plain, err := http.Get("http://" + address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	plain.Body.Close()
	if plain.StatusCode != 400 {
		t.Errorf("without TLS the status is %d", plain.StatusCode)
	}

	// Broken files change nothing; whole ones do, for the next connection.
	secret, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	certify(t, filepath.Join(t.TempDir(), "other.pem"), key)
	if err := c.Reload(); err == nil || !strings.Contains(err.Error(), "private key does not match") {
		t.Errorf("the key of another certificate: %v", err)
	}
	for _, text := range []string{"", "broken", strings.Repeat("x", maxFile+1)} {
		if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.Reload(); err == nil || strings.Contains(err.Error(), string(secret)) {
			t.Errorf("a broken key: %v", err)
		}
	}
	if _, err := ask(&tls.Config{RootCAs: trusted}); err != nil {
		t.Errorf("after broken files: %v", err)
	}
	renewed := certify(t, chain, key)
	if err := c.Reload(); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(&tls.Config{RootCAs: renewed}); err != nil {
		t.Errorf("the new certificate: %v", err)
	}
	if _, err := ask(&tls.Config{RootCAs: trusted}); err == nil {
		t.Error("the old certificate is still there")
	}
	if _, err := LoadCertificate(chain, "nope"); err == nil || err.Error() != "cannot read nope: no such file or directory" {
		t.Errorf("no key: %v", err)
	}
}
