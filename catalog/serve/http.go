// This file holds the Streamable HTTP transport.

package serve

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Endpoint is the path of the MCP endpoint.
const Endpoint = "/mcp"

// Serve serves HTTP on ln until ctx is done: MCP at Endpoint, and at /healthz and
// /readyz whether the process is alive and whether it takes requests. When ctx is
// done, requests under way have ten seconds to end, and Serve returns nil if they
// did. It closes ln.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(ln) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.draining.Store(true)
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.drain)
	defer cancel()
	if err := h.Shutdown(limit); err != nil {
		return errors.Join(err, h.Close())
	}
	return nil
}

// Handler returns what Serve serves, for a server of the caller's own, which must
// have timeouts.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(Endpoint, s.endpoint)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "ok\n")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.draining.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n")
	})
	return mux
}

// bodies are the buffers that request bodies are read into.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (s *Server) endpoint(w http.ResponseWriter, req *http.Request) {
	r := newReply()
	defer r.free()
	if status, reason := refuse(req); status != 0 {
		if status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		r.fail(nil, faultf(mcp.INVALID_REQUEST, "%s", reason))
		r.write(w, status)
		return
	}
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= 1<<20 {
			body.Reset()
			bodies.Put(body)
		}
	}()
	if n := req.ContentLength; n > 0 && n <= int64(s.maxRequest) {
		body.Grow(int(n) + bytes.MinRead)
	}
	if _, err := body.ReadFrom(http.MaxBytesReader(w, req.Body, int64(s.maxRequest))); err != nil {
		if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
			r.fail(nil, faultf(mcp.INVALID_REQUEST, "the message is longer than %d bytes", s.maxRequest))
			r.write(w, http.StatusRequestEntityTooLarge)
		} else {
			r.fail(nil, faultf(mcp.INVALID_REQUEST, "the body ended too early"))
			r.write(w, http.StatusBadRequest)
		}
		return
	}
	s.handle(req.Context(), body.Bytes(), func(m *message) *fault { return checkHeaders(req.Header, m) }, r)
	modern := r.request.modern || mcp.IsModernProtocol(req.Header.Get(mcp.HeaderProtocolVersion))
	r.write(w, status(r.code, modern))
}

// refuse tells why a request is turned away before its body is read; 0 if it is
// not.
func refuse(req *http.Request) (status int, reason string) {
	h := req.Header
	switch {
	case !localHost(req):
		return http.StatusForbidden, "this server is reached by a local name only, such as localhost"
	case !sameOrigin(req):
		return http.StatusForbidden, "requests from pages of other origins are not served"
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

// localHost protects a server on a loopback address from pages that had a name of
// their own resolved to it (specification 2026-07-28, "Streamable HTTP", section
// "Security & Endpoint").
func localHost(req *http.Request) bool {
	local, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return !ok || !isLoopback(local.String()) || isLoopback(req.Host)
}

// sameOrigin tells whether a request that a page sent comes from a page of this
// very host, or on a local server from a local page.
func sameOrigin(req *http.Request) bool {
	origin := req.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, req.Host) || isLoopback(u.Host) && isLoopback(req.Host)
}

// isLoopback tells whether a host, with or without a port, names this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
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
// it nearly always is JSON.
func acceptsJSON(accept []string) bool {
	if len(accept) == 0 {
		return true
	}
	for _, line := range accept {
		for kind := range strings.SplitSeq(line, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case "application/json", "application/*", "*/*":
				return true
			}
		}
	}
	return false
}

// checkHeaders compares a request with the headers that repeat parts of it
// (specification 2026-07-28, "Streamable HTTP", section "Server Validation"), so
// that a gateway that went by the headers was not deceived.
func checkHeaders(h http.Header, m *message) *fault {
	version := h.Get(mcp.HeaderProtocolVersion)
	modern := mcp.IsModernProtocol(version) || isString(m.version) && mcp.IsModernProtocol(text(m.version))
	switch {
	case m.response && modern:
		return faultf(mcp.INVALID_REQUEST, "answers from clients are not part of protocol version %s", mcp.ProtocolVersion20260728)
	case m.id == nil || m.response:
		return nil
	case !modern:
		// Before initialize has settled it, a client cannot know the version.
		if version != "" && !mcp.IsValidProtocolVersion(version) && m.method != string(mcp.MethodInitialize) {
			return unsupported(version)
		}
		return nil
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

// checkHeader compares one header with a text of the body. Only where the body
// has none is the header alone enough: the request fails for that soon.
func checkHeader(h http.Header, name string, value []byte) *fault {
	values := h[name]
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
	case code == mcp.PARSE_ERROR, code == mcp.INVALID_REQUEST, code == mcp.UNSUPPORTED_PROTOCOL_VERSION:
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
// notifications before it; or nothing, as 202 Accepted.
func (r *reply) write(w http.ResponseWriter, status int) {
	h := w.Header()
	if r.empty() {
		w.WriteHeader(http.StatusAccepted)
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
