// This file holds the command render.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func renderCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "render ID",
		Short:             "Print a prompt with its arguments filled in",
		Args:              oneID,
		ValidArgsFunction: completeIDs(promptIDs),
	}
	content := addContentFlag(cmd)
	given := cmd.Flags().StringArrayP("arg", "a", nil, "the value of an argument, as `NAME=VALUE`; once for each argument")
	must(cmd.RegisterFlagCompletionFunc("arg", completeArgument))
	asJSON := cmd.Flags().Bool("json", false, "print what a server answers to prompts/get")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := parseArguments(cmd, *given)
		if err != nil {
			return err
		}
		program, err := compileSound(cmd, *content)
		if err != nil {
			return err
		}
		c := program.Catalog
		prompt, ok := c.Prompt(args[0])
		if !ok {
			return unknownID("prompt", args[0], ids(c, promptIDs))
		}
		messages, err := prompt.RenderNamed(values)
		if err != nil {
			return withSuggestions(prompt, err)
		}
		if *asJSON {
			_, err = cmd.OutOrStdout().Write(appendAnswer(nil, prompt, messages))
			return err
		}
		return writeMessages(cmd.OutOrStdout(), messages)
	}
	return cmd
}

// parseArguments splits NAME=VALUE. Its errors hold no values.
func parseArguments(cmd *cobra.Command, given []string) (map[string]string, error) {
	values := make(map[string]string)
	for _, s := range given {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usageError(cmd, "-a takes NAME=VALUE, and one has no equals sign")
		}
		if _, ok := values[name]; ok {
			return nil, usageError(cmd, "argument %q is given twice", name)
		}
		values[name] = value
	}
	return values, nil
}

// withSuggestions adds to an error on arguments the names that may be meant.
func withSuggestions(p *catalog.Prompt, err error) error {
	var e *catalog.ArgumentError
	if !errors.As(err, &e) {
		return err
	}
	var names []string
	for i := range p.Arguments {
		names = append(names, p.Arguments[i].Name)
	}
	for _, unknown := range e.Unknown {
		err = fmt.Errorf("%w%s", err, didYouMean(unknown, names, ""))
	}
	return err
}

// writeMessages prints a message alone as its text, and several each under a line
// with its role.
func writeMessages(out io.Writer, messages []catalog.Message) error {
	var b strings.Builder
	for i, m := range messages {
		if len(messages) > 1 {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(string(m.Role) + ":\n")
		}
		b.WriteString(m.Text)
		if !strings.HasSuffix(m.Text, "\n") {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// appendAnswer appends the result of prompts/get (MCP 2026-07-28,
// "GetPromptResult") and a newline.
func appendAnswer(dst []byte, p *catalog.Prompt, messages []catalog.Message) []byte {
	dst = append(dst, `{"description":`...)
	dst = catalog.AppendJSON(dst, p.Description)
	dst = append(dst, `,"messages":[`...)
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"role":`...)
		dst = catalog.AppendJSON(dst, string(m.Role))
		dst = append(dst, `,"content":{"type":"text","text":`...)
		dst = catalog.AppendJSON(dst, m.Text)
		dst = append(dst, "}}"...)
	}
	dst = append(dst, `],"_meta":`...)
	dst = p.AppendMeta(dst, catalog.BuiltIn)
	return append(dst, "}\n"...)
}
