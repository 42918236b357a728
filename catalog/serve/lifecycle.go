// This file holds the seam to mcp-go, which owns the protocol's lifecycle.

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// newLifecycle returns the mcp-go server that stands for a catalog, with nothing
// registered, and the member of _meta by which it names itself.
func (s *Server) newLifecycle(c *catalog.Catalog, ttl time.Duration, scope mcp.CacheScope) (lifecycle *server.MCPServer, identity string) {
	self := mcp.Implementation{Name: c.Name, Title: c.Title, Version: c.Version, Description: c.Description}
	if self.Name == "" {
		self.Name = "promptd"
	}
	if self.Version == "" {
		// The protocol requires a version, and this one changes with the content.
		self.Version = "0.0.0"
		if len(c.Digest) >= 12 {
			self.Version += "+" + c.Digest[:12]
		}
	}
	var hooks server.Hooks
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		if catalog.RequestOf(ctx).Principal != nil {
			result.SetCacheHints(ttl.Milliseconds(), mcp.CacheScopePrivate)
		}
	})
	options := []server.ServerOption{
		server.WithTitle(self.Title),
		server.WithDescription(self.Description),
		server.WithInstructions(c.Instructions),
		server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithCompletions(),
		server.WithHooks(&hooks),
		server.WithCacheHints(ttl.Milliseconds(), scope),
	}
	if s.hasSkills {
		options = append(options, server.WithExtensions(map[string]any{skillsExtension: map[string]any{"directoryRead": true}}))
	}
	if s.hasTools {
		options = append(options, server.WithToolCapabilities(false))
	}
	text, err := json.Marshal(self)
	if err != nil {
		panic(err) // four texts are always JSON
	}
	return server.NewMCPServer(self.Name, self.Version, options...), `"` + mcp.MetaKeyServerInfo + `":` + string(text)
}

// placeholder stands for the id of a request on its way through mcp-go, which
// would keep no more than 53 bits of a number. It cannot be mistaken in what comes
// back: a quote inside a JSON text is escaped.
const placeholder = `"{id}"`

// serveLifecycle has mcp-go answer a message. It may wait, as subscriptions/listen
// does by design, until ctx is done.
func (s *Server) serveLifecycle(ctx context.Context, m *message, r *reply) *fault {
	b := make([]byte, 0, len(m.params)+len(m.method)+64)
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	b = catalog.AppendJSON(b, m.method)
	if m.id != nil {
		b = append(b, `,"id":`+placeholder...)
	}
	if m.params != nil {
		b = append(b, `,"params":`...)
		b = append(b, m.params...)
	}
	one := &session{notifications: make(chan mcp.JSONRPCNotification, 16)}
	answer := s.lifecycle.HandleMessage(s.lifecycle.WithContext(ctx, one), json.RawMessage(append(b, '}')))
	if m.id == nil || answer == nil {
		return nil
	}
	for len(one.notifications) > 0 {
		r.events = append(r.events, encode(m, <-one.notifications))
	}
	if e, ok := answer.(mcp.JSONRPCError); ok {
		r.code = e.Error.Code
	}
	r.head = append(r.head[:0], encode(m, answer)...)
	return nil
}

// encode writes what mcp-go made, with the id of the request in it.
func encode(m *message, made any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(made); err != nil {
		panic(err) // answered with an internal error
	}
	return bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte(placeholder), m.id)
}

// A session is what mcp-go keeps of a client. It lives as long as one call, so
// that no request depends on another.
type session struct {
	notifications chan mcp.JSONRPCNotification
}

func (*session) SessionID() string { return "" }
func (*session) Initialize()       {}
func (*session) Initialized() bool { return true }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	return s.notifications
}
