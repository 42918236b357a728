// This file holds the format of GitHub Actions' workflow commands.

package diag

import (
	"bufio"
	"fmt"
	"strings"
)

// writeGitHub prints one command a diagnostic. GitHub takes columns only where a
// span starts and ends on one line.
func writeGitHub(w *bufio.Writer, l List) {
	// Data and properties are escaped as GitHub's own toolkit does it. What
	// cannot be seen is spelt out first, save the newlines between the parts.
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for i := range l {
		d := &l[i]
		p := placeOf(d.Span)
		fmt.Fprintf(w, "::%s file=%s,line=%d", d.Severity, property.Replace(visible(d.Span.Source.Name)), p.Line)
		if p.Line == p.EndLine {
			fmt.Fprintf(w, ",col=%d,endLine=%d,endColumn=%d", p.Column, p.EndLine, p.EndColumn)
		} else {
			fmt.Fprintf(w, ",endLine=%d", p.EndLine)
		}
		parts := []string{visible(d.Message)}
		if d.Help != "" {
			for line := range strings.SplitSeq(d.Help, "\n") {
				parts = append(parts, visible(line))
			}
		}
		for _, r := range d.Related {
			p := r.Span.Position()
			parts = append(parts, fmt.Sprintf("%s:%d:%d: note: %s", visible(r.Span.Source.Name), p.Line, p.Column, visible(r.Message)))
		}
		fmt.Fprintf(w, ",title=%s::%s\n", property.Replace(visible(d.Rule)), data.Replace(strings.Join(parts, "\n")))
	}
}
