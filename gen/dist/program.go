// This file holds Program, the main package of a server.

package dist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// A Program is a main package.
type Program struct {
	// Name is what its binary is called, Path its import path.
	Name, Path string
	// Module is the path of its module, and Root the directory of that; Dir is the
	// package's.
	Module, Root, Dir string
	// Packages are the directories of the module's packages that it is made of.
	Packages []string
	// environment is what the go command is run with, but for the target.
	environment []string
}

// Find returns the main package that a pattern of the go command's names.
func Find(ctx context.Context, pattern string) (*Program, error) {
	if strings.HasPrefix(pattern, "-") {
		return nil, fmt.Errorf("%q is no main package", pattern)
	}
	environment, err := settings(ctx)
	if err != nil {
		return nil, err
	}
	// A target's own files count where a package has such, so any of them will do.
	run := withTarget(environment, Target{"linux", "amd64"})
	named, err := list(ctx, run, pattern)
	switch {
	case err != nil:
		return nil, err
	case len(named) != 1:
		return nil, fmt.Errorf("%s names %d packages; name one main package", pattern, len(named))
	}
	main := named[0]
	switch {
	case main.Name != "main":
		return nil, fmt.Errorf("%s is package %s, and no program; name the main package of the server", pattern, main.Name)
	case main.Module == nil || !main.Module.Main:
		return nil, fmt.Errorf("%s is in no module, or another one; run promptc in the module of the server", pattern)
	}
	p := &Program{
		Path: main.ImportPath, Module: main.Module.Path, Root: main.Module.Dir, Dir: main.Dir,
		environment: environment,
	}
	prefix, _, ok := module.SplitPathVersion(p.Path)
	if !ok {
		prefix = p.Path
	}
	p.Name = path.Base(prefix)
	all, err := list(ctx, run, "-deps", pattern)
	if err != nil {
		return nil, err
	}
	for _, dep := range all {
		if dep.Module != nil && dep.Module.Main {
			p.Packages = append(p.Packages, dep.Dir)
		}
	}
	return p, nil
}

// sums returns what the go.sum of the program's module holds of the files of modules.
func (p *Program) sums() map[module.Version]string {
	sums := map[module.Version]string{}
	text, err := readText(filepath.Join(p.Root, "go.sum"))
	if err != nil {
		return sums // a module without requirements has none
	}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 3 {
			sums[module.Version{Path: words[0], Version: words[1]}] = words[2]
		}
	}
	return sums
}

// A listed package is what go list says of it.
type listed struct {
	Name, ImportPath, Dir string
	Module                *struct {
		Path, Dir string
		Main      bool
	}
}

func list(ctx context.Context, environment []string, args ...string) ([]listed, error) {
	out, err := goCommand(ctx, environment, append([]string{"list", "-json=Name,ImportPath,Dir,Module"}, args...)...)
	if err != nil {
		return nil, err
	}
	var packages []listed
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("cannot read what go list says: %w", err)
		}
		packages = append(packages, p)
	}
	return packages, nil
}

// heard are the settings of the go command that do not change what it makes: where
// modules come from, and where things are kept.
var heard = []string{
	"GOAUTH", "GOCACHE", "GOFLAGS", "GOINSECURE", "GOMODCACHE", "GONOPROXY", "GONOSUMDB",
	"GOPATH", "GOPRIVATE", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN", "GOVCS",
}

// settled are those that do.
var settled = []string{
	"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOENV=off", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
}

// settings returns the environment of the go command: the process's, with what its user
// wrote with go env -w where it is heard, and what is settled.
func settings(ctx context.Context) ([]string, error) {
	out, err := goCommand(ctx, os.Environ(), append([]string{"env", "-json"}, heard...)...)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := json.Unmarshal(out, &values); err != nil {
		return nil, fmt.Errorf("cannot read what go env says: %w", err)
	}
	values["GOFLAGS"] = moduleFlags(values["GOFLAGS"])
	environment := os.Environ()
	for _, name := range heard {
		environment = append(environment, name+"="+values[name])
	}
	return append(environment, settled...), nil
}

// moduleFlags returns those of the flags in GOFLAGS that say where modules are.
func moduleFlags(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return !slices.Contains([]string{"mod", "modfile", "modcacherw"}, name)
	}), " ")
}

// withTarget returns the environment for a target. Of a variable that is there twice the
// later counts.
func withTarget(environment []string, t Target) []string {
	return append(slices.Clip(environment), "GOOS="+t.OS, "GOARCH="+t.Arch)
}

// goCommand runs the go command and returns what it prints.
func goCommand(ctx context.Context, environment []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = environment
	cmd.WaitDelay = waitDelay
	stderr := bounded{limit: maxMessage}
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("there is no go command on the path: a release is built with it")
	case err != nil:
		return nil, fmt.Errorf("go %s failed: %s", args[0], stderr.message(err))
	}
	return out, nil
}

// waitDelay is how long what a program started may hold its output after it ended.
const waitDelay = time.Second

// bounded keeps the start of what is written to it, up to a limit in bytes.
type bounded struct {
	bytes.Buffer
	limit int
}

// maxMessage is how much is kept of what a program says of its failure, in bytes.
const maxMessage = 16 << 10

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.limit-b.Len())])
	return len(p), nil
}

// message returns what was printed, without the directories of this machine, or the
// error if nothing was.
func (b *bounded) message(err error) string {
	text := strings.TrimSpace(b.String())
	if text == "" {
		return err.Error()
	}
	for _, dir := range []func() (string, error){os.Getwd, os.UserHomeDir} {
		if d, err := dir(); err == nil && len(d) > 1 {
			text = strings.ReplaceAll(text, d+string(os.PathSeparator), "")
		}
	}
	return text
}
