// This file holds the forms of names, which the compiler asks of authors and a Mux
// of programs.

package catalog

import "strings"

// Limits of names and texts: ids and argument names in bytes, others in characters.
const (
	MaxID           = 64
	MaxArgumentName = 64
	MaxTitle        = 128
	MaxDescription  = 1024
	MaxChoices      = 100
)

// IsID tells whether s is an id: ASCII lower-case kebab-case that starts with a
// letter, without a hyphen at an end or two in a row, of 1 to MaxID bytes.
func IsID(s string) bool {
	if s == "" || len(s) > MaxID || s[0] < 'a' || s[0] > 'z' || s[len(s)-1] == '-' || strings.Contains(s, "--") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// IsArgumentName tells whether s can be an argument's name: ASCII letters, digits
// and underscores, of which the first is a lower-case letter, of 1 to
// MaxArgumentName bytes.
func IsArgumentName(s string) bool {
	if s == "" || len(s) > MaxArgumentName || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// IsPrefix tells whether s can stand before the names of a repository: it is empty,
// or ids that are each followed by a slash, of at most 64 bytes.
func IsPrefix(s string) bool {
	if s == "" {
		return true
	}
	ids, ok := strings.CutSuffix(s, "/")
	if !ok || len(s) > MaxID {
		return false
	}
	for id := range strings.SplitSeq(ids, "/") {
		if !IsID(id) {
			return false
		}
	}
	return true
}
