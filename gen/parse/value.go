// This file holds Value, a positioned tree of what the frontmatter says, and the
// walk from yaml.v3's nodes to it.

package parse

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/gen/diag"
)

// A Kind is what YAML makes of a value.
type Kind int

// The kinds of values.
const (
	Text Kind = iota
	Number
	Boolean
	Date
	Null
	Sequence
	Mapping
)

// String returns the kind with its article, for diagnostics.
func (k Kind) String() string {
	return [...]string{"text", "a number", "a boolean", "a date", "nothing", "a list", "a mapping"}[k]
}

// A Value is a node of the frontmatter.
type Value struct {
	Kind Kind
	// Span covers the value as it is written; of a block it covers the first line.
	Span diag.Span
	// Text is the content of a scalar: for a Text after unquoting and folding,
	// for other kinds as it is written.
	Text string
	// Plain tells that the scalar is written without quotes, and not as a block.
	Plain bool
	// Items are the elements of a Sequence.
	Items []*Value
	// Entries are those of a Mapping, in the order of the file.
	Entries []Entry
}

// An Entry is a key of a mapping with its value.
type Entry struct{ Key, Value *Value }

// Get returns the value of a key of a mapping, and nil where there is none.
func (v *Value) Get(key string) *Value {
	if v != nil {
		for _, e := range v.Entries {
			if e.Key.Text == key {
				return e.Value
			}
		}
	}
	return nil
}

// walk turns a node into a Value, and reports the features of YAML that a
// frontmatter may not use.
type walk struct {
	file   *File
	source *diag.Source
	line   int   // lines before the YAML text
	starts []int // where its lines start in the source
	ok     bool
}

// newWalk prepares a walk over the YAML between two offsets.
func newWalk(f *File, start, end int) *walk {
	text := f.Source.Text
	w := &walk{file: f, source: f.Source, line: strings.Count(text[:start], "\n"), ok: true}
	w.starts = make([]int, 0, strings.Count(text[start:end], "\n")+1)
	for at := start; ; {
		w.starts = append(w.starts, at)
		i := strings.IndexByte(text[at:end], '\n')
		if i < 0 {
			return w
		}
		at += i + 1
	}
}

// offset returns where the rune at a line and column of the YAML is. Nearly always
// what stands before it is short and ASCII, so that the source need not be indexed.
func (w *walk) offset(line, column int) int {
	if 1 <= line && line <= len(w.starts) && column < 1000 {
		text := w.source.Text[w.starts[line-1]:]
		before := 0
		for before < column-1 && before < len(text) && text[before] < utf8.RuneSelf && text[before] != '\n' {
			before++
		}
		if before == column-1 {
			return w.starts[line-1] + before
		}
	}
	return w.source.Offset(w.line+line, column)
}

// fewKeys is up to how many keys of a mapping are compared with each other; a map
// takes longer to make.
const fewKeys = 16

// keys finds the first use of each key of a mapping.
type keys struct {
	few  []*Value
	many map[string]*Value
}

// first returns the earlier use of a key, or nil after noting this one.
func (k *keys) first(key *Value) *Value {
	if k.many == nil {
		for _, earlier := range k.few {
			if earlier.Text == key.Text {
				return earlier
			}
		}
		if k.few = append(k.few, key); len(k.few) <= fewKeys {
			return nil
		}
		k.many = make(map[string]*Value, 2*fewKeys)
		for _, v := range k.few {
			k.many[v.Text] = v
		}
		return nil
	}
	if earlier := k.many[key.Text]; earlier != nil {
		return earlier
	}
	k.many[key.Text] = key
	return nil
}

func (w *walk) value(n *yaml.Node) *Value {
	start := w.offset(n.Line, n.Column)
	switch {
	case n.Kind == yaml.AliasNode:
		w.feature(start, start+1+len(n.Value), "an alias (*"+n.Value+")", "write the value out, or quote it if the * is part of the text")
		return &Value{Kind: Null, Span: w.source.Span(start, start+1+len(n.Value))}
	case n.Anchor != "":
		w.feature(start, start+1+len(n.Anchor), "an anchor (&"+n.Anchor+")", "remove it, or quote the value if the & is part of the text")
	case n.Style&yaml.TaggedStyle != 0, strings.HasPrefix(w.source.Text[start:], "!"):
		w.feature(start, tagEnd(w.source.Text, start), "a tag ("+w.source.Text[start:tagEnd(w.source.Text, start)]+")", "remove it, or quote the value if the ! is part of the text")
	}
	v := &Value{Span: w.span(n, start)}
	switch n.Kind {
	case yaml.SequenceNode:
		v.Kind = Sequence
		v.Items = make([]*Value, len(n.Content))
		for i, c := range n.Content {
			v.Items[i] = w.value(c)
		}
	case yaml.MappingNode:
		v.Kind = Mapping
		v.Entries = make([]Entry, 0, len(n.Content)/2)
		var few [fewKeys]*Value
		seen := keys{few: few[:0]}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := w.value(n.Content[i]), w.value(n.Content[i+1])
			if n.Content[i].ShortTag() == "!!merge" {
				w.feature(key.Span.Start, key.Span.End, "a merge key (<<)", "write the keys out")
			}
			if key.Kind != Sequence && key.Kind != Mapping {
				if earlier := seen.first(key); earlier != nil {
					d := w.feature(key.Span.Start, key.Span.End, "the key "+quote(key.Text)+" twice in one mapping", "remove one of them")
					d.Related = []diag.Related{{Span: earlier.Span, Message: "it is first here"}}
				}
			}
			v.Entries = append(v.Entries, Entry{key, value})
		}
	default:
		v.Text = n.Value
		w.characters(n, v)
		v.Plain = n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
		switch n.ShortTag() {
		case "!!int", "!!float":
			v.Kind = Number
		case "!!bool":
			v.Kind = Boolean
		case "!!timestamp":
			v.Kind = Date
		case "!!null":
			v.Kind = Null
		}
	}
	return v
}

// characters reports what an escape in double quotes brings into a value, and what
// may not be in a file either.
func (w *walk) characters(n *yaml.Node, v *Value) {
	if n.Style&yaml.DoubleQuotedStyle == 0 {
		return
	}
	for i, r := range v.Text {
		_, size := utf8.DecodeRuneInString(v.Text[i:])
		if what, _ := characterFault(r, size); what != "" {
			w.ok = false
			w.file.Diagnostics.Add(v.Span, "encoding", "an escape in this value stands for "+what, "remove it")
			return
		}
	}
}

func (w *walk) feature(start, end int, what, help string) *diag.Diagnostic {
	w.ok = false
	return w.file.Diagnostics.Add(w.source.Span(start, end), "yaml-feature", w.file.yamlName()+" cannot hold "+what, help)
}

// span finds where a node ends, which yaml.v3 does not tell.
func (w *walk) span(n *yaml.Node, start int) diag.Span {
	text := w.source.Text
	lineEnd := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		lineEnd = start + i
	}
	end := lineEnd
	switch {
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		end = quotedEnd(text, start)
	case n.Kind == yaml.ScalarNode && strings.HasPrefix(text[start:], n.Value):
		end = start + len(n.Value)
	case n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0:
		end = plainEnd(text, start, n.Value)
	case n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0:
		end = min(start+len(n.Content[0].Value), lineEnd)
	case n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle == 0:
		end = min(start+1, lineEnd)
	}
	return w.source.Span(start, end)
}

// plainEnd returns where a plain value of several lines ends: it holds the words
// of value with other white space between them.
func plainEnd(text string, start int, value string) int {
	at := start
	for _, word := range strings.Fields(value) {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		at += i + len(word)
	}
	return at
}

// quotedEnd returns the end of the quoted value that starts at start.
func quotedEnd(text string, start int) int {
	if start >= len(text) {
		return start
	}
	q := text[start]
	for i := start + 1; i < len(text); i++ {
		switch {
		case q == '"' && text[i] == '\\':
			i++
		case q == '\'' && text[i] == q && i+1 < len(text) && text[i+1] == q:
			i++
		case text[i] == q:
			return i + 1
		}
	}
	return len(text)
}

func tagEnd(text string, start int) int {
	if i := strings.IndexAny(text[start:], " \n,]}"); i >= 0 {
		return start + i
	}
	return len(text)
}

// quote shows a text in double quotes, as a diagnostic names a key or a value.
func quote(s string) string { return `"` + s + `"` }
