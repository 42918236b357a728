// This file holds how long answers stay fresh (specification 2026-07-28,
// "Caching").

package serve

import (
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// defaultTTL is how long an answer stays fresh where nobody says: what is compiled
// in changes with the program only.
const defaultTTL = 24 * time.Hour

// unsaid is how long an answer that is made of content stays fresh where nobody says.
func unsaid(live bool) time.Duration {
	if live {
		return 0
	}
	return defaultTTL
}

// freshness returns how long, and by whom, answers may be kept that are made of the
// catalogs: as long as the most careful catalog says, and by one client alone if
// anything that is mounted says so. The scope is that of all answers: the pages of
// one list must not differ in it. Of live content a catalog that says nothing is the
// most careful one.
func freshness(mux *catalog.Mux, live bool) (ttl time.Duration, scope mcp.CacheScope) {
	scope = mcp.CacheScopePublic
	silent := false
	for _, mount := range mux.Mounts() {
		var hint catalog.CacheHint
		if mount.Catalog != nil {
			hint = mount.Catalog.Cache
			if hint.TTL > 0 && (ttl == 0 || hint.TTL < ttl) {
				ttl = hint.TTL
			}
			silent = silent || hint.TTL == 0
		} else if hinter, ok := mount.Repository.(catalog.CacheHinter); ok {
			hint = hinter.CacheHint()
		}
		if hint.Scope == string(mcp.CacheScopePrivate) {
			scope = mcp.CacheScopePrivate
		}
	}
	if ttl == 0 || live && silent {
		ttl = unsaid(live)
	}
	return ttl, scope
}

// lifetime is how long the pages of a repository stay fresh.
func lifetime(r catalog.Repository, live bool) time.Duration {
	hinter, ok := r.(catalog.CacheHinter)
	if !ok {
		return 0
	}
	if ttl := hinter.CacheHint().TTL; ttl != 0 {
		return max(ttl, 0)
	}
	return unsaid(live)
}

// An ending closes a result, and the answer: with the members of its freshness, if
// it can be kept, and with who answers. What somebody sees who was authenticated is
// theirs alone to keep.
type ending struct{ any, authenticated string }

func (s *stock) ending(ttl time.Duration, scope mcp.CacheScope) ending {
	end := func(scope mcp.CacheScope) string {
		return `,"ttlMs":` + strconv.FormatInt(ttl.Milliseconds(), 10) + `,"cacheScope":"` + string(scope) + `","_meta":{` + s.identity + "}}}"
	}
	return ending{end(scope), end(mcp.CacheScopePrivate)}
}

// uncached is the ending of a result that is not to be kept.
func (s *stock) uncached() ending {
	end := `,"_meta":{` + s.identity + "}}}"
	return ending{end, end}
}

// of returns the ending of the answer to a message.
func (e *ending) of(m *message) string {
	switch {
	case !m.modern:
		return "}}"
	case m.principal != nil:
		return e.authenticated
	}
	return e.any
}
