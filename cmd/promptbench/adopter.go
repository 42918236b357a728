// This file holds adopter, the module that the content is compiled into.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed33527553/promptc/gen/emit"
)

const (
	promptc       = "github.com/seed33527553/promptc"
	adopterModule = "example.com/adopter"
)

// An adopter is a module in a scratch directory, with these packages:
//
//	few/baked, few/server    the content of few prompts, and promptd over it
//	many/baked, many/server  the same of many
//	typed                    a program that calls one of the many prompts
//	empty                    an mcp-go server that has nothing to serve
//	linked                   the same, with every library that promptd links
type adopter struct {
	dir string
	// repository is the directory of promptc's module.
	repository string
}

// newAdopter makes the module, without what is generated and what needs that.
func newAdopter(ctx context.Context, dir string) (*adopter, error) {
	repository, err := output(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}", promptc)
	if err != nil {
		return nil, err
	}
	a := &adopter{dir, repository}
	// The versions are promptc's own.
	module, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		return nil, err
	}
	module = regexp.MustCompile(`(?m)^module .*$`).ReplaceAll(module, []byte("module "+adopterModule))
	module = fmt.Appendf(module, "\nrequire %s v0.0.0\n\nreplace %s => %s\n", promptc, promptc, repository)
	sums, err := os.ReadFile(filepath.Join(repository, "go.sum"))
	if err != nil {
		return nil, err
	}
	libraries, err := a.libraries(ctx)
	if err != nil {
		return nil, err
	}
	return a, errors.Join(
		a.file("go.mod", string(module)),
		a.file("go.sum", string(sums)),
		a.file("typed/main.go", typedProgram),
		a.file("empty/main.go", emptyServer),
		a.file("linked/main.go", strings.Replace(emptyServer, "import (", "import (\n\t_ \""+strings.Join(libraries, "\"\n\t_ \"")+"\"\n", 1)),
	)
}

// file writes a file of the module.
func (a *adopter) file(name, text string) error {
	path := filepath.Join(a.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}

// typedProgram calls a prompt, the first one of any tree, with typed arguments.
var typedProgram = `package main

import (
	"fmt"
	"os"

	"` + adopterModule + `/many/baked"
)

func main() {
	messages, err := baked.` + promptType(0) + `{Subject: "a change"}.Messages()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(messages[0].Text)
}
`

// emptyServer is the least that mcp-go makes a server of.
const emptyServer = `package main

import (
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("empty", "1.0.0", server.WithPromptCapabilities(false))
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// libraries lists the packages that promptd imports, and not from promptc.
func (a *adopter) libraries(ctx context.Context) ([]string, error) {
	out, err := output(ctx, a.repository, "go", "list", "-f", `{{join .Imports "\n"}}`, "./cmd/promptd", "./catalog/serve")
	if err != nil {
		return nil, err
	}
	libraries := strings.Fields(out)
	slices.Sort(libraries)
	return slices.DeleteFunc(slices.Compact(libraries), func(path string) bool { return strings.HasPrefix(path, promptc) }), nil
}

// addServer writes promptd's source over the package that was generated for the
// content of one size.
func (a *adopter) addServer(size string) error {
	imports, value := adopterModule+"/"+size+"/baked", "baked.Catalog"
	// Where there is an index, that is the package for those who need no types.
	if _, err := os.Stat(filepath.Join(a.dir, size, "baked", emit.Shards, "index")); err == nil {
		imports, value = path.Join(imports, emit.Shards, "index"), "&baked.Catalog"
	}
	change := strings.NewReplacer(`"`+promptc+`/catalog/baked"`, `baked "`+imports+`"`, "baked.Catalog", value)
	sources, err := filepath.Glob(filepath.Join(a.repository, "cmd", "promptd", "*.go"))
	if err != nil {
		return err
	}
	found := false
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		own := change.Replace(string(text))
		found = found || own != string(text)
		if err := a.file(size+"/server/"+filepath.Base(source), own); err != nil {
			return err
		}
	}
	if !found {
		return errors.New("cmd/promptd does not import catalog/baked: what is measured here is not what it serves")
	}
	return nil
}

// program returns where a program is built.
func (a *adopter) program(name string) string { return filepath.Join(a.dir, "bin", name) }

// size returns how many bytes a program has.
func (a *adopter) size(name string) (int64, error) {
	info, err := os.Stat(a.program(name))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// generate runs promptc generate for the content of one size.
func (a *adopter) generate(ctx context.Context, size string) (usage, error) {
	return a.run(ctx, nil, a.program("promptc"), "generate", "-o", size+"/baked", size+"/content")
}

// build builds the program in one of the module's packages, with a build cache of its
// own. Each run of the Go compiler is recorded where compilers, a file, is not empty.
func (a *adopter) build(ctx context.Context, cache, name, compilers string) (usage, error) {
	args := []string{"build"}
	if compilers != "" {
		tool, err := toolexec(compilers)
		if err != nil {
			return usage{}, err
		}
		args = append(args, "-toolexec="+tool)
	}
	args = append(args, released(a.program(strings.ReplaceAll(name, "/", "-")), "./"+name)...)
	return a.run(ctx, []string{"GOCACHE=" + cache}, "go", args...)
}

// buildPromptc builds the compiler, with the user's build cache.
func (a *adopter) buildPromptc(ctx context.Context) error {
	args := append([]string{"-C", a.repository, "build"}, released(a.program("promptc"), "./cmd/promptc")...)
	_, err := a.run(ctx, nil, "go", args...)
	return err
}

// released returns go build's arguments for a program as it is released.
func released(program, name string) []string {
	return []string{"-trimpath", "-ldflags=-s -w", "-o", program, name}
}

// A usage is what a program and all that it started took.
type usage struct {
	wall, cpu time.Duration
}

// run runs a program in the module's directory.
func (a *adopter) run(ctx context.Context, env []string, name string, args ...string) (usage, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = a.dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOPROXY=off", "GOFLAGS="), env...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return usage{}, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, &stderr)
	}
	return usage{wall, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}

// output returns what a program prints, without the space around it.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}
