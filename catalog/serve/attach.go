// This file holds Attach, for programs that have an mcp-go server of their own.

package serve

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// Attach registers what is mounted on m with s, a server of mcp-go's that answers
// for other things too. It registers nothing and fails where a prompt's name or a
// resource's URI is there already, and where m has a Repository whose prompts may
// change, which mcp-go has no place for.
//
// What is served is mcp-go's then, and less than what a Server of this package
// serves, which is for programs that can do without one of their own:
//
//   - bad arguments are -32603 without data, and values that are no text -32600;
//   - resources that do not exist have no data.uri, and are -32603 where a template
//     has their form;
//   - choices and ids are not completed, unless s was made with a provider for it;
//   - the methods of the skills extension are missing, though skill:// URIs are read;
//   - resources have no annotations, lists are sorted by name, and a page may lose
//     resources that share a name: give s no limit for pages;
//   - a principal sees everything, unless s has a filter;
//   - templates that s has already are not compared, and mcp-go asks any one of
//     those that match a URI.
func Attach(s *server.MCPServer, m *catalog.Mux) error {
	a := attachment{prompts: map[string]bool{}, uris: map[string]bool{}, index: indexOf(m, nil)}
	for name := range s.ListPrompts() {
		a.prompts[name] = true
	}
	for uri := range s.ListResources() {
		a.uris[uri] = true
	}
	for i := range m.Mounts() {
		switch mount := &m.Mounts()[i]; {
		case mount.Catalog != nil:
			a.addCatalog(m, mount.Catalog)
		case mount.Funcs != nil:
			for i := range mount.Funcs {
				a.addFunc(mount.Repository, &mount.Funcs[i])
			}
		default:
			a.fail("the prompts of the repository %q can change, and those of mcp-go cannot: serve it with New", mount.Prefix)
		}
	}
	for i := range m.Resources() {
		a.addResourceFunc(m, &m.Resources()[i])
	}
	if a.faults != nil {
		return fmt.Errorf("attach to an mcp-go server: %w", errors.Join(a.faults...))
	}
	s.AddPrompts(a.toPrompt...)
	s.AddResources(a.toRead...)
	s.AddResourceTemplates(a.templates...)
	return nil
}

// An attachment is what is to be registered, and what speaks against it.
type attachment struct {
	prompts, uris map[string]bool // what is taken
	toPrompt      []server.ServerPrompt
	toRead        []server.ServerResource
	templates     []server.ServerResourceTemplate
	faults        []error
	// index is the skills index of all catalogs, and indexed tells that it is in
	// toRead.
	index   *catalog.Document
	indexed bool
}

func (a *attachment) fail(format string, args ...any) {
	a.faults = append(a.faults, fmt.Errorf(format, args...))
}

func (a *attachment) addPrompt(p mcp.Prompt, handler server.PromptHandlerFunc) {
	if a.prompts[p.Name] {
		a.fail("a prompt has the name %q already", p.Name)
		return
	}
	a.prompts[p.Name] = true
	a.toPrompt = append(a.toPrompt, server.ServerPrompt{Prompt: p, Handler: handler})
}

func (a *attachment) addResource(r mcp.Resource, handler server.ResourceHandlerFunc) {
	if a.uris[r.URI] {
		a.fail("a resource has the URI %q already", r.URI)
		return
	}
	a.uris[r.URI] = true
	a.toRead = append(a.toRead, server.ServerResource{Resource: r, Handler: handler})
}

func (a *attachment) addTemplate(t mcp.ResourceTemplate, handler server.ResourceHandlerFunc) {
	uri := t.URITemplate.Raw()
	if a.uris[uri] {
		return // it is the same for every catalog
	}
	a.uris[uri] = true
	a.templates = append(a.templates, server.ServerResourceTemplate{Template: t, Handler: server.ResourceTemplateHandlerFunc(handler)})
}

func (a *attachment) addCatalog(m *catalog.Mux, c *catalog.Catalog) {
	for _, p := range c.Prompts {
		var entry mcp.Prompt
		var meta map[string]any
		if err := errors.Join(json.Unmarshal([]byte(p.Entry), &entry), json.Unmarshal(p.AppendMeta(nil), &meta)); err != nil {
			a.fail("prompt %q: %w", c.Prefix+p.ID, err)
			continue
		}
		a.addPrompt(entry, func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			messages, err := p.RenderNamed(request.Params.Arguments)
			if err != nil {
				return nil, err
			}
			result := toResult(p.Description, messages)
			// mcp-go writes into it, so it is nobody else's.
			result.Meta = &mcp.Meta{AdditionalFields: maps.Clone(meta)}
			return result, nil
		})
	}
	read := func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		d, err := m.Resource(request.Params.URI)
		if err != nil {
			return nil, err
		}
		if request.Params.URI == catalog.SkillsIndexURI {
			d = a.index
		}
		contents := catalog.Embedded{URI: request.Params.URI, MIMEType: d.MIMEType}
		if d.IsText() {
			contents.Text = d.String()
		} else {
			contents.Blob = []byte(d.String())
		}
		return []mcp.ResourceContents{toContents(contents)}, nil
	}
	for i := range c.Resources {
		var entry mcp.Resource
		if err := json.Unmarshal([]byte(c.Resources[i].Entry), &entry); err != nil {
			a.fail("resource %q: %w", c.Resources[i].URI, err)
			continue
		}
		entry.Annotations = nil
		if entry.URI == catalog.SkillsIndexURI {
			if a.indexed {
				continue // it is one of all catalogs
			}
			a.indexed = true
			size := int64(a.index.Size)
			entry.Size = &size
		}
		a.addResource(entry, read)
	}
	for _, t := range templates() {
		a.addTemplate(toTemplate(t.uri, t.name, t.title, t.description, t.mimeType), read)
	}
	if len(c.Skills) > 0 {
		a.addTemplate(toTemplate(catalog.SkillScheme+"{+path}", "skill-file", "File of a skill", "A file of a skill by its path.", ""), read)
	}
}

func (a *attachment) addFunc(r catalog.Repository, p *catalog.PromptFunc) {
	entry := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for i := range p.Arguments {
		argument := &p.Arguments[i]
		entry.Arguments = append(entry.Arguments, mcp.PromptArgument{Name: argument.Name, Description: argument.Description, Required: argument.Required})
	}
	a.addPrompt(entry, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		result, err := guarded(func() (catalog.Result, error) { return r.Get(ctx, p.Name, request.Params.Arguments) })
		if err == nil {
			err = catalog.CheckMessages(result.Messages)
		}
		if err != nil {
			return nil, err
		}
		return toResult(result.Description, result.Messages), nil
	})
}

func (a *attachment) addResourceFunc(m *catalog.Mux, r *catalog.ResourceFunc) {
	read := func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		// What mcp-go's own matching lets through may be no match here.
		r, variables, ok := m.ResourceFunc(request.Params.URI)
		if !ok {
			return nil, catalog.ErrNotFound
		}
		contents, err := guarded(func() (catalog.Embedded, error) { return r.Contents(ctx, request.Params.URI, variables) })
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{toContents(contents)}, nil
	}
	if r.IsTemplate() {
		if a.uris[r.URI] {
			a.fail("a template is %q already", r.URI)
		}
		a.addTemplate(toTemplate(r.URI, r.Name, r.Title, r.Description, r.MIMEType), read)
		return
	}
	a.addResource(mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: r.MIMEType}, read)
}

func toTemplate(uri, name, title, description, mimeType string) mcp.ResourceTemplate {
	t := mcp.NewResourceTemplate(uri, name, mcp.WithTemplateDescription(description), mcp.WithTemplateMIMEType(mimeType))
	t.Title = title
	return t
}

func toResult(description string, messages []catalog.Message) *mcp.GetPromptResult {
	result := &mcp.GetPromptResult{Description: description}
	for _, m := range messages {
		result.Messages = append(result.Messages, mcp.PromptMessage{Role: mcp.Role(m.Role), Content: toContent(m)})
	}
	return result
}

func toContent(m catalog.Message) mcp.Content {
	switch c := m.Content.(type) {
	case catalog.Image:
		return mcp.NewImageContent(base64.StdEncoding.EncodeToString(c.Data), c.MIMEType)
	case catalog.Audio:
		return mcp.NewAudioContent(base64.StdEncoding.EncodeToString(c.Data), c.MIMEType)
	case catalog.Embedded:
		return mcp.NewEmbeddedResource(toContents(c))
	case catalog.Link:
		link := mcp.NewResourceLink(c.URI, c.Name, c.Description, c.MIMEType)
		link.Title = c.Title
		return link
	}
	return mcp.NewTextContent(m.Text)
}

func toContents(c catalog.Embedded) mcp.ResourceContents {
	if c.Blob != nil {
		return mcp.BlobResourceContents{URI: c.URI, MIMEType: c.MIMEType, Blob: base64.StdEncoding.EncodeToString(c.Blob)}
	}
	return mcp.TextResourceContents{URI: c.URI, MIMEType: c.MIMEType, Text: c.Text}
}
