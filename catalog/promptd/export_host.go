// This file holds where hosts look for skills and prompts, and what they make of the
// text of a prompt.

package promptd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// A layout is where a host reads skills and prompts, below a project's directory or a
// person's home.
type layout struct {
	name string
	// skills is the directory of skills.
	skills string
	// commands is the directory of prompts, and suffix what their file names end
	// with; it is empty where the host has none.
	commands, suffix string
	// place returns what the host replaces by the value of a required argument, or
	// nothing where it cannot.
	place func(p *catalog.Prompt, a *catalog.Argument) string
	// given is what the host replaces by all that was written after the command.
	given string
	// takes returns what in a text the host would replace, or nothing.
	takes func(text string) string
}

// layouts returns the layouts, by name.
func layouts() []layout {
	return []layout{
		{name: "agents", skills: ".agents/skills"},
		{name: "claude", skills: ".claude/skills", commands: ".claude/commands", suffix: ".md",
			place: claudePlace, given: "$ARGUMENTS", takes: claudeTakes},
		{name: "codex", skills: ".agents/skills", commands: ".codex/prompts", suffix: ".md",
			place: codexPlace, takes: codexTakes},
		{name: "copilot", skills: ".github/skills", commands: ".github/prompts", suffix: ".prompt.md",
			place: copilotPlace, takes: copilotTakes},
	}
}

// units returns what a catalog comes to in the layout, by path, and a warning for each
// prompt that the host would not read as it is written.
func (l *layout) units(c *catalog.Catalog) (units []unit, warnings []string) {
	for _, s := range c.Skills {
		u := unit{Path: l.skills + "/" + s.ID, Files: map[string]string{}}
		for _, d := range s.Files {
			u.Files[strings.TrimPrefix(d.Path, "skills/"+s.ID+"/")] = d.String()
		}
		units = append(units, u)
	}
	if l.commands == "" {
		return units, nil
	}
	for _, p := range c.Prompts {
		text, taken := l.command(p)
		path := l.commands + "/" + p.ID + l.suffix
		if taken != "" {
			warnings = append(warnings, fmt.Sprintf("%s is left out: its text has %q, which the host would replace", path, taken))
			continue
		}
		units = append(units, unit{Path: path, Files: map[string]string{"": text}})
	}
	slices.SortFunc(units, func(a, b unit) int { return strings.Compare(a.Path, b.Path) })
	return units, warnings
}

// placed stands in a text for what the host replaces, while the rest is looked through.
const placed = "\x00"

// command returns a prompt as a file of the host's. Where the prompt's own text has
// what the host would replace, it returns that instead.
func (l *layout) command(p *catalog.Prompt) (text, taken string) {
	places, asked := l.places(p)
	var messages []catalog.Message
	for _, m := range p.Messages {
		var b strings.Builder
		for _, s := range m.Segments {
			switch {
			case s.Argument == 0:
				b.WriteString(s.Text)
			case places[s.Argument-1] != "":
				fmt.Fprintf(&b, "%s%d%s", placed, s.Argument, placed)
			default:
				b.WriteString("{{" + p.Arguments[s.Argument-1].Name + "}}")
			}
		}
		messages = append(messages, catalog.Message{Role: m.Role, Text: b.String()})
	}
	body := string(catalog.AppendTranscript(nil, messages))
	if len(asked) > 0 {
		body += "\n---\n\nIn the text above, each of these stands for a value:\n\n"
		for _, a := range asked {
			body += "- {{" + a.Name + "}}: " + about(a) + "\n"
		}
		if l.given != "" {
			body += "\nTake the values from this, and ask for a required one that is missing: "
		} else {
			body += "\nTake the values from what I said, and ask for a required one that is missing.\n"
		}
	}
	if taken = l.takes(body); taken != "" {
		return "", taken
	}
	for i, place := range places {
		body = strings.ReplaceAll(body, fmt.Sprintf("%s%d%s", placed, i+1, placed), place)
	}
	if len(asked) > 0 && l.given != "" {
		body += l.given + "\n"
	}
	return l.front(p) + body, ""
}

// places returns what the host replaces for each argument, or nothing for those that
// the text must ask for: optional ones, for which no host has a default, and those that
// the host could not tell from the text after them.
func (l *layout) places(p *catalog.Prompt) (places []string, asked []*catalog.Argument) {
	places = make([]string, len(p.Arguments))
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if place := l.place(p, a); a.Required && !slices.Contains(places, place) && !runsOn(p, i+1) {
			places[i] = place
		}
		if places[i] == "" {
			asked = append(asked, a)
		}
	}
	return places, asked
}

// runsOn tells whether right after a place of an argument a text goes on with what
// could be more of a name.
func runsOn(p *catalog.Prompt, argument int) bool {
	for _, m := range p.Messages {
		for i, s := range m.Segments {
			if s.Argument != argument || i+1 == len(m.Segments) || m.Segments[i+1].Text == "" {
				continue
			}
			if c := m.Segments[i+1].Text[0]; c == '_' || c == '[' || isDigit(c) || isUpper(c) || c >= 'a' && c <= 'z' {
				return true
			}
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// about says in a line what the value of an argument is to be.
func about(a *catalog.Argument) string {
	s := strings.Join(strings.Fields(a.Description), " ")
	if len(a.Choices) > 0 {
		s += " One of: " + strings.Join(a.Choices, ", ") + "."
	}
	switch {
	case a.Required:
		s += " Required."
	case a.Default != "":
		s += " If it is not given: " + a.Default
	default:
		s += " If it is not given: " + catalog.NotProvided
	}
	return s
}

// front returns the frontmatter of a prompt's file. A JSON string is one of YAML.
func (l *layout) front(p *catalog.Prompt) string {
	var hints []string
	for _, a := range p.Arguments {
		if a.Required {
			hints = append(hints, "<"+a.Name+">")
		} else {
			hints = append(hints, "["+a.Name+"]")
		}
	}
	dst := append([]byte("---\ndescription: "), catalog.AppendJSON(nil, strings.Join(strings.Fields(p.Description), " "))...)
	if len(hints) > 0 {
		dst = append(dst, "\nargument-hint: "...)
		dst = catalog.AppendJSON(dst, strings.Join(hints, " "))
	}
	return string(append(dst, "\n---\n"...))
}

// claudePlace fills in an argument that is the only one. Of several, $1 would be the
// first word of what was written and not the first value.
func claudePlace(p *catalog.Prompt, _ *catalog.Argument) string {
	if len(p.Arguments) == 1 {
		return "$ARGUMENTS"
	}
	return ""
}

// claudeTakes finds what Claude Code replaces: arguments, variables of its own, and
// commands that it runs.
func claudeTakes(text string) string {
	return takes(text, []string{"$ARGUMENTS", "${CLAUDE_", "!`", "```!", "$" + placed}, func(c byte) bool { return isDigit(c) })
}

// codexPlace names an argument in capitals, as in NAME=value.
func codexPlace(_ *catalog.Prompt, a *catalog.Argument) string {
	return "$" + strings.ToUpper(a.Name)
}

// codexTakes finds what Codex replaces: names in capitals and numbers.
func codexTakes(text string) string {
	return takes(text, []string{"$$", "$" + placed}, func(c byte) bool { return isDigit(c) || isUpper(c) })
}

// copilotPlace has VS Code ask for an argument, with its description as a hint.
func copilotPlace(_ *catalog.Prompt, a *catalog.Argument) string {
	hint := strings.Join(strings.Fields(a.Description), " ")
	if len(a.Choices) > 0 {
		hint += " (" + strings.Join(a.Choices, ", ") + ")"
	}
	hint = strings.NewReplacer("{", "(", "}", ")", "$", "", ":", ",").Replace(hint)
	return "${input:" + a.Name + ":" + hint + "}"
}

// copilotTakes finds what VS Code replaces.
func copilotTakes(text string) string {
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "${")
		if !ok {
			return takes(text, []string{"$" + placed}, func(byte) bool { return false })
		}
		if after != "" && (isUpper(after[0]) || after[0] >= 'a' && after[0] <= 'z') {
			return "${" + after[:1]
		}
		rest = after
	}
}

// takes returns the first of some texts that is in a text, or a dollar sign before a
// byte of a kind.
func takes(text string, taken []string, afterDollar func(c byte) bool) string {
	for _, s := range taken {
		if strings.Contains(text, s) {
			return strings.TrimSuffix(s, placed)
		}
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '$' && afterDollar(text[i+1]) {
			return text[i : i+2]
		}
	}
	return ""
}
