// This file holds the command tree, which writes out the files that are compiled in.

package promptd

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed33527553/promptc/catalog"
)

func treeCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tree",
		Short: "Write the files that are compiled in as a tar archive",
		Long: `Write the files that are compiled in as a tar archive to stdout: all Markdown and all
files of skills, by their paths in the content tree. The catalog's own settings,
catalog.yaml, are not among them, for the program does not hold that file.

The archive depends on the content alone: files are sorted by path, with the mode 0644
and the time 0. Programs with equal content write equal bytes.`,
		Args: noArguments,
	}
	to := cmd.Flags().String("to", "", "write to `FILE` instead, which appears whole or not at all")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *to != "" {
			return failed(writeFileWhole(*to, func(w io.Writer) error { return writeTree(w, c) }))
		}
		out := cmd.OutOrStdout()
		if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return usageError(cmd, "tree does not write an archive to a terminal; redirect stdout, or use --to FILE")
		}
		return failed(writeTree(out, c))
	}
	return cmd
}

// writeTree writes the files of a catalog as a tar archive.
func writeTree(out io.Writer, c *catalog.Catalog) error {
	buffered := bufio.NewWriter(out)
	w := tar.NewWriter(buffered)
	for _, d := range files(c) {
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: d.Path, Size: int64(d.Size), Mode: 0o644, ModTime: time.Unix(0, 0)})
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
		for _, part := range d.Text {
			if _, err := io.WriteString(w, part); err != nil {
				return fmt.Errorf("%s: %w", d.Path, err)
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// writeFileWhole writes a file through a temporary one beside it.
func writeFileWhole(name string, write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return cannotWrite(name, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // of no use, and nothing else can be done
		}
	}()
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return cannotWrite(name, err)
}

// cannotWrite returns what is wrong with writing a file, by the name that it was given
// under.
func cannotWrite(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", name, plainCause(err))
}
