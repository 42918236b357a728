// This file checks a PROMPT.md.

package check

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A prompt is what becomes of a PROMPT.md, or of a prompt in a flat tree. Prompts know
// nothing of each other, and are checked side by side.
type prompt struct {
	origin origin
	faults diag.List
	value  *catalog.Prompt
	names  PromptNames
	// declarations are the names that the package will have for it.
	declarations []declaration
	// sums are those of the value and of its document, for the catalog's seal.
	sums [2]catalog.Sum
	// unsure are names that arguments were meant to have, and have not for a fault
	// of their own; anyName tells that they may be any.
	unsure  []string
	anyName bool
}

// checkPrompt checks a prompt. Its directory is its id; in a flat tree its name is,
// which stays empty where it is none.
func checkPrompt(in *Input, o origin) *prompt {
	c := &prompt{origin: o, value: &catalog.Prompt{Source: o.source}, faults: slices.Clone(in.File.Diagnostics)}
	if o.layout != Flat {
		c.value.ID = path.Base(path.Dir(in.Path))
	} else if in.File.Front != nil {
		c.value.ID = c.name(in)
	}
	c.names.Prompt = goName(c.value.ID)
	c.names.Args = c.names.Prompt + "Args"
	if in.File.Front == nil {
		return c
	}
	f := fields{faults: &c.faults, value: in.File.Front, rule: "prompt-block", what: "the frontmatter"}
	if o.layout != Flat {
		block := c.block(in.File)
		if block == nil {
			return c
		}
		f.value, f.what = block, "the prompt block"
		f.known("version", "title", "description", "category", "tags", "arguments")
		c.value.Version = f.version()
	} else {
		c.value.Version = f.optionalVersion()
	}
	c.check(f, in)
	return c
}

// name returns the name in a flat prompt's frontmatter, if that is an id.
func (c *prompt) name(in *Input) string {
	f := fields{faults: &c.faults, value: in.File.Front}
	name, v := f.text("name")
	switch {
	case f.value.Get("name") == nil:
		c.faults.Add(in.File.Source.Top(), "id-form", "the frontmatter has no name",
			"add name: "+kebabOr(strings.TrimSuffix(path.Base(in.Path), ".md"), "some-id"))
	case v == nil:
	case !catalog.IsID(name):
		f.notAnID(v, "id-form", "the name")
	default:
		return name
	}
	return ""
}

// block returns the mapping of a PROMPT.md that holds all that we know of, or nil
// after it reported why there is none.
func (c *prompt) block(file *parse.File) *parse.Value {
	for _, e := range file.Front.Entries {
		switch e.Key.Text {
		case "name", "id":
			c.faults.Add(e.Key.Span, "name-repeated", fmt.Sprintf("the top-level key %q repeats what the directory says", e.Key.Text),
				"remove it; the prompt's name is "+c.value.ID)
		}
	}
	block := file.Front.Get("prompt")
	switch {
	case block == nil:
		d := c.faults.Add(file.Source.Top(), "prompt-block", "the frontmatter has no mapping \"prompt\"",
			"write the prompt's fields below a key \"prompt:\", each indented")
		for _, e := range file.Front.Entries {
			if Suggest(e.Key.Text, []string{"prompt"}) != "" {
				d.Span, d.Help = e.Key.Span, `did you mean "prompt"?`
			}
		}
		return nil
	case block.Kind != parse.Mapping:
		wrongType(&c.faults, "prompt must be a mapping", "prompt", block, parse.Mapping)
		return nil
	}
	return block
}

// check checks the fields and the text, and fills in the prompt.
func (c *prompt) check(f fields, in *Input) {
	file, p := in.File, c.value
	p.Title = f.line("title", catalog.MaxTitle)
	p.Description = f.required("description", catalog.MaxDescription)
	if category, v := f.text("category"); v != nil {
		if p.Category = category; !catalog.IsID(category) {
			f.notAnID(v, "category", "the category")
		}
	}
	p.Tags = f.tags()
	arguments := c.arguments(f)
	c.placeholders(file, arguments)
	if catalog.IsID(p.ID) {
		c.declare(file, arguments)
	}

	p.Document = document(in, p.Source, "prompts/"+p.ID+"/PROMPT.md", parts(file))
	if p.Title != "" {
		p.Document.Title = p.Title
	}
	p.Messages = messages(file, arguments)
	p.Entry = catalog.PromptEntry(p, c.origin.prefix)
	if len(c.faults) == 0 {
		known := catalog.Sums{}
		c.sums = [2]catalog.Sum{known.Of(p), known.Of(p.Document)}
	}
}

// An argument is a declared argument that has a name.
type argument struct {
	name *parse.Value
	// choices are the values of the choices, by position.
	choices []*parse.Value
	used    bool
	// number is the argument's place among the prompt's, from 1.
	number int
}

// arguments checks the declared arguments and adds them to the prompt.
func (c *prompt) arguments(f fields) map[string]*argument {
	list := f.typed("arguments", parse.Sequence)
	if list == nil {
		// Under an unknown key, which is a fault, there may be what was meant to be
		// the arguments.
		c.anyName = f.value.Get("arguments") != nil || f.names != nil && slices.ContainsFunc(f.value.Entries, func(e parse.Entry) bool {
			return !slices.Contains(f.names, e.Key.Text) && (e.Value.Kind == parse.Sequence || e.Value.Kind == parse.Mapping)
		})
		return nil
	}
	declared := map[string]*argument{}
	for _, item := range list.Items {
		if item.Kind != parse.Mapping {
			c.anyName = true
			wrongType(&c.faults, "each argument must be a mapping with a name and a description", "", item, parse.Mapping)
			continue
		}
		af := fields{faults: &c.faults, value: item, rule: "prompt-block", what: "an argument"}
		af.known("name", "description", "required", "choices", "default")
		var a catalog.Argument
		name, v := af.text("name")
		switch {
		case item.Get("name") == nil:
			af.missing("name", "argument-name")
			c.anyName = true
		case v == nil:
			c.anyName = true
		case !catalog.IsArgumentName(name):
			help := "use ASCII letters, digits and underscores, and start with a lower-case letter; at most 64 characters"
			if better := strings.ReplaceAll(kebab(name), "-", "_"); catalog.IsArgumentName(better) {
				help = "write it " + better
			}
			c.faults.Add(v.Span, "argument-name", fmt.Sprintf("%q is not an argument's name", name), help)
			v = nil
			c.unsure = append(c.unsure, name)
		case declared[name] != nil:
			d := c.faults.Add(v.Span, "argument-name", fmt.Sprintf("the argument %q is declared twice", name), "remove one of them")
			d.Related = []diag.Related{{Span: declared[name].name.Span, Message: "it is first here"}}
			v = nil
		}
		a.Name = name
		if item.Get("description") == nil {
			af.what = "the argument"
			if v != nil {
				af.what += " " + strconv.Quote(name)
			}
			af.missing("description", "description")
		} else {
			a.Description = af.line("description", catalog.MaxDescription)
		}
		a.Required = af.boolean("required")
		choices := af.choices()
		for _, choice := range choices {
			a.Choices = append(a.Choices, choice.Text)
		}
		a.Default = af.defaultValue(a)
		if v == nil {
			continue
		}
		c.value.Arguments = append(c.value.Arguments, a)
		declared[name] = &argument{name: v, choices: choices, number: len(c.value.Arguments)}

		field := goName(name)
		if field == "Messages" { // the method's name
			field = "Messages_"
		}
		c.names.Fields = append(c.names.Fields, field)
		var cn ChoiceNames
		if len(choices) > 0 {
			cn.Type = c.names.Prompt + goName(name)
			for _, choice := range choices {
				cn.Constants = append(cn.Constants, cn.Type+goName(choice.Text))
			}
		}
		c.names.Choices = append(c.names.Choices, cn)
	}
	return declared
}

// boolean returns the value of a key that is true or false, and false without it.
func (f fields) boolean(name string) bool {
	v := f.value.Get(name)
	if v == nil {
		return false
	}
	if v.Kind == parse.Boolean && v.Plain && (v.Text == "true" || v.Text == "false") {
		return v.Text == "true"
	}
	message := name + " must be true or false"
	help := ""
	switch strings.ToLower(v.Text) {
	case "true", "yes", "on", "y", "1":
		help = "write " + name + ": true"
	case "false", "no", "off", "n", "0":
		help = "write " + name + ": false"
	}
	if v.Kind == parse.Text {
		message += "; YAML reads text"
	}
	f.faults.Add(v.Span, "yaml-type", message, help)
	return false
}

// choices returns the values of the key choices.
func (f fields) choices() []*parse.Value {
	v := f.value.Get("choices")
	list := f.texts("choices", "choices")
	if v == nil || v.Kind != parse.Sequence {
		return nil
	}
	if n := len(v.Items); n == 0 || n > catalog.MaxChoices {
		f.faults.Add(v.Span, "choices", fmt.Sprintf("there are %d choices; 1 to %d are allowed", n, catalog.MaxChoices), "remove the key, or change its list")
	}
	return slices.DeleteFunc(list, func(item *parse.Value) bool {
		if item.Text == "" {
			f.faults.Add(item.Span, "choices", "an empty choice; an empty value means that the argument was omitted", "remove it, and set required: false")
		}
		return item.Text == ""
	})
}

// defaultValue returns what an omitted argument renders as.
func (f fields) defaultValue(a catalog.Argument) string {
	s, v := f.text("default")
	switch {
	case v == nil:
		return ""
	case a.Required:
		f.faults.Add(f.key("default"), "default", "a required argument cannot have a default", "remove it, or set required: false")
	case s == "":
		f.faults.Add(v.Span, "default", "the default is empty", "write a text, or remove the key: an omitted argument renders as "+strconv.Quote(catalog.NotProvided))
	case len(a.Choices) > 0 && !slices.Contains(a.Choices, s):
		f.faults.Add(v.Span, "default", fmt.Sprintf("the default %q is not one of the choices", s),
			didYouMean(s, a.Choices, "write one of "+strings.Join(a.Choices, ", ")))
	}
	return s
}

// placeholders checks that arguments and placeholders match.
func (c *prompt) placeholders(file *parse.File, declared map[string]*argument) {
	candidates := make([]string, 0, len(declared))
	for name := range declared {
		candidates = append(candidates, name)
	}
	slices.Sort(candidates)
	unsure := map[string]bool{}
	for _, name := range c.unsure {
		unsure[fold(name)] = true
	}
	guess := guesser{fileGuesses}
	for _, m := range file.Messages {
		for _, s := range m.Segments {
			if s.Name == "" {
				continue
			}
			if a := declared[s.Name]; a != nil {
				a.used = true
				continue
			}
			if c.anyName || unsure[fold(s.Name)] {
				continue // it may belong to a declaration that has a fault
			}
			help := fmt.Sprintf("declare the argument %q, or write \\{{%s}} for the literal text", s.Name, s.Name)
			if near := guess.suggest(s.Name, candidates); near != "" {
				help = fmt.Sprintf("did you mean {{%s}}? Otherwise %s", near, help)
			}
			c.faults.Add(s.Span, "placeholder-undeclared", fmt.Sprintf("no argument %q is declared", s.Name), help)
		}
	}
	meant := map[string]string{}
	for _, name := range slices.Backward(candidates) {
		meant[fold(name)] = name
	}
	for _, miss := range file.NearMisses {
		name, ok := meant[fold(miss.Name)]
		if !ok {
			continue
		}
		right := "{{" + name + "}}"
		d := c.faults.Add(miss.Span, "placeholder-near-miss",
			fmt.Sprintf("%s is not a placeholder, though %q is declared", miss.Span.Text(), name),
			fmt.Sprintf("write %s, with nothing else between or around the braces", right))
		if strings.HasSuffix(file.Source.Text[:miss.Span.Start], `\`) {
			d.Help = fmt.Sprintf("a backslash makes only the exact form literal, as in \\%s; for this text, give the argument another name", right)
		} else {
			d.Fix = &diag.Fix{Span: miss.Span, Replacement: right}
		}
		declared[name].used = true // one fault is enough
	}
	for _, name := range candidates {
		if a := declared[name]; !a.used && len(file.Messages) > 0 {
			c.faults.Add(a.name.Span, "argument-unused", fmt.Sprintf("the argument %q is declared and never used", name),
				fmt.Sprintf("write {{%s}} where its value belongs, or remove it", name))
		}
	}
}

var divisions = strings.NewReplacer("_", "", "-", "")

// fold returns what is left of an argument's name, or of what stands between braces,
// without case, hyphens and underscores.
func fold(s string) string { return strings.ToLower(divisions.Replace(s)) }

// declare notes the prompt's names in the package, and checks those of the fields,
// which have a scope of their own.
func (c *prompt) declare(file *parse.File, declared map[string]*argument) {
	what := "the prompt " + strconv.Quote(c.value.ID)
	note := func(name string, span diag.Span, what string) {
		c.declarations = append(c.declarations, declaration{name, span, what})
	}
	note(c.names.Prompt, file.Source.Top(), what)
	note(c.names.Args, file.Source.Top(), "the type of the arguments of "+what)
	within := scope{"Messages": {what: "the method that renders the prompt"}}
	for i, a := range c.value.Arguments {
		d := declared[a.Name]
		what := "the argument " + strconv.Quote(a.Name)
		within.declare(&c.faults, &declaration{c.names.Fields[i], d.name.Span, what})
		if cn := c.names.Choices[i]; cn.Type != "" {
			if within[c.names.Fields[i]].span == d.name.Span { // else the fields say it
				note(cn.Type, d.name.Span, "the type of the choices of "+what)
			}
			for j, constant := range cn.Constants {
				note(constant, d.choices[j].Span, "the choice "+strconv.Quote(a.Choices[j])+" of "+what)
			}
		}
	}
}

// messages returns the templates of a prompt, whose texts are the parts of its
// document.
func messages(file *parse.File, declared map[string]*argument) []catalog.Template {
	list := make([]catalog.Template, 0, len(file.Messages))
	for _, m := range file.Messages {
		t := catalog.Template{Role: catalog.Role(m.Role)}
		for _, s := range m.Segments {
			if s.Name != "" {
				if a := declared[s.Name]; a != nil {
					t.Segments = append(t.Segments, catalog.Segment{Argument: a.number})
				}
				continue
			}
			for _, part := range split(s.Span.Text()) {
				t.Segments = append(t.Segments, catalog.Segment{Text: part})
			}
		}
		list = append(list, t)
	}
	return list
}

// parts returns the whole text of a PROMPT.md in parts, among which are the texts
// of its messages.
func parts(file *parse.File) []string {
	var list []string
	text := file.Source.Text
	at := 0
	to := func(end int) {
		list = append(list, split(text[at:end])...)
		at = end
	}
	for _, m := range file.Messages {
		for _, s := range m.Segments {
			to(s.Span.Start)
			to(s.Span.End)
		}
	}
	to(len(text))
	return list
}

// maxPartLines is how many lines one part of a text may have: the time that gofmt
// takes for a constant grows with the square of its lines.
const maxPartLines = 256

// split divides a text into parts of at most maxPartLines lines. An empty text has
// none.
func split(text string) []string {
	var list []string
	for text != "" {
		end, lines := 0, 0
		for end < len(text) && lines < maxPartLines {
			i := strings.IndexByte(text[end:], '\n')
			if i < 0 {
				end = len(text)
				break
			}
			end += i + 1
			lines++
		}
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}
