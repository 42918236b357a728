// This file holds Server: what it is made of, and the way of one message through
// it.

package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

// Defaults of Options.
const (
	DefaultPageSize   = 1000
	DefaultMaxRequest = 4 << 20
)

// drainTimeout is how long a stop waits for what is under way.
const drainTimeout = 10 * time.Second

// defaultTTL is how long an answer stays fresh where no catalog says: what is
// compiled in changes with the binary only.
const defaultTTL = 24 * time.Hour

// Options are the settings of a Server. The zero value is the default.
type Options struct {
	// PageSize is how many entries a page of a list holds: DefaultPageSize if 0,
	// all of them if negative.
	PageSize int
	// MaxRequest is how many bytes a line on stdio and a body over HTTP may hold:
	// DefaultMaxRequest if 0.
	MaxRequest int
	// Logger gets what operators should know. Nothing is logged if nil.
	Logger *slog.Logger
	// Observer, if not nil, is told of every prompts/get.
	Observer Observer
	// Watch, if not nil, is called when a message comes in, and what it returns when
	// the message was answered. Both must be quick.
	Watch func() func(Exchange)
	// HTTP are the settings of Serve and Handler.
	HTTP HTTPOptions
}

// A Server answers MCP requests for a catalog.Mux. It is safe for concurrent use,
// and serves any number of connections at once. Making one costs the same for any
// size of catalog: what answers are made of is prepared when it is first asked
// for.
type Server struct {
	mux        *catalog.Mux
	lifecycle  *server.MCPServer
	log        *slog.Logger
	observer   Observer
	maxRequest int
	drain      time.Duration
	draining   atomic.Bool
	watch      func() func(Exchange)

	http     HTTPOptions
	gate     gate
	timeouts timeouts

	prompts, resources, templates list
	// stencils are the prompts that were asked for, by *catalog.Prompt.
	stencils sync.Map

	// identity is the member of _meta that tells who answers, and hints are the
	// ones that tell how long an answer stays fresh. Both go into answers to
	// requests of 2026-07-28.
	identity, hints string
}

// New returns a server for the catalogs that are mounted on mux, of which there
// must be at least one; the first gives the server its name, version and
// instructions. Mount nothing afterwards.
func New(mux *catalog.Mux, opts Options) (*Server, error) {
	catalogs := mux.Catalogs()
	if len(catalogs) == 0 {
		return nil, errors.New("no catalog is mounted: there is nothing to serve")
	}
	s := &Server{mux: mux, log: opts.Logger, observer: opts.Observer, maxRequest: opts.MaxRequest, drain: drainTimeout}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.maxRequest == 0 {
		s.maxRequest = DefaultMaxRequest
	}
	if s.maxRequest < 0 {
		return nil, fmt.Errorf("the longest request must be at least 1 byte, not %d", s.maxRequest)
	}
	s.watch, s.http, s.timeouts = opts.Watch, opts.HTTP, defaultTimeouts
	var err error
	if s.gate, err = s.http.settle(); err != nil {
		return nil, err
	}
	size := opts.PageSize
	if size == 0 {
		size = DefaultPageSize
	}
	s.prompts = list{method: "prompts/list", key: "prompts", size: size, entries: sync.OnceValue(s.promptEntries)}
	s.resources = list{method: "resources/list", key: "resources", size: size, entries: sync.OnceValue(s.resourceEntries)}
	s.templates = list{method: "resources/templates/list", key: "resourceTemplates", size: size, entries: templateEntries}

	ttl, scope := freshness(catalogs)
	if s.http.authenticates() {
		scope = mcp.CacheScopePrivate
	}
	s.hints = `"ttlMs":` + strconv.FormatInt(ttl.Milliseconds(), 10) + `,"cacheScope":"` + string(scope) + `"`
	s.lifecycle, s.identity = newLifecycle(catalogs[0], ttl, scope)
	return s, nil
}

// freshness returns how long, and by whom, answers may be kept: as long as the
// most careful of the catalogs says, and by one client alone if any says so.
func freshness(catalogs []*catalog.Catalog) (time.Duration, mcp.CacheScope) {
	ttl, scope := time.Duration(0), mcp.CacheScopePublic
	for _, c := range catalogs {
		if t := c.Cache.TTL; t > 0 && (ttl == 0 || t < ttl) {
			ttl = t
		}
		if c.Cache.Scope == string(mcp.CacheScopePrivate) {
			scope = mcp.CacheScopePrivate
		}
	}
	if ttl == 0 {
		ttl = defaultTTL
	}
	return ttl, scope
}

// answer answers a request from memory: it never waits. It reports false, and
// leaves r alone, for what is not the catalog's but the lifecycle's to answer.
func (s *Server) answer(ctx context.Context, m *message, r *reply) (done bool) {
	defer s.recovered(m.id, m.method, r)
	done = true
	var f *fault
	switch m.method {
	case "prompts/get":
		f = s.getPrompt(ctx, m, r)
	case "prompts/list":
		f = s.list(&s.prompts, m, r)
	case "resources/read":
		f = s.readResource(m, r)
	case "resources/list":
		f = s.list(&s.resources, m, r)
	case "resources/templates/list":
		f = s.list(&s.templates, m, r)
	case "completion/complete":
		f = s.complete(m, r)
	default:
		return false
	}
	if f != nil {
		r.fail(m.id, f)
	}
	s.trace(m.method, r)
	return done
}

// trace logs a request that was answered, without anything that a client may want
// to keep to itself.
func (s *Server) trace(method string, r *reply) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.log.Debug("answered", "method", clip(method), "code", r.code)
	}
}

// open is the first half of the way of a message: parsed, checked, and answered
// where that needs no waiting. It returns the call that the lifecycle has to
// serve for the answer, nil if there is none. check, if not nil, sees the message
// before anything is done for it. The message is r.request, which shares data's
// memory.
func (s *Server) open(ctx context.Context, data []byte, check func(*message) *fault, r *reply) *call {
	m := &r.request
	f := m.parse(data)
	if f == nil && check != nil {
		f = check(m)
	}
	if f == nil && m.id != nil && !m.response {
		f = m.settle()
	}
	switch {
	case m.response:
		if f != nil {
			r.fail(m.id, f)
		}
	case m.id == nil && m.method != "":
		// A notification is never answered, not even with an error. Nothing here
		// can be cancelled: ids of requests are the connection's own, and mcp-go
		// would mix up those of different clients.
		if f == nil && m.method != string(mcp.MethodNotificationCancelled) {
			return newCall(m)
		}
	case f != nil:
		r.fail(m.id, f)
	case !s.answer(ctx, m, r):
		return newCall(m)
	}
	return nil
}

// handle is the whole way of a message.
func (s *Server) handle(ctx context.Context, data []byte, check func(*message) *fault, r *reply) {
	if c := s.open(ctx, data, check, r); c != nil {
		s.serve(ctx, c, r)
	}
}

// recovered turns a panic into an answer that tells nothing and a line in the log
// that tells all.
func (s *Server) recovered(id []byte, method string, r *reply) {
	cause := recover()
	if cause == nil {
		return
	}
	s.log.Error("a request panicked", "method", clip(method), "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	if id != nil {
		r.fail(id, faultf(mcp.INTERNAL_ERROR, "internal error"))
	}
}
