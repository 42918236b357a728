// This file tests laws of the design that bind the command.

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// The compiler must build when its output does not, or a broken output could not
// be generated anew.
func TestDoesNotImportItsOutput(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 10 {
		t.Fatalf("go list -deps lists %d packages", len(deps))
	}
	for _, dep := range deps {
		if strings.Contains(dep+"/", "/catalog/baked/") {
			t.Errorf("the command depends on %s", dep)
		}
	}
}
