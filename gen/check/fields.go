// This file reads the fields of strict mappings: their presence, their types and
// the forms that several kinds of files share.

package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// maxCompatibility is how long a skill's compatibility may be, in characters.
const maxCompatibility = 500

// semver is Semantic Versioning 2.0.0, "Backus–Naur Form Grammar for Valid SemVer
// Versions".
var semver = regexp.MustCompile(`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)` +
	`(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`)

// fields reads the entries of one mapping.
type fields struct {
	faults *diag.List
	value  *parse.Value
	// rule and what name the mapping in faults: "prompt-block", "the prompt block".
	rule, what string
	// names are the keys that the mapping can have, once known was called. There are
	// none where other keys are let through.
	names []string
}

// known reports the keys that are not among names.
func (f *fields) known(names ...string) {
	f.names = names
	for _, e := range f.value.Entries {
		if e.Key.Kind != parse.Text {
			wrongType(f.faults, "a key must be text", "", e.Key, parse.Text)
		} else if !slices.Contains(names, e.Key.Text) {
			f.faults.Add(e.Key.Span, f.rule, fmt.Sprintf("%s has no key %q", f.what, e.Key.Text),
				didYouMean(e.Key.Text, names, "remove it; allowed are "+strings.Join(names, ", ")))
		}
	}
}

// key returns where a key is written; the mapping's start where it is not.
func (f fields) key(name string) diag.Span {
	for _, e := range f.value.Entries {
		if e.Key.Text == name {
			return e.Key.Span
		}
	}
	return f.value.Span
}

// missing reports a required key that is not there, unless one that is unknown was
// probably meant to be it.
func (f fields) missing(name, rule string) {
	for _, e := range f.value.Entries {
		if !slices.Contains(f.names, e.Key.Text) && Suggest(e.Key.Text, f.names) == name {
			return
		}
	}
	f.faults.Add(f.value.Span, rule, fmt.Sprintf("%s has no %s", f.what, name), "add the key "+name)
}

// typed returns the value of a key if it has a kind, and reports another kind.
func (f fields) typed(name string, kind parse.Kind) *parse.Value {
	v := f.value.Get(name)
	if v == nil {
		return nil
	}
	if v.Kind != kind {
		f.wrongType(name, v, kind)
		return nil
	}
	return v
}

func (f fields) wrongType(name string, v *parse.Value, want parse.Kind) {
	wrongType(f.faults, name+" must be "+want.String(), name, v, want)
}

// wrongType reports a value that YAML reads as another kind than is wanted. key,
// if any, is shown in the help.
func wrongType(faults *diag.List, message, key string, v *parse.Value, want parse.Kind) {
	if key != "" {
		key += ": "
	}
	span := v.Span
	help := ""
	switch {
	case v.Kind == parse.Null && v.Text == "":
		message += "; it is empty here"
		help = "write a value, or remove the key"
		if rest := strings.TrimLeft(span.Source.Text[span.Start:], " "); strings.HasPrefix(rest, "#") {
			line, _, _ := strings.Cut(rest, "\n")
			message += ", since # starts a comment"
			help = "if the comment is the text, quote it: " + key + strconv.Quote(line)
		}
	case want == parse.Text && v.Plain && v.Kind != parse.Sequence && v.Kind != parse.Mapping:
		message += fmt.Sprintf("; YAML reads %s as %s", v.Text, v.Kind)
		help = "quote it: " + key + strconv.Quote(v.Text)
	case want == parse.Text && (v.Kind == parse.Sequence || v.Kind == parse.Mapping) && strings.IndexByte("[{", firstByte(span.Text())) >= 0:
		message += fmt.Sprintf("; YAML reads %s", v.Kind)
		help = "if it is text, quote it: " + key + strconv.Quote(span.Text())
	case want == parse.Sequence && v.Kind == parse.Text:
		message += "; YAML reads text"
		help = "write it as a list: " + key + "[" + v.Text + "]"
	default:
		message += "; YAML reads " + v.Kind.String()
	}
	d := faults.Add(span, "yaml-type", message, help)
	if strings.HasPrefix(help, "quote it") {
		d.Fix = &diag.Fix{Span: span, Replacement: strconv.Quote(v.Text)}
	}
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// text returns the text of a key and the value that holds it. The value is nil
// where there is none, or none that is text.
func (f fields) text(name string) (string, *parse.Value) {
	v := f.typed(name, parse.Text)
	if v == nil {
		return "", nil
	}
	return v.Text, v
}

// sized checks the length of a text, in characters without white space around.
func (f fields) sized(name, rule string, v *parse.Value, most int) {
	n := utf8.RuneCountInString(strings.TrimSpace(v.Text))
	switch {
	case n == 0:
		f.faults.Add(v.Span, rule, name+" is empty", "write a text of 1 to "+strconv.Itoa(most)+" characters")
	case n > most:
		f.faults.Add(v.Span, rule, fmt.Sprintf("%s has %d characters; at most %d are allowed", name, n, most), "shorten it")
	}
}

// line returns a text of one to most characters.
func (f fields) line(name string, most int) string {
	s, v := f.text(name)
	if v != nil {
		f.sized(name, name, v, most)
	}
	return strings.TrimSpace(s)
}

// required is line for a key that must be there.
func (f fields) required(name string, most int) string {
	if f.value.Get(name) == nil {
		f.missing(name, name)
		return ""
	}
	return f.line(name, most)
}

// version returns the text of the key version, which must be there.
func (f fields) version() string {
	if f.value.Get("version") == nil {
		f.missing("version", "version")
	}
	return f.optionalVersion()
}

// optionalVersion returns the text of the key version.
func (f fields) optionalVersion() string {
	if f.value.Get("version") == nil {
		return ""
	}
	if v := f.value.Get("version"); v.Kind == parse.Number && v.Plain {
		before := len(*f.faults)
		f.text("version")
		if whole := wholeVersion(v.Text); whole != "" {
			d := &(*f.faults)[before]
			d.Help = "write all three numbers: version: " + strconv.Quote(whole)
			d.Fix.Replacement = whole
		}
		return ""
	}
	s, v := f.text("version")
	if v != nil && !semver.MatchString(s) {
		help := "write MAJOR.MINOR.PATCH, such as 1.0.0"
		if semver.MatchString(strings.TrimLeft(s, "vV=")) {
			help = "write it without the letter in front: " + strings.TrimLeft(s, "vV=")
		} else if whole := wholeVersion(s); whole != "" {
			help = "write all three numbers: " + whole
		}
		f.faults.Add(v.Span, "version", fmt.Sprintf("%q is not a semantic version", s), help)
	}
	return s
}

// wholeVersion returns a version that lacks one or two numbers with zeros in their
// places, and the empty text for anything else.
func wholeVersion(s string) string {
	for _, rest := range []string{".0", ".0.0"} {
		if semver.MatchString(s + rest) {
			return s + rest
		}
	}
	return ""
}

// texts returns the texts of a list, each with its value. Elements that are not
// text, and texts that stand there twice, are reported and left out.
func (f fields) texts(name, rule string) []*parse.Value {
	v := f.typed(name, parse.Sequence)
	if v == nil {
		return nil
	}
	var list []*parse.Value
	first := make(map[string]*parse.Value, len(v.Items))
	for _, item := range v.Items {
		if item.Kind != parse.Text {
			wrongType(f.faults, "each of "+name+" must be text", "", item, parse.Text)
			continue
		}
		if earlier := first[item.Text]; earlier != nil {
			d := f.faults.Add(item.Span, rule, fmt.Sprintf("%s lists %q twice", name, item.Text), "remove one of them")
			d.Related = []diag.Related{{Span: earlier.Span, Message: "it is first here"}}
			continue
		}
		first[item.Text] = item
		list = append(list, item)
	}
	return list
}

// tags returns the ids of the key tags.
func (f fields) tags() []string {
	var tags []string
	for _, v := range f.texts("tags", "tags") {
		if catalog.IsID(v.Text) {
			tags = append(tags, v.Text)
		} else {
			f.notAnID(v, "tags", "the tag")
		}
	}
	return tags
}

// notAnID reports a text that is not an id.
func (f fields) notAnID(v *parse.Value, rule, what string) {
	help := "use lower-case letters, digits and single hyphens, and start with a letter; at most 64 characters"
	if better := kebab(v.Text); catalog.IsID(better) {
		help = "write it " + better
	}
	f.faults.Add(v.Span, rule, fmt.Sprintf("%s %q is not an id", what, v.Text), help)
}
