// This file holds authentication over HTTP: who sent a request, and what they are
// told who may not (RFC 6750; specification 2026-07-28, "Authorization").

package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// longestToken is how many bytes a token may have.
const longestToken = 16 << 10

// What is wrong with a token that was presented. What is wrapped around them is
// for the log at its lowest level; clients are not told more than this.
var (
	errToken = errors.New("the token is not accepted")
	errScope = errors.New("the token lacks a scope that is required")
	errKeys  = errors.New("tokens cannot be checked at the moment")
)

// A denial is the answer to a request whose sender may not make it.
type denial struct {
	status    int
	reason    string
	challenge string // WWW-Authenticate; empty for none
}

// authenticate returns who sent a request: nil where authentication is off. The
// answer to a token that is not known and to one that is none at all is the same.
func (s *Server) authenticate(req *http.Request) (*catalog.Principal, *denial) {
	if !s.http.authenticates() {
		return nil, nil
	}
	// Addresses end up in logs and histories (RFC 6750, section 2.3).
	if holdsToken(req.URL.RawQuery) {
		return nil, s.deny(http.StatusBadRequest, "invalid_request", "a token must stand in the header Authorization, never in the address")
	}
	values := req.Header["Authorization"]
	if len(values) == 0 {
		return nil, s.deny(http.StatusUnauthorized, "", "this server needs a bearer token in the header Authorization")
	}
	token, ok := "", len(values) == 1
	if ok {
		token, ok = bearer(values[0])
	}
	err := errToken
	if ok {
		var p *catalog.Principal
		if p, err = s.principal(req, token); err == nil {
			return p, nil
		}
	}
	s.log.Debug("a token was refused", "reason", err.Error())
	switch {
	case errors.Is(err, errScope):
		return nil, s.deny(http.StatusForbidden, "insufficient_scope", errScope.Error())
	case errors.Is(err, errKeys):
		return nil, &denial{status: http.StatusServiceUnavailable, reason: errKeys.Error()}
	}
	return nil, s.deny(http.StatusUnauthorized, "invalid_token", errToken.Error())
}

// principal finds out who holds a token.
func (s *Server) principal(req *http.Request, token string) (*catalog.Principal, error) {
	if s.http.Tokens != nil {
		if p := s.http.Tokens.find(token); p != nil {
			return p, nil
		}
	}
	if s.http.OAuth != nil {
		return s.http.OAuth.principal(req.Context(), token)
	}
	return nil, errToken
}

// deny makes a denial with its challenge (RFC 6750, section 3; RFC 9728, section
// 5.1). code is the error's, empty where no token was presented.
func (s *Server) deny(status int, code, reason string) *denial {
	var parameters []string
	add := func(name, value string) { parameters = append(parameters, name+`="`+value+`"`) }
	if code != "" {
		add("error", code)
		add("error_description", reason)
	}
	if o := s.http.OAuth; o != nil {
		add("resource_metadata", o.metadataURL)
		if len(o.scopes) > 0 {
			add("scope", strings.Join(o.scopes, " "))
		}
	} else {
		add("realm", "mcp")
	}
	return &denial{status, reason, "Bearer " + strings.Join(parameters, ", ")}
}

// header sets the headers of the denial.
func (d *denial) header(h http.Header) {
	if d.challenge != "" {
		h.Set("WWW-Authenticate", d.challenge)
	}
	if d.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "10")
	}
}

// bearer reads the token of an Authorization header (RFC 6750, section 2.1).
func bearer(value string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(value, " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || len(token) > longestToken {
		return "", false
	}
	body := strings.TrimRight(token, "=")
	for _, c := range []byte(body) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~+/", c) >= 0) {
			return "", false
		}
	}
	return token, body != ""
}

// holdsToken tells whether a query has a token, or is too odd to say.
func holdsToken(query string) bool {
	if query == "" {
		return false
	}
	values, err := url.ParseQuery(query)
	return err != nil || values.Has("access_token")
}
