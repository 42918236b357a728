// This file holds Certificate, which TLS connections are secured with.

package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// maxFile is how many bytes a file of settings may hold: certificates, keys and
// tokens.
const maxFile = 1 << 20

// A Certificate is a chain of certificates and its private key, from two files in
// PEM. It is safe for concurrent use.
type Certificate struct {
	chain, key string
	current    atomic.Pointer[tls.Certificate]
}

// LoadCertificate reads the files.
func LoadCertificate(chain, key string) (*Certificate, error) {
	c := &Certificate{chain: chain, key: key}
	if err := c.Reload(); err != nil {
		return nil, err
	}
	return c, nil
}

// Reload reads the files again, for the connections that begin after it. Where
// that fails the Certificate stays what it was.
func (c *Certificate) Reload() error {
	chain, err := readFile(c.chain)
	if err != nil {
		return err
	}
	key, err := readFile(c.key)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return fmt.Errorf("%s and %s: %w", c.chain, c.key, err)
	}
	c.current.Store(&pair)
	return nil
}

// config returns settings for a server.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// readFile reads a file of settings, which must be a regular one: opening
// another could wait without end.
func readFile(name string) ([]byte, error) {
	switch info, err := os.Stat(name); {
	case err != nil:
		return nil, unreadable(name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return data, nil
}

// unreadable tells in the words of the system why a file cannot be read.
func unreadable(name string, err error) error {
	if failed := (*os.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	return fmt.Errorf("cannot read %s: %w", name, err)
}
