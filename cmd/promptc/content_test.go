// This file tests how paths and texts are shortened.

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestShownPath(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	for path, want := range map[string]string{
		"content":                          "content",
		"./a/../content/":                  "content",
		"a/content":                        "a/content",
		".":                                ".",
		filepath.Join(work, "a", "b"):      "a/b",
		work:                               ".",
		"..":                               filepath.Base(dir),
		"../elsewhere/content":             "content",
		filepath.Join(dir, "x", "catalog"): "catalog",
		"..content":                        "..content",
		string(filepath.Separator):         ".",
	} {
		if got, err := shownPath(path); err != nil || got != want {
			t.Errorf("shownPath(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{" a\n b\tc ", "a b c"},
		{"1234567890", "1234567890"},
		{"12345678901", "1234567..."},
		{"123456 8901", "123456..."},
		{"äöüäöüäöüäöü", "äöüäöüä..."},
	} {
		if got := oneLine(test.in, 10); got != test.want {
			t.Errorf("oneLine(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}
