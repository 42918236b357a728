// This file holds what a person is told of how a client is configured.

package promptd

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
)

const configuration = `Client configuration:

{
  "mcpServers": {
    %s: {
      %s
    }
  }
}
`

func (c *Content) httpConfiguration(a net.Addr, opts serve.HTTPOptions) string {
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
	return fmt.Sprintf(configuration, c.name(), `"type": "http",
      "url": "`+scheme+"://"+host+`/mcp"`+headers)
}

func (c *Content) stdioConfiguration() string {
	text := `"command": ` + string(catalog.AppendJSON(nil, command(c.Command)))
	for i, argument := range c.Arguments {
		text += map[bool]string{true: `,
      "args": [`, false: ", "}[i == 0] + string(catalog.AppendJSON(nil, argument))
	}
	return fmt.Sprintf(configuration, c.name(), text+strings.Repeat("]", min(len(c.Arguments), 1)))
}

// name is what a client calls the server, as JSON.
func (c *Content) name() []byte {
	return catalog.AppendJSON(nil, cmp.Or(c.Mux.Catalogs()[0].Name, c.Command))
}

// command is how a client starts this program: by its name, if that leads to it, and
// else by its path.
func command(name string) string {
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
