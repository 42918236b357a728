// This file tests laws of the design that bind the program.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release server holds no compiler: nothing in it reads Markdown or YAML.
func TestHoldsNoCompiler(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 10 {
		t.Fatalf("go list -deps lists %d packages", len(deps))
	}
	for _, dep := range deps {
		for _, banned := range []string{"seed33527553/promptc/gen", "/yaml", "jennifer", "goldmark", "go-git"} {
			if strings.Contains(dep, banned) {
				t.Errorf("the program depends on %s", dep)
			}
		}
	}
}

// What is compiled in is laid out by the linker: no code runs for it when the
// program starts.
func TestStartsWithoutInit(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "promptd")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, trace)
	}
	if !strings.Contains(string(trace), "init runtime @") {
		t.Fatalf("no trace: %s", trace)
	}
	for line := range strings.Lines(string(trace)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "init" || !strings.Contains(fields[1], "seed33527553/promptc/") {
			continue
		}
		if path := fields[1]; strings.HasSuffix(path, "/catalog") || strings.Contains(path+"/", "/catalog/baked/") {
			t.Errorf("code runs at the start: %s", line)
		}
	}
}
