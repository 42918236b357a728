// This file holds the command serve.

package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog/promptd"
	"github.com/seed33527553/promptc/gen"
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [CONTENT]",
		Short: "Serve the content over the Model Context Protocol as it is now",
		Long: `Serve compiles the content directory in memory and serves it as promptd would, over
stdio or, with --http, over Streamable HTTP at /mcp. Each request looks first whether
anything changed, so that an edit is in the next answer. It looks at the sizes and times
of files. On Windows, which tells less of them, what keeps the size and the time of a
file older than two seconds is not seen. Clients are told to keep nothing, unless cache:
in catalog.yaml says otherwise.

While the content has faults, what was served before goes on. The faults are printed,
shown at / over HTTP, and told to clients in the server's instructions. At the start
they end the command, unless --keep-going leaves out what has them.

` + sourcesHelp + `

Sources are read again when their time is up; at once after a POST to /refresh, for a
request to /mcp?refresh=true, and on SIGHUP. Where that fails, what was read before is
served, and /healthz tells how old it is.

Each flag has an environment variable: PROMPTC_ and its name in capitals, with
underscores for hyphens, such as PROMPTC_HTTP. A flag beats its variable.`,
		Example: `  promptc serve
  promptc serve --http 127.0.0.1:8080
  promptc serve --http 127.0.0.1:8080 --user-prompts-repo https://git.example.com/team/prompts.git`,
		Args:              oneContent,
		ValidArgsFunction: completeContent,
	}
	front := promptd.NewFront(cmd.Flags(), "PROMPTC")
	given := addSourceFlags(cmd)
	keepGoing := cmd.Flags().Bool("keep-going", false, "start although there are faults, without what has them")
	strict := cmd.Flags().Bool("strict", false, "take what is wrong in a source, and names that are taken, for faults")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := front.Read(); err != nil {
			return usageError(cmd, "%w", err)
		}
		if err := fromEnvironment(cmd.Flags(), "keep-going", "strict"); err != nil {
			return usageError(cmd, "%w", err)
		}
		log := front.Logger(cmd.ErrOrStderr())
		sources, cache, err := given.sources(log)
		if err != nil {
			return usageError(cmd, "%w", err)
		}
		dir := contentOf(args)
		root, shown, err := openContent(dir)
		if err != nil {
			return err
		}
		root.Close()
		f := newFollower(cmd.ErrOrStderr(), gen.LiveOptions{
			Dir: dir, Root: shown, Sources: sources, Cache: cache, Strict: *strict, KeepGoing: *keepGoing,
		})
		defer f.live.Close()
		mux, err := f.start(cmd.Context())
		if err != nil {
			return err
		}
		c := mux.Catalogs()[0]
		summary := fmt.Sprintf("%s, live: %s, %s, %s", shown, count(len(c.Prompts), "prompt"), count(len(c.Skills), "skill"), count(len(c.Documents), "document"))
		content := promptd.Content{
			Mux: mux, Live: f.serve(), Reload: func() { f.live.State(cmd.Context(), true) },
			Version: programVersion(), Summary: summary, Command: "promptc", Arguments: arguments(dir),
		}
		return front.Serve(cmd.Context(), content, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	return cmd
}

// arguments are what a client starts the program with to serve a content directory. It
// starts it in a directory of its own choice.
func arguments(dir string) []string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return []string{"serve", dir}
}
