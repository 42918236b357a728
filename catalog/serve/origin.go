// This file holds the rules for Host and Origin, and CORS: which names the server
// goes by, and which pages may ask it.

package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// gate refuses requests by their Host and Origin (specification 2026-07-28,
// "Streamable HTTP", section "Security & Endpoint"). A page cannot choose either,
// so a name that was made to resolve to this machine, and a page of somebody
// else's, are told from what belongs here. Clients that are no browser send no
// Origin, and on an address that is not local go by any name that is not
// forbidden by a list.
type gate struct {
	hosts, origins []string // in lower case
}

// newGate checks the lists of HTTPOptions.
func newGate(hosts, origins []string) (gate, error) {
	var g gate
	for _, host := range hosts {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = strings.Trim(host, "[]"), "0"
		}
		_, err = strconv.ParseUint(port, 10, 16)
		if err != nil || name == "" || strings.ContainsAny(name, "/@*? []") || strings.Contains(name, ":") && !isIP(name) {
			return gate{}, optionError("AllowHosts", "must be names or addresses, such as mcp.example or mcp.example:8443, not %q", host)
		}
		g.hosts = append(g.hosts, strings.ToLower(host))
	}
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin || strings.Contains(u.Host, "*") {
			return gate{}, optionError("AllowOrigins", "must be schemes and hosts, such as https://app.example, not %q", origin)
		}
		g.origins = append(g.origins, strings.ToLower(origin))
	}
	return g, nil
}

func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// refuse tells why a request may not pass, and the empty text if it may.
func (g *gate) refuse(req *http.Request) string {
	local := onLoopback(req)
	listed := g.lists(req.Host)
	if !listed && !(local && isLoopback(req.Host)) && (local || len(g.hosts) > 0) {
		if local && len(g.hosts) == 0 {
			return "this server is reached by a local name only, such as localhost"
		}
		return "the server does not go by the name that the request has in Host"
	}
	values := req.Header["Origin"]
	if len(values) == 0 {
		return ""
	}
	origin := strings.ToLower(values[0])
	if len(values) == 1 && slices.Contains(g.origins, origin) {
		return ""
	}
	u, err := url.Parse(origin)
	if len(values) == 1 && err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		// A page of this very host, by a name that is known to be its own, or on a
		// local server a local page.
		if listed && strings.EqualFold(u.Host, req.Host) || local && isLoopback(req.Host) && isLoopback(u.Host) {
			return ""
		}
	}
	return "requests from pages of this origin are not served"
}

// lists tells whether an allowed host is the one of a request. One without a port
// stands for every port.
func (g *gate) lists(host string) bool {
	host = strings.ToLower(host)
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	return slices.ContainsFunc(g.hosts, func(allowed string) bool {
		return allowed == host || strings.Trim(allowed, "[]") == strings.Trim(name, "[]")
	})
}

// onLoopback tells whether a request came in at a loopback address.
func onLoopback(req *http.Request) bool {
	addr, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(addr.String())
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

// allowedHeaders are the ones that a page's MCP client sends (specifications
// 2025-11-25 and 2026-07-28, "Transports").
const allowedHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, " +
	mcp.HeaderMethod + ", " + mcp.HeaderName + ", " + mcp.HeaderProtocolVersion + ", Mcp-Session-Id"

// share lets the page that a request comes from read the answer, once its origin
// has passed. It reports true where the request only asks whether one with the
// method may be sent: then the headers are the answer.
func share(w http.ResponseWriter, req *http.Request, method string) (preflight bool) {
	origin := req.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "WWW-Authenticate")
	h.Add("Vary", "Origin")
	if req.Method != http.MethodOptions || req.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", method)
	h.Set("Access-Control-Allow-Headers", allowedHeaders)
	h.Set("Access-Control-Max-Age", "7200")
	return true
}
