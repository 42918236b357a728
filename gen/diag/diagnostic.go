// This file holds Diagnostic and List.

package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// A Severity says what follows from a diagnostic.
type Severity int

const (
	// Fault keeps the content from being compiled.
	Fault Severity = iota
	// Warning is of something that is left out, and keeps nothing from being
	// compiled.
	Warning
)

// String returns "error" or "warning", as other tools call them.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Diagnostic is one fault of the content, or a warning.
type Diagnostic struct {
	Severity Severity
	// Span is where the fault is.
	Span Span
	// Secret tells that the text around the span may not be shown, because there
	// may be a password in it.
	Secret bool
	// Rule is the name that the contract gives to what was violated, such as
	// "id-form".
	Rule string
	// Message says what is wrong, in one line.
	Message string
	// Help says what to do; it may be empty.
	Help string
	// Fix, where it is certain, is the change that mends the fault.
	Fix *Fix
	// Related are the other places that belong to the fault, such as the first
	// declaration of a name or the hops of a cycle.
	Related []Related
}

// A Fix is a replacement of a span.
type Fix struct {
	Span        Span
	Replacement string
}

// A Related is a place that a diagnostic refers to, and what is there.
type Related struct {
	Span    Span
	Message string
}

// A List collects diagnostics.
type List []Diagnostic

// Add appends a diagnostic made of its parts; the result is where to set Fix and
// Related, until the next call.
func (l *List) Add(span Span, rule, message, help string) *Diagnostic {
	*l = append(*l, Diagnostic{Span: span, Rule: rule, Message: message, Help: help})
	return &(*l)[len(*l)-1]
}

// Warnings returns the list with every diagnostic as a warning.
func (l List) Warnings() List {
	warnings := slices.Clone(l)
	for i := range warnings {
		warnings[i].Severity = Warning
	}
	return warnings
}

// Sort orders the list by file, line, column, rule and message, and drops
// repetitions, of which a fault goes before a warning.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Span.Source.Name, b.Span.Source.Name),
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Span.End, b.Span.End),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Severity, b.Severity))
	})
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool {
		return a.Span == b.Span && a.Rule == b.Rule && a.Message == b.Message
	})
}

// Error tells the first diagnostic and counts the others.
func (l List) Error() string {
	if len(l) == 0 {
		return "no diagnostics"
	}
	s := l[0].String()
	if n := len(l) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// String returns "path:line:column: rule: message", for a warning with "warning: "
// before the rule.
func (d Diagnostic) String() string {
	p := d.Span.Position()
	return fmt.Sprintf("%s:%d:%d: %s: %s", d.Span.Source.Name, p.Line, p.Column, d.label(), d.Message)
}

// label is the rule, with the severity unless that is the usual one.
func (d *Diagnostic) label() string {
	if d.Severity == Warning {
		return "warning: " + d.Rule
	}
	return d.Rule
}
