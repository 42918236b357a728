// This file holds prompts/get: a prompt's answer is cut from a stencil, its
// template as JSON with holes for the arguments.

package serve

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// A stencil is the answer of a prompt save its arguments: text that is JSON
// already, so that an answer is put together by copying alone.
type stencil struct {
	pieces []piece
	// omitted is what stands for each argument that is left out, as JSON.
	omitted []string
	// meta is the inside of the result's _meta.
	meta string
}

// A piece is JSON text and the argument after it, counted from 1; 0 for none.
type piece struct {
	text     string
	argument int
}

func newStencil(p *catalog.Prompt) *stencil {
	st := &stencil{omitted: make([]string, len(p.Arguments))}
	for i := range p.Arguments {
		st.omitted[i] = string(catalog.AppendEscaped(nil, p.Value(i, "")))
	}
	b := append([]byte(nil), `"description":`...)
	b = catalog.AppendJSON(b, p.Description)
	b = append(b, `,"messages":[`...)
	for i := range p.Messages {
		t := &p.Messages[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"role":"`...)
		b = append(b, t.Role...)
		b = append(b, `","content":{"type":"text","text":"`...)
		for _, segment := range t.Segments {
			if segment.Argument == 0 {
				b = catalog.AppendEscaped(b, segment.Text)
				continue
			}
			st.pieces = append(st.pieces, piece{string(b), segment.Argument})
			b = b[:0]
		}
		b = append(b, `"}}`...)
	}
	b = append(b, `],"_meta":{`...)
	st.pieces = append(st.pieces, piece{text: string(b)})
	meta := p.AppendMeta(nil)
	st.meta = string(meta[1 : len(meta)-1])
	return st
}

// append appends the answer up to and including the opening brace of _meta. raws
// are the values as JSON, empty where omitted.
func (st *stencil) append(dst []byte, raws []string) []byte {
	for i := range st.pieces {
		p := &st.pieces[i]
		dst = append(dst, p.text...)
		if p.argument == 0 {
			continue
		}
		value := raws[p.argument-1]
		if value == "" {
			value = st.omitted[p.argument-1]
		}
		dst = append(dst, value...)
	}
	return dst
}

// stencil returns the stencil of a prompt, made at the first use.
func (s *stock) stencil(p *catalog.Prompt) *stencil {
	if st, ok := s.stencils.Load(p); ok {
		return st.(*stencil)
	}
	st, _ := s.stencils.LoadOrStore(p, newStencil(p))
	return st.(*stencil)
}

func (s *stock) getPrompt(ctx context.Context, m *message, r *reply) (call, *fault) {
	var began time.Time
	if s.server.observer != nil {
		began = time.Now()
	}
	mount, p, f := s.find(m.principal, m.name, "name")
	if p == nil && f == nil {
		return s.getOwn, nil
	}
	outcome := NotFound
	if f == nil {
		if outcome, f = Rendered, r.fill(p, m); f != nil {
			outcome = BadArguments
		} else {
			s.cut(p, m, r)
		}
	}
	s.server.observe(ctx, began, m, mount, outcome)
	return nil, f
}

// cut makes the answer from the prompt's stencil and the arguments in r.
func (s *stock) cut(p *catalog.Prompt, m *message, r *reply) {
	st := s.stencil(p)
	r.start(m)
	r.head = st.append(r.head, r.raws)
	if m.modern {
		r.head = append(r.head, s.identity...)
		r.head = append(r.head, ',')
	}
	r.head = append(r.head, st.meta...)
	r.head = append(r.head, "}}}"...)
}

// find returns what has the prompt that a member of params names: its mount and,
// where it is compiled, the prompt. A principal finds what they see. The mount may
// be there where the prompt is not.
func (s *stock) find(who *catalog.Principal, name []byte, member string) (*catalog.Mount, *catalog.Prompt, *fault) {
	if !isString(name) {
		return nil, nil, faultf(mcp.INVALID_PARAMS, "%s must be the name of a prompt", member)
	}
	public := text(name)
	mount := s.mux.Route(public)
	switch {
	case mount == nil:
	case mount.Repository != nil:
		if !limited(who) || who.Sees(public, nil) {
			return mount, nil, nil
		}
	default:
		if p, ok := mount.Catalog.Prompt(public[len(mount.Prefix):]); ok && (!limited(who) || who.Sees(public, p.Tags)) {
			return mount, p, nil
		}
	}
	return mount, nil, noPrompt(name)
}

// noPrompt is the answer to a name that nothing has, or nothing that is seen.
func noPrompt(name []byte) *fault {
	f := faultf(mcp.INVALID_PARAMS, "no prompt has the name %q: see prompts/list", clip(text(name)))
	f.data = append(catalog.AppendJSON([]byte(`{"prompt":`), echo(text(name))), '}')
	return f
}

// renderCompiled renders a compiled prompt to messages. It finds the same faults as
// prompts/get.
func renderCompiled(p *catalog.Prompt, m *message) ([]catalog.Message, *fault) {
	var r reply
	if f := r.fill(p, m); f != nil {
		return nil, f
	}
	for i, raw := range r.raws {
		r.values[i] = strings.Clone(unescape(raw))
	}
	messages, err := p.Render(r.values...)
	if err != nil {
		panic(err) // it was validated
	}
	return messages, nil
}

// notArguments says what arguments of a prompt must be.
const notArguments = "arguments must be an object that holds a text for each argument"

// fill puts the arguments of a prompts/get into r: in values what the catalog
// checks, in raws what is inserted, which is the text between the quotes just as
// the client escaped it. So a value is copied once, and never decoded unless it
// must be compared with choices.
func (r *reply) fill(p *catalog.Prompt, m *message) *fault {
	n := len(p.Arguments)
	r.values = slices.Grow(r.values[:0], n)[:n]
	r.raws = slices.Grow(r.raws[:0], n)[:n]
	clear(r.values)
	clear(r.raws)
	var unknown []string
	var invalid []catalog.InvalidArgument
	if m.arguments != nil {
		if !isObject(m.arguments) {
			f := refusal(p, m.name, &catalog.ArgumentError{})
			f.message = notArguments
			return f
		}
		var given []bool
		if n > 0 {
			var few [64]bool
			given = few[:min(n, len(few))]
			if n > len(few) {
				given = make([]bool, n)
			}
		}
		for walk := object(m.arguments); ; {
			name, value, ok := walk.next()
			if !ok {
				break
			}
			i, ok := p.Argument(text(name))
			if !ok {
				unknown = append(unknown, clip(text(name)))
				continue
			}
			if given[i] {
				invalid = append(invalid, catalog.InvalidArgument{Name: p.Arguments[i].Name, Reason: "is given twice"})
				continue
			}
			given[i] = true
			switch {
			case isNull(value):
			case !isString(value):
				invalid = append(invalid, catalog.InvalidArgument{Name: p.Arguments[i].Name, Reason: "is not a string"})
			default:
				r.raws[i] = inner(value)
				r.values[i] = r.raws[i]
				if len(p.Arguments[i].Choices) > 0 {
					r.values[i] = text(value)
				}
			}
		}
	}
	err := p.Validate(r.values)
	if err == nil && unknown == nil && invalid == nil {
		return nil
	}
	var e catalog.ArgumentError
	if found := (*catalog.ArgumentError)(nil); errors.As(err, &found) {
		e = *found
	}
	// What was given badly is not missing.
	e.Missing = slices.DeleteFunc(slices.Clone(e.Missing), func(name string) bool {
		return slices.ContainsFunc(invalid, func(i catalog.InvalidArgument) bool { return i.Name == name })
	})
	e.Invalid = append(invalid, e.Invalid...)
	slices.SortStableFunc(e.Invalid, func(a, b catalog.InvalidArgument) int {
		i, _ := p.Argument(a.Name)
		j, _ := p.Argument(b.Name)
		return i - j
	})
	slices.Sort(unknown)
	e.Unknown = slices.Compact(unknown)
	return refusal(p, m.name, &e)
}

// mostNamed is how many unknown arguments, and how many invalid ones, an error
// names; of the others it tells how many there are.
const mostNamed = 100

// refusal is the answer to bad arguments: every fault of them at once, and what
// the prompt takes, where that is known. name is the prompt's public name as JSON.
func refusal(p *catalog.Prompt, name []byte, e *catalog.ArgumentError) *fault {
	e.Prompt = echo(text(name))
	more := max(len(e.Unknown)-mostNamed, 0) + max(len(e.Invalid)-mostNamed, 0)
	// A repository may name whatever it was given.
	e.Unknown = slices.Clone(e.Unknown[:min(len(e.Unknown), mostNamed)])
	for i, name := range e.Unknown {
		e.Unknown[i] = echo(name)
	}
	e.Invalid = slices.Clone(e.Invalid[:min(len(e.Invalid), mostNamed)])
	for i := range e.Invalid {
		e.Invalid[i].Name = echo(e.Invalid[i].Name)
	}
	data := catalog.AppendJSON([]byte(`{"prompt":`), e.Prompt)
	data = appendList(append(data, `,"missing":`...), e.Missing)
	data = appendList(append(data, `,"unknown":`...), e.Unknown)
	data = append(data, `,"invalid":[`...)
	for i, bad := range e.Invalid {
		if i > 0 {
			data = append(data, ',')
		}
		data = catalog.AppendJSON(append(data, `{"name":`...), bad.Name)
		if len(bad.Allowed) > 0 {
			data = appendList(append(data, `,"allowed":`...), bad.Allowed)
		} else {
			data = catalog.AppendJSON(append(data, `,"reason":`...), bad.Reason)
		}
		data = append(data, '}')
	}
	data = append(data, ']')
	message := e.Error()
	if more > 0 {
		message += "; and " + strconv.Itoa(more) + " more"
		data = strconv.AppendInt(append(data, `,"more":`...), int64(more), 10)
	}
	if p != nil {
		declared := make([]string, len(p.Arguments))
		for i := range p.Arguments {
			declared[i] = p.Arguments[i].Name
		}
		data = appendList(append(data, `,"arguments":`...), declared)
	}
	return &fault{mcp.INVALID_PARAMS, message, append(data, '}')}
}

func appendList(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = catalog.AppendJSON(dst, s)
	}
	return append(dst, ']')
}
