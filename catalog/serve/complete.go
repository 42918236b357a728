// This file holds completion/complete: the choices of a prompt's argument.

package serve

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// mostCompletions is how many values one answer may hold (specification
// 2026-07-28, "Completion").
const mostCompletions = 100

// complete suggests the choices that start with what was typed, letter case
// aside, in the author's order. Arguments without choices, and the variables of
// templates, have no suggestions.
func (s *Server) complete(m *message, r *reply) *fault {
	name, value, f := argument(m.argument)
	if f != nil {
		return f
	}
	choices, f := s.choices(m, name)
	if f != nil {
		return f
	}
	typed := strings.ToLower(value)
	matches := slices.DeleteFunc(slices.Clone(choices), func(choice string) bool {
		return !strings.HasPrefix(strings.ToLower(choice), typed)
	})
	total := len(matches)
	r.start(m)
	r.head = append(r.head, `"completion":{"values":`...)
	r.head = appendList(r.head, matches[:min(total, mostCompletions)])
	r.head = append(r.head, `,"total":`...)
	r.head = strconv.AppendInt(r.head, int64(total), 10)
	r.head = append(r.head, `,"hasMore":`...)
	r.head = strconv.AppendBool(r.head, total > mostCompletions)
	r.tail = "}}}"
	if m.modern {
		r.tail = `},"_meta":{` + s.identity + "}}}"
	}
	return nil
}

// argument reads params.argument of a completion/complete.
func argument(of []byte) (name, value string, f *fault) {
	f = faultf(mcp.INVALID_PARAMS, "argument must be an object with the texts name and value")
	if !isObject(of) {
		return "", "", f
	}
	var n, v []byte
	for walk := object(of); ; {
		member, text, ok := walk.next()
		if !ok {
			break
		}
		switch string(member) {
		case `"name"`:
			n = text
		case `"value"`:
			v = text
		}
	}
	if !isString(n) || !isString(v) {
		return "", "", f
	}
	return text(n), text(v), nil
}

// choices finds what params.ref and the argument's name mean.
func (s *Server) choices(m *message, name string) ([]string, *fault) {
	var kind, prompt, uri []byte
	if isObject(m.ref) {
		for walk := object(m.ref); ; {
			member, value, ok := walk.next()
			if !ok {
				break
			}
			switch string(member) {
			case `"type"`:
				kind = value
			case `"name"`:
				prompt = value
			case `"uri"`:
				uri = value
			}
		}
	}
	switch string(kind) {
	case `"ref/prompt"`:
		p, f := s.prompt(prompt, "ref.name")
		if f != nil {
			return nil, f
		}
		i, ok := p.Argument(name)
		if !ok {
			return nil, refusal(p, prompt, &catalog.ArgumentError{Unknown: []string{clip(name)}})
		}
		return p.Arguments[i].Choices, nil
	case `"ref/resource"`:
		if !isString(uri) {
			return nil, faultf(mcp.INVALID_PARAMS, "ref.uri must be one of resources/templates/list")
		}
		for _, t := range templates() {
			if t.uri == text(uri) {
				if !slices.Contains(strings.Fields(t.variables), name) {
					return nil, faultf(mcp.INVALID_PARAMS, "the template has no variable %q", clip(name))
				}
				return nil, nil
			}
		}
		return nil, faultf(mcp.INVALID_PARAMS, "ref.uri must be one of resources/templates/list")
	}
	return nil, faultf(mcp.INVALID_PARAMS, "ref must be an object whose type is ref/prompt or ref/resource")
}
