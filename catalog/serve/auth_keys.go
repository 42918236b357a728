// This file holds keySet, the public keys of an issuer, which change while the
// server runs.

package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keysFresh is how old keys may get before they are fetched again, and
	// keysGood how old they may get while that fails.
	keysFresh = 15 * time.Minute
	keysGood  = 24 * time.Hour
	// fetchPause is how long the issuer is left alone after each fetch, however
	// many tokens name keys that are not known.
	fetchPause = 10 * time.Second
	// fetchTimeout, mostKeyBytes and mostKeys bound one fetch.
	fetchTimeout = 10 * time.Second
	mostKeyBytes = 512 << 10
	mostKeys     = 100
	// leastRSA is the shortest RSA key in bits (RFC 7518, section 3.3).
	leastRSA = 2048
)

// A keySet is a JWK Set from a file or a URL (RFC 7517, section 5).
type keySet struct {
	source string
	client *http.Client // nil for a file
	log    *slog.Logger
	now    func() time.Time

	// mu guards what follows: the keys and when they were got; when that was last
	// tried; and what is closed once the fetch under way ends, nil if none is.
	mu       sync.Mutex
	keys     []jose.JSONWebKey
	got      time.Time
	tried    time.Time
	fetching chan struct{}
}

func newKeySet(source string, log *slog.Logger) (*keySet, error) {
	k := &keySet{source: source, log: log, now: time.Now}
	if !strings.Contains(source, "://") {
		return k, k.reload()
	}
	place, _, _ := strings.Cut(source, "?")
	if _, err := secureURL("JWKS", place); err != nil {
		return nil, err
	}
	k.client = &http.Client{
		Timeout:       fetchTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return k, nil
}

// reload reads a file again; keys from a URL are then no longer fresh.
func (k *keySet) reload() error {
	if k.client != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.got = k.got.Add(-keysFresh)
		k.tried = time.Time{}
		return nil
	}
	data, err := readFile(k.source)
	if err != nil {
		return err
	}
	keys, err := parseKeys(data)
	if err != nil {
		return fmt.Errorf("%s %w", k.source, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = keys
	return nil
}

// find returns the key with an id, for an algorithm. A token without an id is taken
// where there is one key only.
func (k *keySet) find(ctx context.Context, id, algorithm string) (any, error) {
	key, age := k.current(id, algorithm)
	switch {
	case k.client == nil:
	case key != nil && age < keysFresh:
	case key != nil && age < keysGood:
		k.fetch() // in the background: the old ones do meanwhile
	default:
		if fetched := k.fetch(); fetched != nil {
			select {
			case <-fetched:
			case <-ctx.Done():
				return nil, errKeys
			}
		}
		key, age = k.current(id, algorithm)
		if age >= keysGood {
			return nil, errKeys
		}
	}
	if key == nil {
		return nil, fmt.Errorf("%w: it is signed with a key that is not known", errToken)
	}
	return key, nil
}

// current looks a key up in what is there, and tells how old that is.
func (k *keySet) current(id, algorithm string) (key any, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		return nil, keysGood
	}
	for i := range k.keys {
		if j := &k.keys[i]; (j.KeyID == id || id == "" && len(k.keys) == 1) && (j.Algorithm == "" || j.Algorithm == algorithm) {
			key = j.Key
			break
		}
	}
	return key, k.now().Sub(k.got)
}

// fetch has the keys fetched, unless that was tried a moment ago. What it returns
// is closed once they are there or not to be had; it is nil where nothing is under
// way.
func (k *keySet) fetch() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fetching != nil {
		return k.fetching
	}
	if k.now().Sub(k.tried) < fetchPause {
		return nil
	}
	k.tried = k.now()
	done := make(chan struct{})
	k.fetching = done
	go func() {
		defer close(done)
		keys, err := k.get()
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fetching = nil
		if err != nil {
			// What follows a ? may be for the two of them alone.
			place, _, _ := strings.Cut(k.source, "?")
			k.log.Warn("the keys of the issuer cannot be fetched", "url", place, "error", err.Error())
			return
		}
		k.keys, k.got = keys, k.now()
	}()
	return done
}

// get fetches the keys from their URL.
func (k *keySet) get() ([]jose.JSONWebKey, error) {
	resp, err := k.client.Get(k.source)
	if err != nil {
		if failed := (*url.Error)(nil); errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the answer has the status %d", resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostKeyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostKeyBytes {
		return nil, fmt.Errorf("the answer has more than %d bytes", mostKeyBytes)
	}
	return parseKeys(data)
}

// parseKeys returns the keys of a set that can check signatures. Others are passed
// over, as RFC 7517, section 5 asks.
func parseKeys(data []byte) ([]jose.JSONWebKey, error) {
	var set struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, errors.New("is not a JWK Set")
	}
	if len(set.Keys) > mostKeys {
		return nil, fmt.Errorf("has more than %d keys", mostKeys)
	}
	var keys []jose.JSONWebKey
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) == nil && (key.Use == "" || key.Use == "sig") && isPublicKey(key.Key) {
			keys = append(keys, key)
		}
	}
	if keys == nil {
		return nil, fmt.Errorf("has no public key for signatures: RSA of %d bits or more, ECDSA, or Ed25519", leastRSA)
	}
	return keys, nil
}

func isPublicKey(key any) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= leastRSA
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false
}
