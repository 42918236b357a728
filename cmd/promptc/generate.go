// This file holds the command generate.

package main

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/emit"
)

func generateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate [CONTENT]",
		Short: "Write the Go package of the content",
		Long: `Generate compiles the content directory, "content" unless another is named, into
a Go package. It writes only files that change and removes only files that it once
wrote. Where the content has faults it prints them and writes nothing. What promptc
vendor put beside the directory is compiled with it.

The exit status is 0 where all is well; 1 where the content has faults or, with
--check, the package is stale; and 2 for any other error.`,
		Example: `  promptc generate -o internal/prompts
  promptc generate -o internal/prompts --check
  //go:generate go tool promptc generate -o internal/prompts`,
		Args:              oneContent,
		ValidArgsFunction: completeContent,
	}
	output := cmd.Flags().StringP("output", "o", "", "the `directory` of the package; by default where one was generated before, else "+defaultOutput)
	must(cmd.MarkFlagDirname("output"))
	name := cmd.Flags().String("package", "", "the `name` of the package; by default the last element of its directory")
	must(cmd.RegisterFlagCompletionFunc("package", cobra.NoFileCompletions))
	check := cmd.Flags().Bool("check", false, "write nothing; fail if anything would be written or removed")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *output == "" {
			before, err := outputBefore(contentOf(args))
			if err != nil {
				return err
			}
			*output = before
		}
		options, err := outputOptions(cmd, *output, *name)
		if err != nil {
			return err
		}
		release, err := compile(cmd, contentOf(args))
		if err != nil {
			return err
		}
		faults := slices.Concat(release.Faults, release.Unvendored)
		all := slices.Concat(faults, release.Warnings)
		all.Sort()
		if err := diag.Write(cmd.OutOrStdout(), diag.Text, all); err != nil {
			return err
		}
		if len(faults) > 0 {
			return errors.Join(tellVendored(cmd, faults), errFaults)
		}
		if content := contentOf(args); within(filepath.Join(content, "prompts"), *output) || within(filepath.Join(content, "skills"), *output) {
			return usageError(cmd, "the package cannot lie among the prompts and skills; name another directory with -o")
		}
		root, err := gen.SourceRoot(contentOf(args), *output)
		if err != nil {
			return err
		}
		release.Rename(root)
		files, err := emit.Package(release.Program, options)
		if err != nil {
			return err
		}
		if *check {
			return checkOutput(cmd, *output, files, args)
		}
		return writeOutput(cmd.OutOrStdout(), *output, files)
	}
	return cmd
}

// within tells whether a directory is inside another, or is it.
func within(outer, inner string) bool {
	a, err := filepath.Abs(outer)
	if err != nil {
		return false
	}
	b, err := filepath.Abs(inner)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(a, b)
	return err == nil && filepath.IsLocal(rel)
}

// writeOutput makes the files the directory's, and prints what it did.
func writeOutput(w io.Writer, dir string, files []emit.File) error {
	shown, err := shownPath(dir)
	if err != nil {
		return err
	}
	changed, err := gen.Write(dir, files)
	if err != nil {
		return err
	}
	belongs := make(map[string]bool, len(files))
	for i := range files {
		belongs[files[i].Path] = true
	}
	var b strings.Builder
	for _, name := range changed {
		did := "removed"
		if belongs[name] {
			did = "wrote"
		}
		fmt.Fprintln(&b, did, path.Join(shown, name))
	}
	if len(changed) == 0 {
		b.WriteString(upToDate)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// checkOutput fails, and prints what to do, where the files are not the directory's.
func checkOutput(cmd *cobra.Command, dir string, files []emit.File, args []string) error {
	shown, err := shownPath(dir)
	if err != nil {
		return err
	}
	differences, err := gen.Stale(dir, files)
	if err != nil {
		return err
	}
	if len(differences) == 0 {
		_, err := io.WriteString(cmd.OutOrStdout(), upToDate)
		return err
	}
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&b, "%-8s  %s\n", d.Kind, path.Join(shown, d.Path))
	}
	b.WriteString(remedy(cmd, args))
	if _, err := io.WriteString(cmd.OutOrStdout(), b.String()); err != nil {
		return err
	}
	return errFaults
}

const upToDate = "up to date\n"

// remedy returns the line that says how to bring the files up to date: the command
// line itself without --check, or a description of it where it holds what a shell
// would not take as it is, or a path outside the working directory.
func remedy(cmd *cobra.Command, args []string) string {
	words := []string{"promptc generate"}
	if _, err := exec.LookPath("promptc"); err != nil {
		words[0] = "go tool promptc generate"
	}
	plain := true
	word := func(s string) {
		words = append(words, s)
		plain = plain && !strings.ContainsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./", r)
		})
	}
	local := func(s string) {
		word(s)
		plain = plain && filepath.IsLocal(s)
	}
	if f := cmd.Flags().Lookup("output"); f.Changed {
		word("-o")
		local(f.Value.String())
	}
	if f := cmd.Flags().Lookup("package"); f.Changed {
		word("--package")
		word(f.Value.String())
	}
	for _, arg := range args {
		local(arg)
	}
	if !plain {
		return "run the same command without --check\n"
	}
	return "run: " + strings.Join(words, " ") + "\n"
}

// outputOptions returns what the package is called and where it is imported from.
func outputOptions(cmd *cobra.Command, dir, name string) (emit.Options, error) {
	if name == "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return emit.Options{}, err
		}
		name = filepath.Base(absolute)
		if !token.IsIdentifier(name) {
			return emit.Options{}, usageError(cmd, "the directory's name %q cannot be the name of a package; name the package with --package", name)
		}
	}
	if !token.IsIdentifier(name) || name == "_" {
		return emit.Options{}, usageError(cmd, "%q cannot be the name of a Go package", name)
	}
	importPath, err := gen.ImportPath(dir)
	if err != nil {
		return emit.Options{}, err
	}
	return emit.Options{Package: name, ImportPath: importPath}, nil
}
