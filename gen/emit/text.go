// This file holds how text becomes Go strings.

package emit

import (
	"slices"
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

// A constant is a string constant: the sum of pieces of text, or that of other
// constants.
type constant struct {
	name   string
	pieces []string
	names  []string
}

// texts are the string constants of one Go file. A text that is used twice, as a
// prompt's are, by its segments and by its document, is declared once.
type texts struct {
	// undeclared are the constants that are not in the file yet, in order.
	undeclared []constant
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
		for pieces := range slices.Chunk(split(s), maxLines) {
			names = append(names, t.add(stem, constant{pieces: pieces}))
		}
		for len(names) > maxLines {
			var sums []string
			for some := range slices.Chunk(names, maxLines) {
				sums = append(sums, t.add(stem, constant{names: some}))
			}
			names = sums
		}
		t.names[s] = names
	}
	return sum(names)
}

// add gives a constant its name.
func (t *texts) add(stem string, c constant) string {
	t.counts[stem]++
	c.name = stem + "Text" + strconv.Itoa(t.counts[stem])
	t.undeclared = append(t.undeclared, c)
	return c.name
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

// appendConstant appends the declaration of a constant that is made of pieces, one to
// a line, as gofmt has it.
func appendConstant(b []byte, c *constant) []byte {
	b = append(b, "const "+c.name+" = "...)
	if len(c.pieces) == 1 {
		b = strconv.AppendQuote(b, c.pieces[0])
		return append(b, '\n')
	}
	b = append(b, `""`...)
	for _, piece := range c.pieces {
		b = append(b, " +\n\t"...)
		b = strconv.AppendQuote(b, piece)
	}
	return append(b, '\n')
}
