// This file holds Server: what it is made of, and the way of one message through
// it.

package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// Defaults of Options.
const (
	DefaultPageSize   = 1000
	DefaultMaxRequest = 4 << 20
)

// A stop over HTTP goes on serving for lingerTime, so that balancers learn of it; any
// stop waits for drainTimeout at most for what is under way then.
const (
	lingerTime   = time.Second
	drainTimeout = 10 * time.Second
)

// patience is how long a repository, or what else of a program's own code makes an
// answer, may take.
const patience = 30 * time.Second

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
	// Tools adds tools that read the same content, for clients that know only tools.
	Tools bool
	// Observer, if not nil, is told of every prompts/get.
	Observer Observer
	// Watch, if not nil, is called when a message comes in, and what it returns when
	// the message was answered. Both must be quick.
	Watch func() func(Exchange)
	// Live, if not nil, makes the content one that can change while it is served.
	Live *Live
	// HTTP are the settings of Serve and Handler.
	HTTP HTTPOptions
}

// A Server answers MCP requests for a catalog.Mux. It is safe for concurrent use,
// and serves any number of connections at once. Making one costs the same for any
// size of catalog: what answers are made of is prepared when it is first asked
// for.
type Server struct {
	log        *slog.Logger
	observer   Observer
	pageSize   int
	maxRequest int
	hasTools   bool
	linger     time.Duration
	drain      time.Duration
	patience   time.Duration
	draining   atomic.Bool
	watch      func() func(Exchange)

	http     HTTPOptions
	gate     gate
	timeouts timeouts
	streams  chan struct{} // the requests of HTTP/2 that are under way

	// stock is what answers are made of.
	stock atomic.Pointer[stock]

	// live, if not nil, tells what the stock should be made of. changing is held
	// while it is made anew, and refused is the last mux that no stock was made of.
	live     *Live
	changing sync.Mutex
	refused  *catalog.Mux
}

// New returns a server for what is mounted on mux, which must be a catalog at
// least; the first one gives the server its name, version and instructions. Mount
// nothing afterwards. With Options.Live, mux is what is served first.
func New(mux *catalog.Mux, opts Options) (*Server, error) {
	s := &Server{
		log: opts.Logger, observer: opts.Observer, pageSize: opts.PageSize, maxRequest: opts.MaxRequest,
		hasTools: opts.Tools, linger: lingerTime, drain: drainTimeout, patience: patience, watch: opts.Watch,
		http: opts.HTTP, timeouts: defaultTimeouts, live: opts.Live,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.maxRequest == 0 {
		s.maxRequest = DefaultMaxRequest
	}
	if s.maxRequest < 0 {
		return nil, fmt.Errorf("the longest request must be at least 1 byte, not %d", s.maxRequest)
	}
	if s.pageSize == 0 {
		s.pageSize = DefaultPageSize
	}
	if s.live != nil && s.live.Content == nil {
		return nil, errors.New("Live has no Content: without it nothing can change")
	}
	var err error
	if s.gate, err = s.http.settle(); err != nil {
		return nil, err
	}
	s.streams = make(chan struct{}, s.http.MaxConnections)
	first, err := newStock(s, mux)
	if err != nil {
		return nil, err
	}
	s.stock.Store(first)
	return s, nil
}

// A call makes the rest of an answer where waiting is fine. It may keep the
// message's memory until it returns, and no longer.
type call func(ctx context.Context, m *message, r *reply) *fault

// answer answers a request from memory, or returns the call that will.
func (s *Server) answer(ctx context.Context, m *message, r *reply) (later call) {
	defer s.recovered(m.id, m.method, r)
	if s.live != nil && looksFirst(m.method) {
		return s.answerLive
	}
	later, f := s.stock.Load().answer(ctx, m, r)
	switch {
	case later != nil:
		return later
	case f != nil:
		r.fail(m.id, f)
	}
	s.trace(m.method, r)
	return nil
}

// finish makes an answer by the call that answer returned for r.request.
func (s *Server) finish(ctx context.Context, later call, r *reply) {
	m := &r.request
	defer s.recovered(m.id, m.method, r)
	if f := later(ctx, m, r); f != nil && m.id != nil {
		r.fail(m.id, f)
	}
	if !r.empty() {
		s.trace(m.method, r)
	}
}

// trace logs a request that was answered, without anything that a client may want
// to keep to itself.
func (s *Server) trace(method string, r *reply) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.log.Debug("answered", "method", clip(method), "code", r.code)
	}
}

// open is the first half of the way of a message: parsed, checked, and answered
// where that needs no waiting. It returns the call that makes the answer otherwise,
// nil if there is none. check, if not nil, sees the message before anything is done
// for it. Who asks is the principal of catalog.RequestOf(ctx). The message is
// r.request, which shares data's memory.
func (s *Server) open(ctx context.Context, data []byte, check func(*message) *fault, r *reply) call {
	m := &r.request
	f := m.parse(data)
	if f == nil && check != nil {
		if f = check(m); f != nil && m.id == nil {
			// A message that is not taken is no notification yet.
			r.fail(nil, f)
			return nil
		}
	}
	if f == nil && m.id != nil && !m.response {
		f = m.settle()
	}
	m.principal = catalog.RequestOf(ctx).Principal
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
			return s.stock.Load().serveLifecycle
		}
	case f != nil:
		r.fail(m.id, f)
	default:
		return s.answer(ctx, m, r)
	}
	return nil
}

// handle is the whole way of a message.
func (s *Server) handle(ctx context.Context, data []byte, check func(*message) *fault, r *reply) {
	if later := s.open(ctx, data, check, r); later != nil {
		s.finish(ctx, later, r)
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
