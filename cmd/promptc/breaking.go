// This file holds the command breaking.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/breaking"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// againstPatience is how long git or a server may take to hand out the older state.
const againstPatience = time.Minute

// breakingFormats are the formats of findings.
var breakingFormats = []string{string(diag.Text), string(diag.JSON), string(diag.GitHub)}

func breakingCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "breaking --against OLD [CONTENT]",
		Short: "Report what the content breaks for those who use an older state of it",
		Long:  breakingHelp(),
		Example: `  promptc breaking --against v1.2.0
  promptc breaking --against origin/main --format github
  promptc breaking --against /usr/local/bin/promptd --allow-breaking content`,
		Args:              oneContent,
		ValidArgsFunction: completeContent,
	}
	against := cmd.Flags().String("against", "", "the `OLD` state: a content directory, a promptd, or a tag, branch or commit")
	allow := cmd.Flags().Bool("allow-breaking", false, "accept what breaks where a version was raised to tell of it")
	format := cmd.Flags().String("format", string(diag.Text), "how findings are printed: text, json or github")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(breakingFormats, cobra.ShellCompDirectiveNoFileComp)))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *against == "" {
			return usageError(cmd, "breaking needs --against: a content directory, a promptd, or a tag, branch or commit")
		}
		if !slices.Contains(breakingFormats, *format) {
			return usageError(cmd, "format %q is not one of %s", *format, strings.Join(breakingFormats, ", "))
		}
		return compare(cmd, contentOf(args), *against, *allow, diag.Format(*format))
	}
	return cmd
}

// breakingHelp returns the command's long help.
func breakingHelp() string {
	var b strings.Builder
	b.WriteString(`Breaking compares the content directory, "content" unless another is named, with an older
state of it, and reports what those lose who use that: MCP clients, which know prompts,
arguments, choices and URIs by name, and Go programs that use the generated package.
Each finding has its place on both sides. What was vendored beside the directory is
compared with it.

The older state is a content directory; an executable file, promptd or a server made like
it, which is run with the argument tree; or whatever git takes for a commit of the
repository around the content directory. It is looked for in this order. A server holds no
catalog.yaml, so that the catalog's own name, prefix and version are not compared with one.

Versions must say what changed. What breaks wants a new major version; an optional
argument, a choice, a file or a capability more, or another default, a new minor one; any
other change a new patch. Below 1.0.0 what breaks wants a new minor version, and the rest a
new patch. A version in catalog.yaml must be raised by the greatest change of all.

With --allow-breaking a change that breaks is accepted if the version of its prompt or
skill was raised as it demands; of what is gone the catalog's version must tell.

The exit status is 0 where nothing breaks and every version is right, 1 where not, or where
the content has faults, and 2 where the command line is wrong or a side cannot be read.

The findings are:
`)
	for _, r := range breaking.Rules() {
		fmt.Fprintf(&b, "\n  %-19s %s", r.Name, r.Description)
	}
	return b.String()
}

// compare compares the content directory with an older state, and prints what it finds.
func compare(cmd *cobra.Command, dir, against string, allow bool, format diag.Format) error {
	new, faults, shown, err := newSide(cmd, dir)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		if err := diag.Write(cmd.OutOrStdout(), format, faults); err != nil {
			return err
		}
		return errFaults
	}
	old, unsound, name, err := oldSide(cmd.Context(), dir, shown, against)
	if err != nil {
		return err
	}
	report := breaking.Compare(old, new)
	findings := report.Diagnostics(allow)
	list := slices.Clone(findings)
	for _, d := range unsound {
		d.Severity, d.Fix = diag.Warning, nil
		d.Help = "it is a fault today, so that this is not compared"
		list = append(list, d)
	}
	list.Sort()
	if err := diag.Write(cmd.OutOrStdout(), format, list); err != nil {
		return err
	}
	if format == diag.Text {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), summary(report, shown, name, allow, old.Unsettled)); err != nil {
			return err
		}
	}
	if len(findings) > 0 {
		return errFaults
	}
	return nil
}

// summary returns what was found in a line.
func summary(r *breaking.Report, shown, against string, allow, unsettled bool) string {
	changed := 0
	for _, a := range r.Advice {
		if a.Kind != "catalog" && a.Change > breaking.None {
			changed++
		}
	}
	all, announced := r.Breaks()
	text := fmt.Sprintf("%s: since %s %s", shown, against, count(all, "breaking change"))
	if all == 0 {
		text = fmt.Sprintf("%s: nothing breaks since %s", shown, against)
	} else if allow {
		text += fmt.Sprintf(", %d accepted", announced)
	}
	text += ", " + count(r.Versions(), "wrong version")
	text += fmt.Sprintf("; %d of %d prompts and skills changed", changed, len(r.Advice)-1)
	if unsettled {
		text += "; the catalog's name, prefix and version are not compared"
	}
	return text
}

// newSide reads the content directory.
func newSide(cmd *cobra.Command, dir string) (side *breaking.Side, faults diag.List, shown string, err error) {
	root, shown, err := openContent(dir)
	if err != nil {
		return nil, nil, "", err
	}
	defer root.Close()
	p := newProgress(cmd.ErrOrStderr())
	defer p.stop()
	side, faults, err = breaking.New(root.FS(), beside(dir), gen.Options{Root: shown, Progress: p.report()})
	if err != nil {
		return nil, nil, "", uncompiled(shown, err)
	}
	return side, faults, shown, nil
}

// oldSide reads the older state that against names, of the content directory dir. It
// returns also the faults of what is left out, and how the state is called.
func oldSide(ctx context.Context, dir, shown, against string) (side *breaking.Side, faults diag.List, name string, err error) {
	ctx, cancel := context.WithTimeout(ctx, againstPatience)
	defer cancel()
	info, err := os.Stat(against)
	switch {
	case err == nil && info.IsDir():
		side, faults, name, err = oldDirectory(shown, against)
	case err == nil && info.Mode().IsRegular() && executable(against):
		side, faults, name, err = oldServer(ctx, shown, against)
	default:
		content, vendored, err := breaking.Commit(ctx, dir, shown, against)
		if err != nil {
			return nil, nil, "", fmt.Errorf("%s: %w", notThere(against, info), err)
		}
		side, faults, err = breaking.Old(content, vendored, against, gen.Options{Root: shown})
		if err != nil {
			return nil, nil, "", uncompiled(against+":"+shown, err)
		}
		return side, faults, against, nil
	}
	return side, faults, name, err
}

// oldDirectory reads the older state from a content directory.
func oldDirectory(shown, dir string) (side *breaking.Side, faults diag.List, name string, err error) {
	root, name, err := openContent(dir)
	if err != nil {
		return nil, nil, "", err
	}
	defer root.Close()
	label, place := "", name
	if name == shown { // one of them lies elsewhere, or they are one
		label, place = "old", "old:"+name
	}
	side, faults, err = breaking.Old(root.FS(), beside(dir), label, gen.Options{Root: name})
	if err != nil {
		return nil, nil, "", uncompiled(place, err)
	}
	// Against nothing nothing breaks, which is not what somebody means who names a place.
	if c := side.Program.Catalog; len(c.Prompts)+len(c.Skills) == 0 {
		return nil, nil, "", fmt.Errorf("%s holds no prompts and no skills to compare with; name the content directory of an older state", name)
	}
	return side, faults, name, nil
}

// oldServer reads the older state from a server.
func oldServer(ctx context.Context, shown, file string) (side *breaking.Side, faults diag.List, name string, err error) {
	if name, err = shownPath(file); err != nil {
		return nil, nil, "", err
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return nil, nil, "", err
	}
	content, vendored, err := breaking.Program(ctx, file)
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s is no promptd that tells what it holds: %w", name, err)
	}
	label := filepath.Base(file)
	side, faults, err = breaking.Old(content, vendored, label, gen.Options{Root: shown})
	if err != nil {
		return nil, nil, "", uncompiled(label+":"+shown, err)
	}
	if _, err := fs.Stat(content, check.SettingsFile); errors.Is(err, fs.ErrNotExist) {
		side.Unsettled = true
	}
	return side, faults, name, nil
}

// beside returns what lies beside a content directory.
func beside(dir string) fs.FS {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return os.DirFS(filepath.Dir(dir))
}

// executable tells whether a file can be run.
func executable(file string) bool {
	path, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	_, err = exec.LookPath(path)
	return err == nil
}

// notThere says what an older state is not, that is not a commit either.
func notThere(against string, info fs.FileInfo) string {
	if info == nil {
		return fmt.Sprintf("%q is neither a directory nor a file, and no commit can be read", against)
	}
	return fmt.Sprintf("%q is a file that cannot be run, and no commit can be read", against)
}
