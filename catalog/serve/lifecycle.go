// This file holds the seam to mcp-go, which owns the protocol's lifecycle.

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// newLifecycle returns the mcp-go server that stands for a catalog, with nothing
// registered, and the member of _meta by which it names itself.
func (s *stock) newLifecycle(c *catalog.Catalog, ttl time.Duration, scope mcp.CacheScope) (lifecycle *server.MCPServer, identity string) {
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
	if s.server.hasTools {
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
//
// What mcp-go gets is written anew, from what was read here. It would compare the
// names of members without regard to letter case, take the last of two with one
// name, and answer what it cannot decode with an error that speaks of Go.
func (s *stock) serveLifecycle(ctx context.Context, m *message, r *reply) *fault {
	b := make([]byte, 0, 512)
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	// A name that is cut short is the name of no method either.
	b = catalog.AppendJSON(b, clip(m.method))
	if m.id != nil {
		params, f := lifecycleParams(m)
		if f != nil {
			return f
		}
		b = append(b, `,"id":`+placeholder+`,"params":`...)
		b = append(b, params...)
	}
	one := &session{notifications: make(chan mcp.JSONRPCNotification, 16)}
	answer := s.lifecycle.HandleMessage(s.lifecycle.WithContext(ctx, one), json.RawMessage(append(b, '}')))
	if m.id == nil || answer == nil {
		return nil
	}
	if e, ok := answer.(mcp.JSONRPCError); ok {
		switch r.code = e.Error.Code; r.code {
		case mcp.METHOD_NOT_FOUND, mcp.UNSUPPORTED_PROTOCOL_VERSION:
		case mcp.INTERNAL_ERROR:
			s.server.log.Error("mcp-go failed", "method", clip(m.method), "error", e.Error.Message)
			return faultf(mcp.INTERNAL_ERROR, "internal error")
		default:
			return faultf(mcp.INVALID_PARAMS, "params are not what %s takes", clip(m.method))
		}
	}
	for len(one.notifications) > 0 {
		r.events = append(r.events, encode(m, <-one.notifications))
	}
	r.head = append(r.head[:0], encode(m, answer)...)
	return nil
}

// lifecycleParams returns the params of a request as mcp-go gets them: the members
// that have a part in its answer, each known to be what it must be. No other
// method of mcp-go's reads any.
func lifecycleParams(m *message) ([]byte, *fault) {
	b := []byte{'{'}
	switch method := mcp.MCPMethod(m.method); {
	case method == mcp.MethodInitialize && !m.modern:
		params, f := pick(m.params, "params", kinds{"protocolVersion": aText, "capabilities": anObject, "clientInfo": anObject})
		if f != nil {
			return nil, f
		}
		if _, f = pick(params["clientInfo"], "params.clientInfo", kinds{"name": aText, "version": aText, "title": aText}); f != nil {
			return nil, f
		}
		if version := params["protocolVersion"]; version != nil {
			b = catalog.AppendJSON(append(b, `"protocolVersion":`...), clip(text(version)))
		}
	case method == mcp.MethodSubscriptionsListen && m.modern:
		params, f := pick(m.params, "params", kinds{"notifications": anObject})
		if f != nil {
			return nil, f
		}
		wanted := kinds{"toolsListChanged": aBool, "promptsListChanged": aBool, "resourcesListChanged": aBool, "resourceSubscriptions": texts}
		filter, f := pick(params["notifications"], "params.notifications", wanted)
		if f != nil {
			return nil, f
		}
		b = append(b, `"notifications":{`...)
		for _, name := range slices.Sorted(maps.Keys(filter)) {
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(catalog.AppendJSON(b, name), ':')
			b = append(b, filter[name]...)
		}
		b = append(b, '}')
	}
	if m.version != nil {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, `"_meta":{"`+mcp.MetaKeyProtocolVersion+`":`...)
		b = append(b, m.version...)
		b = append(b, `,"`+mcp.MetaKeyClientCapabilities+`":{}}`...)
	}
	return append(b, '}'), nil
}

// A kind is what the value of a member must be.
type kind string

const (
	aText    kind = "a text"
	anObject kind = "an object"
	aBool    kind = "true or false"
	texts    kind = "an array of texts"
)

// kinds are the members of an object that are read, by name.
type kinds map[string]kind

func (k kind) fits(value []byte) bool {
	switch k {
	case aText:
		return isString(value)
	case anObject:
		return isObject(value)
	case aBool:
		return value[0] == 't' || value[0] == 'f'
	}
	return isTexts(value)
}

// pick returns those members of an object, which may be nil, that want names. The
// ones that are null are left out. place is where the object stands.
func pick(of []byte, place string, want kinds) (map[string][]byte, *fault) {
	picked := map[string][]byte{}
	if !isObject(of) {
		return picked, nil
	}
	given := map[string]bool{}
	for walk := object(of); ; {
		member, value, ok := walk.next()
		if !ok {
			return picked, nil
		}
		name := text(member)
		kind, ok := want[name]
		switch {
		case !ok:
			continue
		case given[name]:
			return nil, faultf(mcp.INVALID_PARAMS, "the member %s stands twice in %s", name, place)
		case isNull(value):
		case !kind.fits(value):
			return nil, faultf(mcp.INVALID_PARAMS, "%s.%s must be %s", place, name, kind)
		default:
			picked[name] = value
		}
		given[name] = true
	}
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
