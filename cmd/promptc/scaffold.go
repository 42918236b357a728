// This file holds what init and new start with.

package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

//go:embed scaffold/*.txt
var scaffold embed.FS

// fill returns a file of the scaffold with words in the places of their names, which are
// written in capitals.
func fill(name string, words map[string]string) string {
	text, err := fs.ReadFile(scaffold, path.Join("scaffold", name+".txt"))
	if err != nil {
		panic(err) // it is compiled in
	}
	var pairs []string
	for from, to := range words {
		pairs = append(pairs, from, to)
	}
	return strings.NewReplacer(pairs...).Replace(string(text))
}

// A draft is a file that is to be written where none is.
type draft struct{ path, text string }

// write writes drafts below a directory, all of them, or none if one of them is there
// already. shown is how the directory is named in errors.
func write(dir, shown string, drafts []draft) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannotWrite(shown, err)
	}
	root, err := os.OpenRoot(dir + string(os.PathSeparator) + ".")
	if err != nil {
		return cannotWrite(shown, err)
	}
	defer root.Close()
	var there []string
	for _, d := range drafts {
		if _, err := root.Lstat(d.path); err == nil {
			there = append(there, path.Join(shown, d.path))
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("nothing was written, because of what is there already: %s", strings.Join(there, ", "))
	}
	for _, d := range drafts {
		if err := create(root, d); err != nil {
			return cannotWrite(path.Join(shown, d.path), err)
		}
	}
	return nil
}

// create writes one file where none is.
func create(root *os.Root, d draft) error {
	if err := root.MkdirAll(path.Dir(d.path), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(d.text)
	if late := f.Close(); err == nil {
		err = late
	}
	return err
}

func cannotWrite(shown string, err error) error {
	return fmt.Errorf("cannot write %s: %w", shown, withoutPath(err))
}

// title makes a title of an id: "review-change" is "Review change".
func title(id string) string {
	words := strings.ReplaceAll(id, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
