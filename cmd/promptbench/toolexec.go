// This file holds the program in its second part: go build runs each tool through
// it, so that it can tell how much memory the Go compiler takes.

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// toolArgument marks a command line of that part.
const toolArgument = "as-tool"

// toolexec returns go build's flag by which compilers are recorded in a file.
func toolexec(file string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(self+file, " \t'\"") {
		return "", fmt.Errorf("go build cannot run %s on %s: their paths have spaces or quotes; set TMPDIR, or name a directory with -dir", self, file)
	}
	return self + " " + toolArgument + " " + file, nil
}

// asTool runs a tool, if that is what the command line says, and returns its exit
// status.
func asTool(args []string) (status int, ok bool) {
	if len(args) < 4 || args[1] != toolArgument {
		return 0, false
	}
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), true
	}
	if err == nil && filepath.Base(args[3]) == "compile" {
		err = record(args[2], args[4:], cmd.ProcessState)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "promptbench:", err)
		return 1, true
	}
	return 0, true
}

// record appends a line to a file: the package that was compiled, and the most
// memory that the compiler had, in kilobytes.
func record(file string, args []string, state *os.ProcessState) error {
	at := slices.Index(args, "-p")
	used, ok := state.SysUsage().(*syscall.Rusage)
	if at < 0 || at+1 == len(args) || !ok {
		return nil // it was asked for its version
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %d\n", args[at+1], used.Maxrss)
	return errors.Join(err, f.Close())
}

// peak returns the most memory that compiling one of the packages under a path took,
// in MB, from a file that record wrote.
func peak(file, under string) (float64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	most := 0
	for line := range strings.Lines(string(data)) {
		path, kilobytes, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(kilobytes); err == nil && strings.HasPrefix(path, under) {
			most = max(most, n)
		}
	}
	if most == 0 {
		return 0, fmt.Errorf("no package under %s was compiled", under)
	}
	return float64(most) * 1024 / 1e6, nil
}
