// This file tests places: that an offset and its line and column are one place.

package diag

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzPosition(f *testing.F) {
	f.Add("a\nb\n", 2)
	f.Add("é\xff\n漢字 x", 3)
	f.Add(strings.Repeat("xé", 1000)+"\n"+strings.Repeat("y", 700), 2500)
	f.Add("\n\n\xe6\xbc", 4)
	f.Fuzz(func(t *testing.T, text string, offset int) {
		s := &Source{Text: text}
		p := s.Position(offset)
		offset = min(max(offset, 0), len(text))
		// The slow way.
		start := strings.LastIndexByte(text[:offset], '\n') + 1
		want := Position{strings.Count(text[:offset], "\n") + 1, utf8.RuneCountInString(text[start:offset]) + 1}
		if p != want {
			t.Fatalf("offset %d is %v, want %v", offset, p, want)
		}
		whole := offset == len(text) || utf8.RuneStart(text[offset]) && utf8.ValidString(text)
		if back := s.Offset(p.Line, p.Column); whole && back != offset {
			t.Errorf("%v is at %d, not %d", p, back, offset)
		}
		if end := s.Offset(p.Line, 1<<40); end != start+len(s.Line(p.Line)) {
			t.Errorf("line %d ends at %d", p.Line, end)
		}
		if s.Offset(0, 1) != 0 || s.Offset(1<<40, 1) != len(text) {
			t.Error("places outside are not brought in")
		}
	})
}
