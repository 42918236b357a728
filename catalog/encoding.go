// This file holds Normalize, what is done to a text before anything else.

package catalog

import "strings"

// Normalize drops one leading byte order mark and turns CRLF and lone CR into
// newlines, so that the same commit gives the same bytes on every system. It is what
// the compiler does to Markdown and catalog.yaml, and to no other file.
func Normalize(raw []byte) string {
	s := strings.TrimPrefix(string(raw), "\ufeff")
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
