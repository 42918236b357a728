// This file holds what a person is told of what is compiled in.

package promptd

import (
	"fmt"

	"github.com/seed33527553/promptc/catalog"
)

// counts is how much is compiled in.
type counts struct {
	Prompts   int `json:"prompts"`
	Skills    int `json:"skills"`
	Documents int `json:"documents"`
	// Bytes is the size of all files.
	Bytes int `json:"bytes"`
}

func count(c *catalog.Catalog) counts {
	n := counts{Prompts: len(c.Prompts), Skills: len(c.Skills), Documents: len(c.Documents)}
	for _, d := range files(c) {
		n.Bytes += d.Size
	}
	return n
}

func (n counts) String() string {
	return things(n.Prompts, "prompt") + ", " + things(n.Skills, "skill") + ", " + things(n.Documents, "document") + ", " + things(n.Bytes, "byte")
}

// things is a number of things in words, such as "1 prompt" or "2 prompts".
func things(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// name is what a client calls the server.
func name(c *catalog.Catalog) string {
	if c.Name == "" {
		return "promptd"
	}
	return c.Name
}

func summary(c *catalog.Catalog) string {
	named := name(c)
	if c.Version != "" {
		named += " " + c.Version
	}
	return fmt.Sprintf("%s: %s\ndigest %s", named, count(c), c.Digest)
}
