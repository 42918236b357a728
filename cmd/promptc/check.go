// This file holds the command check.

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen/diag"
)

func checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [CONTENT]",
		Short: "Report every fault of the content",
		Long: `Check reads the whole content directory, "content" unless another is named, and
reports every violation of the contract with its rule, its place and a hint. What was
vendored beside the directory is checked with it.

The exit status is 0 where there are no faults, 1 where there are, and 2 where the
command line is wrong or the directory cannot be read.`,
		Example: `  promptc check
  promptc check --format github content
  promptc check --format sarif > promptc.sarif`,
		Args: oneContent,
	}
	name := cmd.Flags().String("format", string(diag.Text), "how faults are printed: text, json, github or sarif")
	var formats []string
	for _, f := range diag.Formats() {
		formats = append(formats, string(f))
	}
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)))
	cmd.ValidArgsFunction = completeContent
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := diag.ParseFormat(*name)
		if err != nil {
			return usageError(cmd, "%w", err)
		}
		dir := contentOf(args)
		release, err := compile(cmd, dir)
		if err != nil {
			return err
		}
		// Who only ever serves live does not vendor.
		all := slices.Concat(release.Faults, release.Warnings, release.Unvendored.Warnings())
		all.Sort()
		if err := diag.Write(cmd.OutOrStdout(), format, all); err != nil {
			return err
		}
		if len(release.Faults) > 0 {
			return errors.Join(tellVendored(cmd, release.Faults), errFaults)
		}
		shown, err := shownPath(dir)
		if err != nil {
			return err
		}
		c := release.Program.Catalog
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s, %s, %s, no faults\n", shown,
			count(len(c.Prompts), "prompt"), count(len(c.Skills), "skill"), count(len(c.Documents), "document"))
		return err
	}
	return cmd
}
