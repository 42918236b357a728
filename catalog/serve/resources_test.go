// This file holds the test of the fast escape.

package serve

import (
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// TestAppendEscaped puts awkward text at every offset of an eight-byte word.
func TestAppendEscaped(t *testing.T) {
	for _, awkward := range []string{"", "\"", "\\", "\n\t\r\x00\x1f", "\u00e9", "\u2028\U0001f600", "\x7f", "\u00e9\"\u00e9", "\U0001f600\U0001f600\U0001f600"} {
		for before := range 10 {
			for after := range 10 {
				s := strings.Repeat("a", before) + awkward + strings.Repeat("b", after)
				if got, want := string(appendEscaped(nil, s)), string(catalog.AppendEscaped(nil, s)); got != want {
					t.Fatalf("%q: got %s, want %s", s, got, want)
				}
			}
		}
	}
}
