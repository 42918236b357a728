// This file holds the JSON format.

package diag

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// place is a span in the JSON format. The end is just after the span's last rune.
type place struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"endLine"`
	EndColumn int `json:"endColumn"`
}

func placeOf(s Span) place {
	start, end := s.Position(), s.EndPosition()
	return place{start.Line, start.Column, end.Line, end.Column}
}

type jsonDiagnostic struct {
	Path string `json:"path"`
	place
	Severity string        `json:"severity"`
	Rule     string        `json:"rule"`
	Message  string        `json:"message"`
	Help     string        `json:"help,omitempty"`
	Fix      *jsonFix      `json:"fix,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

type jsonFix struct {
	place
	Replacement string `json:"replacement"`
}

type jsonRelated struct {
	Path string `json:"path"`
	place
	Message string `json:"message"`
}

// writeJSON prints an array with one diagnostic a line.
func writeJSON(w *bufio.Writer, l List) {
	w.WriteByte('[')
	for i := range l {
		d := &l[i]
		j := jsonDiagnostic{
			Path: d.Span.Source.Name, place: placeOf(d.Span),
			Severity: d.Severity.String(), Rule: d.Rule, Message: d.Message, Help: d.Help,
		}
		if d.Fix != nil {
			j.Fix = &jsonFix{placeOf(d.Fix.Span), d.Fix.Replacement}
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{r.Span.Source.Name, placeOf(r.Span), r.Message})
		}
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteByte('\n')
		w.Write(bytes.TrimSuffix(encodeJSON(j, ""), []byte("\n")))
	}
	if len(l) > 0 {
		w.WriteByte('\n')
	}
	w.WriteString("]\n")
}

// encodeJSON returns the JSON text of a value, one line or indented, and a newline.
// What cannot be seen is escaped, so that the text is safe on a terminal; outside
// of strings there is no such rune.
func encodeJSON(v any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		panic(err) // the values that are printed here are structs of texts and numbers
	}
	out := make([]byte, 0, b.Len())
	for in := b.Bytes(); len(in) > 0; {
		r, size := utf8.DecodeRune(in)
		switch {
		case r < ' ' || !isHidden(r):
			out = append(out, in[:size]...)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		in = in[size:]
	}
	return out
}
