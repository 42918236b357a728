// This file holds the command list.

package promptd

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

// listWidth is how many runes of a description the list shows.
const listWidth = 80

func listCommand(c *catalog.Catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the prompts and skills",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range c.Prompts {
				fmt.Fprintf(w, "prompt\t%s\t%s\t%s\n", p.ID, cmp.Or(p.Version, "-"), oneLine(p.Description))
			}
			for _, s := range c.Skills {
				fmt.Fprintf(w, "skill\t%s\t%s\t%s\n", s.ID, cmp.Or(s.Version, "-"), oneLine(s.Description))
			}
			return failed(w.Flush())
		},
	}
}

// oneLine returns the start of a text on one line.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= listWidth {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:listWidth-3]), " ") + "..."
}
