// This file holds the scanner of JSON text: one strict pass over a message, in
// which its parts are found, and walks over parts that need no second check. Both
// allocate nothing.

package serve

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// maxDepth is how deep the arrays and objects of a message may be nested. MCP
// needs five levels.
const maxDepth = 64

// A scanner checks that data is one JSON text (RFC 8259) in valid UTF-8 whose
// strings hold no lone surrogates. fault and pos tell what is wrong and where.
type scanner struct {
	data  []byte
	pos   int
	fault string
}

// whole checks all of data, with the members of the outermost object left to
// visit.
func (s *scanner) whole(visit visitor) bool {
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == '{' {
		if !s.container(true, 1, visit) {
			return false
		}
	} else if !s.value(0) {
		return false
	}
	if s.space(); s.pos != len(s.data) {
		return s.fail(s.pos, "more than one JSON value")
	}
	return true
}

// A visitor is called for each member of an object with its name, quotes and
// escapes and all, while the scanner stands before the value; it must have the
// value scanned, and reports whether that was good.
type visitor func(name []byte) bool

func (s *scanner) fail(pos int, fault string) bool {
	if s.pos = pos; pos >= len(s.data) {
		s.pos, fault = len(s.data), "the message ends too early"
	}
	s.fault = fault
	return false
}

func (s *scanner) space() {
	for s.pos < len(s.data) && isSpace(s.data[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *scanner) value(depth int) bool {
	if s.pos >= len(s.data) {
		return s.fail(s.pos, "")
	}
	switch c := s.data[s.pos]; c {
	case '"':
		return s.string()
	case '{', '[':
		if depth == maxDepth {
			return s.fail(s.pos, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
		}
		return s.container(c == '{', depth+1, nil)
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	default:
		return s.number()
	}
}

// container checks an object or an array, whose opening bracket is at pos. visit,
// which may be nil, sees the members of an object.
func (s *scanner) container(object bool, depth int, visit visitor) bool {
	end := byte(']')
	if object {
		end = '}'
	}
	s.pos++
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == end {
		s.pos++
		return true
	}
	for {
		name := s.pos
		if object {
			if s.pos >= len(s.data) || s.data[s.pos] != '"' {
				return s.fail(s.pos, "a member name in quotes must stand here")
			}
			if !s.string() {
				return false
			}
			ended := s.pos
			s.space()
			if s.pos >= len(s.data) || s.data[s.pos] != ':' {
				return s.fail(s.pos, "a colon must stand here")
			}
			s.pos++
			s.space()
			if visit != nil {
				if !visit(s.data[name:ended]) {
					return false
				}
			} else if !s.value(depth) {
				return false
			}
		} else if !s.value(depth) {
			return false
		}
		s.space()
		if s.pos >= len(s.data) {
			return s.fail(s.pos, "")
		}
		switch s.data[s.pos] {
		case end:
			s.pos++
			return true
		case ',':
			s.pos++
			s.space()
		default:
			return s.fail(s.pos, "a comma or a closing bracket must stand here")
		}
	}
}

// string checks a string, whose opening quote is at pos. Plain ASCII, which is
// most of every message, passes eight bytes at a time.
func (s *scanner) string() bool {
	b, i := s.data, s.pos+1
	for {
		for i+8 <= len(b) {
			if m := notPlain(binary.LittleEndian.Uint64(b[i:])); m != 0 {
				i += bits.TrailingZeros64(m) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return s.fail(i, "")
		}
		switch c := b[i]; {
		case c == '"':
			s.pos = i + 1
			return true
		case c == '\\':
			n := s.escape(i)
			if n == 0 {
				return false
			}
			i += n
		case c < ' ':
			return s.fail(i, "a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				s.pos, s.fault = i, "invalid UTF-8"
				return false
			}
			i += size
		}
	}
}

// notPlain marks, by the high bit of its lowest marked byte, the first byte of w
// that is a quote, a backslash, a control character or not ASCII. Marks above
// that one mean nothing.
func notPlain(w uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return (w-ones*' ')&^w&high | (quote-ones)&^quote&high | (slash-ones)&^slash&high | w&high
}

// escape checks the escape sequence at i and returns its length, 0 if it is bad.
// A surrogate is good only as half of a pair.
func (s *scanner) escape(i int) int {
	if i+1 >= len(s.data) {
		s.fail(len(s.data), "")
		return 0
	}
	switch s.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r := unit(s.data[i:])
		switch {
		case r < 0:
			s.fail(i, "a \\u escape needs four hexadecimal digits")
			return 0
		case r < 0xD800 || r > 0xDFFF:
			return 6
		case r < 0xDC00 && i+6 < len(s.data):
			if low := unit(s.data[i+6:]); 0xDC00 <= low && low <= 0xDFFF {
				return 12
			}
		}
		s.fail(i, "a lone surrogate is not text")
		return 0
	}
	s.fail(i, "an unknown escape")
	return 0
}

// unit returns the UTF-16 code unit of the \uXXXX at the start of b, or -1.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

func (s *scanner) literal(word string) bool {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return s.fail(s.pos, "a JSON value must stand here")
	}
	s.pos += len(word)
	return true
}

func (s *scanner) number() bool {
	i, start := s.pos, s.pos
	digits := func() bool {
		from := i
		for i < len(s.data) && '0' <= s.data[i] && s.data[i] <= '9' {
			i++
		}
		return i > from
	}
	at := func(set string) bool { return i < len(s.data) && strings.IndexByte(set, s.data[i]) >= 0 }
	if at("-") {
		i++
	}
	if at("0") {
		i++
	} else if !digits() {
		return s.fail(start, "a JSON value must stand here")
	}
	if at(".") {
		i++
		if !digits() {
			return s.fail(i, "a digit must stand here")
		}
	}
	if at("eE") {
		i++
		if at("+-") {
			i++
		}
		if !digits() {
			return s.fail(i, "a digit must stand here")
		}
	}
	s.pos = i
	return true
}

// The walks below are over text that a scanner has passed.

// members walks the members of an object: its text without the opening brace.
type members []byte

// object starts a walk. value must be an object.
func object(value []byte) members { return value[1:] }

// next returns the next member's name and value, as they stand in the text.
func (m *members) next() (name, value []byte, ok bool) {
	b := *m
	i := 0
	for isSpace(b[i]) || b[i] == ',' {
		i++
	}
	if b[i] == '}' {
		return nil, nil, false
	}
	n := skip(b[i:])
	name = b[i : i+n]
	for i += n; isSpace(b[i]) || b[i] == ':'; i++ {
	}
	n = skip(b[i:])
	value = b[i : i+n]
	*m = b[i+n:]
	return name, value, true
}

// skip returns the length of the value at the start of b.
func skip(b []byte) int {
	switch b[0] {
	case '"':
		return skipString(b)
	case '{', '[':
		for i, depth := 0, 0; ; i++ {
			switch b[i] {
			case '"':
				i += skipString(b[i:]) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	i := 1
	for i < len(b) && !isSpace(b[i]) && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// skipString finds the closing quote: the first one that an even number of
// backslashes precedes.
func skipString(b []byte) int {
	for i := 1; ; i++ {
		i += bytes.IndexByte(b[i:], '"')
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }
func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isNull(value []byte) bool   { return len(value) > 0 && value[0] == 'n' }

// isTexts tells whether a value is an array of strings.
func isTexts(value []byte) bool {
	if len(value) == 0 || value[0] != '[' {
		return false
	}
	for i := 1; ; {
		switch c := value[i]; {
		case c == ']':
			return true
		case c == ',' || isSpace(c):
			i++
		case c == '"':
			i += skipString(value[i:])
		default:
			return false
		}
	}
}

// inner returns what stands between the quotes of a string, escapes and all. It
// shares the memory of the message, so it lives as long as the message's buffer.
func inner(value []byte) string {
	return unsafe.String(unsafe.SliceData(value[1:]), len(value)-2)
}

// text returns the text of a string. Where nothing is escaped it shares the
// memory of the message.
func text(value []byte) string { return unescape(inner(value)) }

// unescape returns the text of what stands between the quotes of a string.
func unescape(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var out strings.Builder
	out.Grow(len(raw))
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			out.WriteString(raw)
			return out.String()
		}
		out.WriteString(raw[:i])
		c, size := raw[i+1], 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := unit([]byte(raw[i : i+6]))
			size = 6
			if 0xD800 <= r && r <= 0xDBFF {
				r = (r-0xD800)<<10 + unit([]byte(raw[i+6:i+12])) - 0xDC00 + 0x10000
				size = 12
			}
			out.WriteRune(r)
			raw = raw[i+size:]
			continue
		}
		out.WriteByte(c)
		raw = raw[i+size:]
	}
}
