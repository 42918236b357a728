// This file holds the command list.

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

// listWidth is how many runes of a description the list shows.
const listWidth = 80

func listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [CONTENT]",
		Short: "List the prompts and skills",
		Long: `List the prompts and skills, each with its version and where it is from. Where the
content has faults, they are printed to standard error, what has none is listed, and
the exit status is 1.`,
		Args:              oneContent,
		ValidArgsFunction: completeContent,
	}
	asJSON := cmd.Flags().Bool("json", false, "print what a server answers to prompts/list and resources/list")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		program, whole, err := compileSound(cmd, contentOf(args))
		if err != nil {
			return err
		}
		write := writeList
		if *asJSON {
			write = writeEntries
		}
		if err := write(cmd.OutOrStdout(), program.Catalog); err != nil || whole {
			return err
		}
		return errFaults
	}
	return cmd
}

// sourceName names where a prompt or skill is from.
func sourceName(source string) string { return cmp.Or(source, catalog.BuiltIn) }

func writeList(out io.Writer, c *catalog.Catalog) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range c.Prompts {
		fmt.Fprintf(w, "prompt\t%s\t%s\t%s\t%s\n", p.ID, cmp.Or(p.Version, "-"), sourceName(p.Source), oneLine(p.Description, listWidth))
	}
	for _, s := range c.Skills {
		fmt.Fprintf(w, "skill\t%s\t%s\t%s\t%s\n", s.ID, cmp.Or(s.Version, "-"), sourceName(s.Source), oneLine(s.Description, listWidth))
	}
	return w.Flush()
}

// writeEntries prints the catalog's entries, which are JSON already, one a line.
func writeEntries(out io.Writer, c *catalog.Catalog) error {
	w := bufio.NewWriter(out)
	w.WriteString(`{"prompts":[`)
	separator := "\n"
	for _, p := range c.Prompts {
		w.WriteString(separator + p.Entry)
		separator = ",\n"
	}
	w.WriteString("],\n\"resources\":[")
	separator = "\n"
	for i := range c.Resources {
		w.WriteString(separator + c.Resources[i].Entry)
		separator = ",\n"
	}
	w.WriteString("]}\n")
	return w.Flush()
}
