// This file holds what a person is told: what is compiled in, and how a client is
// configured for it.

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
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

const configuration = `Client configuration:

{
  "mcpServers": {
    %s: {
      %s
    }
  }
}
`

func httpConfiguration(c *catalog.Catalog, a net.Addr, opts serve.HTTPOptions) string {
	host := a.String()
	// An address that stands for all of them is none to connect to.
	if tcp, ok := a.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	scheme, headers := "http", ""
	if opts.Certificate != nil {
		scheme = "https"
	}
	if opts.Tokens != nil {
		headers = `,
      "headers": {"Authorization": "Bearer TOKEN"}`
	}
	return fmt.Sprintf(configuration, catalog.AppendJSON(nil, name(c)), `"type": "http",
      "url": "`+scheme+"://"+host+`/mcp"`+headers)
}

func stdioConfiguration(c *catalog.Catalog) string {
	return fmt.Sprintf(configuration, catalog.AppendJSON(nil, name(c)), `"command": `+string(catalog.AppendJSON(nil, command())))
}

// command is how a client starts this program: by its name, if that leads to it, and
// else by its path.
func command() string {
	const name = "promptd"
	self, err := os.Executable()
	if err != nil {
		return name
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return self
	}
	if a, err := os.Stat(self); err == nil {
		if b, err := os.Stat(found); err == nil && os.SameFile(a, b) {
			return name
		}
	}
	return self
}
