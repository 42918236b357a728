// This file holds the JSON that is the same at compile time and at run time: the
// entries of lists, and what the catalog says of its skills.

package catalog

import (
	"cmp"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends s as a JSON string (RFC 8259, section 7), quotes included.
// Only what must be escaped is: quotes, backslashes and control characters.
// Bytes that are not valid UTF-8 become U+FFFD, as encoding/json has it; callers
// that must not change a value validate it first.
func AppendJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped appends what stands between the quotes of a JSON string.
func AppendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, size := utf8.DecodeRuneInString(s[i:]); r != utf8.RuneError || size != 1 {
				i += size
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = append(dst, "\ufffd"...)
			i++
			start = i
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// AppendMeta appends the _meta object of a prompt: promptc/version, promptc/tags,
// promptc/category, promptc/source, which is BuiltIn where the prompt has no other,
// and promptc/digest. Those that are empty are left out.
func (p *Prompt) AppendMeta(dst []byte) []byte {
	dst = append(dst, '{')
	if p.Version != "" {
		dst = append(dst, `"promptc/version":`...)
		dst = append(AppendJSON(dst, p.Version), ',')
	}
	if len(p.Tags) > 0 {
		dst = append(dst, `"promptc/tags":`...)
		dst = append(appendList(dst, p.Tags), ',')
	}
	if p.Category != "" {
		dst = append(dst, `"promptc/category":`...)
		dst = append(AppendJSON(dst, p.Category), ',')
	}
	dst = append(dst, `"promptc/source":`...)
	dst = AppendJSON(dst, cmp.Or(p.Source, BuiltIn))
	dst = append(dst, `,"promptc/digest":"`...)
	dst = append(dst, p.Document.Digest...)
	return append(dst, `"}`...)
}

// AppendResult appends what prompts/get answers (MCP 2026-07-28,
// "GetPromptResult") with the messages that the prompt was rendered to: one JSON
// object.
func (p *Prompt) AppendResult(dst []byte, messages []Message) []byte {
	dst = append(dst, `{"description":`...)
	dst = AppendJSON(dst, p.Description)
	dst = append(dst, `,"messages":[`...)
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.AppendJSON(dst)
	}
	dst = append(dst, `],"_meta":`...)
	dst = p.AppendMeta(dst)
	return append(dst, '}')
}

// BuiltIn is the source of what comes from the catalog's own tree. No Source has
// that name.
const BuiltIn = "built-in"

// PromptEntry returns a prompt's entry in prompts/list (MCP 2026-07-28, "Prompt")
// under the public name prefix + p.ID.
func PromptEntry(p *Prompt, prefix string) string {
	dst := append(make([]byte, 0, 512), `{"name":`...)
	dst = AppendJSON(dst, prefix+p.ID)
	dst = appendOptional(dst, "title", p.Title)
	dst = append(dst, `,"description":`...)
	dst = AppendJSON(dst, p.Description)
	dst = appendArguments(dst, p.Arguments)
	dst = append(dst, `,"_meta":`...)
	dst = p.AppendMeta(dst)
	return string(append(dst, '}'))
}

func appendArguments(dst []byte, arguments []Argument) []byte {
	if len(arguments) == 0 {
		return dst
	}
	dst = append(dst, `,"arguments":[`...)
	for i := range arguments {
		if i > 0 {
			dst = append(dst, ',')
		}
		a := &arguments[i]
		dst = append(dst, `{"name":`...)
		dst = AppendJSON(dst, a.Name)
		dst = appendOptional(dst, "description", a.Description)
		if a.Required {
			dst = append(dst, `,"required":true`...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// ResourceEntry returns a resource's entry in resources/list (MCP 2026-07-28,
// "Resource"). All resources of a catalog are read-only and idempotent, and their
// annotations say so.
func ResourceEntry(r *Resource) string {
	d := r.Document
	dst := append(make([]byte, 0, 512), `{"uri":`...)
	dst = AppendJSON(dst, r.URI)
	dst = append(dst, `,"name":`...)
	dst = AppendJSON(dst, r.Name)
	dst = append(dst, `,"title":`...)
	dst = AppendJSON(dst, r.Title)
	dst = append(dst, `,"description":`...)
	dst = AppendJSON(dst, r.Description)
	dst = append(dst, `,"mimeType":`...)
	dst = AppendJSON(dst, d.MIMEType)
	dst = append(dst, `,"size":`...)
	dst = strconv.AppendInt(dst, int64(d.Size), 10)
	return string(append(dst, `,"annotations":{"readOnlyHint":true,"idempotentHint":true}}`...))
}

// SkillsIndexURI is where SkillsIndex is read.
const SkillsIndexURI = "resource://catalog/skills_index"

// SkillsIndex returns the JSON text that lists the skills.
func SkillsIndex(skills []*Skill) string {
	dst := []byte(`{"skills":[`)
	for i, s := range skills {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, "\n  {"...)
		dst = s.appendIndexed(dst)
		dst = append(dst, '}')
	}
	if len(skills) > 0 {
		dst = append(dst, '\n')
	}
	return string(append(dst, "]}\n"...))
}

// Record returns the JSON text of everything the catalog knows of the skill: its
// entry in the index, what it depends on, its references, its source unless it is
// built in, and its digest.
func (s *Skill) Record() string {
	dst := []byte{'{'}
	dst = s.appendIndexed(dst)
	dst = append(dst, `,"depends_on":`...)
	dst = appendList(dst, s.DependsOn)
	dst = append(dst, `,"references":[`...)
	for i, r := range s.References {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"id":`...)
		dst = AppendJSON(dst, r.ID)
		dst = append(dst, `,"title":`...)
		dst = AppendJSON(dst, r.Title)
		dst = append(dst, `,"uri":`...)
		dst = AppendJSON(dst, s.ReferenceURI(r.ID))
		dst = append(dst, `,"mimeType":`...)
		dst = AppendJSON(dst, r.Document.MIMEType)
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	dst = appendOptional(dst, "source", s.Source)
	dst = append(dst, `,"digest":"`...)
	dst = append(dst, s.Digest...)
	return string(append(dst, "\"}\n"...))
}

func (s *Skill) appendIndexed(dst []byte) []byte {
	dst = append(dst, `"id":`...)
	dst = AppendJSON(dst, s.ID)
	dst = append(dst, `,"name":`...)
	dst = AppendJSON(dst, s.ID)
	dst = append(dst, `,"description":`...)
	dst = AppendJSON(dst, s.Description)
	dst = appendOptional(dst, "version", s.Version)
	dst = append(dst, `,"tags":`...)
	dst = appendList(dst, s.Tags)
	dst = append(dst, `,"capabilities":`...)
	dst = appendList(dst, s.Capabilities)
	dst = append(dst, `,"uri":`...)
	return AppendJSON(dst, s.URI())
}

func appendList(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendJSON(dst, s)
	}
	return append(dst, ']')
}
