// This file holds the command init.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/emit"
)

// compilerModule is the module that a new one depends on.
const compilerModule = "github.com/seed33527553/promptc"

// goVersion is the oldest version of Go that compiles what is generated.
const goVersion = "1.26.0"

// tidyPatience is how long the go command may take to find the dependencies.
const tidyPatience = 2 * time.Minute

func initCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a folder with a server of prompts and skills that works at once",
		Long: `Init makes a Go module: content/ with a prompt and a skill, the package generated from
it, a main program that serves it, a Makefile and a CI workflow. The folder, the current
one unless another is named, must hold none of these files.

The module's dependencies are found by the go command, which needs a network or a module
cache that has them.`,
		Example: `  promptc init team-prompts
  promptc init --module example.com/team/prompts`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, "init takes one directory, not %d", len(args))
			}
			return nil
		},
	}
	name := cmd.Flags().String("module", "", "the `PATH` of the module; by default the folder's name")
	must(cmd.RegisterFlagCompletionFunc("module", cobra.NoFileCompletions))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		shown, err := shownPath(dir)
		if err != nil {
			return err
		}
		abs, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		modulePath := *name
		if modulePath == "" {
			modulePath = strings.ToLower(filepath.Base(abs))
		}
		if err := module.CheckImportPath(modulePath); err != nil {
			return usageError(cmd, "%q cannot be the path of a module; name one with --module, such as example.com/team/prompts", modulePath)
		}
		program := path.Base(modulePath)
		mod, known := goMod(modulePath)
		words := map[string]string{"MODULE": modulePath, "NAME": program}
		drafts := []draft{
			{".gitattributes", fill("gitattributes", nil)},
			{".github/workflows/prompts.yml", fill("ci.yml", nil)},
			{".gitignore", fill("gitignore", nil)},
			{"Makefile", fill("Makefile", nil)},
			{"README.md", fill("README.md", words)},
			{"content/catalog.yaml", fill("catalog.yaml", words)},
			{"content/prompts/summarize-change/PROMPT.md", fill("summarize-change.md", nil)},
			{"content/skills/house-style/SKILL.md", fill("house-style.md", nil)},
			{"generate.go", fill("generate.go", nil)},
			{"go.mod", mod},
			{"main.go", fill("main.go", words)},
		}
		if err := write(dir, shown, drafts); err != nil {
			return err
		}
		generated, err := generate(dir, modulePath)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		for _, d := range drafts {
			fmt.Fprintln(&b, "wrote", path.Join(shown, d.path))
		}
		for _, name := range generated {
			fmt.Fprintln(&b, "wrote", path.Join(shown, "prompts", name))
		}
		if _, err := b.WriteTo(cmd.OutOrStdout()); err != nil {
			return err
		}
		next := ""
		if !known {
			// Built from a checkout, which a replacement can stand for.
			next = "\n  go get -tool " + compilerModule + "/cmd/promptc@latest    # this promptc does not know its own version"
		} else if !tidy(cmd.Context(), dir) {
			next = "\n  go mod tidy    # which needs a network, or a module cache that has all of it"
		}
		if shown != "." {
			next = "\n  cd " + shown + next
		}
		_, err = fmt.Fprintf(cmd.ErrOrStderr(), "next:%s\n  make serve     # serves content/ as it is while you edit it\n  make           # checks, generates, and builds bin/%s\n", next, program)
		return err
	}
	return cmd
}

// generate compiles the content of a new module.
func generate(dir, modulePath string) (written []string, err error) {
	release, err := gen.CompileRelease(filepath.Join(dir, "content"), gen.Options{Root: "content"})
	switch {
	case err != nil:
		return nil, uncompiled("content", err)
	case len(release.Faults) > 0:
		return nil, release.Faults
	}
	files, err := emit.Package(release.Program, emit.Options{Package: "prompts", ImportPath: modulePath + "/prompts"})
	if err != nil {
		return nil, err
	}
	return gen.Write(filepath.Join(dir, "prompts"), files)
}

// goMod returns the go.mod of a new module, and whether it could name the version of the
// compiler that it depends on.
func goMod(modulePath string) (text string, known bool) {
	text = "module " + modulePath + "\n\ngo " + goVersion + "\n"
	version := programVersion()
	if known = semver.IsValid(version) && !strings.Contains(version, "+"); known {
		text += "\ntool " + compilerModule + "/cmd/promptc\n\nrequire " + compilerModule + " " + version + "\n"
	}
	return text, known
}

// tidy has the go command find the dependencies of a new module, and tells whether it
// did. Where it cannot, the folder is complete all the same.
func tidy(ctx context.Context, dir string) bool {
	ctx, cancel := context.WithTimeout(ctx, tidyPatience)
	defer cancel()
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir = dir
	return tidy.Run() == nil
}
