// This file finds the characters that have no place in a text.

package parse

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed33527553/promptc/gen/diag"
)

// maxCharacterFaults bounds how many characters of one file are reported: a
// binary file under a Markdown name would drown everything else.
const maxCharacterFaults = 20

// characters reports what may not be in a text file. It returns false where there
// is so much of it that the file is not text at all.
func (f *File) characters() bool {
	text := f.Source.Text
	if strings.HasPrefix(text, "\ufeff") {
		f.Diagnostics.Add(f.Source.Span(0, len("\ufeff")), "encoding", "a second byte order mark", "remove it; one at the start of the file is ignored, more are not")
		return false
	}
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		f.Diagnostics.Add(f.Source.Top(), "encoding", "the file is UTF-16", "save it as UTF-8")
		return false
	}
	ascii := true
	for i := 0; i < len(text); i++ {
		if c := text[i]; c >= utf8.RuneSelf || c < ' ' && c != '\n' && c != '\t' {
			ascii = false
			break
		}
	}
	if ascii {
		return true
	}
	faults := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if what, help := characterFault(r, size); what != "" {
			if faults++; faults <= maxCharacterFaults {
				f.Diagnostics.Add(f.Source.Span(i, i+size), "encoding", what, help)
			}
		}
		i += size
	}
	if more := faults - maxCharacterFaults; more > 0 {
		last := &f.Diagnostics[len(f.Diagnostics)-1]
		last.Message += fmt.Sprintf(" (and %d more such characters in this file)", more)
	}
	return faults <= maxCharacterFaults
}

func characterFault(r rune, size int) (what, help string) {
	switch {
	case r == utf8.RuneError && size == 1:
		return "not valid UTF-8", "save the file as UTF-8"
	case r == 0:
		return "a NUL character", "remove it"
	case r < ' ' && r != '\n' && r != '\t':
		return fmt.Sprintf("the control character U+%04X", r), "remove it"
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return fmt.Sprintf("the bidirectional control U+%04X, which shows a reviewer another text than a model reads", r), "remove it"
	case r >= 0xE0000 && r <= 0xE007F:
		return fmt.Sprintf("the tag character U+%04X, which a model reads and a reviewer does not see", r), "remove it"
	}
	return "", ""
}

// frontmatterCharacters reports characters that are text elsewhere but not in
// frontmatter: yaml.v3 takes some of them for line ends, so that a comment can
// hide a key. It returns whether the text between the offsets can be read as YAML.
func (f *File) frontmatterCharacters(start, end int) bool {
	ok := !slices.ContainsFunc(f.Diagnostics, func(d diag.Diagnostic) bool {
		return start <= d.Span.Start && d.Span.Start < end
	})
	for i, r := range f.Source.Text[start:end] {
		if r == 0x7F || r >= 0x80 && r <= 0x9F || r == 0x2028 || r == 0x2029 {
			ok = false
			f.Diagnostics.Add(f.Source.Span(start+i, start+i+utf8.RuneLen(r)), "encoding",
				fmt.Sprintf("the character U+%04X cannot be in YAML, whose readers disagree on whether it ends a line", r), "remove it")
		}
	}
	return ok
}
