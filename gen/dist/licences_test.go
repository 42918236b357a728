// This file tests which files go along with a program.

package dist_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed33527553/promptc/gen/dist"
)

func TestLicences(t *testing.T) {
	own, root := t.TempDir(), t.TempDir()
	for _, name := range []string{"README.md", "main.go", "license"} {
		write(t, filepath.Join(own, name), nil)
	}
	for _, name := range []string{"README.md", "LICENSE-MIT", "NOTICE.txt", "COPYING", "license.go", "LICENSED.md", "readme.md.bak"} {
		write(t, filepath.Join(root, name), nil)
	}
	if err := os.Mkdir(filepath.Join(root, "LICENSE"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "LICENCE")); err != nil {
		t.Fatal(err)
	}
	files, err := dist.Licences("licenses/x", own, root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
		if f.Name == "licenses/x/README.md" && filepath.Dir(f.Path) != own {
			t.Errorf("the readme is %s", f.Path)
		}
	}
	want := []string{"licenses/x/README.md", "licenses/x/license", "licenses/x/COPYING", "licenses/x/LICENSE-MIT", "licenses/x/NOTICE.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("there go along %q, want %q", got, want)
	}
	if _, err := dist.Licences("", filepath.Join(root, "nowhere")); err == nil {
		t.Error("a directory that is not there has licences")
	}
}
