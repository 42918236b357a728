// This file holds Prompt and its renderer.

package catalog

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// NotProvided is what an omitted optional argument without a default renders as.
const NotProvided = "Not provided"

// A Prompt is one compiled PROMPT.md.
type Prompt struct {
	// ID is the name of the prompt's directory.
	ID string
	// Source is the name of the catalog's Source that the prompt comes from; it is
	// empty for the built-in tree.
	Source string
	// Version is a Semantic Version 2.0. It is empty where a prompt from elsewhere
	// has none.
	Version string
	// Title and Category are empty where the author gave none.
	Title, Description, Category string
	Tags                         []string
	// Arguments are in the author's order, which clients show and some fill in
	// by position.
	Arguments []Argument
	// Messages has at least one element.
	Messages []Template
	// Document is the PROMPT.md itself.
	Document *Document
	// Entry is what prompts/list says of the prompt: one JSON object.
	Entry string
}

// An Argument is a declared argument of a prompt.
type Argument struct {
	Name, Description string
	Required          bool
	// Choices, where there are any, are the only values allowed.
	Choices []string
	// Default is what an omitted optional argument renders as. It is empty where
	// the author gave none; NotProvided takes its place then.
	Default string
}

// A Role is who speaks a message. MCP knows these two and no other
// (specification 2026-07-28, "Prompts", section "PromptMessage").
type Role string

const (
	// User is the role of the person.
	User Role = "user"
	// Assistant is the role of the model.
	Assistant Role = "assistant"
)

// A Template is a message before its arguments are filled in.
type Template struct {
	Role     Role
	Segments []Segment
}

// A Segment is a piece of a template: fixed text, or the place of an argument.
type Segment struct {
	// Text is the piece's text where Argument is 0.
	Text string
	// Argument is the number of the prompt's argument, counted from 1, whose
	// value stands here.
	Argument int
}

// A Message is a rendered message.
type Message struct {
	Role Role
	Text string
	// Content, if not nil, stands in the place of Text. Compiled prompts have none.
	Content Content
}

// Render fills in the prompt. It takes the arguments' values in declared order;
// the empty text means that the argument was omitted, and so do values left out
// at the end. A value is inserted as it is, and never read again for
// placeholders, roles or patterns.
//
// The error is an *ArgumentError that lists every fault of the values: required
// ones omitted, values that are not among the choices, values that are not valid
// UTF-8. Render panics when there are more values than arguments.
func (p *Prompt) Render(values ...string) ([]Message, error) {
	if len(values) > len(p.Arguments) {
		panic("catalog: Render of prompt " + p.ID + ": more values than arguments")
	}
	if err := p.Validate(values); err != nil {
		return nil, err
	}
	messages := make([]Message, len(p.Messages))
	for i := range p.Messages {
		t := &p.Messages[i]
		size := 0
		for j := range t.Segments {
			size += len(p.segment(&t.Segments[j], values))
		}
		var text strings.Builder
		text.Grow(size)
		for j := range t.Segments {
			text.WriteString(p.segment(&t.Segments[j], values))
		}
		messages[i] = Message{Role: t.Role, Text: text.String()}
	}
	return messages, nil
}

// RenderNamed fills in the prompt from values by argument name. An empty value
// means that the argument was omitted. Besides the faults that Render finds, the
// *ArgumentError lists names that the prompt does not declare.
func (p *Prompt) RenderNamed(values map[string]string) ([]Message, error) {
	var few [8]string // on the stack, and enough for most prompts
	inOrder := few[:min(len(few), len(p.Arguments))]
	if len(p.Arguments) > len(few) {
		inOrder = make([]string, len(p.Arguments))
	}
	if err := p.order(inOrder, values); err != nil {
		return nil, err
	}
	return p.Render(inOrder...)
}

// order puts values into the order of the arguments. Where there are unknown names
// among them, the error tells all that is wrong with the values.
func (p *Prompt) order(inOrder []string, values map[string]string) error {
	var unknown []string
	for name, value := range values {
		if i, ok := p.Argument(name); ok {
			inOrder[i] = value
		} else {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	e := &ArgumentError{Prompt: p.ID}
	errors.As(p.Validate(inOrder), &e)
	e.Unknown = unknown
	return e
}

// Argument returns the position of the argument with the given name, from 0.
func (p *Prompt) Argument(name string) (position int, ok bool) {
	for i := range p.Arguments {
		if p.Arguments[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// Value returns what the argument at a position renders as for a given value:
// the value itself, or what takes the place of an omitted one.
func (p *Prompt) Value(position int, value string) string {
	if value != "" {
		return value
	}
	if d := p.Arguments[position].Default; d != "" {
		return d
	}
	return NotProvided
}

// segment returns what a segment renders as.
func (p *Prompt) segment(s *Segment, values []string) string {
	if s.Argument == 0 {
		return s.Text
	}
	if i := s.Argument - 1; i < len(values) {
		return p.Value(i, values[i])
	}
	return p.Value(s.Argument-1, "")
}

// Validate tells whether the prompt can be rendered with values, which are as
// for Render. The error is nil or an *ArgumentError that lists every fault.
func (p *Prompt) Validate(values []string) error {
	var e *ArgumentError
	fault := func() *ArgumentError {
		if e == nil {
			e = &ArgumentError{Prompt: p.ID}
		}
		return e
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		value := ""
		if i < len(values) {
			value = values[i]
		}
		switch {
		case value == "":
			if a.Required {
				fault().Missing = append(fault().Missing, a.Name)
			}
		case !utf8.ValidString(value):
			fault().Invalid = append(fault().Invalid, InvalidArgument{Name: a.Name, Reason: "is not valid UTF-8"})
		case len(a.Choices) > 0 && !slices.Contains(a.Choices, value):
			fault().Invalid = append(fault().Invalid, InvalidArgument{Name: a.Name, Allowed: a.Choices})
		}
	}
	if e == nil {
		return nil
	}
	return e
}
