// This file holds how text becomes Go strings.

package emit

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

const (
	// maxLines is how many lines a constant has, and how many operands any sum of
	// strings: gofmt takes time quadratic in it.
	maxLines = 256
	// maxLineBytes is where a long line of text is broken.
	maxLineBytes = 1024
	// binaryLineBytes is how many bytes a line of other data holds.
	binaryLineBytes = 24
	// maxLiteralBytes is the longest text that is written where it is used,
	// rather than as a constant.
	maxLiteralBytes = 72
)

// quote returns s as a Go string.
func quote(s string) *jen.Statement { return jen.Op(strconv.Quote(s)) }

// A splitter cuts a text into the pieces that are Go lines of a constant. The
// pieces joined are the text.
type splitter func(s string) []string

// lines cuts a text after its newlines, and data that is not text into pieces of
// equal length.
func lines(s string) []string {
	var pieces []string
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		for len(s) > binaryLineBytes {
			pieces = append(pieces, s[:binaryLineBytes])
			s = s[binaryLineBytes:]
		}
		return append(pieces, s)
	}
	for line := range strings.Lines(s) {
		for len(line) > maxLineBytes {
			cut := maxLineBytes
			for !utf8.RuneStart(line[cut]) {
				cut--
			}
			pieces = append(pieces, line[:cut])
			line = line[cut:]
		}
		pieces = append(pieces, line)
	}
	return pieces
}

// jsonLines cuts a JSON text after its newlines, and after commas of its outermost
// level and between objects of the next one.
func jsonLines(s string) []string {
	var pieces []string
	start, depth, inString := 0, 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		end := false
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == '\n':
			end = true
		case c == ',' && !strings.HasPrefix(s[i+1:], "\n"):
			end = depth <= 1 || depth == 2 && s[i-1] == '}'
		}
		if end {
			pieces = append(pieces, lines(s[start:i+1])...)
			start = i + 1
		}
	}
	return append(pieces, lines(s[start:])...)
}

// texts are the string constants of one Go file. A text that is used twice, as a
// prompt's are, by its segments and by its document, is declared once.
type texts struct {
	// declarations are those of the constants that are not in the file yet, in
	// order.
	declarations []jen.Code
	// names are the constants whose sum is a given text.
	names map[string][]string
	// counts is how many constants there are for a stem.
	counts map[string]int
}

func newTexts() *texts { return &texts{names: map[string][]string{}, counts: map[string]int{}} }

// use returns an expression for s. A text that is long or has several lines
// becomes constants, named by the stem and a number.
func (t *texts) use(stem, s string, split splitter) *jen.Statement {
	if len(s) <= maxLiteralBytes && !strings.Contains(strings.Trim(s, "\n"), "\n") {
		return quote(s)
	}
	names, ok := t.names[s]
	if !ok {
		for pieces := split(s); len(pieces) > 0; {
			n := min(len(pieces), maxLines)
			t.counts[stem]++
			name := stem + "Text" + strconv.Itoa(t.counts[stem])
			t.declarations = append(t.declarations, constant(name, pieces[:n]))
			names = append(names, name)
			pieces = pieces[n:]
		}
		for len(names) > maxLines {
			names = t.sums(stem, names)
		}
		t.names[s] = names
	}
	return sum(names)
}

// sums declares constants that each add up many others, and returns their names.
func (t *texts) sums(stem string, names []string) []string {
	var shorter []string
	for len(names) > 0 {
		n := min(len(names), maxLines)
		t.counts[stem]++
		name := stem + "Text" + strconv.Itoa(t.counts[stem])
		t.declarations = append(t.declarations, jen.Const().Id(name).Op("=").Add(sum(names[:n])))
		shorter = append(shorter, name)
		names = names[n:]
	}
	return shorter
}

// sum returns the sum of constants.
func sum(names []string) *jen.Statement {
	s := jen.Id(names[0])
	for i, name := range names[1:] {
		s.Op("+")
		if i%4 == 3 {
			s.Line()
		}
		s.Id(name)
	}
	return s
}

// constant declares a string constant, one piece a line.
func constant(name string, pieces []string) *jen.Statement {
	s := jen.Const().Id(name).Op("=")
	if len(pieces) == 1 {
		return s.Add(quote(pieces[0]))
	}
	s.Op(`""`)
	for _, piece := range pieces {
		s.Op("+").Line().Add(quote(piece))
	}
	return s
}
