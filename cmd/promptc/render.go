// This file holds the command render.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func renderCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "render ID",
		Short: "Print a prompt with its arguments filled in",
		Example: `  promptc render deploy-app -a environment=staging
  promptc render deploy-app -a environment=staging -a version=1.4.2 --json`,
		Args:              oneID,
		ValidArgsFunction: completeIDs(promptIDs),
	}
	content := addContentFlag(cmd)
	given := cmd.Flags().StringArrayP("arg", "a", nil, "the value of an argument, as `NAME=VALUE`; once for each argument")
	must(cmd.RegisterFlagCompletionFunc("arg", completeArgument))
	asJSON := cmd.Flags().Bool("json", false, "print what a server answers to prompts/get")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := catalog.ParseValues(*given)
		if err != nil {
			return usageError(cmd, "-a: %w", err)
		}
		program, whole, err := compileSound(cmd, *content)
		if err != nil {
			return err
		}
		c := program.Catalog
		prompt, ok := c.Prompt(args[0])
		if !ok && !whole {
			return errFaults
		}
		if !ok {
			return unknownID("prompt", args[0], ids(c, promptIDs))
		}
		messages, err := prompt.RenderNamed(values)
		if err != nil {
			return withSuggestions(prompt, err)
		}
		text := catalog.AppendTranscript(nil, messages)
		if *asJSON {
			text = append(prompt.AppendResult(nil, messages), '\n')
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	}
	return cmd
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
