// This file holds PromptFunc, a prompt written in Go.

package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A PromptFunc is a prompt that a program renders. Mounting checks it as the
// compiler checks a PROMPT.md, and its arguments are checked before Render is
// called.
type PromptFunc struct {
	// Name is the public name: the prefix that it is mounted under, and an id.
	Name string
	// Title may be empty, Description may not.
	Title, Description string
	Arguments          []Argument
	// Render returns the messages. The map has the value of every argument that
	// was given, and the default of an optional one that was not and has one. The
	// error is treated as that of Repository.Get.
	Render func(ctx context.Context, arguments map[string]string) ([]Message, error)
}

// funcs is the Repository of a group of PromptFuncs.
type funcs struct {
	prefix  string
	prompts []PromptFunc // sorted by name
}

func newFuncs(prefix string, prompts []PromptFunc) (*funcs, error) {
	f := &funcs{prefix, slices.Clone(prompts)}
	slices.SortFunc(f.prompts, func(a, b PromptFunc) int { return strings.Compare(a.Name, b.Name) })
	for i := range f.prompts {
		p := &f.prompts[i]
		if err := p.check(prefix); err != nil {
			return nil, fmt.Errorf("prompt %q: %w", p.Name, err)
		}
		if i > 0 && f.prompts[i-1].Name == p.Name {
			return nil, fmt.Errorf("prompt %q: the name is given twice", p.Name)
		}
	}
	return f, nil
}

// check says what is wrong with the prompt.
func (p *PromptFunc) check(prefix string) error {
	id, ok := strings.CutPrefix(p.Name, prefix)
	switch {
	case !ok:
		return fmt.Errorf("the name does not start with the prefix %q", prefix)
	case !IsID(id):
		return fmt.Errorf("%q is not an id: use lower-case letters, digits and single hyphens, and start with a letter", id)
	case p.Render == nil:
		return fmt.Errorf("it has no function to render it")
	}
	if err := checkLength("title", p.Title, 0, MaxTitle); err != nil {
		return err
	}
	if err := checkLength("description", p.Description, 1, MaxDescription); err != nil {
		return err
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if err := a.check(); err != nil {
			return fmt.Errorf("argument %q: %w", a.Name, err)
		}
		if slices.ContainsFunc(p.Arguments[:i], func(b Argument) bool { return b.Name == a.Name }) {
			return fmt.Errorf("argument %q is declared twice", a.Name)
		}
	}
	return nil
}

func (a *Argument) check() error {
	if !IsArgumentName(a.Name) {
		return fmt.Errorf("the name must be ASCII letters, digits and underscores, and start with a lower-case letter")
	}
	if err := checkLength("description", a.Description, 1, MaxDescription); err != nil {
		return err
	}
	if len(a.Choices) > MaxChoices {
		return fmt.Errorf("there are %d choices; at most %d are allowed", len(a.Choices), MaxChoices)
	}
	for i, choice := range a.Choices {
		switch {
		case choice == "" || !utf8.ValidString(choice):
			return fmt.Errorf("a choice is empty or not valid UTF-8")
		case slices.Contains(a.Choices[:i], choice):
			return fmt.Errorf("the choice %q is there twice", choice)
		}
	}
	switch {
	case a.Default == "":
	case a.Required:
		return fmt.Errorf("a required argument cannot have a default")
	case len(a.Choices) > 0 && !slices.Contains(a.Choices, a.Default):
		return fmt.Errorf("the default %q is not one of the choices", a.Default)
	}
	return checkTexts(a.Default)
}

func checkLength(what, text string, least, most int) error {
	switch n := utf8.RuneCountInString(strings.TrimSpace(text)); {
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s is not valid UTF-8", what)
	case n < least:
		return fmt.Errorf("the %s is empty", what)
	case n > most:
		return fmt.Errorf("the %s has %d characters; at most %d are allowed", what, n, most)
	}
	return nil
}

func (f *funcs) Prefix() string { return f.prefix }

// CacheHint says nothing, and so leaves the list to the server's default: it changes
// with the program only.
func (f *funcs) CacheHint() CacheHint { return CacheHint{} }

// pageOfFuncs is how many prompts one page holds.
const pageOfFuncs = 1000

func (f *funcs) List(_ context.Context, cursor string) (Page, error) {
	first := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n <= 0 || n >= len(f.prompts) {
			return Page{}, ErrCursor
		}
		first = n
	}
	var page Page
	last := min(first+pageOfFuncs, len(f.prompts))
	for i := first; i < last; i++ {
		p := &f.prompts[i]
		page.Prompts = append(page.Prompts, Listing{p.Name, p.Title, p.Description, p.Arguments})
	}
	if last < len(f.prompts) {
		page.Next = strconv.Itoa(last)
	}
	return page, nil
}

func (f *funcs) Get(ctx context.Context, name string, arguments map[string]string) (Result, error) {
	i, ok := slices.BinarySearchFunc(f.prompts, name, func(p PromptFunc, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return Result{}, fmt.Errorf("prompt %q: %w", name, ErrNotFound)
	}
	p := &f.prompts[i]
	// A Prompt without messages knows how to check arguments.
	declared := Prompt{ID: name, Arguments: p.Arguments}
	values := make([]string, len(p.Arguments))
	err := declared.order(values, arguments)
	if err == nil {
		err = declared.Validate(values)
	}
	if err != nil {
		return Result{}, err
	}
	given := make(map[string]string, len(values))
	for i, value := range values {
		if value != "" {
			given[p.Arguments[i].Name] = value
		} else if d := p.Arguments[i].Default; d != "" {
			given[p.Arguments[i].Name] = d
		}
	}
	messages, err := p.Render(ctx, given)
	return Result{p.Description, messages}, err
}

// Complete offers an argument's choices.
func (f *funcs) Complete(_ context.Context, name, argument, value string) ([]string, error) {
	for i := range f.prompts {
		if f.prompts[i].Name != name {
			continue
		}
		for j := range f.prompts[i].Arguments {
			if a := &f.prompts[i].Arguments[j]; a.Name == argument {
				return a.Choices, nil
			}
		}
	}
	return nil, fmt.Errorf("argument %q of prompt %q: %w", argument, name, ErrNotFound)
}
