// This file holds the command new.

package main

import (
	"fmt"
	"path"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "new prompt|skill ID",
		Short: "Start a prompt or a skill",
		Long: `New writes content/prompts/ID/PROMPT.md, or content/skills/ID/SKILL.md, with every
field that is needed, so that it compiles at once and only the words are missing. It
never changes a file that is there.`,
		Example: `  promptc new prompt review-change
  promptc new skill house-style`,
		ValidArgs: []cobra.Completion{"prompt", "skill"},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 || args[0] != "prompt" && args[0] != "skill" {
				return usageError(cmd, "new takes the word prompt or skill, and an id")
			}
			return nil
		},
	}
	content := addContentFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		kind, id := args[0], args[1]
		if !catalog.IsID(id) {
			return usageError(cmd, "%q is not an id: use lower-case letters, digits and single hyphens, and start with a letter; at most %d characters", id, catalog.MaxID)
		}
		shown, err := shownPath(*content)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed("content") {
			root, _, err := openContent(*content)
			if err != nil {
				return err
			}
			root.Close()
		}
		if err := inside(*content, shown); err != nil {
			return err
		}
		file := map[string]string{"prompt": "PROMPT.md", "skill": "SKILL.md"}[kind]
		at := path.Join(kind+"s", id, file)
		text := fill(file, map[string]string{"ID": id, "TITLE": title(id)})
		if err := write(*content, shown, []draft{{at, text}}); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %s\n", path.Join(shown, at))
		return err
	}
	return cmd
}
