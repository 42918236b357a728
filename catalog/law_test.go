// This file tests what catalog and the generated package may depend on.

package catalog_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestDependsOnTheStandardLibraryOnly(t *testing.T) {
	const module = "github.com/seed33527553/promptc/"
	for pkg, allowed := range map[string]string{
		module + "catalog":       "",
		module + "catalog/baked": module + "catalog",
	} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		seen := false
		for _, dep := range strings.Fields(string(out)) {
			if dep == pkg {
				seen = true
			} else if dep != allowed {
				t.Errorf("%s depends on %s", pkg, dep)
			}
		}
		if !seen {
			t.Errorf("go list does not list %s itself: %s", pkg, out)
		}
	}
}
