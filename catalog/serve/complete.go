// This file holds completion/complete: the choices of a prompt's argument, and the
// values of a template's variable.

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

// complete suggests the values that start with what was typed, letter case aside,
// in their own order: the author's for choices. Arguments without choices have no
// suggestions.
func (s *stock) complete(m *message, r *reply) (call, *fault) {
	name, value, f := argument(m.argument)
	if f != nil {
		return nil, f
	}
	ref, f := readRef(m.ref)
	if f != nil {
		return nil, f
	}
	var values []string
	if ref.kind == refPrompt {
		mount, p, f := s.find(m.principal, ref.name, "ref.name")
		switch {
		case f != nil:
			return nil, f
		case p != nil:
			i, ok := p.Argument(name)
			if !ok {
				return nil, refusal(p, ref.name, &catalog.ArgumentError{Unknown: []string{clip(name)}})
			}
			values = p.Arguments[i].Choices
		default:
			if _, ok := mount.Repository.(catalog.Completer); ok {
				return s.completeOwn, nil
			}
		}
	} else if values, f = s.values(m, ref.uri, name); f != nil {
		return nil, f
	}
	s.offer(m, r, values, value)
	return nil, nil
}

// offer answers with those of the values that start with what was typed.
func (s *stock) offer(m *message, r *reply, values []string, typed string) {
	typed = strings.ToLower(typed)
	var matches []string
	total := 0
	for _, value := range values {
		if strings.HasPrefix(strings.ToLower(value), typed) {
			if total++; total <= mostCompletions {
				matches = append(matches, value)
			}
		}
	}
	r.start(m)
	r.head = append(r.head, `"completion":{"values":`...)
	r.head = appendList(r.head, matches)
	r.head = append(r.head, `,"total":`...)
	r.head = strconv.AppendInt(r.head, int64(total), 10)
	r.head = append(r.head, `,"hasMore":`...)
	r.head = strconv.AppendBool(r.head, total > mostCompletions)
	r.tail = "}}}"
	if m.modern {
		r.tail = `},"_meta":{` + s.identity + "}}}"
	}
}

// argument reads params.argument of a completion/complete.
func argument(of []byte) (name, value string, f *fault) {
	f = faultf(mcp.INVALID_PARAMS, "argument must be an object with the texts name and value")
	if !isObject(of) {
		return "", "", f
	}
	n, v := member(of, `"name"`), member(of, `"value"`)
	if !isString(n) || !isString(v) {
		return "", "", f
	}
	return text(n), text(v), nil
}

// member returns the value of an object's member, nil if there is none.
func member(of []byte, name string) []byte {
	for walk := object(of); ; {
		found, value, ok := walk.next()
		if !ok || string(found) == name {
			return value
		}
	}
}

// The kinds of what is completed, as they stand in a message.
const (
	refPrompt   = `"ref/prompt"`
	refResource = `"ref/resource"`
)

// A ref is params.ref of a completion/complete.
type ref struct {
	kind      string
	name, uri []byte
}

func readRef(of []byte) (ref, *fault) {
	if isObject(of) {
		switch kind := member(of, `"type"`); string(kind) {
		case refPrompt, refResource:
			return ref{string(kind), member(of, `"name"`), member(of, `"uri"`)}, nil
		}
	}
	return ref{}, faultf(mcp.INVALID_PARAMS, "ref must be an object whose type is ref/prompt or ref/resource")
}

// values returns what a variable of a template can be: the ids and paths that the
// one who asks sees. A reference's id needs the skill's in context.arguments.
func (s *stock) values(m *message, uri []byte, variable string) ([]string, *fault) {
	unknown := faultf(mcp.INVALID_PARAMS, "ref.uri must be one of resources/templates/list")
	if !isString(uri) {
		return nil, unknown
	}
	var variables []string
	for _, t := range templates() {
		if t.uri == text(uri) {
			variables = strings.Fields(t.variables)
		}
	}
	for i := range s.mux.Resources() {
		if r := &s.mux.Resources()[i]; r.IsTemplate() && r.URI == text(uri) {
			variables = r.Variables()
		}
	}
	switch {
	case variables == nil:
		return nil, unknown
	case !slices.Contains(variables, variable):
		return nil, faultf(mcp.INVALID_PARAMS, "the template has no variable %q", clip(variable))
	case !slices.ContainsFunc(templates(), func(t template) bool { return t.uri == text(uri) }):
		return nil, nil
	}
	var values []string
	for _, c := range s.mux.Catalogs() {
		switch variable {
		case "skill_id":
			for _, skill := range visibleSkills(m.principal, c) {
				values = append(values, skill.ID)
			}
		case "ref_id":
			if skill, ok := c.Skill(given(m.context, "skill_id")); ok && seesSkill(m.principal, c, skill) {
				for _, reference := range skill.References {
					values = append(values, reference.ID)
				}
			}
		case "path":
			for _, d := range c.Documents {
				if seesResource(m.principal, c, catalog.DocumentScheme+d.Path) {
					values = append(values, d.Path)
				}
			}
		}
	}
	return values, nil
}

// given returns the value of a variable that params.context of a
// completion/complete tells, empty if it does not.
func given(context []byte, variable string) string {
	if !isObject(context) {
		return ""
	}
	arguments := member(context, `"arguments"`)
	if !isObject(arguments) {
		return ""
	}
	for walk := object(arguments); ; {
		name, value, ok := walk.next()
		if !ok {
			return ""
		}
		if text(name) == variable && isString(value) {
			return text(value)
		}
	}
}
