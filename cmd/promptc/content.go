// This file holds compile, by which every command reads the content directory.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// defaultContent is the content directory where the command line names none.
const defaultContent = "content"

// contentOf returns the content directory that the arguments name.
func contentOf(args []string) string {
	if len(args) == 0 {
		return defaultContent
	}
	return args[0]
}

// addContentFlag adds --content, for commands whose argument is an id.
func addContentFlag(cmd *cobra.Command) *string {
	dir := cmd.Flags().String("content", defaultContent, "the content `directory`")
	must(cmd.MarkFlagDirname("content"))
	return dir
}

// compile compiles the content directory, with what is vendored beside it, and tells
// its progress on standard error.
func compile(cmd *cobra.Command, dir string) (*gen.Release, error) {
	p := newProgress(cmd.ErrOrStderr())
	defer p.stop()
	return compileQuietly(dir, p.report())
}

// compileSound is compile for commands that are not about faults. Where there are any, it
// prints them to standard error, and whole is false: what has them is not in the program.
func compileSound(cmd *cobra.Command, dir string) (program *check.Program, whole bool, err error) {
	release, err := compile(cmd, dir)
	if err != nil {
		return nil, false, err
	}
	if whole = len(release.Faults) == 0; !whole {
		if err := diag.Write(cmd.ErrOrStderr(), diag.Text, release.Faults); err != nil {
			return nil, false, err
		}
	}
	return release.Sound(), whole, nil
}

func compileQuietly(dir string, progress func(done, total int)) (*gen.Release, error) {
	root, shown, err := openContent(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	release, err := gen.CompileRelease(dir, gen.Options{Root: shown, Progress: progress})
	if err != nil {
		return nil, uncompiled(shown, err)
	}
	return release, nil
}

// openContent opens a content directory, and returns also how it is shown. Through
// an os.Root nothing outside the directory can be read, whatever changes in it
// meanwhile.
func openContent(dir string) (root *os.Root, shown string, err error) {
	if shown, err = shownPath(dir); err != nil {
		return nil, "", err
	}
	// Only a directory is opened: opening a named pipe would wait for its writer.
	info, err := os.Stat(dir)
	if err != nil {
		return nil, "", unusable(shown, err)
	}
	if !info.IsDir() {
		return nil, "", fmt.Errorf("%s is not a directory; name the content directory", shown)
	}
	if err := inside(dir, shown); err != nil {
		return nil, "", err
	}
	if root, err = os.OpenRoot(dir); err != nil {
		return nil, "", unusable(shown, err)
	}
	return root, shown, nil
}

// inside fails for a directory that is a part of a content directory, whose files
// would all seem to lie in the wrong place.
func inside(dir, shown string) error {
	for _, file := range []string{"PROMPT.md", "SKILL.md"} {
		kind := map[string]string{"PROMPT.md": "prompts", "SKILL.md": "skills"}[file]
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			return fmt.Errorf("%s is the directory of one of the %s; name the content directory, which holds %s/", shown, kind, kind)
		}
		below, _ := filepath.Glob(filepath.Join(dir, "*", file))
		if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == kind && len(below) > 0 {
			return fmt.Errorf("%s is the directory of the %s; name the content directory, which holds it", shown, kind)
		}
	}
	return nil
}

// uncompiled returns the error for a tree that could not be read to its end. A
// name in it is quoted: it may hold anything.
func uncompiled(shown string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("cannot read %q: %w", path.Join(shown, p.Path), p.Err)
	}
	return fmt.Errorf("cannot read %s: %w", shown, err)
}

// unusable returns the error for a directory that cannot be read, without the path
// that the system's error holds.
func unusable(shown string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no directory %s; name the content directory, or run promptc where it is", shown)
	}
	return fmt.Errorf("cannot read %s: %w", shown, withoutPath(err))
}

// withoutPath returns an error of the system's without the path, which is the machine's.
func withoutPath(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// shownPath returns how a path is printed: with slashes, relative to the working
// directory, and by its last element alone where it leads outside.
func shownPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	working, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	if relative, err := filepath.Rel(working, absolute); err == nil && filepath.IsLocal(relative) {
		return filepath.ToSlash(relative), nil
	}
	if filepath.Dir(absolute) == absolute {
		return ".", nil
	}
	return filepath.Base(absolute), nil
}
