// This file holds Tokens, the bearer tokens that a file lists by their hashes.

package serve

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/seed33527553/promptc/catalog"
)

// Tokens are bearer tokens from a file, which holds the SHA-256 of each and not
// the token. A line is one token; what follows a # is a comment:
//
//	# NAME  SHA-256 of the token in hex  what it may see; everything if nothing is said
//	alice   5e884898...
//	ci      8c6976e5...                  prefixes=support/,ops/ tags=git
//
// NAME is 1 to 64 letters, digits and ._@- and tells the holder in logs; several
// lines may have the same, as they do while a token is being replaced. A token
// must be long and random, such as 32 bytes of /dev/urandom in Base64: the hash
// of one that can be guessed protects nothing.
//
//	head -c 32 /dev/urandom | base64 | tr -d '\n' >token
//	sha256sum <token
//
// prefixes are prefixes of names as in catalog.yaml, each with its slash, and tags
// are tags of prompts and skills; the holder sees what has one of either. The file
// holds at most 1 MiB, and may start with a byte order mark. A file without tokens
// lets nobody in.
//
// Tokens are safe for concurrent use.
type Tokens struct {
	path    string
	current atomic.Pointer[[]token]
}

// A token is one line.
type token struct {
	hash      [sha256.Size]byte
	principal *catalog.Principal
}

// LoadTokens reads a file. The error tells line and column, and nothing of a hash.
func LoadTokens(path string) (*Tokens, error) {
	t := &Tokens{path: path}
	if err := t.Reload(); err != nil {
		return nil, err
	}
	return t, nil
}

// Reload reads the file again. Where that fails, as it does for a file that is broken
// or gone, the tokens stay what they were.
func (t *Tokens) Reload() error {
	data, err := readFile(t.path)
	if err != nil {
		return err
	}
	list, err := parseTokens(data)
	if err != nil {
		return fmt.Errorf("%s:%w", t.path, err)
	}
	t.current.Store(&list)
	return nil
}

// Len is how many tokens there are.
func (t *Tokens) Len() int { return len(*t.current.Load()) }

// find returns who holds a token, nil if nobody does. How long it takes depends on
// how many tokens there are, and not on which one is presented.
func (t *Tokens) find(presented string) *catalog.Principal {
	hash := sha256.Sum256([]byte(presented))
	var found *catalog.Principal
	list := *t.current.Load()
	for i := range list {
		if subtle.ConstantTimeCompare(hash[:], list[i].hash[:]) == 1 {
			found = list[i].principal
		}
	}
	return found
}

// parseTokens reads the text of a file. An error starts with line and column,
// both from 1, the column in runes.
func parseTokens(data []byte) ([]token, error) {
	var list []token
	lines := map[[sha256.Size]byte]int{}
	number := 0
	// Some editors write a mark that nobody sees.
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for line := range bytes.Lines(data) {
		number++
		at := func(column int, format string, args ...any) error {
			column = utf8.RuneCount(line[:column]) + 1
			return fmt.Errorf("%d:%d: "+format, append([]any{number, column}, args...)...)
		}
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("%d:1: the line is not valid UTF-8", number)
		}
		var t token
		fields := fieldsOf(line)
		for i, f := range fields {
			switch i {
			case 0:
				if !isTokenName(f.text) {
					return nil, at(f.column, "a name must be 1 to 64 letters, digits and ._@-")
				}
				t.principal = &catalog.Principal{Name: f.text}
			case 1:
				hash, err := hex.DecodeString(f.text)
				if err != nil || len(hash) != len(t.hash) {
					return nil, at(f.column, "the SHA-256 of the token must follow the name, in 64 hexadecimal digits")
				}
				copy(t.hash[:], hash)
				if first, ok := lines[t.hash]; ok {
					return nil, at(f.column, "the token of line %d stands here again", first)
				}
				lines[t.hash] = number
			default:
				if column, problem := limit(t.principal, f.text); problem != "" {
					return nil, at(f.column+column, "%s", problem)
				}
			}
		}
		switch len(fields) {
		case 0:
		case 1:
			return nil, at(fields[0].column+len(fields[0].text), "the SHA-256 of the token must follow the name, in 64 hexadecimal digits")
		default:
			list = append(list, t)
		}
	}
	return list, nil
}

// A field is a word of a line.
type field struct {
	text   string
	column int // in bytes from 0
}

// fieldsOf returns the words of a line up to a comment.
func fieldsOf(line []byte) []field {
	var fields []field
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t', '\r', '\n':
			i++
			continue
		case '#':
			return fields
		}
		end := i + bytes.IndexAny(line[i:], " \t\r\n")
		if end < i {
			end = len(line)
		}
		fields = append(fields, field{string(line[i:end]), i})
		i = end
	}
	return fields
}

func isTokenName(name string) bool {
	for _, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("._@-", c) >= 0) {
			return false
		}
	}
	return 1 <= len(name) && len(name) <= 64
}

// limit reads prefixes=... or tags=... into a principal. It tells what is wrong
// and at which byte.
func limit(p *catalog.Principal, text string) (column int, problem string) {
	key, list, found := strings.Cut(text, "=")
	var into *[]string
	switch {
	case found && key == "prefixes":
		into = &p.Prefixes
	case found && key == "tags":
		into = &p.Tags
	default:
		return 0, "only prefixes=... and tags=... may follow the SHA-256, without spaces in them"
	}
	if *into != nil {
		return 0, key + " stands twice"
	}
	column = len(key) + 1
	for value := range strings.SplitSeq(list, ",") {
		switch {
		case key == "prefixes" && !isNamePrefix(value):
			return column, "a prefix must be ids that are each followed by a slash, such as support/"
		case key == "tags" && !catalog.IsID(value):
			return column, "a tag must be lower-case letters, digits and single hyphens, and start with a letter"
		}
		*into = append(*into, value)
		column += len(value) + 1
	}
	return 0, ""
}

// isNamePrefix tells whether a text can limit what a principal sees. The slash at
// its end keeps support/ from including supportive/.
func isNamePrefix(text string) bool { return text != "" && catalog.IsPrefix(text) }
