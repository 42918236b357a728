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
	lines []int // offset of each line's first byte
}

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
	offset = min(max(offset, 0), len(s.Text))
	lines := s.lineStarts()
	line := sort.SearchInts(lines, offset+1) - 1
	return Position{line + 1, utf8.RuneCountInString(s.Text[lines[line]:offset]) + 1}
}

// Offset returns the offset of the rune at a line and column that count from 1. A
// place outside the text gives the nearest one inside it.
func (s *Source) Offset(line, column int) int {
	lines := s.lineStarts()
	if line < 1 {
		return 0
	}
	if line > len(lines) {
		return len(s.Text)
	}
	offset, end := lines[line-1], s.lineEnd(line)
	for ; column > 1 && offset < end; column-- {
		_, size := utf8.DecodeRuneInString(s.Text[offset:])
		offset += size
	}
	return offset
}

// Line returns the text of a line that counts from 1, without its newline.
func (s *Source) Line(line int) string {
	lines := s.lineStarts()
	if line < 1 || line > len(lines) {
		return ""
	}
	return s.Text[lines[line-1]:s.lineEnd(line)]
}

func (s *Source) lineEnd(line int) int {
	start := s.lines[line-1]
	if n := strings.IndexByte(s.Text[start:], '\n'); n >= 0 {
		return start + n
	}
	return len(s.Text)
}

func (s *Source) lineStarts() []int {
	s.once.Do(func() {
		s.lines = append(make([]int, 0, 1+strings.Count(s.Text, "\n")), 0)
		for i := 0; i < len(s.Text); i++ {
			if s.Text[i] == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
	})
	return s.lines
}

// Sub returns the span of the bytes from start up to end, counted from the start
// of s.
func (s Span) Sub(start, end int) Span { return s.Source.Span(s.Start+start, s.Start+end) }

// Text returns the text that the span covers.
func (s Span) Text() string { return s.Source.Text[s.Start:s.End] }

// Position returns the line and column of the span's first byte.
func (s Span) Position() Position { return s.Source.Position(s.Start) }

// EndPosition returns the line and column just after the span's last byte.
func (s Span) EndPosition() Position { return s.Source.Position(s.End) }
