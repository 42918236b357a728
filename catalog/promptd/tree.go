// This file holds the command tree, which writes out the files that are compiled in.

package promptd

import (
	"archive/tar"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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
files of skills. They lie as promptc reads them:

  content/                 the content tree, without the catalog's own settings,
                           catalog.yaml, which the program does not hold
  promptc.lock             which commit of each source its files are of
  promptc.vendor/SOURCE/   what is served of a source, by the paths in its tree

The last two are there if there are sources. Files of a source that are not served are
not in the program; each digest in promptc.lock is that of the files in the archive.

The archive depends on the content alone: entries are sorted by path, files have the mode
0644 and directories 0755, and the time is 0. Programs with equal content write equal
bytes.`,
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

// What tree writes lies as promptc vendor has it: the lock and the vendored trees beside
// the content directory.
const (
	builtInDir = "content"
	lockFile   = "promptc.lock"
)

// An entry is a file of the archive, or a directory, whose path ends with a slash.
type entry struct {
	path string
	text []string
}

// A lock is what promptc vendor writes of sources.
type lock struct {
	Sources []locked `json:"sources"`
}

// A locked source is one of a lock.
type locked struct {
	Name       string `json:"name"`
	Repository string `json:"repository"`
	Branch     string `json:"branch,omitempty"`
	Path       string `json:"path,omitempty"`
	Layout     string `json:"layout"`
	// Given tells that no catalog.yaml names the source. There is none in the archive.
	Given  bool   `json:"given"`
	Commit string `json:"commit"`
	Digest string `json:"digest"`
}

// entries returns what is in the archive, sorted. Directories that a reader needs are
// there, even if nothing is in them.
func entries(c *catalog.Catalog) ([]entry, error) {
	list := []entry{{path: builtInDir + "/"}}
	digests := map[string]map[string]string{} // of a source's files, by path
	for _, d := range files(c) {
		if d.Source == "" {
			list = append(list, entry{path.Join(builtInDir, d.Path), d.Text})
			continue
		}
		list = append(list, entry{place(d), d.Text})
		if digests[d.Source] == nil {
			digests[d.Source] = map[string]string{}
		}
		digests[d.Source][origin(d)] = d.Digest
	}
	if len(c.Sources) > 0 {
		var l lock
		for _, s := range c.Sources {
			list = append(list, entry{path: path.Join(vendorDir, s.Name) + "/"})
			l.Sources = append(l.Sources, locked{s.Name, s.Repository, s.Branch, s.Path, s.Layout, true, s.Commit, digestOfFiles(digests[s.Name])})
		}
		var text strings.Builder
		if err := printJSON(&text, l); err != nil {
			return nil, err
		}
		list = append(list, entry{lockFile, []string{text.String()}})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	return list, nil
}

// writeTree writes the files of a catalog as a tar archive.
func writeTree(out io.Writer, c *catalog.Catalog) error {
	list, err := entries(c)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	w := tar.NewWriter(buffered)
	for _, e := range list {
		if err := e.write(w); err != nil {
			return fmt.Errorf("%s: %w", e.path, err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// write writes the entry to an archive.
func (e *entry) write(w *tar.Writer) error {
	h := tar.Header{Typeflag: tar.TypeReg, Name: e.path, Mode: 0o644, ModTime: time.Unix(0, 0)}
	if strings.HasSuffix(e.path, "/") {
		h.Typeflag, h.Mode = tar.TypeDir, 0o755
	}
	for _, part := range e.text {
		h.Size += int64(len(part))
	}
	if err := w.WriteHeader(&h); err != nil {
		return err
	}
	for _, part := range e.text {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
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
