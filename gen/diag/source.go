// This file holds Source and Span: texts and places in them.

package diag

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Source is a text that diagnostics point into. It must not change after it was
// first pointed into, and may then be used by several goroutines.
type Source struct {
	// Name is the file's path as it is shown, with slashes.
	Name string
	// Text is the file's text after a byte order mark was dropped and line ends
	// became newlines.
	Text string

	once  sync.Once
	lines []int  // offset of each line's first byte
	marks []mark // places along the text, at most markDistance bytes apart
}

// A mark tells how many runes stand before an offset, so that a column in a line of
// any length is found by counting few of them.
type mark struct{ offset, runes int }

const markDistance = 256

// A Span is the bytes from Start up to End of a source. An empty span is a place
// between two bytes.
type Span struct {
	Source     *Source
	Start, End int
}

// A Position is a place for readers: line and column count from 1, the column in
// runes. A byte that is not part of valid UTF-8 counts as a rune.
type Position struct{ Line, Column int }

// Span returns the span of the bytes from start up to end, kept inside the text.
func (s *Source) Span(start, end int) Span {
	start = min(max(start, 0), len(s.Text))
	return Span{s, start, min(max(end, start), len(s.Text))}
}

// Top returns the place of faults of a name or of a whole file: its first byte.
func (s *Source) Top() Span { return Span{Source: s} }

// Position returns the line and column of the byte at offset.
func (s *Source) Position(offset int) Position {
	s.index()
	offset = min(max(offset, 0), len(s.Text))
	line := sort.SearchInts(s.lines, offset+1) - 1
	return Position{line + 1, s.runes(offset) - s.runes(s.lines[line]) + 1}
}

// Offset returns the offset of the rune at a line and column that count from 1. A
// place outside the text gives the nearest one inside it.
func (s *Source) Offset(line, column int) int {
	s.index()
	if line < 1 {
		return 0
	}
	if line > len(s.lines) {
		return len(s.Text)
	}
	offset, end := s.lines[line-1], s.lineEnd(line)
	rest := column - 1
	if rest > markDistance {
		wanted := s.runes(offset) + rest
		m := s.marks[sort.Search(len(s.marks), func(i int) bool { return s.marks[i].runes > wanted })-1]
		offset, rest = m.offset, wanted-m.runes
	}
	for ; rest > 0 && offset < end; rest-- {
		_, size := utf8.DecodeRuneInString(s.Text[offset:])
		offset += size
	}
	return min(offset, end)
}

// Line returns the text of a line that counts from 1, without its newline.
func (s *Source) Line(line int) string {
	s.index()
	if line < 1 || line > len(s.lines) {
		return ""
	}
	return s.Text[s.lines[line-1]:s.lineEnd(line)]
}

func (s *Source) lineEnd(line int) int {
	if line < len(s.lines) {
		return s.lines[line] - 1
	}
	return len(s.Text)
}

// runes counts the runes before an offset.
func (s *Source) runes(offset int) int {
	m := s.marks[sort.Search(len(s.marks), func(i int) bool { return s.marks[i].offset > offset })-1]
	return m.runes + utf8.RuneCountInString(s.Text[m.offset:offset])
}

// index notes where lines start, and marks.
func (s *Source) index() {
	s.once.Do(func() {
		s.lines = append(make([]int, 0, 1+strings.Count(s.Text, "\n")), 0)
		s.marks = append(make([]mark, 0, 1+len(s.Text)/markDistance), mark{})
		runes, next := 0, markDistance
		for i := range s.Text {
			if i >= next {
				s.marks = append(s.marks, mark{i, runes})
				next = i + markDistance
			}
			runes++
			if s.Text[i] == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
	})
}

// Text returns the text that the span covers.
func (s Span) Text() string { return s.Source.Text[s.Start:s.End] }

// Position returns the line and column of the span's first byte.
func (s Span) Position() Position { return s.Source.Position(s.Start) }

// EndPosition returns the line and column just after the span's last byte.
func (s Span) EndPosition() Position { return s.Source.Position(s.End) }
