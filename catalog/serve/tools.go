// This file holds the tools, which give clients that know only tools the same
// content.

package serve

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// A tool is one of the tools. All of them only read.
type tool struct {
	name, title, description string
	parameters               []parameter
}

// A parameter is an argument of a tool: a text, or an object that holds texts.
type parameter struct {
	name, description string
	required, object  bool
}

func tools() []tool {
	cursor := parameter{name: "cursor", description: "The nextCursor of the page before; left out for the first page."}
	return []tool{
		{"list_prompts", "List prompts", "Lists the prompts as JSON, a page at a time: name, title, description and arguments of each. Where there is a nextCursor, more follow.",
			[]parameter{cursor}},
		{"get_prompt", "Get a prompt", "Returns the text of a prompt, with its arguments filled in.",
			[]parameter{{name: "name", description: "The prompt's name, as list_prompts tells it.", required: true},
				{name: "arguments", description: "The values of the prompt's arguments by name, all of them texts.", object: true}}},
		{"list_skills", "List skills", "Lists the skills as JSON: id, name, description, version, tags, capabilities and URI of each.", nil},
		{"read_skill", "Read a skill", "Returns the SKILL.md of a skill, or one of the references that belong to it.",
			[]parameter{{name: "skill_id", description: "The skill's id, as list_skills tells it.", required: true},
				{name: "ref_id", description: "The id of a reference of the skill; left out for the SKILL.md."}}},
		{"read_document", "Read a document", "Returns the document at a URI, such as one that a skill names. What a skill at skill://ID/SKILL.md links to as references/x.md is at skill://ID/references/x.md.",
			[]parameter{{name: "uri", description: "The document's URI.", required: true}}},
	}
}

func toolEntries() []string {
	var entries []string
	for _, t := range tools() {
		b := catalog.AppendJSON([]byte(`{"name":`), t.name)
		b = catalog.AppendJSON(append(b, `,"title":`...), t.title)
		b = catalog.AppendJSON(append(b, `,"description":`...), t.description)
		b = append(b, `,"inputSchema":{"type":"object","properties":{`...)
		var required []string
		for i, p := range t.parameters {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(catalog.AppendJSON(b, p.name), `:{"type":`...)
			if p.object {
				b = append(b, `"object","additionalProperties":{"type":"string"}`...)
			} else {
				b = append(b, `"string"`...)
			}
			b = append(catalog.AppendJSON(append(b, `,"description":`...), p.description), '}')
			if p.required {
				required = append(required, p.name)
			}
		}
		b = append(b, '}')
		if required != nil {
			b = appendList(append(b, `,"required":`...), required)
		}
		b = append(b, `,"additionalProperties":false},"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`...)
		entries = append(entries, string(b))
	}
	return entries
}

func (s *stock) answerTools(ctx context.Context, m *message, r *reply) (call, *fault) {
	if m.method == "tools/list" {
		return nil, s.list(&s.tools, &s.program, m, r)
	}
	if !isString(m.name) {
		return nil, faultf(mcp.INVALID_PARAMS, "name must be the name of a tool")
	}
	if !slices.ContainsFunc(tools(), func(t tool) bool { return t.name == text(m.name) }) {
		return nil, faultf(mcp.INVALID_PARAMS, "no tool has the name %q: see tools/list", clip(text(m.name)))
	}
	if m.arguments != nil && !isObject(m.arguments) {
		return nil, faultf(mcp.INVALID_PARAMS, "arguments must be an object")
	}
	// What a program's own code may answer is not told from the rest before.
	if len(s.repositories)+len(s.mux.Resources()) > 0 {
		return s.callTool, nil
	}
	return nil, s.callTool(ctx, m, r)
}

// callTool answers a tools/call of a tool that is there. What is wrong with its
// arguments is told in the result, where the model sees it (specification
// 2026-07-28, "Tools", section "Error Handling").
func (s *stock) callTool(ctx context.Context, m *message, r *reply) *fault {
	name := text(m.name)
	i := slices.IndexFunc(tools(), func(t tool) bool { return t.name == name })
	given, problem := tools()[i].read(m.arguments)
	var content []byte
	if problem == "" {
		var f *fault
		if content, f = s.use(ctx, name, given, m); f != nil {
			problem = f.message
		}
	}
	r.start(m)
	r.head = append(r.head, `"content":[`...)
	if problem != "" {
		r.head = append(appendText(r.head, problem), `],"isError":true`...)
	} else {
		r.head = append(append(r.head, content...), ']')
	}
	r.tail = s.plain.of(m)
	return nil
}

// read takes the arguments of a tool apart: values as they stand in the message, by
// name, nil if absent or null. Otherwise it tells the model what is wrong.
func (t *tool) read(arguments []byte) (given map[string][]byte, problem string) {
	given = map[string][]byte{}
	if arguments == nil {
		arguments = []byte("{}")
	}
	for walk := object(arguments); ; {
		member, value, ok := walk.next()
		if !ok {
			break
		}
		name := text(member)
		i := slices.IndexFunc(t.parameters, func(p parameter) bool { return p.name == name })
		switch {
		case i < 0:
			return nil, t.name + " has no argument " + strings.ToValidUTF8(clip(name), "") + "; see its input schema"
		case given[name] != nil:
			return nil, "the argument " + name + " is given twice"
		case isNull(value):
		case t.parameters[i].object && !isObject(value):
			return nil, "the argument " + name + " must be an object"
		case !t.parameters[i].object && !isString(value):
			return nil, "the argument " + name + " must be a text"
		default:
			given[t.parameters[i].name] = value
		}
	}
	for _, p := range t.parameters {
		if p.required && given[p.name] == nil {
			return nil, "the argument " + p.name + " is missing"
		}
	}
	return given, ""
}

// use returns the blocks of content of a tool's result.
func (s *stock) use(ctx context.Context, name string, given map[string][]byte, m *message) ([]byte, *fault) {
	inner := message{modern: m.modern, principal: m.principal, meta: m.meta, client: m.client}
	switch name {
	case "list_prompts":
		inner.cursor = given["cursor"]
		members, _, f := s.pageOfPrompts(ctx, &inner)
		return appendText(nil, "{"+string(members)+"}"), f
	case "get_prompt":
		inner.name, inner.arguments = given["name"], given["arguments"]
		result, f := s.get(ctx, &inner)
		return appendMessages(nil, result.Messages), f
	case "list_skills":
		index, ok := s.document(m.principal, catalog.SkillsIndexURI)
		if !ok {
			return appendText(nil, catalog.SkillsIndex(nil)), nil
		}
		return appendDocument(nil, catalog.SkillsIndexURI, index), nil
	case "read_skill":
		return s.useSkill(m, text(given["skill_id"]), given["ref_id"])
	}
	uri := text(given["uri"])
	if d, ok := s.document(m.principal, uri); ok {
		return appendDocument(nil, uri, d), nil
	}
	contents, f := s.contents(ctx, &inner, strings.Clone(uri))
	if contents.Blob == nil {
		return appendText(nil, contents.Text), f
	}
	return (&catalog.Message{Content: contents}).AppendContent(nil), f
}

// useSkill returns the text of a skill, or of one of its references.
func (s *stock) useSkill(m *message, id string, reference []byte) ([]byte, *fault) {
	for _, c := range s.mux.Catalogs() {
		skill, ok := c.Skill(id)
		if !ok || !seesSkill(m.principal, c, skill) {
			continue
		}
		if reference == nil {
			return appendText(nil, skill.Document.String()), nil
		}
		r, ok := skill.Reference(text(reference))
		if !ok {
			return nil, faultf(mcp.INVALID_PARAMS, "the skill %q has no reference %q", clip(id), clip(text(reference)))
		}
		return appendText(nil, r.Document.String()), nil
	}
	return nil, faultf(mcp.INVALID_PARAMS, "no skill has the id %q: see list_skills", clip(id))
}

func appendText(dst []byte, text string) []byte {
	return (&catalog.Message{Text: text}).AppendContent(dst)
}

// appendMessages appends the contents of messages. Where there are several, each
// comes after a block that tells its role, which content has no place for.
func appendMessages(dst []byte, messages []catalog.Message) []byte {
	for i := range messages {
		if len(messages) > 1 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, string(messages[i].Role)+":"), ',')
		}
		dst = messages[i].AppendContent(dst)
	}
	return dst
}

// appendDocument appends a document as a text, or as a resource if it is none.
func appendDocument(dst []byte, uri string, d *catalog.Document) []byte {
	if d.IsText() {
		return appendText(dst, d.String())
	}
	blob := catalog.Embedded{URI: uri, MIMEType: d.MIMEType, Blob: []byte(d.String())}
	return (&catalog.Message{Content: blob}).AppendContent(dst)
}
