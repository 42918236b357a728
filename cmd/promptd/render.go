// This file holds the command render.

package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
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
		values, err := parseArguments(cmd, *given)
		if err != nil {
			return err
		}
		p, ok := c.Prompt(args[0])
		if !ok {
			return fmt.Errorf("no prompt has the id %q; promptd list shows them", args[0])
		}
		var text []byte
		if *asJSON {
			if text, err = serve.RenderJSON(p, values); err != nil {
				return err
			}
			text = append(text, '\n')
		} else {
			messages, err := p.RenderNamed(values)
			if err != nil {
				return err
			}
			text = appendMessages(nil, messages)
		}
		_, err = cmd.OutOrStdout().Write(text)
		return failed(err)
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

// appendMessages appends a message alone as its text, and several each under a
// line with its role.
func appendMessages(dst []byte, messages []catalog.Message) []byte {
	for i, m := range messages {
		if len(messages) > 1 {
			if i > 0 {
				dst = append(dst, '\n')
			}
			dst = append(append(dst, m.Role...), ":\n"...)
		}
		dst = append(dst, m.Text...)
		if !strings.HasSuffix(m.Text, "\n") {
			dst = append(dst, '\n')
		}
	}
	return dst
}
