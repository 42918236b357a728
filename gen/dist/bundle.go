// This file makes MCP bundles (MCPB, manifest version 0.3).

package dist

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// A manifest is the manifest.json of a bundle.
type manifest struct {
	Version       string               `json:"manifest_version"`
	Name          string               `json:"name"`
	DisplayName   string               `json:"display_name,omitempty"`
	ServerVersion string               `json:"version"`
	Description   string               `json:"description"`
	Author        author               `json:"author"`
	Repository    *manifestRepository  `json:"repository,omitempty"`
	License       string               `json:"license,omitempty"`
	Server        manifestServer       `json:"server"`
	Prompts       []manifestPrompt     `json:"prompts,omitempty"`
	Compatibility compatibility        `json:"compatibility"`
	Meta          map[string]bundleTag `json:"_meta"`
}

type author struct {
	Name string `json:"name"`
}

type manifestRepository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type manifestServer struct {
	Type       string         `json:"type"`
	EntryPoint string         `json:"entry_point"`
	Config     manifestConfig `json:"mcp_config"`
}

type manifestConfig struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// A manifestPrompt is a prompt that a host can show before it starts the server.
type manifestPrompt struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Arguments   []string `json:"arguments,omitempty"`
	Text        string   `json:"text"`
}

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// A bundleTag tells what a bundle was made of.
type bundleTag struct {
	Catalog  compiled `json:"catalog"`
	Arch     string   `json:"arch"`
	Revision string   `json:"revision,omitempty"`
}

// platforms are the names that a manifest has for operating systems.
var platforms = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}

// bundle makes the MCP bundle of a program: a ZIP of it and a manifest.
func (r *release) bundle(b *built, program []byte, files []entry) error {
	text, err := indented(r.manifest(b))
	if err != nil {
		return err
	}
	entries := append([]entry{
		{"manifest.json", 0o644, text},
		{"server/" + b.file, 0o755, program},
	}, files...)
	made, err := r.out.write(r.name(b.target.OS, b.target.Arch)+".mcpb", func(w io.Writer) error { return writeZip(w, entries, r.time()) })
	r.bundles = append(r.bundles, made)
	return err
}

func (r *release) manifest(b *built) *manifest {
	m := &manifest{
		Version:       "0.3",
		Name:          r.Program.Name,
		DisplayName:   r.About.Title,
		ServerVersion: r.About.Version,
		Description:   r.About.Description,
		Author:        author{r.About.Author},
		License:       r.About.License,
		Server: manifestServer{
			Type:       "binary",
			EntryPoint: "server/" + b.file,
			Config:     manifestConfig{Command: "${__dirname}/server/" + b.file, Args: []string{}},
		},
		Compatibility: compatibility{[]string{platforms[b.target.OS]}},
		Meta:          map[string]bundleTag{reverseDNS: {r.compiled(), b.target.Arch, r.About.Revision}},
	}
	if r.About.Repository != "" {
		m.Repository = &manifestRepository{"git", r.About.Repository}
	}
	for _, p := range r.Catalog.Prompts {
		m.Prompts = append(m.Prompts, staticPrompt(r.Catalog, p))
	}
	return m
}

// staticPrompt returns a prompt as a manifest has it. An argument's place is
// "${arguments.name}" in its text; where there are several messages each stands under a
// line with its role.
func staticPrompt(c *catalog.Catalog, p *catalog.Prompt) manifestPrompt {
	s := manifestPrompt{Name: c.Prefix + p.ID, Description: p.Description}
	for i := range p.Arguments {
		s.Arguments = append(s.Arguments, p.Arguments[i].Name)
	}
	messages := make([]catalog.Message, len(p.Messages))
	for i, m := range p.Messages {
		var text strings.Builder
		for _, segment := range m.Segments {
			if segment.Argument > 0 {
				text.WriteString("${arguments." + p.Arguments[segment.Argument-1].Name + "}")
			} else {
				text.WriteString(segment.Text)
			}
		}
		messages[i] = catalog.Message{Role: m.Role, Text: text.String()}
	}
	s.Text = string(catalog.AppendTranscript(nil, messages))
	return s
}

// indented returns a value as JSON for people to read.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// host returns the host of a URL, which was checked.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
