// This file holds the command line's root: its subcommands and exit statuses.

package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen/check"
)

const (
	statusOK     = 0
	statusFaults = 1 // the content has faults, or generated files are stale
	statusError  = 2 // the command line is wrong, or a file cannot be used
)

// errFaults ends a command that has printed already what is at fault.
var errFaults = errors.New("faults were printed")

// run executes a command line, without the program's name, and returns the exit
// status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	switch err := root.Execute(); {
	case err == nil:
		return statusOK
	case errors.Is(err, errFaults):
		return statusFaults
	default:
		fmt.Fprintln(stderr, "promptc:", err)
		return statusError
	}
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "promptc",
		Short: "Compile prompts and skills, authored as Markdown, into typed Go",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return fmt.Errorf("unknown command %q%s", args[0], didYouMean(args[0], names, "; promptc help lists the commands"))
		},
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       programVersion(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, "%w", err) })
	root.AddCommand(
		initCommand(), newCommand(),
		checkCommand(), breakingCommand(), generateCommand(),
		listCommand(), showCommand(), renderCommand(),
		serveCommand(), vendorCommand(), packageCommand(),
		versionCommand())
	return root
}

// usageError returns the error of a command line that the command cannot take.
func usageError(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"\nusage: %s", append(args, cmd.UseLine())...)
}

// oneID accepts a single argument, the id of a prompt or skill.
func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError(cmd, "%s takes one id, not %d", cmd.Name(), len(args))
	}
	return nil
}

// oneContent accepts at most one argument, the content directory.
func oneContent(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usageError(cmd, "%s takes one content directory, not %d", cmd.Name(), len(args))
	}
	return nil
}

// count returns a number of things in words, such as "1 prompt" or "2 prompts".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// didYouMean returns what a message on an unknown word ends with: the word that
// was meant, or other where none is close.
func didYouMean(word string, known []string, other string) string {
	if similar := check.Suggest(word, known); similar != "" {
		return fmt.Sprintf("; did you mean %q?", similar)
	}
	return other
}

// must panics on an error that a flag's declaration returns, which means that the
// flag's name is misspelt beside it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// folded returns a text on one line: every run of white space is one space.
func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// oneLine returns the first limit runes of a folded text.
func oneLine(text string, limit int) string {
	runes := []rune(folded(text))
	if len(runes) <= limit {
		return string(runes)
	}
	return strings.TrimRight(string(runes[:limit-3]), " ") + "..."
}
