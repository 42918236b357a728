// This file holds Write and the formats that it prints.

package diag

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Format is a way to print a list.
type Format string

const (
	// Text is for people: the place, the message, the line with carets under the
	// fault, and what to do.
	Text Format = "text"
	// JSON is one array of objects.
	JSON Format = "json"
	// GitHub is workflow commands, which GitHub Actions shows at their lines.
	GitHub Format = "github"
	// SARIF is the Static Analysis Results Interchange Format 2.1.0.
	SARIF Format = "sarif"
)

// Formats returns all formats.
func Formats() []Format { return []Format{Text, JSON, GitHub, SARIF} }

// ParseFormat returns the format with the given name. The error lists the names.
func ParseFormat(name string) (Format, error) {
	if f := Format(name); slices.Contains(Formats(), f) {
		return f, nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("format %q is not one of %s", name, strings.Join(names, ", "))
}

// Write prints the list in its order. A list without entries prints nothing as
// Text and GitHub, and an empty document as JSON and SARIF. The error is the
// writer's.
func Write(w io.Writer, format Format, l List) error {
	b := bufio.NewWriter(w)
	switch format {
	case JSON:
		writeJSON(b, l)
	case GitHub:
		writeGitHub(b, l)
	case SARIF:
		writeSARIF(b, l)
	default:
		writeText(b, l)
	}
	return b.Flush()
}
