// This file holds the command version.

package promptd

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func versionCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the catalog in it",
		Long: `Print the versions of the program and of the catalog in it.

With --json it also prints the version and digest of each prompt and skill, and the
digest of each document, in the order of their ids and paths. The digests are what the
compiler recorded; verify proves them.`,
		Args: noArguments,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object, with everything that is compiled in")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		out := cmd.OutOrStdout()
		if *asJSON {
			return failed(printJSON(out, newVersionReport(c)))
		}
		b := thisBuild()
		_, err := fmt.Fprintf(out, "%s %s %s %s/%s\n%s\n", cmd.Root().Name(), b.Version, b.Go, runtime.GOOS, runtime.GOARCH, summary(c))
		return failed(err)
	}
	return cmd
}

// A versionReport is what version --json prints.
type versionReport struct {
	build
	Catalog struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Digest  string `json:"digest"`
		counts
	} `json:"catalog"`
	Items struct {
		Prompts   []versioned  `json:"prompts"`
		Skills    []versioned  `json:"skills"`
		Documents []digestedAt `json:"documents"`
	} `json:"items"`
}

// versioned is a prompt or skill in a versionReport.
type versioned struct {
	ID      string `json:"id"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
}

// digestedAt is a document in a versionReport.
type digestedAt struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
}

func newVersionReport(c *catalog.Catalog) *versionReport {
	r := &versionReport{build: thisBuild()}
	r.Catalog.Name, r.Catalog.Version, r.Catalog.Digest, r.Catalog.counts = name(c), c.Version, c.Digest, count(c)
	r.Items.Prompts, r.Items.Skills, r.Items.Documents = []versioned{}, []versioned{}, []digestedAt{}
	for _, p := range c.Prompts {
		r.Items.Prompts = append(r.Items.Prompts, versioned{p.ID, p.Version, p.Document.Digest})
	}
	for _, s := range c.Skills {
		r.Items.Skills = append(r.Items.Skills, versioned{s.ID, s.Version, s.Digest})
	}
	for _, d := range c.Documents {
		r.Items.Documents = append(r.Items.Documents, digestedAt{d.Path, d.Digest})
	}
	return r
}

// printJSON prints a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
