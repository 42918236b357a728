// This file holds the text format: places, excerpts with carets, and help.

package diag

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// window is how many cells of a long line an excerpt shows.
	window = 100
	// reach is how many bytes on either side of a fault are looked at for it:
	// more than fill the window, so that a fault costs the same in a line of any
	// length.
	reach = 2048
)

func writeText(w *bufio.Writer, l List) {
	files := make(map[string]bool)
	warnings := 0
	for i := range l {
		d := &l[i]
		files[d.Span.Source.Name] = true
		if d.Severity == Warning {
			warnings++
		}
		writePlace(w, d.Span, d.label(), d.Message, d.Secret)
		writeHelp(w, d.Help)
		for _, r := range d.Related {
			writePlace(w, r.Span, "note", r.Message, d.Secret)
		}
	}
	var total []string
	if n := len(l) - warnings; n > 0 {
		total = append(total, count(n, "fault"))
	}
	if warnings > 0 {
		total = append(total, count(warnings, "warning"))
	}
	if len(total) > 0 {
		fmt.Fprintf(w, "%s in %s\n", strings.Join(total, " and "), count(len(files), "file"))
	}
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// writePlace prints what is at a span, and the line that it starts on unless that is
// secret. label is what stands before the message.
func writePlace(w *bufio.Writer, span Span, label, message string, secret bool) {
	p := span.Position()
	fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", visible(span.Source.Name), p.Line, p.Column, visible(label), visible(message))
	if secret || span == span.Source.Top() {
		return // where it is the top, the fault is of the file, and not of its first line
	}
	line, carets := excerpt(span)
	number := fmt.Sprint(p.Line)
	fmt.Fprintln(w, strings.TrimRight("  "+number+" | "+line, " "))
	fmt.Fprintf(w, "  %*s | %s\n", len(number), "", carets)
}

func writeHelp(w *bufio.Writer, help string) {
	if help == "" {
		return
	}
	margin := "  help: "
	for line := range strings.SplitSeq(help, "\n") {
		fmt.Fprintln(w, strings.TrimRight(margin+visible(line), " "))
		margin = "        "
	}
}

// excerpt returns the line that a span starts on, or the part of a long line that
// is around the span's start, as a terminal can show it, and the line of carets to
// print under it: under all of the span that is shown, and at least one.
func excerpt(span Span) (text, carets string) {
	line, start, end, more := surroundings(span)
	gs := glyphs(line)

	// The fault's first glyph is the last one that starts at or before it; a
	// fault at the end of the line is after all of them.
	first := len(gs)
	if start < len(line) {
		for first > 0 && (first == len(gs) || gs[first].start > start) {
			first--
		}
	}
	from, to, cells := first, first, 0
	take := func(g glyph, limit int) bool {
		if cells+g.cells > limit {
			return false
		}
		cells += g.cells
		return true
	}
	for from > 0 && take(gs[from-1], window/2) {
		from--
	}
	for to < len(gs) && take(gs[to], window) {
		to++
	}
	for from > 0 && take(gs[from-1], window) {
		from--
	}

	var b strings.Builder
	if from > 0 || more.before {
		b.WriteString("...")
		carets = "   "
	}
	under := 0
	for i := from; i < to; i++ {
		g := gs[i]
		b.WriteString(g.text)
		switch {
		case i < first:
			carets += strings.Repeat(" ", g.cells)
		case g.start < end:
			under += g.cells
		}
	}
	if to < len(gs) || more.after {
		b.WriteString("...")
	}
	return b.String(), carets + strings.Repeat("^", max(under, 1))
}

// surroundings returns the text around a span's start, no more than its line and
// no more than reach on either side; where in it the span starts and ends; and
// whether the line has more text before and after.
func surroundings(span Span) (text string, start, end int, more struct{ before, after bool }) {
	all := span.Source.Text
	from, to := max(span.Start-reach, 0), min(span.Start+reach, len(all))
	if i := strings.LastIndexByte(all[from:span.Start], '\n'); i >= 0 {
		from += i + 1
	} else if from > 0 {
		for from < span.Start && !utf8.RuneStart(all[from]) {
			from++
		}
		more.before = all[from-1] != '\n'
	}
	if i := strings.IndexByte(all[span.Start:to], '\n'); i >= 0 {
		to = span.Start + i
	} else if to < len(all) {
		for to > span.Start && !utf8.RuneStart(all[to]) {
			to--
		}
		more.after = all[to] != '\n'
	}
	return all[from:to], span.Start - from, min(span.End, to) - from, more
}
