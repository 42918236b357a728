// This file holds the command show.

package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
)

func showCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show what there is to know of a prompt or skill",
		Args:              oneID,
		ValidArgsFunction: completeIDs(promptIDs, skillIDs),
	}
	content := addContentFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		program, whole, err := compileSound(cmd, *content)
		if err != nil {
			return err
		}
		id := args[0]
		var b bytes.Buffer
		for i, p := range program.Catalog.Prompts {
			if p.ID == id {
				showPrompt(&b, program, p, &program.Prompts[i])
			}
		}
		for i, s := range program.Catalog.Skills {
			if s.ID == id {
				if b.Len() > 0 {
					b.WriteByte('\n')
				}
				showSkill(&b, program, s, &program.Skills[i])
			}
		}
		if b.Len() == 0 && !whole {
			return errFaults
		}
		if b.Len() == 0 {
			return unknownID("prompt or skill", id, append(ids(program.Catalog, promptIDs), ids(program.Catalog, skillIDs)...))
		}
		_, err = b.WriteTo(cmd.OutOrStdout())
		return err
	}
	return cmd
}

// unknownID returns the error for an id that nothing of a kind has.
func unknownID(kind, id string, known []string) error {
	return fmt.Errorf("there is no %s %q%s", kind, id, didYouMean(id, known, "; promptc list shows what there is"))
}

// A sheet prints names and values in two columns.
type sheet struct{ *tabwriter.Writer }

func newSheet(w io.Writer) sheet { return sheet{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// row prints a name and its value, on one line; an empty value has no row.
func (s sheet) row(name, value string) {
	if value != "" {
		fmt.Fprintf(s, "%s:\t%s\n", name, folded(value))
	}
}

func showPrompt(out io.Writer, program *check.Program, p *catalog.Prompt, names *check.PromptNames) {
	fmt.Fprintf(out, "prompt %s %s\n", p.ID, p.Version)
	w := newSheet(out)
	w.row("title", p.Title)
	w.row("description", p.Description)
	w.row("category", p.Category)
	w.row("tags", strings.Join(p.Tags, ", "))
	var roles []string
	for i := range p.Messages {
		roles = append(roles, string(p.Messages[i].Role))
	}
	w.row("messages", strings.Join(roles, ", "))
	w.row("file", program.Origin(p.Document.Path))
	w.row("source", sourceName(p.Source))
	w.row("digest", "sha256:"+p.Document.Digest)
	w.row("in Go", names.Args+"{"+strings.Join(names.Fields, ", ")+"}.Messages()")
	if len(p.Arguments) > 0 {
		fmt.Fprintln(w, "arguments:")
	}
	for i := range p.Arguments {
		a := &p.Arguments[i]
		kind := "optional"
		if a.Required {
			kind = "required"
		}
		about := a.Description
		if len(a.Choices) > 0 {
			about += " [" + strings.Join(a.Choices, " | ") + "]"
		}
		if a.Default != "" {
			about += fmt.Sprintf(" (default %q)", a.Default)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", a.Name, kind, folded(about))
	}
	w.Flush()
}

func showSkill(out io.Writer, program *check.Program, s *catalog.Skill, names *check.SkillNames) {
	fmt.Fprintf(out, "skill %s %s\n", s.ID, s.Version)
	w := newSheet(out)
	w.row("description", s.Description)
	w.row("tags", strings.Join(s.Tags, ", "))
	w.row("capabilities", strings.Join(s.Capabilities, ", "))
	w.row("depends on", strings.Join(s.DependsOn, ", "))
	w.row("source", sourceName(s.Source))
	w.row("URI", s.URI())
	w.row("digest", "sha256:"+s.Digest)
	w.row("in Go", names.Skill)
	fmt.Fprintln(w, "files:")
	for _, d := range s.Files {
		fmt.Fprintf(w, "  %s\t%s\n", program.Origin(d.Path), count(d.Size, "byte"))
	}
	if len(s.References) > 0 {
		fmt.Fprintln(w, "references:")
	}
	for _, r := range s.References {
		fmt.Fprintf(w, "  %s\t%s\n", r.ID, folded(r.Title))
	}
	w.Flush()
}
