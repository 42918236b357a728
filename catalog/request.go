// This file holds Request, what is known of who asks.

package catalog

import (
	"context"
	"strings"
)

// A Request is what a repository can learn of the request that it serves.
type Request struct {
	// ClientName and ClientVersion are what the client calls itself; they are
	// empty where it did not say.
	ClientName, ClientVersion string
	// Meta is the request's _meta, a JSON object, or nil.
	Meta []byte
	// Principal is who was authenticated; nil where nobody was.
	Principal *Principal
}

// A Principal is somebody who was authenticated, and what they may see.
type Principal struct {
	Name string
	// Prefixes and Tags limit what the principal sees: prompts whose name starts
	// with one of Prefixes or that have one of Tags, and skills alike. Where both
	// are empty there is no limit.
	Prefixes, Tags []string
}

// Sees tells whether the principal may see something with a name and tags. A nil
// Principal sees everything.
func (p *Principal) Sees(name string, tags []string) bool {
	if p == nil || len(p.Prefixes)+len(p.Tags) == 0 {
		return true
	}
	for _, prefix := range p.Prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, tag := range p.Tags {
		for _, t := range tags {
			if t == tag {
				return true
			}
		}
	}
	return false
}

type requestKey struct{}

// WithRequest returns a context in which RequestOf finds r.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request that a context belongs to. Outside of one it
// returns an empty Request, never nil.
func RequestOf(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}
