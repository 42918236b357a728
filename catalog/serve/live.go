// This file holds Live, by which content changes while it is served.

package serve

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// Live is content that can change while it is served. Its functions are called by
// several goroutines at once.
type Live struct {
	// Content returns what is to be served now: the same pointer for as long as
	// nothing changed, and another mux, on which nothing will be mounted any more,
	// once something did. With refresh, it is to look at once at what it otherwise
	// looks at from time to time.
	//
	// It is called before each request that lists, reads or completes content, and
	// before initialize and server/discover, and may wait: ctx is the request's, and
	// done after half a minute. Then it should return what it has. A mux without a
	// catalog is logged and not served; in its place, and in that of nil, what was
	// served before goes on. A panic fails the request.
	Content func(ctx context.Context, refresh bool) *catalog.Mux
	// Health and Status tell what there is to know of the content, such as faults,
	// and where it comes from and how old it is, as lines of plain text; nil for
	// nothing. Health is short, and read by anybody who reaches the server: it must
	// name nothing that is not for all of them. Status is for those who may see
	// everything. Both must be quick.
	Health, Status func() string
}

// looksFirst tells whether the answer to a method is made of content that may have
// changed.
func looksFirst(method string) bool {
	switch mcp.MCPMethod(method) {
	case mcp.MethodPromptsGet, mcp.MethodPromptsList, mcp.MethodResourcesRead, mcp.MethodResourcesList,
		mcp.MethodResourcesTemplatesList, mcp.MethodCompletionComplete, mcp.MethodToolsList, mcp.MethodToolsCall,
		"skills/list", "skills/get", "resources/directory/read", mcp.MethodInitialize, "server/discover":
		return true
	}
	return false
}

// answerLive answers a request from what is to be served now. The whole of the
// answer is made of that, whatever changes meanwhile.
func (s *Server) answerLive(ctx context.Context, m *message, r *reply) *fault {
	now, err := s.look(ctx, m.refresh)
	if err != nil {
		return s.broken("looking at the content", m.method, err)
	}
	later, f := now.answer(ctx, m, r)
	if later != nil {
		return later(ctx, m, r)
	}
	return f
}

// look returns the stock of what is to be served now.
func (s *Server) look(ctx context.Context, refresh bool) (*stock, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	return guarded(func() (*stock, error) { return s.stockOf(s.live.Content(ctx, refresh)), nil })
}

// stockOf returns the stock of a mux that is to be served from now on, made when it
// comes first, or the stock that there is if that mux cannot be served.
func (s *Server) stockOf(mux *catalog.Mux) *stock {
	now := s.stock.Load()
	if mux == nil || mux == now.mux {
		return now
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if now = s.stock.Load(); mux == now.mux || mux == s.refused {
		return now
	}
	next, err := newStock(s, mux)
	if err != nil {
		s.refused = mux
		s.log.Error("what changed is not served, and what was served before is", "error", err.Error())
		return now
	}
	s.stock.Store(next)
	return next
}

// refreshes tells whether the address of a request asks that the content be looked
// at at once.
func (s *Server) refreshes(req *http.Request) bool {
	if s.live == nil || req.URL.RawQuery == "" {
		return false
	}
	values, err := url.ParseQuery(req.URL.RawQuery)
	return err == nil && values.Get("refresh") == "true"
}

// serveHealth answers at /healthz.
func (s *Server) serveHealth(w http.ResponseWriter) {
	if s.live == nil {
		io.WriteString(w, "ok\n")
		return
	}
	// The process is alive, whatever is wrong with the lines.
	lines, _ := s.lines(s.live.Health)
	writeLines(w, "ok\n"+lines)
}

// serveStatus answers at / with what the one who asks may know of the content.
func (s *Server) serveStatus(w http.ResponseWriter, who *catalog.Principal) {
	tell := s.live.Status
	if limited(who) {
		tell = s.live.Health
	}
	s.serveLines(w, tell)
}

// serveRefresh answers at /refresh, once the content was looked at. The body is not
// read: net/http passes over a short one, and ends the connection of a long one.
func (s *Server) serveRefresh(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST is served here", http.StatusMethodNotAllowed)
		return
	}
	leave, ok := s.enter(req)
	if !ok {
		http.Error(w, "the server is busy", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	if _, err := s.look(req.Context(), true); err != nil {
		s.broken("looking at the content", "/refresh", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	s.serveLines(w, s.live.Health)
}

func (s *Server) serveLines(w http.ResponseWriter, tell func() string) {
	lines, err := s.lines(tell)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	writeLines(w, lines)
}

// lines returns what Health or Status tells, each line with its end.
func (s *Server) lines(tell func() string) (string, error) {
	if tell == nil {
		return "", nil
	}
	lines, err := guarded(func() (string, error) { return tell(), nil })
	if err != nil {
		s.broken("telling of the content", "status", err)
	} else if lines != "" && !strings.HasSuffix(lines, "\n") {
		lines += "\n"
	}
	return lines, err
}

func writeLines(w http.ResponseWriter, lines string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	io.WriteString(w, lines)
}
