// This file holds the command vendor.

package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
)

func vendorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vendor [CONTENT]",
		Short: "Copy the content of git repositories beside the content, for a release",
		Long: `Vendor copies the sources of the content beside it, so that promptc generate
compiles all of it without a network, and to the same bytes each time. It writes

  promptc.lock      the commit of each source, and a digest of its files
  promptc.vendor/   a directory for each source, with the files of that commit

Commit both. A source that is locked stays at its commit until --update. A fault in what
is vendored is one of the content, unless the source says on_invalid: skip.

` + sourcesHelp + `

The exit status is 0 where all is well; 1 where catalog.yaml has faults or, with
--check, something is not as it should be; and 2 for any other error.`,
		Example: `  promptc vendor
  promptc vendor --update
  promptc vendor --check`,
		Args:              oneContent,
		ValidArgsFunction: completeContent,
	}
	given := addSourceFlags(cmd)
	update := cmd.Flags().Bool("update", false, "take the newest commit of every source")
	check := cmd.Flags().Bool("check", false, "write and fetch nothing; fail if anything is not as the lock and catalog.yaml say")
	cmd.MarkFlagsMutuallyExclusive("update", "check")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
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
		options := gen.VendorOptions{Dir: dir, Root: shown, Sources: sources, Update: *update, Cache: cache}
		if *check {
			faults, err := gen.CheckVendored(options)
			if err != nil {
				return err
			}
			return writeFaults(cmd, faults)
		}
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		done, faults, err := gen.Vendor(ctx, options)
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			return writeFaults(cmd, faults)
		}
		if err := writeVendored(cmd, done); err != nil {
			return err
		}
		return previewVendored(cmd, dir, shown)
	}
	return cmd
}

// previewVendored prints what the compiler will say of what is vendored now.
func previewVendored(cmd *cobra.Command, dir, shown string) error {
	release, err := gen.CompileRelease(dir, gen.Options{Root: shown})
	if err != nil {
		return uncompiled(shown, err)
	}
	all := slices.Concat(release.Faults, release.Warnings)
	all.Sort()
	if err := diag.Write(cmd.ErrOrStderr(), diag.Text, all); err != nil {
		return err
	}
	return tellVendored(cmd, release.Faults)
}

// tellVendored tells what there is to do about faults in vendored files, which their
// readers cannot mend there.
func tellVendored(cmd *cobra.Command, faults diag.List) error {
	isVendored := func(d diag.Diagnostic) bool {
		return slices.Contains(strings.Split(d.Span.Source.Name, "/"), gen.VendorDir)
	}
	if !slices.ContainsFunc(faults, isVendored) {
		return nil
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "what is in %s is mended in its repository; to leave it out until then, say on_invalid: skip of its source\n", gen.VendorDir)
	return err
}

// writeFaults prints faults, and fails if there are any.
func writeFaults(cmd *cobra.Command, faults diag.List) error {
	if err := diag.Write(cmd.OutOrStdout(), diag.Text, faults); err != nil {
		return err
	}
	if len(faults) > 0 {
		return errFaults
	}
	return nil
}

// writeVendored prints what was done with each source.
func writeVendored(cmd *cobra.Command, done []gen.Vendored) error {
	var b bytes.Buffer
	for _, v := range done {
		switch {
		case v.Removed:
			fmt.Fprintf(&b, "removed %s\n", v.Name)
		case !v.Fetched:
			fmt.Fprintf(&b, "%s is at %.12s\n", v.Name, v.Commit)
		case v.Was != "" && v.Was != v.Commit:
			fmt.Fprintf(&b, "vendored %s at %.12s, which was at %.12s\n", v.Name, v.Commit, v.Was)
		default:
			fmt.Fprintf(&b, "vendored %s at %.12s\n", v.Name, v.Commit)
		}
	}
	if len(done) == 0 {
		b.WriteString("there are no sources to vendor: name them under sources: in catalog.yaml\n")
	}
	_, err := b.WriteTo(cmd.OutOrStdout())
	return err
}
