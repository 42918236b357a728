// This file makes Go names of ids, argument names and choices. The grammar is
// frozen: programs are written against these names.

package check

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/seed33527553/promptc/gen/diag"
)

// initialisms are written in capitals in a Go name.
var initialisms = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`ACL API ASCII CPU CSS DNS EOF GID GUID HTML HTTP HTTPS ID IP JSON LHS
		QPS RAM RHS RPC SLA SMTP SQL SSH TCP TLS TTL UDP UI UID URI URL UTF8 UUID VM XML XMPP XSRF XSS`) {
		m[s] = true
	}
	return m
}()

// signs are the words for what is neither letter nor digit in a choice. Space,
// hyphen and underscore only divide.
var signs = map[rune]string{
	'+': "Plus", '#': "Sharp", '.': "Dot", '/': "Slash", '\\': "Backslash", '&': "And", '@': "At",
	'%': "Percent", '*': "Star", '=': "Equals", '<': "Less", '>': "Greater", '!': "Bang", '?': "Question",
	'$': "Dollar", '^': "Caret", '~': "Tilde", '|': "Pipe", ':': "Colon", ';': "Semicolon", ',': "Comma",
	'\'': "Apostrophe", '"': "Quote", '`': "Backtick", '(': "Open", ')': "Close", '[': "OpenBracket",
	']': "CloseBracket", '{': "OpenBrace", '}': "CloseBrace",
}

// goName returns the exported Go name for an id or an argument's name, or what
// follows the type's name in the constant of a choice.
func goName(s string) string {
	var b strings.Builder
	for _, w := range words(s) {
		if upper := strings.ToUpper(w); initialisms[upper] {
			w = upper
		} else {
			r := []rune(w)
			w = string(unicode.ToUpper(r[0])) + strings.ToLower(string(r[1:]))
		}
		if w[0] >= '0' && w[0] <= '9' {
			// Without the mark 1.0 and 10, and foo-2 and foo2, would be one.
			b.WriteByte('_')
		}
		b.WriteString(w)
	}
	return b.String()
}

// words splits a name at humps and at whatever is neither letter nor digit.
func words(s string) []string {
	var list []string
	runes := []rune(s)
	start := 0
	flush := func(end int) {
		if end > start {
			list = append(list, string(runes[start:end]))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !(r < 0x80 && unicode.IsDigit(r)):
			flush(i)
			start = i + 1
			if word, ok := signs[r]; ok {
				list = append(list, word)
			} else if r >= 0x80 {
				list = append(list, fmt.Sprintf("U%04X", r))
			}
		case unicode.IsUpper(r) && i > start && !unicode.IsUpper(runes[i-1]),
			unicode.IsUpper(r) && i > start && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	if len(list) == 0 {
		for _, r := range runes {
			switch r {
			case '-':
				list = append(list, "Hyphen")
			case '_':
				list = append(list, "Underscore")
			default:
				list = append(list, "Space")
			}
		}
	}
	return list
}

// A declaration is a Go name and what it is for.
type declaration struct {
	name string
	span diag.Span // without a source where the package itself needs the name
	what string    // such as `the argument "x"`
}

// scope collects the names of one Go scope, and reports the second use of one.
type scope map[string]*declaration

func (s scope) declare(faults *diag.List, d *declaration) {
	other, taken := s[d.name]
	if !taken {
		s[d.name] = d
		return
	}
	f := faults.Add(d.span, "identifier-collision",
		fmt.Sprintf("%s has the Go name %s, which %s has already", d.what, d.name, other.what), "rename one of them")
	if other.span.Source != nil {
		f.Related = []diag.Related{{Span: other.span, Message: other.what + " is here"}}
	} else {
		f.Help = "rename it"
	}
}
