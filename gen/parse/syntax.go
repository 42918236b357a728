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
	e := diagnose(text, err)
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

// diagnose finds the fault for which yaml.v3 refused text, and puts it into words.
func diagnose(text string, err error) explanation {
	if first := strings.TrimLeft(text, "\n"); strings.HasPrefix(first, "%") {
		return explain(text, len(text)-len(first), "found a directive")
	}
	at, problem := locate(text, err)
	if strings.HasPrefix(problem, "did not find expected ',' or") || problem == "did not find expected node content" || problem == "found unexpected end of stream" {
		// Within a collection yaml.v3 says that it goes wrong, and little else.
		open := at
		if at < len(text) && text[at] != '[' && text[at] != '{' {
			open = shortest(text, consumed(text), func(p string) bool { return p != "" })
		}
		if open < len(text) && (text[open] == '[' || text[open] == '{') {
			if f, found := flowFault(text, open); found {
				return f.explanation()
			}
		}
	}
	if problem == "did not find expected key" || problem == "did not find expected <document start>" {
		// A quote that is closed on a later line by one that was meant to open
		// something is what is wrong, not the text after it.
		if open, ok := runawayQuote(text, at); ok {
			return explain(text, open, "found unexpected end of stream")
		}
	}
	return explain(text, at, problem)
}

// explanation puts what is wrong with a collection into words.
func (f *flow) explanation() explanation {
	e := explanation{start: f.fault, end: min(f.fault+1, len(f.text)), message: f.message, help: f.help}
	if f.value.end > f.value.start {
		e.quoteValue(f.text, f.value)
	} else if value, ok := valueAt(f.text, f.fault); ok && f.fault == value.start && (value.end == len(f.text) || f.text[value.end] == '\n') {
		help := e.help
		e.quoteValue(f.text, value)
		e.help = help + "; if it is text, " + e.help
		e.replacement = ""
	}
	return e
}

// runawayQuote returns the offset of a quote that opens a value on a line above the
// fault, is not closed on its line, and is closed before the fault.
func runawayQuote(text string, fault int) (int, bool) {
	for line := 0; line < fault; {
		end := len(text)
		if i := strings.IndexByte(text[line:], '\n'); i >= 0 {
			end = line + i
		}
		if m := valueLine.FindStringSubmatchIndex(text[line:]); m != nil {
			open := line + m[6]
			if c := text[open]; c == '"' || c == '\'' {
				if closes := quotedEnd(text, open); closes > end {
					if closes <= fault {
						return open, true
					}
					end = closes
				}
			}
		}
		line = end + 1
	}
	return 0, false
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
	same := func() int { return shortest(text, read, func(p string) bool { return p == problem }) }
	// before returns the last of some characters up to the fault.
	before := func(characters string) int {
		at := same()
		if i := strings.LastIndexAny(text[:min(at+1, len(text))], characters); i >= 0 {
			return i
		}
		return at
	}
	switch {
	case strings.Contains(problem, "escape") || strings.Contains(problem, "hexdecimal") || strings.Contains(problem, "Unicode character"):
		return before(`\`), problem
	case problem == "found unexpected end of stream",
		problem == "did not find expected key",
		problem == "did not find expected '-' indicator",
		problem == "did not find expected <document start>",
		problem == "could not find expected ':'":
		return shortest(text, read, func(p string) bool { return p != "" }), problem
	case strings.HasPrefix(problem, "did not find expected alphabetic"), strings.HasPrefix(problem, "unknown anchor"):
		return before("*&"), problem
	case isTagProblem(problem):
		return before("!"), problem
	case strings.Contains(problem, "directive"):
		return before("%"), problem
	}
	return same(), problem
}

func isTagProblem(problem string) bool {
	return strings.Contains(problem, " tag") || strings.HasPrefix(problem, "did not find the expected '>'")
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
	for d := yaml.NewDecoder(r); ; {
		if err := d.Decode(new(yaml.Node)); err == io.EOF {
			return ""
		} else if err != nil {
			return problemOf(err)
		}
	}
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

// valueAt returns the value on the line that holds the byte at offset, with the
// lines that continue it, but without a comment.
func valueAt(text string, offset int) (extent, bool) {
	offset = min(offset, len(text))
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	m := valueLine.FindStringSubmatchIndex(text[start:])
	if m == nil {
		return extent{}, false
	}
	v := extent{start: start + m[6], end: start + m[7]}
	if m[4] >= 0 {
		v.key = text[start+m[4] : start+m[5]]
	}
	if i := strings.Index(text[v.start:v.end], " #"); i > 0 {
		v.end = v.start + i
	} else {
		for v.end < len(text) {
			next := text[v.end+1:]
			line, _, _ := strings.Cut(next, "\n")
			if strings.TrimSpace(line) == "" || indentOf(line) <= indentOf(text[start:]) || keyLine.MatchString(next) || strings.HasPrefix(strings.TrimSpace(line), "- ") {
				break
			}
			v.end += 1 + len(line)
		}
	}
	v.end = v.start + len(strings.TrimRight(text[v.start:v.end], " \t\n"))
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
			key := strings.TrimSpace(text[lineStart:at])
			e.replacement = "" // it may have been meant as a key
			e.help = fmt.Sprintf("if %s is a key of its own, indent it as the key above; else %s", quote(key), e.help)
		} else if word := keyless(text, lineStart); word < lineStart {
			line, _, _ := strings.Cut(text[word:], "\n")
			e.start, e.end = word, word+len(strings.TrimRight(line, " \t"))
			e.message = "a line without a key and a colon"
			e.help = `write "key: value", or remove the line`
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
			e.message, e.help = misplaced, aligned
			if strings.HasPrefix(text[at:], "- ") {
				e.message = "a list item cannot stand here"
				e.help = "indent the items of a list alike, below their key"
			}
		default:
			e.message = "a key is expected here"
			e.help = `write "key: value", or quote the value that this belongs to`
		}
	case problem == "did not find expected '-' indicator", problem == "did not find expected <document start>":
		e.message, e.help = misplaced, aligned
	case problem == "exceeded max depth of 10000" || strings.HasPrefix(problem, "exceeded"):
		e.message, e.help = "lists or mappings nest too deep", "write it flatter"
	case problem == "found unexpected document indicator":
		e.message, e.help = "a quote that opened above is not closed before this line", "close it, or remove it"
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
		e.message = fmt.Sprintf("the quote %s that opens here is not closed on its line", character)
		if inValue && value.start == at {
			e.value = value
			if i := strings.IndexByte(text[at:value.end], '\n'); i >= 0 {
				e.value.end = at + i
			}
			inner := text[at+1 : e.value.end]
			e.help = "close it: " + shown(value.key, quoted(inner))
			e.certain(text, quoted(inner))
		} else {
			e.help = "close it, or remove it"
		}
	case strings.HasPrefix(problem, "did not find expected ',' or"), problem == "did not find expected node content":
		e.message = "a list in brackets or a mapping in braces goes wrong here"
		e.help = "quote items that hold one of , : [ ] { }"
		if character == "]" || character == "}" {
			e.message = "this " + character + " closes nothing"
			e.help = "remove it, or quote the value that it belongs to"
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
	case problem == "did not find expected comment or line break",
		problem == "found an indentation indicator equal to 0":
		e.message = "a block value starts with | or >, and only an indentation digit or a sign may follow on its line"
		e.help = "write the text on the lines below, indented"
	case strings.Contains(problem, "directive"):
		e.message, e.help = "a YAML directive (%) cannot stand here", "remove the line"
	case isTagProblem(problem):
		e.message = "a value cannot start with ! unless it is quoted"
		if inValue {
			e.quoteValue(text, value)
		}
	default:
		e.message = "YAML cannot read this: " + problem
		e.help = "quote the value, if it is text"
		if inValue {
			e.quoteValue(text, value)
		}
	}
	return e
}

const (
	misplaced = "this line is indented as no key or item above it"
	aligned   = "indent it as the others of its mapping or list"
)

// keyless returns the start of the first of the lines without a key that the line at
// lineStart continues; lineStart itself if there is none.
func keyless(text string, lineStart int) int {
	first := lineStart
	for first > 0 {
		above := strings.LastIndexByte(text[:first-1], '\n') + 1
		line := text[above : first-1]
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' || keyLine.MatchString(text[above:]) {
			break
		}
		first = above
	}
	return first + len(text[first:]) - len(strings.TrimLeft(text[first:], " \t"))
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
			return // it does not mend it, or breaks something else
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
