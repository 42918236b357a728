// This file finds where YAML that cannot be read goes wrong, and says what to do.

package parse

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/gen/diag"
)

// syntaxError reports the fault for which yaml.v3 refused the text between two
// offsets of the source.
func (f *File) syntaxError(start, end int, err error) {
	text := f.Source.Text[start:end]
	at, problem := locate(text, err)
	e := explain(text, at, problem)
	d := f.Diagnostics.Add(f.Source.Span(start+e.start, start+e.end), "yaml-syntax", e.message, e.help)
	if e.value.end > e.value.start && e.replacement != "" {
		d.Fix = &diag.Fix{Span: f.Source.Span(start+e.value.start, start+e.value.end), Replacement: e.replacement}
	}
}

// problemOf strips what yaml.v3 puts before an error: its name and a line that is
// off by one for some errors and the line of something else for others.
func problemOf(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(s, "line "); ok {
		if _, problem, ok := strings.Cut(rest, ": "); ok {
			return problem
		}
	}
	return s
}

// locate returns the offset of the fault for which yaml.v3 refused text.
//
// yaml.v3 reads its input as it needs it, so how much it has read when it gives up
// bounds the fault from above. From there shorter and shorter prefixes are tried:
// as long as a prefix fails too, the fault is in it. Which failures count as the
// same depends on the problem: a quote that is never closed makes every prefix
// from the quote on fail in one way or another, while a wrong escape inside a
// quoted value must not be confused with the prefix's missing quote.
func locate(text string, err error) (offset int, problem string) {
	problem = problemOf(err)
	read := consumed(text)
	same := shortest(text, read, func(p string) bool { return p == problem })
	fails := func() int { return shortest(text, read, func(p string) bool { return p != "" }) }
	switch {
	case strings.HasPrefix(problem, "did not find expected ',' or"):
		// The innermost bracket that the text leaves open is the fault, unless it
		// is closed before the next key.
		if open := fails(); open < same && !closed(text, open) {
			return open, problem
		}
		return same, problem
	case strings.Contains(problem, "directive") || strings.Contains(problem, "incompatible"):
		if i := strings.LastIndexByte(text[:min(same+1, len(text))], '%'); i >= 0 {
			return i, problem
		}
		return same, problem
	case strings.Contains(problem, "escape") || strings.Contains(problem, "hexdecimal") || strings.Contains(problem, "Unicode character"):
		if i := strings.LastIndexByte(text[:min(same+1, len(text))], '\\'); i >= 0 {
			return i, problem
		}
		return same, problem
	case problem == "found unexpected end of stream",
		problem == "did not find expected key",
		problem == "could not find expected ':'":
		return fails(), problem
	case strings.HasPrefix(problem, "did not find expected alphabetic"), strings.HasPrefix(problem, "unknown anchor"):
		if i := strings.LastIndexAny(text[:min(same+1, len(text))], "*&"); i >= 0 {
			return i, problem
		}
	case strings.Contains(problem, "tag") || strings.HasPrefix(problem, "did not find the expected '>'"):
		if i := strings.LastIndexByte(text[:min(same+1, len(text))], '!'); i >= 0 {
			return i, problem
		}
	}
	return same, problem
}

// consumed returns how many bytes yaml.v3 has read of text when it fails.
func consumed(text string) int {
	r := &singleByteReader{text: text}
	decodeFrom(r)
	return r.read
}

type singleByteReader struct {
	text string
	read int
}

func (r *singleByteReader) Read(p []byte) (int, error) {
	if r.read == len(r.text) {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	p[0] = r.text[r.read]
	r.read++
	return 1, nil
}

func decodeFrom(r io.Reader) (problem string) {
	defer func() {
		if recover() != nil {
			problem = "text that cannot be read"
		}
	}()
	if err := yaml.NewDecoder(r).Decode(new(yaml.Node)); err != nil && err != io.EOF {
		return problemOf(err)
	}
	return ""
}

// maxWork bounds the bytes that the search for one fault lets yaml.v3 read again.
const maxWork = 8 << 20

// shortest returns the offset of the last byte of the shortest prefix that fails
// as wanted, such that all prefixes from there up to length read do.
func shortest(text string, read int, wanted func(problem string) bool) int {
	fails := func(length int) bool { return wanted(decodeFrom(strings.NewReader(text[:length]))) }
	length, work := read, 0
	for length > 0 && work < maxWork && fails(length-1) {
		work += length
		length--
	}
	if work >= maxWork {
		// A hostile text: halve what remains. The place is still one where the
		// text stops being readable.
		low := 0
		for low+1 < length {
			if mid := (low + length) / 2; fails(mid) {
				length = mid
			} else {
				low = mid
			}
		}
	}
	at := max(length-1, 0)
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 { // into the middle of a rune
		at--
	}
	return at
}

// closed tells whether the bracket at offset open has its closing one before the
// next line that starts a key.
func closed(text string, open int) bool {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return true
			}
		case '\n':
			if keyLine.MatchString(text[i+1:]) {
				return false
			}
		}
	}
	return false
}

var (
	keyLine = regexp.MustCompile(`^[ \t]*(?:- +)*[A-Za-z_][\w.-]*:(?:[ \t\n]|$)`)
	// valueLine splits a line into what stands before its value, the key and the
	// value.
	valueLine = regexp.MustCompile(`^([ \t]*(?:- +)*(?:("[^"\n]*"|'[^'\n]*'|[A-Za-z_][\w.-]*):[ \t]+|- +))([^ \t\n][^\n]*)`)
)

// An explanation is what a syntax error is told as.
type explanation struct {
	start, end    int
	message, help string
	value         extent // what replacement takes the place of
	replacement   string
}

// An extent is a value on its line.
type extent struct {
	key        string
	start, end int
}

// valueAt returns the value on the line that holds the byte at offset.
func valueAt(text string, offset int) (extent, bool) {
	offset = min(offset, len(text))
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	m := valueLine.FindStringSubmatchIndex(text[start:])
	if m == nil {
		return extent{}, false
	}
	v := extent{start: start + m[6], end: start + m[6] + len(strings.TrimRight(text[start+m[6]:start+m[7]], " \t"))}
	if m[4] >= 0 {
		v.key = text[start+m[4] : start+m[5]]
	}
	return v, true
}

// itemAt narrows a value that is written as a list in brackets down to the item
// that holds the byte at offset.
func itemAt(text string, value extent, offset int) extent {
	if text[value.start] != '[' || offset >= value.end || strings.Count(text[value.start:offset], "[") <= strings.Count(text[value.start:offset], "]") {
		return value
	}
	start := strings.LastIndexAny(text[:offset], "[,") + 1
	end := value.end
	if i := strings.IndexAny(text[offset:value.end], ",]"); i >= 0 {
		end = offset + i
	}
	item := text[start:end]
	start += len(item) - len(strings.TrimLeft(item, " \t"))
	end = start + len(strings.TrimSpace(item))
	if start < value.start || start > offset || start == end {
		return value
	}
	return extent{start: start, end: end}
}

// explain puts the problem at an offset into words, with the usual way out.
func explain(text string, at int, problem string) explanation {
	e := explanation{start: at, end: min(at+1, len(text))}
	character := ""
	if at < len(text) {
		character = string([]rune(text[at:])[:1])
		e.end = at + len(character)
	}
	value, hasValue := valueAt(text, at)
	inValue := hasValue && at >= value.start
	if inValue {
		value = itemAt(text, value, at)
	}
	lineStart := strings.LastIndexByte(text[:at], '\n') + 1
	indented := strings.TrimLeft(text[lineStart:at], " \t") == ""

	switch {
	case problem == "mapping values are not allowed in this context":
		e.message = `a plain value cannot hold ": "`
		if inValue {
			if c := text[value.start]; c == '"' || c == '\'' {
				e.message = "a quoted value cannot be followed by a colon"
			}
			e.quoteValue(text, value)
			break
		}
		// The colon is on a line that continues the value of a line above.
		e.message = "a key cannot start here: this line continues the value above it"
		e.help = "indent the key as the one above it; where the line is text, quote the whole value"
		if above, ok := continued(text, lineStart); ok {
			e.message = `a plain value cannot hold ": ", also on a line that continues it`
			e.quoteValue(text, above)
			key, _, _ := strings.Cut(strings.TrimSpace(text[lineStart:at]), ":")
			e.replacement = "" // it may have been meant as a key
			e.help += fmt.Sprintf("; or, if %s is a key of its own, indent it as the key above", quote(key))
		}
	case problem == "did not find expected key":
		switch before := lastNonBlank(text, at); {
		case character == "]" || character == "}":
			e.message, e.help = "this "+character+" closes nothing", "remove it"
		case inValue && strings.IndexByte(`"'`, text[value.start]) >= 0:
			e.message = "there is text after the closing quote"
			e.quoteValue(text, value)
		case inValue && strings.IndexByte("]}", before) >= 0:
			e.message = fmt.Sprintf("there is text after the closing %c", before)
			e.quoteValue(text, value)
		case indented:
			e.message = "this line is indented as no key or item above it"
			e.help = "indent it as the others of its mapping or list"
			if strings.HasPrefix(text[at:], "- ") {
				e.message = "a list item cannot stand here"
				e.help = "indent the items of a list alike, below their key"
			}
		default:
			e.message = "a key is expected here"
			e.help = `write "key: value", or quote the value that this belongs to`
		}
	case problem == "found character that cannot start any token" && character == "\t",
		strings.HasPrefix(problem, "found a tab character"):
		e.message, e.help = "a tab cannot indent or separate in YAML", "use spaces"
	case problem == "found character that cannot start any token",
		problem == "did not find expected alphabetic or numeric character":
		e.message = "a plain value cannot start with " + quote(character)
		if inValue {
			e.quoteValue(text, value)
		} else {
			e.help = "quote it"
		}
	case strings.HasPrefix(problem, "unknown anchor"):
		e.message = "a value cannot be an alias (*)"
		if inValue {
			e.quoteValue(text, value)
		}
	case problem == "found unexpected end of stream":
		e.message = fmt.Sprintf("the quote %s that opens here is never closed", character)
		if inValue && value.start == at {
			e.value = value
			inner := text[at+1 : value.end]
			e.help = "close it: " + shown(value.key, quoted(inner))
			e.certain(text, quoted(inner))
		} else {
			e.help = "close it, or remove it"
		}
	case strings.HasPrefix(problem, "did not find expected ',' or"), problem == "did not find expected node content":
		if character == "[" || character == "{" {
			e.message = "the " + character + " that opens here is not closed"
		} else {
			e.message = "a list in brackets or a mapping in braces goes wrong here"
		}
		e.help = "close it, and quote items that hold one of , : [ ] { }"
		if inValue {
			e.quoteValue(text, value)
			e.replacement = ""
			e.help += "; or close the list or mapping, and quote items that hold one of , : [ ] { }"
		}
	case strings.Contains(problem, "escape") || strings.Contains(problem, "hexdecimal"):
		e.end = min(at+2, len(text))
		e.message = fmt.Sprintf("%s is not an escape in a double-quoted value", text[at:e.end])
		switch {
		case strings.Contains(problem, "hexdecimal"):
			e.message = fmt.Sprintf("the escape %s needs more hexadecimal digits", text[at:e.end])
		case strings.Contains(problem, "Unicode"):
			e.message = fmt.Sprintf("the escape %s names no Unicode character", text[at:e.end])
		}
		e.help = `write \\ for a backslash, or put the value in single quotes`
	case problem == "block sequence entries are not allowed in this context":
		e.message = `a list cannot start with "- " on the line of its key`
		if inValue {
			e.quoteValue(text, value)
			e.replacement = ""
			e.help += "; or put each item on a line of its own, below the key"
		} else {
			e.help = "put each item on a line of its own, below the key"
		}
	case problem == "could not find expected ':'":
		word, _, _ := strings.Cut(text[at:], "\n")
		e.end = at + len(strings.TrimRight(word, " \t"))
		e.message = "a line without a key and a colon"
		e.help = `write "key: value"; where the line continues the value above, indent it further than its key`
	case problem == "did not find expected comment or line break":
		e.message = "a block value starts with | or >, and only an indentation digit or a sign may follow on its line"
		if inValue {
			e.quoteValue(text, value)
		}
	case strings.Contains(problem, "directive") || strings.Contains(problem, "incompatible"):
		e.message, e.help = "a YAML directive (%) cannot stand here", "remove the line"
	case strings.Contains(problem, "tag"), strings.HasPrefix(problem, "did not find the expected '>'"):
		e.message = "a value cannot start with ! unless it is quoted"
		if inValue {
			e.quoteValue(text, value)
		}
	default:
		e.message = problem
		if inValue {
			e.quoteValue(text, value)
		}
	}
	return e
}

// quoteValue proposes to quote a value.
func (e *explanation) quoteValue(text string, value extent) {
	content := strings.Join(strings.Fields(text[value.start:value.end]), " ")
	if value.end > value.start && !strings.Contains(text[value.start:value.end], "\n") {
		content = text[value.start:value.end]
	}
	// A value that was meant to be quoted loses its outer quotes.
	if n := len(content); n >= 2 && (content[0] == '"' || content[0] == '\'') && content[n-1] == content[0] {
		content = content[1 : n-1]
	}
	e.value = value
	e.help = "quote the value: " + shown(value.key, quoted(content))
	e.certain(text, quoted(content))
}

// certain keeps the replacement of e.value where it makes the text readable, or
// moves its first fault further on.
func (e *explanation) certain(text, replacement string) {
	mended := text[:e.value.start] + replacement + text[e.value.end:]
	_, _, err := decode(mended)
	if err != nil {
		if at, _ := locate(mended, err); at <= e.value.start+len(replacement) {
			return
		}
	}
	e.replacement = replacement
}

// continued returns the plain value that the line at lineStart continues.
func continued(text string, lineStart int) (extent, bool) {
	for above := lineStart; above > 0; {
		end := above - 1
		above = strings.LastIndexByte(text[:end], '\n') + 1
		if v, ok := valueAt(text, above); ok {
			if strings.IndexByte("\"'|>[{", text[v.start]) >= 0 {
				return extent{}, false
			}
			// It runs on to the end of the line that holds the fault.
			v.end = len(text)
			if i := strings.IndexByte(text[lineStart:], '\n'); i >= 0 {
				v.end = lineStart + i
			}
			v.end = v.start + len(strings.TrimRight(text[v.start:v.end], " \t\n"))
			return v, true
		}
		if strings.TrimSpace(text[above:end]) == "" || keyLine.MatchString(text[above:]) {
			break
		}
	}
	return extent{}, false
}

func lastNonBlank(text string, at int) byte {
	if s := strings.TrimRight(text[:at], " \t\n"); s != "" {
		return s[len(s)-1]
	}
	return 0
}

// shown is how a help line shows a value with its key.
func shown(key, value string) string {
	if key == "" {
		return value
	}
	return key + ": " + value
}

// quoted returns s as a quoted YAML value, in single quotes where that spares
// escapes.
func quoted(s string) string {
	if strings.ContainsAny(s, `"\`) && !strings.ContainsAny(s, "'\n\t") {
		return "'" + s + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}
