// This file holds ArgumentError.

package catalog

import (
	"strconv"
	"strings"
)

// An ArgumentError says why a prompt cannot be rendered with the arguments that
// it was given: all faults at once. It never holds a value.
type ArgumentError struct {
	// Prompt is the prompt's name.
	Prompt string
	// Missing are the required arguments that were omitted, in declared order.
	Missing []string
	// Unknown are the names that the prompt does not declare, sorted.
	Unknown []string
	// Invalid are the arguments whose values are not allowed.
	Invalid []InvalidArgument
}

// An InvalidArgument is an argument with a value that it cannot take.
type InvalidArgument struct {
	Name string
	// Reason completes a sentence that starts with the argument, such as "is not
	// a string". It is empty where Allowed tells the reason.
	Reason string
	// Allowed are the argument's choices where the value is not among them.
	Allowed []string
}

// Error lists every fault in one line.
func (e *ArgumentError) Error() string {
	var parts []string
	if len(e.Missing) > 0 {
		parts = append(parts, "missing required "+plural("argument", len(e.Missing))+" "+quoted(e.Missing))
	}
	if len(e.Unknown) > 0 {
		parts = append(parts, "unknown "+plural("argument", len(e.Unknown))+" "+quoted(e.Unknown))
	}
	for _, i := range e.Invalid {
		if len(i.Allowed) > 0 {
			parts = append(parts, "argument "+strconv.Quote(i.Name)+" must be one of "+quoted(i.Allowed))
		} else {
			parts = append(parts, "argument "+strconv.Quote(i.Name)+" "+i.Reason)
		}
	}
	return "prompt " + strconv.Quote(e.Prompt) + ": " + strings.Join(parts, "; ")
}

func plural(word string, n int) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func quoted(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(name))
	}
	return b.String()
}
