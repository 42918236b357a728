// This file holds the command package.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/dist"
	"github.com/seed33527553/promptc/gen/emit"
)

func packageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "package [MAINPACKAGE]",
		Short: "Build the server and all that is released of it",
		Long: `Package builds the server whose main package is MAINPACKAGE, "." unless another is
named, and writes a directory that holds a release of it:

  NAME_VERSION_OS_ARCH.tar.gz   the server with its licence and readme; .zip for Windows
  NAME_VERSION_OS_ARCH.mcpb     the same as an MCP bundle, which desktop hosts install
  NAME_VERSION_oci.tar, oci/    an image for linux, as an OCI layout: the server alone,
                                as the user 65532, serving over stdio without arguments
  NAME_VERSION.cdx.json         a bill of materials (CycloneDX): the modules in the
                                server, and each prompt and skill with its digest
  server.json                   the entry of the MCP registry, with --download-url or
                                --image
  checksums.txt                 the SHA-256 of each file, for sha256sum --check

The server's catalog must be what the content compiles to: the generated package may
not be stale, and the built server is asked. The server answers that if its main calls
promptd.Main.

The same commit gives the same bytes on any machine with the same version of Go. Times in
the files are SOURCE_DATE_EPOCH, or 1980. The go command is the one on the path. It takes
modules from where GOPROXY and GOFLAGS say, such as -mod=vendor; what else its variables
say does not count. There are no certificates of authorities in the image: a server
in it that fetches the keys of an OAuth issuer needs them mounted.

The exit status is 0 where all is well; 1 where the content has faults, or the
generated package is stale; and 2 for any other error.`,
		Example: `  promptc package ./cmd/server
  promptc package --target linux/amd64 --target linux/arm64 -o out ./cmd/server
  promptc package --name io.github.owner/server --image ghcr.io/owner/server`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, "package takes one main package, not %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	content := addContentFlag(cmd)
	flags := cmd.Flags()
	output := flags.StringP("output", "o", "dist", "the `directory` to write; one of an earlier release is replaced")
	must(cmd.MarkFlagDirname("output"))
	var known []string
	for _, t := range dist.Targets() {
		known = append(known, t.String())
	}
	targets := flags.StringSlice("target", known, "a platform as `OS/ARCH`; once for each, or with commas between")
	must(cmd.RegisterFlagCompletionFunc("target", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)))
	var about dist.About
	text := func(to *string, name, usage string) {
		flags.StringVar(to, name, "", usage)
		must(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
	text(&about.Version, "version", "the `version` of the release; by default the catalog's")
	text(&about.Title, "title", "what people call the server; by default the catalog's `title`")
	text(&about.Description, "description", "a `sentence` on the server; by default the catalog's")
	text(&about.Author, "author", "the `name` of who made it; by default the path of the Go module")
	text(&about.License, "license", "the licence, as an SPDX `expression`")
	text(&about.Repository, "repository", "the `URL` of the source")
	text(&about.Revision, "revision", "the `commit` of the source")
	text(&about.Name, "name", "the `name` in the MCP registry, such as io.github.owner/server")
	text(&about.DownloadURL, "download-url", "the `URL` of the directory where the files will be, for the MCP registry")
	text(&about.Image, "image", "the `name` of the image in its registry, without a tag, for the MCP registry")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		options := dist.Options{Output: *output, About: about}
		for _, word := range *targets {
			target, err := dist.ParseTarget(word)
			if err != nil {
				return usageError(cmd, "--target: %w", err)
			}
			options.Targets = append(options.Targets, target)
		}
		if len(options.Targets) == 0 {
			return usageError(cmd, "--target: name a platform at least")
		}
		var err error
		if options.Time, err = sourceDate(); err != nil {
			return err
		}
		pattern := "."
		if len(args) > 0 {
			pattern = args[0]
		}
		return packageServer(ctx, cmd, *content, pattern, options)
	}
	return cmd
}

// packageServer compiles the content, and makes a release of the server that has it.
func packageServer(ctx context.Context, cmd *cobra.Command, content, pattern string, options dist.Options) error {
	release, err := compile(cmd, content)
	if err != nil {
		return err
	}
	faults := slices.Concat(release.Faults, release.Unvendored)
	if len(faults) > 0 {
		faults.Sort()
		if err := diag.Write(cmd.ErrOrStderr(), diag.Text, faults); err != nil {
			return err
		}
		return errFaults
	}
	if options.Program, err = dist.Find(ctx, pattern); err != nil {
		return interrupted(ctx, err)
	}
	if err := checkGenerated(cmd, content, release, options.Program); err != nil {
		return err
	}
	c := release.Program.Catalog
	options.Catalog = c
	a := &options.About
	a.Version = cmp.Or(a.Version, c.Version)
	a.Title = cmp.Or(a.Title, c.Title, c.Name, options.Program.Name)
	a.Description = cmp.Or(a.Description, folded(c.Description), a.Title)
	a.Author = cmp.Or(a.Author, options.Program.Module)
	if options.Files, err = releaseFiles(content, release, options.Program); err != nil {
		return err
	}
	options.Progress = func(doing string) { fmt.Fprintln(cmd.ErrOrStderr(), doing) }
	made, err := dist.Make(ctx, options)
	if err != nil {
		return interrupted(ctx, err)
	}
	var b strings.Builder
	shown, err := shownPath(options.Output)
	if err != nil {
		return err
	}
	for _, m := range made {
		fmt.Fprintln(&b, "wrote", path.Join(shown, m.Name))
	}
	fmt.Fprintf(&b, "catalog %s %s\ndigest %s\n", cmp.Or(c.Name, options.Program.Name), a.Version, c.Digest)
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

// interrupted returns the error, or says that somebody ended the run.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted; nothing was written")
	}
	return err
}

// catalogFile is in every generated package, where its parts are in others too.
const catalogFile = "catalog_gen.go"

// checkGenerated fails, and prints what to do, unless a generated package that the
// program is made of is what the content compiles to.
func checkGenerated(cmd *cobra.Command, content string, release *gen.Release, program *dist.Program) error {
	var dirs []string
	for _, dir := range program.Packages {
		for _, dir := range []string{dir, faceOf(dir)} {
			if !slices.Contains(dirs, dir) && isGenerated(filepath.Join(dir, catalogFile)) {
				dirs = append(dirs, dir)
			}
		}
	}
	shownContent, err := shownPath(content)
	if err != nil {
		return err
	}
	var report strings.Builder
	for _, dir := range dirs {
		differences, err := differences(content, dir, release)
		if err != nil || len(differences) == 0 {
			return err
		}
		shown, err := shownPath(dir)
		if err != nil {
			return err
		}
		for _, d := range differences {
			fmt.Fprintf(&report, "%-8s  %s\n", d.Kind, path.Join(shown, d.Path))
		}
		fmt.Fprintf(&report, "%s is not what %s compiles to; run promptc generate -o %s %s\n", shown, shownContent, shown, shownContent)
	}
	if len(dirs) == 0 {
		return fmt.Errorf("%s holds no package that promptc generated: generate one from %s, and let the server serve its Catalog", program.Path, shownContent)
	}
	if _, err := io.WriteString(cmd.OutOrStdout(), report.String()); err != nil {
		return err
	}
	return errFaults
}

// faceOf returns the directory of the package whose part the one in dir is, if it is
// one.
func faceOf(dir string) string {
	if above := filepath.Dir(dir); filepath.Base(above) == emit.Shards {
		return filepath.Dir(above)
	}
	return dir
}

// isGenerated tells whether a file is one of promptc's.
func isGenerated(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, 8<<10))
	return err == nil && emit.Generated(bytes.TrimPrefix(start, []byte("\ufeff")))
}

// differences returns in what a generated package is not what the content compiles to.
func differences(content, dir string, release *gen.Release) ([]gen.Difference, error) {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, catalogFile), nil, parser.PackageClauseOnly)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: run promptc generate", catalogFile)
	}
	options := emit.Options{Package: file.Name.Name}
	if options.ImportPath, err = gen.ImportPath(dir); err != nil {
		return nil, err
	}
	root, err := gen.SourceRoot(content, dir)
	if err != nil {
		return nil, err
	}
	release.Rename(root)
	files, err := emit.Package(release.Program, options)
	if err != nil {
		return nil, err
	}
	return gen.Stale(dir, files)
}

// releaseFiles returns the files that go along with the server: licences and readmes of
// the program, or else of its module, and of the sources in it.
func releaseFiles(content string, release *gen.Release, program *dist.Program) ([]dist.File, error) {
	files, err := dist.Licences("", program.Dir, program.Root)
	if err != nil {
		return nil, err
	}
	for _, s := range release.Program.Catalog.Sources {
		more, err := dist.Licences(path.Join("licenses", s.Name), filepath.Join(filepath.Dir(filepath.Clean(content)), gen.VendorDir, s.Name))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// sourceDate returns the time that SOURCE_DATE_EPOCH names, in seconds since 1970, and
// zero if it is not set.
func sourceDate() (time.Time, error) {
	value := os.Getenv("SOURCE_DATE_EPOCH")
	if value == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return time.Time{}, errors.New("SOURCE_DATE_EPOCH is no number of seconds since 1970 in 32 bits")
	}
	return time.Unix(int64(seconds), 0).UTC(), nil
}
