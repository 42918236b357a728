// This file compares the prompts.

package breaking

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

func (c *comparison) comparePrompts() {
	old, new := c.old.Program, c.new.Program
	var gone, added []candidate
	for i, p := range old.Catalog.Prompts {
		j, ok := c.new.prompts[p.ID]
		if !ok {
			gone = append(gone, candidate{p.ID, c.old.promptPage(p).body()})
			continue
		}
		n := new.Catalog.Prompts[j]
		a := &Advice{Kind: "prompt", ID: p.ID, Old: p.Version, New: n.Version}
		c.report.Advice = append(c.report.Advice, a)
		if p.Document.Digest == n.Document.Digest {
			a.decide()
			continue
		}
		pair := &promptPair{
			comparison: c, advice: a,
			old: promptView{p, &old.Prompts[i], c.old.promptPage(p)},
			new: promptView{n, &new.Prompts[j], c.new.promptPage(n)},
		}
		pair.compare()
	}
	for _, p := range new.Catalog.Prompts {
		if _, ok := c.old.prompts[p.ID]; !ok {
			c.catalog.note(Minor, "a new prompt")
			added = append(added, candidate{p.ID, c.new.promptPage(p).body()})
		}
	}
	c.gone("prompt", gone, added, func(id string) string { return "prompts/" + id + "/PROMPT.md" },
		func(id string) string { return old.Prompts[c.old.prompts[id]].Prompt })
}

// A promptView is a prompt on one side, with its Go names and places.
type promptView struct {
	*catalog.Prompt
	names *check.PromptNames
	page
}

// argument returns where the argument at a position is declared, and its mapping.
func (p *promptView) argument(i int) (diag.Span, *parse.Value) {
	declaration := p.block.Get("arguments").Items[i]
	return declaration.Get("name").Span, declaration
}

// field returns where the argument at a position has a key, else its name.
func (p *promptView) field(i int, key string) diag.Span {
	name, declaration := p.argument(i)
	return keyOf(declaration, key, name)
}

// choice returns where the argument at a position has its choice at another.
func (p *promptView) choice(i, j int) diag.Span {
	_, declaration := p.argument(i)
	return declaration.Get("choices").Items[j].Span
}

// A promptPair is a prompt that both sides have.
type promptPair struct {
	*comparison
	advice   *Advice
	old, new promptView
}

func (p *promptPair) breaks(place diag.Span, rule, message, keep string, was ...diag.Related) {
	p.comparison.breaks(p.advice, place, rule, message, keep, was...)
}

func (p *promptPair) compare() {
	a := p.advice
	if p.old.unversioned() != p.new.unversioned() {
		a.note(Patch, "text")
	}
	if a.tags(p.old.Tags, p.new.Tags); p.old.Category != p.new.Category {
		a.note(Minor, "category")
	}
	p.arguments()
	p.messages()
	a.decide()
	p.version(a, p.old.page, p.new.page)
}

// here is the old place of a change.
func here(span diag.Span, message string) diag.Related {
	return diag.Related{Span: span, Message: message}
}

// arguments compares the arguments of the two prompts.
func (p *promptPair) arguments() {
	to := p.matches()
	isNew := make([]bool, len(p.new.Arguments))
	for j := range isNew {
		isNew[j] = !slices.Contains(to, j)
	}
	for i := range p.old.Arguments {
		a := &p.old.Arguments[i]
		was, _ := p.old.argument(i)
		inGo := p.old.names.Args + "." + p.old.names.Fields[i]
		if to[i] < 0 {
			p.breaks(p.new.key("arguments"), "argument-removed",
				fmt.Sprintf("the argument %q of the prompt %q is gone; calls with it are refused (in Go %s)", a.Name, p.old.ID, inGo),
				"keep the argument", here(was, "it was here"))
			continue
		}
		if n := &p.new.Arguments[to[i]]; n.Name != a.Name {
			place, _ := p.new.argument(to[i])
			p.breaks(place, "argument-renamed",
				fmt.Sprintf("the argument %q of the prompt %q seems to be %q now; calls with the old name are refused (in Go %s)", a.Name, p.old.ID, n.Name, inGo),
				"keep the name "+a.Name, here(was, "it was here"))
		}
		p.argument(i, to[i])
	}
	for j := range p.new.Arguments {
		if !isNew[j] {
			continue
		}
		a := &p.new.Arguments[j]
		if p.advice.note(Minor, "an added argument"); a.Required {
			place, _ := p.new.argument(j)
			p.breaks(place, "argument-required",
				fmt.Sprintf("the new argument %q of the prompt %q is required; calls without it are refused", a.Name, p.new.ID),
				"make it optional", here(p.old.key("arguments"), "it was not among the arguments here"))
		}
	}
	p.order(to, isNew)
}

// matches returns for each old argument the position of the new one that it is, or
// -1. Those that have another name are told by their description, by a name that
// differs in case, hyphens and underscores alone, or by being the only ones, at one
// position, without a partner.
func (p *promptPair) matches() []int {
	to := make([]int, len(p.old.Arguments))
	var gone, added []int
	for i := range p.old.Arguments {
		j, ok := p.new.Argument(p.old.Arguments[i].Name)
		if !ok {
			gone = append(gone, i)
			j = -1
		}
		to[i] = j
	}
	for j := range p.new.Arguments {
		if _, ok := p.old.Argument(p.new.Arguments[j].Name); !ok {
			added = append(added, j)
		}
	}
	plain := func(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
	for _, same := range []func(a, b *catalog.Argument) bool{
		func(a, b *catalog.Argument) bool { return plain(a.Name) == plain(b.Name) },
		func(a, b *catalog.Argument) bool { return a.Description == b.Description },
	} {
		for _, i := range gone {
			at := slices.IndexFunc(added, func(j int) bool { return same(&p.old.Arguments[i], &p.new.Arguments[j]) })
			if to[i] < 0 && at >= 0 {
				to[i] = added[at]
				added = slices.Delete(added, at, at+1)
			}
		}
	}
	gone = slices.DeleteFunc(gone, func(i int) bool { return to[i] >= 0 })
	if len(gone) == 1 && len(added) == 1 && gone[0] == added[0] {
		to[gone[0]] = added[0]
	}
	return to
}

// argument compares the argument at an old and a new position.
func (p *promptPair) argument(i, j int) {
	old, new := &p.old.Arguments[i], &p.new.Arguments[j]
	of := fmt.Sprintf("the argument %q of the prompt %q", new.Name, p.new.ID)
	switch {
	case new.Required && !old.Required:
		p.breaks(p.new.field(j, "required"), "argument-required", of+" was optional and is required; calls without it are refused",
			"keep it optional", here(p.old.field(i, "required"), "it was optional here"))
	case old.Required && !new.Required:
		p.advice.note(Minor, "an argument that became optional")
	}
	if old.Default != new.Default {
		p.advice.note(Minor, "an argument's default")
	}
	was, now := p.old.names.Choices[i], p.new.names.Choices[j]
	switch {
	case len(old.Choices) == 0 && len(new.Choices) > 0:
		p.breaks(p.new.field(j, "choices"), "choices-added",
			fmt.Sprintf("%s took any text and takes only choices (in Go its type was string and is %s)", of, now.Type),
			"keep it without choices", here(p.old.field(i, "name"), "it had none here"))
	case len(old.Choices) > 0 && len(new.Choices) == 0:
		p.breaks(p.new.field(j, "name"), "choices-removed",
			fmt.Sprintf("%s has no choices any more; calls stay valid, but in Go the type %s and its constants are gone", of, was.Type),
			"keep the choices", here(p.old.field(i, "choices"), "it had choices here"))
	default:
		p.choices(i, j, of)
	}
}

// choices compares the choices of an argument that has some on both sides.
func (p *promptPair) choices(i, j int, of string) {
	old, new := p.old.Arguments[i].Choices, p.new.Arguments[j].Choices
	added := slices.DeleteFunc(slices.Clone(new), func(s string) bool { return slices.Contains(old, s) })
	if len(added) > 0 {
		p.advice.note(Minor, "an added choice")
	}
	for k, choice := range old {
		if !slices.Contains(new, choice) {
			p.breaks(p.new.field(j, "choices"), "choice-removed",
				fmt.Sprintf("%s no longer allows %q (in Go %s)%s", of, choice, p.old.names.Choices[i].Constants[k], suggested(choice, added)),
				"keep the choice", here(p.old.choice(i, k), "it was here"))
		}
	}
}

// order finds arguments that stand at a higher position than before though nothing
// but their order changed, or because of a new one before them. What moved up since
// another one is gone is told with that one.
func (p *promptPair) order(to []int, isNew []bool) {
	last := -1 // the old argument of the highest new position so far
	for i, j := range to {
		if j < 0 {
			continue
		}
		if last >= 0 && j < to[last] {
			place, _ := p.new.argument(j)
			was, _ := p.old.argument(i)
			p.breaks(place, "argument-order",
				fmt.Sprintf("the argument %q of the prompt %q stands before %q and stood after it; some clients fill in by position", p.new.Arguments[j].Name, p.new.ID, p.new.Arguments[to[last]].Name),
				"keep the order", here(was, "it stood here"))
			return
		}
		last = i
	}
	for n := range isNew {
		if !isNew[n] {
			continue
		}
		for i, j := range to {
			if j > n && j > i {
				place, _ := p.new.argument(n)
				was, _ := p.old.argument(i)
				p.breaks(place, "argument-order",
					fmt.Sprintf("the new argument %q of the prompt %q stands before %q; some clients fill in by position", p.new.Arguments[n].Name, p.new.ID, p.new.Arguments[j].Name),
					"put it after all others", here(was, fmt.Sprintf("%q was number %d here", p.old.Arguments[i].Name, i+1)))
				return
			}
		}
	}
}

// messages compares how many messages there are, and whose.
func (p *promptPair) messages() {
	old, new := p.old.file.Messages, p.new.file.Messages
	if len(old) != len(new) {
		both := min(len(old), len(new))
		place, was := new[min(both, len(new)-1)].Span, old[min(both, len(old)-1)].Span
		p.breaks(place, "message-count", fmt.Sprintf("the prompt %q has %s and had %d", p.new.ID, counted(len(new)), len(old)),
			"keep the messages", here(was, "the old messages are here"))
		return
	}
	for i := range new {
		if old[i].Role != new[i].Role {
			p.breaks(new[i].Span, "role-changed", fmt.Sprintf("message %d of the prompt %q has the role %s and had %s", i+1, p.new.ID, new[i].Role, old[i].Role),
				"keep the role", here(old[i].Span, "it was here"))
		}
	}
}

func counted(messages int) string {
	if messages == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", messages)
}
