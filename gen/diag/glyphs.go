// This file holds glyphs: how text is shown so that it cannot play with a
// terminal, and how wide it is there.

package diag

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// tab is how many cells stand between tab stops.
	tab = 4
	// maxMarks is how many combining marks a glyph shows; more would pile up
	// over the lines around it.
	maxMarks = 3
)

// A glyph is what a rune and the combining marks on it look like.
type glyph struct {
	start int    // offset of the rune
	text  string // what is printed for it
	cells int    // how many cells of a terminal that takes
}

// glyphs returns what a text looks like. A tab becomes spaces, and what is
// invisible or acts on a terminal is spelt out, such as <U+202E>: controls,
// bidirectional controls, tag characters, spaces other than the common one,
// variation selectors, and bytes that are not UTF-8.
func glyphs(s string) []glyph {
	gs := make([]glyph, 0, len(s))
	column := 0
	marks := 0 // how many more the last glyph can take
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		g := glyph{start: i, text: s[i : i+size], cells: 1}
		switch {
		case r == utf8.RuneError && size == 1:
			g.text = fmt.Sprintf("<0x%02X>", s[i])
			g.cells, marks = len(g.text), 0
		case r == '\t':
			g.cells, marks = tab-column%tab, 0
			g.text = strings.Repeat(" ", g.cells)
		case marks > 0 && isMark(r) && !isHidden(r):
			gs[len(gs)-1].text += g.text
			marks--
			i += size
			continue
		case isHidden(r) || isMark(r):
			g.text = fmt.Sprintf("<U+%04X>", r)
			g.cells, marks = len(g.text), 0
		default:
			if isWide(r) {
				g.cells = 2
			}
			marks = maxMarks
		}
		gs = append(gs, g)
		column += g.cells
		i += size
	}
	return gs
}

// visible returns a text as glyphs show it.
func visible(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			var b strings.Builder
			for _, g := range glyphs(s) {
				b.WriteString(g.text)
			}
			return b.String()
		}
	}
	return s
}

func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) }

// isHidden tells whether a rune cannot be seen. Beside what Unicode says is not
// graphic, there are letters, marks and symbols without ink.
func isHidden(r rune) bool {
	if !unicode.IsPrint(r) {
		return true
	}
	switch r {
	case 0x034F, // combining grapheme joiner
		0x115F, 0x1160, 0x3164, 0xFFA0, // Hangul fillers
		0x17B4, 0x17B5, // Khmer inherent vowels
		0x2800,  // Braille blank
		0x1D159: // musical null note head
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

// isWide tells whether a rune takes two cells: East_Asian_Width Wide or Fullwidth
// (Unicode Standard Annex 11).
func isWide(r rune) bool {
	i := sort.Search(len(wide), func(i int) bool { return wide[i][1] >= r })
	return i < len(wide) && wide[i][0] <= r
}

// wide are the first and last runes of the wide ranges. Runes that are spelt out
// or combine do not part a range.
var wide = [...][2]rune{
	{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0},
	{0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F},
	{0x2693, 0x2693}, {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5},
	{0x26CE, 0x26CE}, {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5},
	{0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728},
	{0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
	{0x27B0, 0x27B0}, {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
	{0x2E80, 0x303E}, {0x3041, 0x3247}, {0x3250, 0x4DBF}, {0x4E00, 0xA4C6}, {0xA960, 0xA97C},
	{0xAC00, 0xD7A3}, {0xF900, 0xFAD9}, {0xFE10, 0xFE6B}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6},
	{0x16FE0, 0x1B2FB}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A},
	{0x1F200, 0x1F320}, {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
	{0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
	{0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A},
	{0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC},
	{0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7F0},
	{0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF8}, {0x20000, 0x323AF},
}
