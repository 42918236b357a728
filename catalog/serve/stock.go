// This file holds stock, all that is made of a mux to answer from it.

package serve

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// A stock is what answers are made of: a mux, and what was made of it to be sent.
// It costs little until something is asked for.
type stock struct {
	server    *Server
	mux       *catalog.Mux
	lifecycle *server.MCPServer

	// everything is what is seen without limits, and views are what principals
	// with limits see.
	everything *view
	views      views
	// templates and tools are the same for everybody.
	templates, tools list
	// hasSkills tells whether the methods of skills are there at all.
	hasSkills bool
	// stencils are the prompts that were asked for, by *catalog.Prompt.
	stencils sync.Map
	// repositories are the mounted ones, in the order of mounting.
	repositories []repository

	// identity is the member of _meta that tells who answers requests of
	// 2026-07-28.
	identity string
	// content, program and passing end the answers that change with the catalogs,
	// with the program, and at any time; plain ends those that are not to be kept.
	content, program, passing, plain ending
	contentTTL                       time.Duration
}

// newStock returns the stock of a mux, on which a catalog must be mounted.
func newStock(of *Server, mux *catalog.Mux) (*stock, error) {
	catalogs := mux.Catalogs()
	if len(catalogs) == 0 {
		return nil, errors.New("no catalog is mounted: mount one, even if it is empty, for it names the server")
	}
	s := &stock{server: of, mux: mux}
	s.everything = s.newView(nil, "")
	s.hasSkills = slices.ContainsFunc(catalogs, func(c *catalog.Catalog) bool { return len(c.Skills) > 0 })
	s.tools = s.newList("tools/list", "tools", "", toolEntries)
	s.templates = s.newList("resources/templates/list", "resourceTemplates", "", s.templateEntries)

	ttl, scope := freshness(mux, of.live != nil)
	if of.http.authenticates() {
		scope = mcp.CacheScopePrivate
	}
	s.lifecycle, s.identity = s.newLifecycle(catalogs[0], ttl, scope)
	s.contentTTL = ttl
	s.plain = s.uncached()
	s.content, s.program, s.passing = s.ending(ttl, scope), s.ending(defaultTTL, scope), s.ending(0, scope)
	for i := range mux.Mounts() {
		if mount := &mux.Mounts()[i]; mount.Repository != nil {
			ttl := lifetime(mount.Repository, of.live != nil)
			s.repositories = append(s.repositories, repository{mount, s.ending(ttl, scope), ttl})
		}
	}
	return s, nil
}

// answer answers a request from memory, or returns the call that will.
func (s *stock) answer(ctx context.Context, m *message, r *reply) (call, *fault) {
	switch m.method {
	case "prompts/get":
		return s.getPrompt(ctx, m, r)
	case "prompts/list":
		return s.listPrompts(m, r)
	case "resources/read":
		return s.readResource(m, r)
	case "resources/list":
		return nil, s.list(&s.view(m.principal).resources, &s.content, m, r)
	case "resources/templates/list":
		return nil, s.list(&s.templates, &s.program, m, r)
	case "completion/complete":
		return s.complete(m, r)
	case "skills/list", "skills/get", "resources/directory/read":
		if s.hasSkills {
			return nil, s.answerSkills(m, r)
		}
	case "tools/list", "tools/call":
		if s.server.hasTools {
			return s.answerTools(ctx, m, r)
		}
	}
	return s.serveLifecycle, nil
}
