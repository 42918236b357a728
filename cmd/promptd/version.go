// This file holds the command version.

package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func versionCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program and of the catalog in it",
		Args:  noArguments,
	}
	asJSON := cmd.Flags().Bool("json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		version := programVersion()
		if !*asJSON {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "promptd %s %s %s/%s\n%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH, summary(c))
			return failed(err)
		}
		var v struct {
			Version string `json:"version"`
			Go      string `json:"go"`
			Catalog struct {
				Name    string `json:"name"`
				Version string `json:"version"`
				Digest  string `json:"digest"`
				counts
			} `json:"catalog"`
		}
		v.Version, v.Go = version, runtime.Version()
		v.Catalog.Name, v.Catalog.Version, v.Catalog.Digest, v.Catalog.counts = name(c), c.Version, c.Digest, count(c)
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return failed(e.Encode(v))
	}
	return cmd
}

// programVersion is the module's version, as the go command recorded it.
func programVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
