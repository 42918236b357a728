// This file reads lists in brackets and mappings in braces that YAML refuses, to
// say where they go wrong: yaml.v3 only says that they do.

package parse

import (
	"fmt"
	"strings"
)

// A flow reads one such collection from text.
type flow struct {
	text   string
	at     int
	indent int // of the line on which the outermost one opens

	// What was found wrong, and where; message is empty for nothing.
	fault   int
	message string
	help    string
	value   extent // the value at fault, if it is one
}

// flowFault looks for what is wrong with the collection that opens at an offset.
func flowFault(text string, open int) (f *flow, found bool) {
	line := strings.LastIndexByte(text[:open], '\n') + 1
	f = &flow{text: text, at: open, indent: indentOf(text[line:])}
	return f, !f.collection(0) && f.message != ""
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (f *flow) wrong(at int, help, format string, args ...any) bool {
	f.fault, f.message, f.help = at, fmt.Sprintf(format, args...), help
	return false
}

// space passes over white space and comments. It reports false at the end of the
// collection's part of the text: where the text ends, or a line starts a key that
// cannot be inside of it.
func (f *flow) space() bool {
	for f.at < len(f.text) {
		switch c := f.text[f.at]; {
		case c == '\n':
			if f.endsAt(f.at + 1) {
				return false
			}
			f.at++
		case c == ' ' || c == '\t':
			f.at++
		case c == '#' && f.at > 0 && strings.IndexByte(" \t\n", f.text[f.at-1]) >= 0:
			for f.at < len(f.text) && f.text[f.at] != '\n' {
				f.at++
			}
		default:
			return true
		}
	}
	return false
}

// endsAt tells whether a line that starts at an offset belongs to something else.
func (f *flow) endsAt(line int) bool {
	rest := f.text[line:]
	return keyLine.MatchString(rest) && indentOf(rest) <= f.indent
}

// maxFlowDepth is how deep collections are followed.
const maxFlowDepth = 100

func (f *flow) collection(depth int) bool {
	open := f.at
	closer := byte(']')
	if f.text[open] == '{' {
		closer = '}'
	}
	f.at++
	unclosed := func() bool {
		return f.wrong(open, fmt.Sprintf("close it with %c, and quote items that hold one of , : [ ] { }", closer), "the %c that opens here is not closed", f.text[open])
	}
	if depth == maxFlowDepth {
		return false
	}
	for {
		if !f.space() {
			return unclosed()
		}
		switch c := f.text[f.at]; c {
		case closer:
			f.at++
			return true
		case ']', '}':
			return f.wrong(f.at, fmt.Sprintf("write %c", closer), "the %c that opens at column %d is closed by %c", f.text[open], f.column(open), c)
		case ',':
			return f.wrong(f.at, "remove the comma, or write the item", "an item is missing before this comma")
		}
		if !f.item(depth) {
			return false
		}
		if !f.space() {
			return unclosed()
		}
		switch c := f.text[f.at]; c {
		case ',':
			f.at++
		case ']', '}':
		default:
			return f.wrong(f.at, "put a comma before it, or quote the two together", "a comma is missing before this item")
		}
	}
}

// column counts from 1 in runes.
func (f *flow) column(at int) int {
	line := strings.LastIndexByte(f.text[:at], '\n') + 1
	return len([]rune(f.text[line:at])) + 1
}

// item reads an item, which may be a key with its value.
func (f *flow) item(depth int) bool {
	start := f.at
	plain, ok := f.node(depth)
	if !ok {
		return false
	}
	key := strings.Join(strings.Fields(f.text[start:f.at]), " ")
	if !f.space() || f.text[f.at] != ':' || plain && !f.colon() {
		return true
	}
	f.at++
	if !f.space() || strings.IndexByte(",]}", f.text[f.at]) >= 0 {
		return true
	}
	start = f.at
	if _, ok := f.node(depth); !ok {
		return false
	}
	if f.space() && f.text[f.at] == ':' && f.colon() {
		end := len(f.text)
		if i := strings.IndexAny(f.text[f.at:], ",]}\n"); i >= 0 {
			end = f.at + i
		}
		f.value = extent{key: key, start: start, end: start + len(strings.TrimRight(f.text[start:end], " \t"))}
		return f.wrong(f.at, "", `a plain value cannot hold ": "`)
	}
	return true
}

// colon tells whether the colon here divides a key from its value.
func (f *flow) colon() bool {
	return f.at+1 == len(f.text) || strings.IndexByte(" \t\n,[]{}", f.text[f.at+1]) >= 0
}

// node reads a scalar or a collection. plain tells that it is a scalar without
// quotes.
func (f *flow) node(depth int) (plain, ok bool) {
	switch c := f.text[f.at]; c {
	case '[', '{':
		return false, f.collection(depth + 1)
	case '"', '\'':
		end := quotedEnd(f.text, f.at)
		if end == len(f.text) && (end == f.at+1 || f.text[end-1] != c) {
			return false, f.wrong(f.at, "close it, or remove it", "the quote %c that opens here is never closed", c)
		}
		f.at = end
		return false, true
	case '@', '`', '%', '*', '&', '!', '|', '>':
		return true, false // told elsewhere
	}
	for f.at < len(f.text) {
		switch c := f.text[f.at]; {
		case strings.IndexByte(",[]{}", c) >= 0,
			c == ':' && f.colon(),
			c == '#' && strings.IndexByte(" \t\n", f.text[f.at-1]) >= 0,
			c == '\n' && f.endsAt(f.at+1):
			return true, true
		}
		f.at++
	}
	return true, true
}
