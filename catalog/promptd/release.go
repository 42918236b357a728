// This file holds what the program is for: serving what is compiled in.

package promptd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

// serveHelp is what --help says beside the flags.
const serveHelp = `Serve the compiled prompts and skills over the Model Context Protocol, over stdio
or, with --http, over Streamable HTTP.

Each flag has an environment variable: PROMPTD_ and its name in capitals, with
underscores for hyphens, such as PROMPTD_PAGE_SIZE. A flag beats its variable, and
an empty variable is none.

SIGHUP reads the files of --tokens, --tls-cert, --tls-key and --oauth-jwks again.
One that is broken or missing is logged, and what was read before stays valid; a
file of tokens without any lets nobody in.`

func serveCommand(name string, c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   name,
		Short: "Serve the compiled prompts and skills over the Model Context Protocol",
		Long:  serveHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q; %s --help lists the commands", args[0], name)
			}
			return nil
		},
	}
	front := NewFront(cmd.Flags(), "PROMPTD")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := front.Read(); err != nil {
			return usageError(cmd, "%w", err)
		}
		var mux catalog.Mux
		if err := mux.Mount(c); err != nil {
			return failed(err)
		}
		content := Content{Mux: &mux, Version: thisBuild().Version, Summary: summary(c), Command: name}
		err := front.Serve(cmd.Context(), content, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		if setting := (*SettingError)(nil); errors.As(err, &setting) {
			return usageError(cmd, "%w", err)
		}
		return failed(err)
	}
	return cmd
}
