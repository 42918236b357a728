// This file holds the Streamable HTTP transport.

package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// Endpoint is the path of the MCP endpoint.
const Endpoint = "/mcp"

// DefaultMaxConnections is the default of HTTPOptions.MaxConnections.
const DefaultMaxConnections = 1000

// HTTPOptions are the settings of the HTTP transport. The zero value serves whoever
// can reach the server, without TLS.
type HTTPOptions struct {
	// AllowHosts are the names that the server goes by, such as mcp.example, or
	// mcp.example:8443 for one port alone. On a loopback address the local names
	// are allowed without being listed. On another, any name is while the list is
	// empty, yet only to clients that are no browser.
	AllowHosts []string
	// AllowOrigins are the origins, such as https://app.example, whose pages may
	// send requests. Pages of an allowed host always may, and on a loopback address
	// the local ones.
	AllowOrigins []string
	// MaxConnections is how many connections are served at once, and how many
	// requests of HTTP/2, of which a connection can have several:
	// DefaultMaxConnections if 0. More of them wait.
	MaxConnections int
	// Certificate is for TLS, with HTTP/2; without one there is neither.
	Certificate *Certificate
	// Tokens and OAuth tell who may send requests; where both are set, either will
	// do. What is served is then private to each client.
	Tokens *Tokens
	OAuth  *OAuth
	// Metrics, if not nil, answers at /metrics, to those only who may send requests and
	// see everything: figures name prompts.
	Metrics http.Handler
}

// An OptionError tells of an option that is not what it must be.
type OptionError struct {
	// Option is the name of a field of HTTPOptions or OAuthOptions.
	Option string
	// Reason is what follows the name in a sentence.
	Reason string
}

func (e *OptionError) Error() string { return e.Option + " " + e.Reason }

func optionError(option, format string, args ...any) error {
	return &OptionError{option, fmt.Sprintf(format, args...)}
}

func (o *HTTPOptions) authenticates() bool { return o.Tokens != nil || o.OAuth != nil }

// settle fills in the defaults and checks what was set.
func (o *HTTPOptions) settle() (gate, error) {
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	if o.MaxConnections < 0 {
		return gate{}, optionError("MaxConnections", "must be 1 or more, not %d", o.MaxConnections)
	}
	return newGate(o.AllowHosts, o.AllowOrigins)
}

// timeouts bound the waits of the HTTP server.
type timeouts struct{ header, read, write, idle time.Duration }

var defaultTimeouts = timeouts{header: 10 * time.Second, read: time.Minute, write: time.Minute, idle: 2 * time.Minute}

// Serve serves HTTP on ln until ctx is done: MCP at Endpoint, at /healthz and
// /readyz whether the process is alive and whether it takes requests, and what
// HTTPOptions and Live add. It closes ln.
//
// When ctx is done, /readyz has status 503 and answers end their connections, yet for
// a second more all requests are served, new connections included: a balancer that asks
// or is told meanwhile sends the next ones elsewhere. Then ln is closed, and requests
// under way have ten seconds to end. The connections that are left after that are
// closed, a line in the log counts them, and Serve returns nil all the same.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: s.timeouts.header,
		ReadTimeout:       s.timeouts.read,
		WriteTimeout:      s.timeouts.write,
		IdleTimeout:       s.timeouts.idle,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	connections := newCapped(ln, s.http.MaxConnections)
	served := make(chan error, 1)
	if c := s.http.Certificate; c != nil {
		h.TLSConfig = c.config()
		go func() { served <- h.ServeTLS(connections, "", "") }()
	} else {
		go func() { served <- h.Serve(connections) }()
	}
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	select {
	case err := <-served:
		return err
	case <-time.After(s.linger):
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.drain)
	defer cancel()
	err := h.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Warn("connections were closed before their requests had ended", "connections", len(connections.slots))
		return h.Close()
	}
	return err
}

// A capped listener has so many connections open at once and no more. The others
// wait where the system keeps them, so that memory has a bound.
type capped struct {
	net.Listener
	slots chan struct{}
	ended chan struct{}
	end   func()
}

func newCapped(ln net.Listener, most int) *capped {
	c := &capped{Listener: ln, slots: make(chan struct{}, most), ended: make(chan struct{})}
	c.end = sync.OnceFunc(func() { close(c.ended) })
	return c
}

// Accept waits for a slot, then for a connection.
func (c *capped) Accept() (net.Conn, error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.ended:
		return nil, net.ErrClosed
	}
	conn, err := c.Listener.Accept()
	if err != nil {
		<-c.slots
		return nil, err
	}
	return &slotted{conn, sync.OnceFunc(func() { <-c.slots })}, nil
}

func (c *capped) Close() error {
	c.end()
	return c.Listener.Close()
}

// A slotted connection gives its slot back when it is closed.
type slotted struct {
	net.Conn
	free func()
}

func (s *slotted) Close() error {
	defer s.free()
	return s.Conn.Close()
}

// Handler returns what Serve serves, for a server of the caller's own, which must
// have timeouts.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.route) }

// route sends a request where its path says. Paths are compared as they are: there
// is one way to write each.
func (s *Server) route(w http.ResponseWriter, req *http.Request) {
	if s.draining.Load() {
		// Who keeps the connection opens the next one elsewhere.
		w.Header().Set("Connection", "close")
	}
	switch path := req.URL.Path; {
	case path == Endpoint:
		s.endpoint(w, req)
	case path == "/healthz" && reads(w, req):
		s.serveHealth(w)
	case path == "/readyz" && reads(w, req):
		if s.draining.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	case path == "/metrics" && s.http.Metrics != nil:
		if principal, ok := s.admits(w, req); ok && limited(principal) {
			http.Error(w, "metrics are for those who may see everything", http.StatusForbidden)
		} else if ok && reads(w, req) {
			s.http.Metrics.ServeHTTP(w, req)
		}
	case path == "/" && s.live != nil:
		if principal, ok := s.admits(w, req); ok && reads(w, req) {
			s.serveStatus(w, principal)
		}
	case path == "/refresh" && s.live != nil:
		if _, ok := s.admits(w, req); ok {
			s.serveRefresh(w, req)
		}
	case s.http.OAuth != nil && slices.Contains(s.http.OAuth.paths, path):
		if reason := s.gate.refuse(req); reason != "" {
			http.Error(w, reason, http.StatusForbidden)
		} else if share(w, req, http.MethodGet) {
			w.WriteHeader(http.StatusNoContent)
		} else if reads(w, req) {
			s.http.OAuth.serveMetadata(w)
		}
	case path != "/healthz" && path != "/readyz":
		http.NotFound(w, req)
	}
}

// admits tells whether a request may be sent, and by whom, and refuses it otherwise.
func (s *Server) admits(w http.ResponseWriter, req *http.Request) (*catalog.Principal, bool) {
	if reason := s.gate.refuse(req); reason != "" {
		http.Error(w, reason, http.StatusForbidden)
		return nil, false
	}
	principal, denied := s.authenticate(req)
	if denied != nil {
		denied.header(w.Header())
		http.Error(w, denied.reason, denied.status)
		return nil, false
	}
	return principal, true
}

// reads tells whether a request only reads, and refuses it otherwise.
func reads(w http.ResponseWriter, req *http.Request) bool {
	if req.Method == http.MethodGet || req.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
	return false
}

// enter waits until there is room for a request, and returns what makes room again.
// It reports false where the client went away first. A connection of HTTP/1 has one
// request at a time, and has its slot already.
func (s *Server) enter(req *http.Request) (leave func(), ok bool) {
	if req.ProtoMajor < 2 {
		return func() {}, true
	}
	select {
	case s.streams <- struct{}{}:
		return func() { <-s.streams }, true
	case <-req.Context().Done():
		return nil, false
	}
}

// bodies are the buffers that request bodies are read into.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// endpoint answers one request to the MCP endpoint.
func (s *Server) endpoint(w http.ResponseWriter, req *http.Request) {
	r := newReply()
	defer r.free()
	seen, end := Exchange{Transport: "http"}, s.begin()
	defer func() { end(seen) }()
	seen.Status = s.exchange(w, req, r, &seen)
	seen.Code = r.code
	// What the answer was made of shares the body's memory, which a client that is slow
	// to read would hold as long.
	r.request = message{}
	clear(r.values)
	clear(r.raws)
	r.write(w, seen.Status)
}

// exchange makes the reply to a request, and returns the status that it has. It
// notes in seen what message there was.
func (s *Server) exchange(w http.ResponseWriter, req *http.Request, r *reply, seen *Exchange) (code int) {
	defer func() {
		if cause := recover(); cause != nil {
			s.log.Error("a request panicked", "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			r.fail(nil, faultf(mcp.INTERNAL_ERROR, "internal error"))
			code = http.StatusInternalServerError
		}
	}()
	refuse := func(status int, format string, args ...any) int {
		r.fail(nil, faultf(mcp.INVALID_REQUEST, format, args...))
		return status
	}
	if reason := s.gate.refuse(req); reason != "" {
		return refuse(http.StatusForbidden, "%s", reason)
	}
	if share(w, req, http.MethodPost) {
		return http.StatusNoContent
	}
	principal, denied := s.authenticate(req)
	if denied != nil {
		denied.header(w.Header())
		return refuse(denied.status, "%s", denied.reason)
	}
	if status, reason := malformed(req); status != 0 {
		if status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		return refuse(status, "%s", reason)
	}
	tooLong := func() int {
		return refuse(http.StatusRequestEntityTooLarge, "the message is longer than %d bytes", s.maxRequest)
	}
	// A client that waits to be asked for the body is told before it sends it. One of
	// HTTP/1.1 that does not wait would often see no more than a broken connection.
	if req.ContentLength > int64(s.maxRequest) && (req.Header.Get("Expect") != "" || req.ProtoMajor > 1) {
		return tooLong()
	}
	leave, ok := s.enter(req)
	if !ok {
		return refuse(http.StatusServiceUnavailable, "the server is busy")
	}
	defer leave()
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= 1<<20 {
			body.Reset()
			bodies.Put(body)
		}
	}()
	// A length that is only claimed gets no more room than this in advance.
	if n := req.ContentLength; n > 0 && n <= int64(s.maxRequest) {
		body.Grow(int(min(n, 64<<10)) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(w, req.Body, int64(s.maxRequest))); err != nil {
		if limit := (*http.MaxBytesError)(nil); errors.As(err, &limit) {
			return tooLong()
		}
		return refuse(http.StatusBadRequest, "the body ended too early")
	}
	ctx := req.Context()
	if principal != nil {
		ctx = catalog.WithRequest(ctx, &catalog.Request{Principal: principal})
	}
	s.handle(ctx, body.Bytes(), func(m *message) *fault {
		m.refresh = s.refreshes(req)
		return checkHeaders(req.Header, m)
	}, r)
	seen.about(&r.request)
	if r.empty() {
		return http.StatusAccepted
	}
	modern := r.request.modern || mcp.IsModernProtocol(req.Header.Get(mcp.HeaderProtocolVersion))
	return status(r.code, modern)
}

// malformed tells why a request cannot hold a message; 0 if it can.
func malformed(req *http.Request) (status int, reason string) {
	h := req.Header
	switch {
	case req.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "send each message as a POST: there are no sessions and no streams to open"
	case !isJSON(h.Get("Content-Type")):
		return http.StatusUnsupportedMediaType, "Content-Type must be application/json"
	case h.Get("Content-Encoding") != "" && h.Get("Content-Encoding") != "identity":
		return http.StatusUnsupportedMediaType, "send the body without a Content-Encoding"
	case !acceptsJSON(h["Accept"]):
		return http.StatusNotAcceptable, "Accept must allow application/json and text/event-stream"
	}
	return 0, ""
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/json"
}

// acceptsJSON tells whether an Accept header, if there is one, allows the answer.
// Clients must list both types (specification 2026-07-28, "Streamable HTTP",
// section "Sending Messages"), yet which one is used is the server's choice, and
// it nearly always is JSON. The most exact range that fits decides, and the weight 0
// is a refusal (RFC 9110, section 12.5.1).
func acceptsJSON(accept []string) bool {
	if len(accept) == 0 {
		return true
	}
	exactness, accepted := 0, false
	for _, line := range accept {
		for kind := range strings.SplitSeq(line, ",") {
			kind, parameters, _ := strings.Cut(kind, ";")
			exact := 0
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json":
				exact = 3
			case "application/*":
				exact = 2
			case "*/*":
				exact = 1
			}
			if exact == 0 || exact < exactness {
				continue
			}
			accepted = exact == exactness && accepted || !weighsNothing(parameters)
			exactness = exact
		}
	}
	return accepted
}

// weighsNothing tells whether the parameters of a range have the weight 0.
func weighsNothing(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "q") {
			return strings.HasPrefix(value, "0") && strings.Trim(value, "0.") == ""
		}
	}
	return false
}

// checkHeaders compares a message with the headers that repeat parts of it
// (specification 2026-07-28, "Streamable HTTP", section "Server Validation"), so
// that a gateway that went by the headers was not deceived.
func checkHeaders(h http.Header, m *message) *fault {
	if len(h[mcp.HeaderProtocolVersion]) > 1 {
		return mismatch(mcp.HeaderProtocolVersion)
	}
	version := h.Get(mcp.HeaderProtocolVersion)
	modern := mcp.IsModernProtocol(version) || isString(m.version) && mcp.IsModernProtocol(text(m.version))
	switch {
	case m.response && modern:
		return faultf(mcp.INVALID_REQUEST, "answers from clients are not part of protocol version %s", mcp.ProtocolVersion20260728)
	case !modern:
		// Before initialize has settled it, a client cannot know the version.
		if version != "" && !mcp.IsValidProtocolVersion(version) && (m.id == nil || m.method != string(mcp.MethodInitialize)) {
			return unsupported(version)
		}
		return nil
	case m.id == nil:
		return checkNotification(h, m)
	}
	m.modern = true
	if f := checkHeader(h, mcp.HeaderProtocolVersion, m.version); f != nil {
		return f
	}
	switch {
	case m.version == nil:
		return faultf(mcp.INVALID_PARAMS, "params._meta lacks %s", mcp.MetaKeyProtocolVersion)
	case !mcp.IsValidProtocolVersion(version):
		return unsupported(version)
	}
	if values := h[mcp.HeaderMethod]; len(values) != 1 || values[0] != m.method {
		return mismatch(mcp.HeaderMethod)
	}
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodPromptsGet, mcp.MethodToolsCall:
		return checkHeader(h, mcp.HeaderName, m.name)
	case mcp.MethodResourcesRead:
		return checkHeader(h, mcp.HeaderName, m.uri)
	}
	return nil
}

// checkNotification is checkHeaders for a notification of a modern client, whose
// body need not tell the version.
func checkNotification(h http.Header, m *message) *fault {
	version := h.Get(mcp.HeaderProtocolVersion)
	if m.version != nil {
		if f := checkHeader(h, mcp.HeaderProtocolVersion, m.version); f != nil {
			return f
		}
	}
	if !mcp.IsValidProtocolVersion(version) {
		return unsupported(version)
	}
	if values := h[mcp.HeaderMethod]; len(values) != 1 || values[0] != m.method {
		return mismatch(mcp.HeaderMethod)
	}
	return nil
}

// checkHeader compares one header with a text of the body. Where the body has none
// there is nothing to repeat: the request fails for that soon, with or without the
// name in the headers.
func checkHeader(h http.Header, name string, value []byte) *fault {
	values := h[name]
	if len(values) == 0 && name == mcp.HeaderName && !isString(value) {
		return nil
	}
	if len(values) != 1 || values[0] == "" {
		return mismatch(name)
	}
	got := values[0]
	if name == mcp.HeaderName {
		var ok bool
		if got, ok = decodeHeader(got); !ok {
			return mismatch(name)
		}
	}
	if isString(value) && got != text(value) {
		return mismatch(name)
	}
	return nil
}

func mismatch(name string) *fault {
	return faultf(mcp.HEADER_MISMATCH, "the header %s must stand once and say the same as the body", name)
}

// decodeHeader undoes the Base64 form of a header value that is not plain ASCII
// (specification 2026-07-28, "Streamable HTTP", section "Value Encoding").
func decodeHeader(value string) (string, bool) {
	encoded, ok := strings.CutPrefix(value, "=?base64?")
	if ok {
		encoded, ok = strings.CutSuffix(encoded, "?=")
	}
	if !ok {
		return value, true
	}
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	return string(decoded), err == nil
}

// status is the HTTP status of an answer with a JSON-RPC error code, 0 for none.
func status(code int, modern bool) int {
	switch {
	case code == mcp.PARSE_ERROR, code == mcp.INVALID_REQUEST, code == mcp.UNSUPPORTED_PROTOCOL_VERSION, code == mcp.HEADER_MISMATCH:
		return http.StatusBadRequest
	case code == 0, !modern:
		return http.StatusOK
	case code == mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case code == mcp.INTERNAL_ERROR:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// Values of headers, which net/http only reads.
var (
	typeJSON   = []string{"application/json"}
	typeEvents = []string{"text/event-stream"}
)

// write sends the reply: as one JSON text, or as a stream of events if there are
// notifications before it; or nothing but the status.
func (r *reply) write(w http.ResponseWriter, status int) {
	h := w.Header()
	if r.empty() {
		w.WriteHeader(status)
		return
	}
	// A failure to write means that the client is gone, which is its own affair.
	if len(r.events) > 0 {
		h["Content-Type"] = typeEvents
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no")
		w.WriteHeader(http.StatusOK)
		for _, event := range r.events {
			io.WriteString(w, "event: message\ndata: ")
			w.Write(event)
			io.WriteString(w, "\n\n")
		}
		io.WriteString(w, "event: message\ndata: ")
		defer io.WriteString(w, "\n\n")
	} else {
		h["Content-Type"] = typeJSON
		h["Content-Length"] = []string{strconv.Itoa(r.size())}
		w.WriteHeader(status)
	}
	if r.body == nil {
		r.head = append(r.head, r.tail...)
		w.Write(r.head)
		return
	}
	w.Write(r.head)
	w.Write(r.body)
	io.WriteString(w, r.tail)
}
