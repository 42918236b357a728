// This file holds the command verify, which compares what is compiled in with a
// content tree.

package promptd

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func verifyCommand(c *catalog.Catalog) *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Prove that exactly the content tree DIR is compiled in",
		Long: `Prove that exactly the content tree DIR is compiled in, or list each difference, as
seen from the program:

  added PATH      the tree has a file that the program does not hold
  removed PATH    the program holds a file that the tree does not have
  changed PATH    both have it, with different content
  symlink PATH    the tree has a symbolic link, which is never followed
  special PATH    the tree has something else that is no file
  corrupt THING   the program does not hold what was compiled into it

PATH is relative to DIR; of what came from other repositories it is that of what was
vendored beside DIR, such as promptc.vendor/team/deploy-app.md. What counts are the files
that the compiler reads, as it reads them: Markdown and catalog.yaml without a byte order
mark and with newlines for line ends, and names that start with a dot not at all. The
program's side is what it would serve, text by text, and not what was recorded of it.

The exit status is 0 where all is equal, 1 where something is not, and 2 where the
command line is wrong or DIR cannot be read.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "verify takes one directory, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			tree, err := readTree(args[0], c.Sources)
			if err != nil {
				return err
			}
			findings := verify(c, tree)
			if len(findings) == 0 {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "equal: digest %s\n", c.Digest)
				return failed(err)
			}
			var b strings.Builder
			for _, f := range findings {
				fmt.Fprintln(&b, f)
			}
			if _, err := io.WriteString(cmd.OutOrStdout(), b.String()); err != nil {
				return failed(err)
			}
			return failed(errors.New(things(len(findings), "difference") + " between the program and the content tree"))
		},
	}
}

// Limits of a tree, which are the compiler's.
const (
	maxTreeEntries = 1 << 18
	maxTreeBytes   = 1 << 30
	maxFileBytes   = 16 << 20
)

// settingsFile is the path of the catalog's own settings in a tree.
const settingsFile = "catalog.yaml"

// A tree is what counts in a content tree.
type tree struct {
	// digests are those of the files, by path. That of a file that is too long for
	// any catalog is empty.
	digests map[string]string
	// odd are what has no place in any tree.
	odd []finding
	// vendored are the trees of sources, by name.
	vendored map[string]*tree
}

// readTree reads a content tree, and what was vendored of sources beside it.
func readTree(dir string, sources []catalog.Source) (*tree, error) {
	root, err := openDirectory(dir)
	if err != nil {
		return nil, cannotRead(dir, err)
	}
	defer root.Close()
	t, err := readRoot(root, dir, inTree)
	if err != nil {
		return nil, err
	}
	t.vendored, err = readVendored(dir, sources)
	return t, err
}

// readRoot reads those files of a directory that count.
func readRoot(root *os.Root, dir string, counts func(path string) bool) (*tree, error) {
	t := &tree{digests: map[string]string{}}
	entries, size := 0, int64(0)
	err := fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return cannotRead(path.Join(dir, p), err)
		}
		if p == "." {
			return nil
		}
		if strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entries++; entries > maxTreeEntries {
			return fmt.Errorf("%s has more than %d files and directories", dir, maxTreeEntries)
		}
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			t.odd = append(t.odd, finding{Kind: "symlink", Subject: p})
		case d.IsDir():
		case !d.Type().IsRegular():
			t.odd = append(t.odd, finding{Kind: "special", Subject: p})
		case counts(p):
			n, digest, err := digestFile(root, p)
			if err != nil {
				return cannotRead(path.Join(dir, p), err)
			}
			t.digests[p] = digest
			if size += n; size > maxTreeBytes {
				return fmt.Errorf("the files of %s have more than %d bytes", dir, maxTreeBytes)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// cannotRead returns what is wrong with reading a file, by the name that it was given
// under.
func cannotRead(name string, err error) error {
	return fmt.Errorf("cannot read %s: %w", name, plainCause(err))
}

// plainCause returns the cause of an error without the path, which may be the machine's.
func plainCause(err error) error {
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	if cause := (*os.LinkError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	if err != nil && err.Error() == "path escapes from parent" { // os.Root has no value for it
		return errors.New("a symbolic link leads out of the directory")
	}
	return err
}

// inTree tells whether a file counts in a content tree: the compiler compiles it or
// finds fault with it, and does not pass over it.
func inTree(p string) bool {
	top, below, _ := strings.Cut(strings.ToLower(p), "/")
	switch {
	case top == "prompts" || top == "skills":
		return true
	case below == "" && (top == settingsFile || top == "catalog.yml"):
		return true
	}
	return isMarkdown(strings.ToLower(p)) || strings.HasSuffix(strings.ToLower(p), ".markdown")
}

func isMarkdown(p string) bool { return path.Ext(p) == ".md" }

// digestFile returns the size of a file, and the digest of what it is to the compiler.
func digestFile(root *os.Root, p string) (size int64, digest string, err error) {
	f, err := root.Open(p)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return 0, "", err
	case !info.Mode().IsRegular():
		return 0, "", errors.New("it is no regular file any more")
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil || len(raw) > maxFileBytes {
		return maxFileBytes, "", err
	}
	if isMarkdown(p) || p == settingsFile {
		raw = []byte(catalog.Normalize(raw))
	}
	sum := sha256.Sum256(raw)
	return int64(len(raw)), hex.EncodeToString(sum[:]), nil
}

// verify compares a catalog with a tree.
func verify(c *catalog.Catalog, t *tree) []finding {
	findings := slices.Concat(t.odd, inspect(c))
	from := map[string][]*catalog.Document{}
	held := map[string]bool{settingsFile: true}
	for _, d := range files(c) {
		if d.Source != "" {
			from[d.Source] = append(from[d.Source], d)
			continue
		}
		held[d.Path] = true
		switch digest, ok := t.digests[d.Path]; {
		case !ok:
			findings = append(findings, finding{Kind: "removed", Subject: d.Path})
		case digest != textDigest(d):
			findings = append(findings, finding{Kind: "changed", Subject: d.Path})
		}
	}
	for p := range t.digests {
		if !held[p] {
			findings = append(findings, finding{Kind: "added", Subject: p})
		}
	}
	for i := range c.Sources {
		s := &c.Sources[i]
		findings = append(findings, verifySource(s, from[s.Name], t.vendored[s.Name])...)
	}
	findings = append(findings, verifySettings(c, t)...)
	sortFindings(findings)
	return findings
}

// verifySettings compares the settings. The program does not hold the file; that the
// catalog's digest was made with it is all that is known of it.
func verifySettings(c *catalog.Catalog, t *tree) []finding {
	with := func(settings string) string {
		list := files(c)
		if settings != "" {
			list = append(list, &catalog.Document{Path: settingsFile, Digest: settings})
			slices.SortFunc(list, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
		}
		return catalog.DigestOf(list)
	}
	settings, exists := t.digests[settingsFile]
	switch digest := with(settings); {
	case digest == c.Digest:
		return nil
	case catalog.SealOf(c) != c.Seal:
		altered := *c
		altered.Digest = digest
		if catalog.SealOf(&altered) == c.Seal {
			return []finding{{corruptKind, "catalog", "the digest is not what was recorded"}}
		}
		// Something that the digest is made of is corrupt, and was found.
		for _, d := range files(c) {
			if textDigest(d) != d.Digest {
				return nil
			}
		}
	}
	switch {
	case exists && with("") == c.Digest:
		return []finding{{Kind: "added", Subject: settingsFile}}
	case !exists:
		return []finding{{Kind: "removed", Subject: settingsFile}}
	}
	return []finding{{Kind: "changed", Subject: settingsFile}}
}
