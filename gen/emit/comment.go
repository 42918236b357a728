// This file holds how authored text becomes comments.

package emit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// commentWidth is how many runes a comment line holds after its slashes, as long
// as it can be broken.
const commentWidth = 77

// comment returns the lines of a comment of one paragraph. White space of any kind
// becomes single spaces, and runes that are not printable become escapes. A line is
// broken only before a plain word, so that no line after the first can be a
// directive, a list item, a heading or a marker such as "Deprecated:"; the first
// one starts with words of ours.
func comment(text string) []string {
	var lines []string
	var line strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		word = printable(word)
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			line.WriteString("// ")
		case width+1+n > commentWidth && plain(word):
			lines = append(lines, line.String())
			line.Reset()
			line.WriteString("// ")
			width = 0
		default:
			line.WriteByte(' ')
			width++
		}
		line.WriteString(word)
		width += n
	}
	return append(lines, line.String())
}

// plain tells whether a word is one that a comment line can start with.
func plain(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return first == '"' || unicode.IsLetter(first) && !strings.ContainsRune(word, ':')
}

// printable returns s with runes that do not print as they are, line ends among
// them, replaced by their Go escapes. Comments of Go files cannot hold all of them,
// and a reader could be misled by others.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if unicode.IsPrint(r) && !(r == utf8.RuneError && size == 1) {
			b.WriteString(s[:size])
		} else {
			q := strconv.Quote(s[:size])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[size:]
	}
	return b.String()
}

// sentence returns text with a full stop at its end, unless it has some mark there.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	last, _ := utf8.DecodeLastRuneInString(text)
	if text == "" || unicode.IsPunct(last) && !strings.ContainsRune("\"'`)]}", last) {
		return text
	}
	return text + "."
}
