// This file tests the text format: excerpts, carets, and hostile text.

package diag

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

func TestExcerpt(t *testing.T) {
	digits := strings.Repeat("0123456789", 30)
	for _, test := range []struct {
		name, text, line, carets string
	}{
		{"a word", "let «go» of it\n", "let go of it", "    ^^"},
		{"a place", "let »go", "let go", "    ^"},
		{"the end of a line", "let go»\nnext", "let go", "      ^"},
		{"the end of the text", "let go\n»", "", "^"},
		{"an empty line", "a\n»\nb", "", "^"},
		{"the rest of the line", "a «b\nc» d", "a b", "  ^"},
		{"a newline", "ab«\n»cd", "ab", "  ^"},
		{"tabs", "\ta\t«b\tc»", "    a   b   c", "        ^^^^^"},
		{"a tab", "ab«\t»c", "ab  c", "  ^^"},
		{"runes", "äöü «ß»", "äöü ß", "    ^"},
		{"wide runes", "日本 «語語» x", "日本 語語 x", "     ^^^^"},
		{"an emoji", "🚀🚀«x»", "🚀🚀x", "    ^"},
		{"marks", "e\u0301e\u0301 «e\u0301x»", "e\u0301e\u0301 e\u0301x", "   ^^"},
		{"a mark", "e«\u0301»x", "e\u0301x", "^"},
		{"a mark without a letter", "«\u0301»x", "<U+0301>x", "^^^^^^^^"},
		{"many marks", "«e»\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301<U+0301>", "^"},
		{"a bidirectional control", "a «\u202e»b", "a <U+202E>b", "  ^^^^^^^^"},
		{"a tag", "a\U000E0041«b»", "a<U+E0041>b", "          ^"},
		{"an escape", "\x1b«[»2J", "<U+001B>[2J", "        ^"},
		{"a no-break space", "a«\u00a0»b", "a<U+00A0>b", " ^^^^^^^^"},
		{"a variation selector", "«⚠»\ufe0f", "⚠<U+FE0F>", "^"},
		{"a filler", "«\u3164»", "<U+3164>", "^^^^^^^^"},
		{"bytes that are not UTF-8", "a\xff«\xfe»b", "a<0xFF><0xFE>b", "       ^^^^^^"},
		{"a long line, at its start", "«0»" + digits[1:], digits[:100] + "...", "^"},
		{"a long line, in its middle", digits[:150] + "«01»" + digits[152:],
			"..." + digits[100:200] + "...", strings.Repeat(" ", 53) + "^^"},
		{"a long line, at its end", digits + "»", "..." + digits[:100], strings.Repeat(" ", 103) + "^"},
		{"a long fault", "«" + digits + "»", digits[:100] + "...", strings.Repeat("^", 100)},
		{"a line just short enough", digits[:99] + "«9»", digits[:100], strings.Repeat(" ", 99) + "^"},
	} {
		t.Run(test.name, func(t *testing.T) {
			line, carets := excerpt(marked("x", test.text))
			if line != test.line || carets != test.carets {
				t.Errorf("got\n%s|\n%s|\nwant\n%s|\n%s|", line, carets, test.line, test.carets)
			}
		})
	}
}

// A fault far inside a line shows what one near its start shows.
func TestExcerptFarInside(t *testing.T) {
	text := strings.Repeat("日本語 text ", 100_000)
	source := &Source{Name: "x", Text: text}
	for _, at := range []int{600_001, 600_002, len(text) - 5000, len(text)} {
		line, carets := excerpt(source.Span(at, at+4))
		if !strings.HasPrefix(line, "...") || !utf8.ValidString(line) {
			t.Errorf("at %d: line %q", at, line)
		}
		if n := cells(line); n > window+6 || len(carets) > n+1 {
			t.Errorf("at %d: line of %d cells, %d to the last caret", at, n, len(carets))
		}
	}
}

// cells counts the cells of a text without hidden runes in a way of its own.
func cells(s string) int {
	n := 0
	for _, r := range s {
		switch k := width.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

func TestWide(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if isHidden(r) || isMark(r) {
			continue
		}
		k := width.LookupRune(r).Kind()
		if want := k == width.EastAsianWide || k == width.EastAsianFullwidth; isWide(r) != want {
			t.Errorf("isWide(%U) is %v", r, !want)
		}
	}
}

func TestSummary(t *testing.T) {
	a, b := marked("a.md", "«x»"), marked("b.md", "«x»")
	for _, test := range []struct {
		spans []Span
		want  string
	}{
		{[]Span{a}, "1 fault in 1 file"},
		{[]Span{a, a}, "2 faults in 1 file"},
		{[]Span{a, b, b}, "3 faults in 2 files"},
	} {
		var l List
		for _, s := range test.spans {
			l.Add(s, "rule", "message", "")
		}
		var out bytes.Buffer
		if err := Write(&out, Text, l); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(out.String(), "\n"+test.want+"\n") {
			t.Errorf("got %q, want the last line %q", &out, test.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("content/a.md", "rule", "message", "help", "some text\nof two lines", 2, 6)
	f.Add("a\x1b.md", "", "\r\n::error::", "a\n\nb", "\t\u202e\U000E0041e\u0301\u0301\u0301\u0301日本\xff", 1, 30)
	f.Add("a", "b", "c", "d", strings.Repeat("日\t", 200), 300, 9)
	f.Fuzz(func(t *testing.T, name, rule, message, help, text string, start, length int) {
		source := &Source{Name: name, Text: text}
		span := source.Span(start, start+min(max(length, 0), len(text)))
		line, carets := excerpt(span)
		if n := cells(line); n > window+6 || len(carets) > n+1 {
			t.Errorf("line of %d cells, %d to the last caret", n, len(carets))
		}
		if rest := strings.TrimLeft(carets, " "); rest == "" || strings.Trim(rest, "^") != "" {
			t.Errorf("carets %q", carets)
		}

		l := List{{Span: span, Rule: rule, Message: message, Help: help, Related: []Related{{span, message}}}}
		var out bytes.Buffer
		if err := Write(&out, Text, l); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && isHidden(r) {
				t.Errorf("the output has %U", r)
			}
		}
		if !utf8.Valid(out.Bytes()) {
			t.Error("the output is not UTF-8")
		}
		lines := 1 // the summary
		for range 2 {
			lines++
			if span != source.Top() {
				lines += 2
			}
		}
		if help != "" {
			lines += 1 + strings.Count(help, "\n")
		}
		if got := bytes.Count(out.Bytes(), []byte("\n")); got != lines {
			t.Errorf("%d lines, want %d:\n%s", got, lines, &out)
		}
	})
}
