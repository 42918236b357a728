// This file writes files that tests need.

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

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
