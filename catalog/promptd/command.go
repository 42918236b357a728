// This file holds the command line's root: its subcommands and exit statuses.

package promptd

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

const (
	statusOK     = 0
	statusFailed = 1 // serving or writing failed, or verify found a difference
	statusUsage  = 2 // the command line is wrong, or what it names cannot be read
)

// Main is the main function of a program that has a catalog compiled in, which goes by a
// name in what it prints. It returns the exit status.
func Main(name string, c *catalog.Catalog) int {
	return Run(name, os.Args[1:], c, os.Stdin, os.Stdout, os.Stderr)
}

// Run executes a command line, without the program's name, on a catalog, and returns
// the exit status.
func Run(name string, args []string, c *catalog.Catalog, stdin io.Reader, stdout, stderr io.Writer) int {
	root := rootCommand(name, c)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return statusOK
	}
	fmt.Fprintln(stderr, name+":", err)
	if failure := (*failure)(nil); errors.As(err, &failure) {
		return statusFailed
	}
	return statusUsage
}

// A failure is an error that the command line is not to blame for.
type failure struct{ error }

func (f *failure) Unwrap() error { return f.error }

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err}
}

func rootCommand(name string, c *catalog.Catalog) *cobra.Command {
	root := serveCommand(name, c)
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(cmd, "%w", err) })
	root.AddCommand(listCommand(c), renderCommand(c), versionCommand(c),
		verifyCommand(c), explainCommand(c), treeCommand(c), exportCommand(c))
	return root
}

// usageError returns the error of a command line that the command cannot take.
func usageError(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"\nusage: %s", append(args, cmd.UseLine())...)
}

// noArguments refuses arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(cmd, "%s takes no argument, and got %q", cmd.Name(), args[0])
	}
	return nil
}
