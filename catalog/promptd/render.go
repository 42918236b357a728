// This file holds the command render.

package promptd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func renderCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "render ID",
		Short: "Print a prompt with its arguments filled in",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "render takes one id, not %d", len(args))
			}
			return nil
		},
	}
	given := cmd.Flags().StringArrayP("arg", "a", nil, "the value of an argument, as `NAME=VALUE`; once for each argument")
	asJSON := cmd.Flags().Bool("json", false, "print what prompts/get answers")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := catalog.ParseValues(*given)
		if err != nil {
			return usageError(cmd, "-a: %w", err)
		}
		p, ok := c.Prompt(args[0])
		if !ok {
			return fmt.Errorf("no prompt has the id %q; %s list shows them", args[0], cmd.Root().Name())
		}
		messages, err := p.RenderNamed(values)
		if err != nil {
			return err
		}
		text := catalog.AppendTranscript(nil, messages)
		if *asJSON {
			text = append(p.AppendResult(nil, messages), '\n')
		}
		_, err = cmd.OutOrStdout().Write(text)
		return failed(err)
	}
	return cmd
}
