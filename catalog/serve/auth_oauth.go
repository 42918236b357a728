// This file holds OAuth: the server as a resource server that takes the access
// tokens of an authorization server.

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/seed33527553/promptc/catalog"
)

// OAuthOptions say whose access tokens are taken.
type OAuthOptions struct {
	// Issuer is the authorization server, by the URL that its tokens have in iss.
	Issuer string
	// Audience is the URL of the MCP endpoint as clients know it, which tokens must
	// have in aud, such as https://mcp.example/mcp.
	Audience string
	// JWKS is where the issuer's keys are: a URL, or the name of a file.
	JWKS string
	// Scopes are the ones that a token must have, all of them.
	Scopes []string
	// Logger gets what operators should know. Nothing is logged if nil.
	Logger *slog.Logger
}

// OAuth is an OAuth 2.1 resource server: it takes JWT access tokens (RFC 9068) that
// an authorization server signed, and tells clients where to get one (RFC 9728).
//
// A token must be signed by a key of the issuer's with RSA, ECDSA or Ed25519, be
// meant for the audience, not be expired, and have all scopes that are required.
// Clocks may differ by half a minute. sub, or else client_id, names the principal.
// What it may see is limited by the claims promptc_prefixes and promptc_tags, each
// an array of texts or one text with spaces between, and by scopes such as
// promptc:prefix:support/ and promptc:tag:git; by all of them together, and not at
// all where there are none.
//
// Keys from a URL are fetched when the first token comes, again every quarter of an
// hour, and when a token names a key that is not known, then at most every ten
// seconds. While that fails the keys stay good for a day. An answer may have 512 KiB
// and take ten seconds; redirects are not followed.
//
// An OAuth is safe for concurrent use.
type OAuth struct {
	issuer, audience string
	scopes           []string
	keys             *keySet
	now              func() time.Time

	// metadata is the document of RFC 9728, and metadataURL where clients find it.
	metadata    []byte
	metadataURL string
	// paths are where it is served.
	paths []string
}

// metadataPath is where RFC 9728, section 3 has the metadata; the path of the
// resource may follow.
const metadataPath = "/.well-known/oauth-protected-resource"

// leeway is how far clocks may be apart.
const leeway = 30 * time.Second

// algorithms are the ones that a token may be signed with. Where a key can be
// public, knowing it must not be enough to sign: so none with a shared secret, and
// not the one without a signature.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// NewOAuth checks the options, and reads the keys if they are in a file.
func NewOAuth(opts OAuthOptions) (*OAuth, error) {
	if _, err := secureURL("Issuer", opts.Issuer); err != nil {
		return nil, err
	}
	audience, err := secureURL("Audience", opts.Audience)
	if err != nil {
		return nil, err
	}
	for _, scope := range opts.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			return nil, optionError("Scopes", "must be printable ASCII without spaces, quotes and backslashes, not %q", scope)
		}
	}
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	o := &OAuth{issuer: opts.Issuer, audience: opts.Audience, scopes: slices.Clone(opts.Scopes), now: time.Now}
	if o.keys, err = newKeySet(opts.JWKS, log); err != nil {
		return nil, err
	}
	o.metadata, err = json.Marshal(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported,omitempty"`
		Methods  []string `json:"bearer_methods_supported"`
	}{o.audience, []string{o.issuer}, o.scopes, []string{"header"}})
	if err != nil {
		return nil, err
	}
	path := metadataPath + strings.TrimSuffix(audience.EscapedPath(), "/")
	o.metadataURL = audience.Scheme + "://" + audience.Host + path
	o.paths = []string{metadataPath, metadataPath + Endpoint, path}
	return o, nil
}

// Reload has the keys read again: a file now, a URL when the next token comes.
// Where that fails, the keys stay what they were.
func (o *OAuth) Reload() error { return o.keys.reload() }

// secureURL reads an option that is a URL which tokens or keys depend on.
func secureURL(option, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(text, "\"\\# ?"):
		return nil, optionError(option, "must be a URL such as https://auth.example, without user, query and fragment")
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Host)):
		return nil, optionError(option, "must be an https URL; http is for this machine alone")
	}
	return u, nil
}

// serveMetadata answers a request for the metadata.
func (o *OAuth) serveMetadata(w http.ResponseWriter) {
	h := w.Header()
	h["Content-Type"] = typeJSON
	h.Set("Cache-Control", "max-age=3600")
	w.Write(o.metadata)
}

// claims are the ones that are read beside the registered ones.
type claims struct {
	ClientID string `json:"client_id"`
	// Scope is RFC 9068's claim; Scp is what two wide-spread servers call it.
	Scope    words `json:"scope"`
	Scp      words `json:"scp"`
	Prefixes words `json:"promptc_prefixes"`
	Tags     words `json:"promptc_tags"`
}

// words are a claim that is an array of texts, or one text with spaces between. It
// is nil only where the claim is absent.
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	list := []string{}
	var text string
	if json.Unmarshal(data, &text) == nil && string(data) != "null" {
		list = strings.Fields(text)
	} else if err := json.Unmarshal(data, &list); err != nil || list == nil {
		return errors.New("neither a text nor an array of texts")
	}
	*w = list
	return nil
}

// principal checks a token and returns who it stands for. The error wraps errToken,
// errScope or errKeys and has nothing of the token in it.
func (o *OAuth) principal(ctx context.Context, token string) (*catalog.Principal, error) {
	bad := func(why string) error { return fmt.Errorf("%w: %s", errToken, why) }
	signed, err := jwt.ParseSigned(token, algorithms)
	if err != nil || len(signed.Headers) != 1 {
		return nil, bad("it is no JWT that is signed in a way that is accepted")
	}
	header := &signed.Headers[0]
	// A token of another kind must not pass for an access token (RFC 8725, section
	// 3.11); many servers say no more than JWT.
	kind, _ := header.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(kind), "application/") {
	case "", "jwt", "at+jwt":
	default:
		return nil, bad("its typ is not that of an access token")
	}
	key, err := o.keys.find(ctx, header.KeyID, header.Algorithm)
	if err != nil {
		return nil, err
	}
	var registered jwt.Claims
	var own claims
	if err := signed.Claims(key, &registered, &own); err != nil {
		return nil, bad("its signature is wrong, or a claim is not of its type")
	}
	switch err := registered.ValidateWithLeeway(jwt.Expected{Issuer: o.issuer, AnyAudience: jwt.Audience{o.audience}, Time: o.now()}, leeway); {
	case registered.Expiry == nil:
		return nil, bad("it has no exp")
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return nil, bad("another issuer made it")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return nil, bad("it is meant for another audience")
	case errors.Is(err, jwt.ErrExpired):
		return nil, bad("it is expired")
	case err != nil:
		return nil, bad("it is not valid yet")
	}
	p := &catalog.Principal{Name: registered.Subject, Prefixes: own.Prefixes, Tags: own.Tags}
	if p.Name == "" {
		p.Name = own.ClientID
	}
	if p.Name == "" {
		return nil, bad("it has neither sub nor client_id")
	}
	scopes := slices.Concat(own.Scope, own.Scp)
	for _, scope := range o.scopes {
		if !slices.Contains(scopes, scope) {
			return nil, errScope
		}
	}
	for _, scope := range scopes {
		if prefix, ok := strings.CutPrefix(scope, "promptc:prefix:"); ok {
			p.Prefixes = append(p.Prefixes, prefix)
		} else if tag, ok := strings.CutPrefix(scope, "promptc:tag:"); ok {
			p.Tags = append(p.Tags, tag)
		}
	}
	// Two empty lists would mean that there is no limit, which nobody meant who
	// wrote one down.
	limited := own.Prefixes != nil || own.Tags != nil
	if limited && len(p.Prefixes)+len(p.Tags) == 0 ||
		slices.ContainsFunc(p.Prefixes, func(s string) bool { return !isNamePrefix(s) }) ||
		slices.ContainsFunc(p.Tags, func(s string) bool { return !catalog.IsID(s) }) {
		return nil, bad("what it limits the holder to is empty, or no prefix and no tag")
	}
	return p, nil
}
