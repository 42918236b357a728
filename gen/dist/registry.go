// This file makes the entry of the MCP registry (server.json, schema 2025-12-11).

package dist

import (
	"io"
	"net/url"
	"strings"
)

const serverSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// A server is a server.json.
type server struct {
	Schema      string            `json:"$schema"`
	Name        string            `json:"name"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description"`
	Version     string            `json:"version"`
	Repository  *serverRepository `json:"repository,omitempty"`
	Packages    []serverPackage   `json:"packages"`
	Meta        serverMeta        `json:"_meta"`
}

type serverRepository struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

type serverPackage struct {
	Type       string    `json:"registryType"`
	Identifier string    `json:"identifier"`
	Version    string    `json:"version,omitempty"`
	FileSHA256 string    `json:"fileSha256,omitempty"`
	Transport  transport `json:"transport"`
}

type transport struct {
	Type string `json:"type"`
}

// serverMeta is what the registry keeps of what a publisher says besides.
type serverMeta struct {
	Provided map[string]publisherTag `json:"io.modelcontextprotocol.registry/publisher-provided"`
}

type publisherTag struct {
	Catalog  compiled `json:"catalog"`
	Revision string   `json:"revision,omitempty"`
}

// hosts are the names that the registry has for those of sources.
var hosts = map[string]string{"github.com": "github", "gitlab.com": "gitlab"}

// registryEntry makes the entry, if the release says where its packages will be.
func (r *release) registryEntry() error {
	if !r.About.listed() {
		return nil
	}
	s := &server{
		Schema: serverSchema, Name: r.About.Name, Title: r.About.Title, Description: r.About.Description, Version: r.About.Version,
		Meta: serverMeta{map[string]publisherTag{reverseDNS: {r.compiled(), r.About.Revision}}},
	}
	if source := hosts[host(r.About.Repository)]; source != "" {
		s.Repository = &serverRepository{r.About.Repository, source}
	}
	if r.About.DownloadURL != "" {
		for _, bundle := range r.bundles {
			s.Packages = append(s.Packages, serverPackage{
				Type:       "mcpb",
				Identifier: strings.TrimSuffix(r.About.DownloadURL, "/") + "/" + url.PathEscape(bundle.Name),
				Version:    r.About.Version, FileSHA256: bundle.Digest, Transport: transport{"stdio"},
			})
		}
	}
	if r.About.Image != "" {
		s.Packages = append(s.Packages, serverPackage{
			Type: "oci", Identifier: r.About.Image + ":" + r.About.tag() + "@" + r.image, Transport: transport{"stdio"},
		})
	}
	text, err := indented(s)
	if err != nil {
		return err
	}
	_, err = r.out.write("server.json", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}
