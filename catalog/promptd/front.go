// This file holds Front: the flags of a server, and the environment that stands in for
// them.

package promptd

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed33527553/promptc/catalog/serve"
)

// A Front is how clients reach a server, and who of them is let in: what flags and the
// environment say.
type Front struct {
	prefix                   string
	address, metricsAddress  string
	pageSize, maxRequest     int
	maxConnections           int
	logLevel                 string
	tools                    bool
	allowHosts, allowOrigins []string
	tlsCert, tlsKey          string
	tokens                   string
	issuer, audience, keys   string
	scopes                   []string
	flags                    *pflag.FlagSet
	own                      []*pflag.Flag   // those of flags that are the front's
	environment              map[string]bool // the flags that a variable stands in for
}

// NewFront adds the flags of a server to a command's. Each has an environment variable:
// its name in capitals, with underscores for hyphens, after the prefix and another
// underscore, such as PROMPTD_PAGE_SIZE after PROMPTD.
func NewFront(flags *pflag.FlagSet, prefix string) *Front {
	s := &Front{prefix: prefix, flags: flags, environment: map[string]bool{}}
	before := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { before[f.Name] = true })
	flags.StringVar(&s.address, "http", "", "serve Streamable HTTP at `HOST:PORT` instead of stdio")
	flags.IntVar(&s.pageSize, "page-size", serve.DefaultPageSize, "entries on a page of a list; 0 for all")
	flags.IntVar(&s.maxRequest, "max-request", serve.DefaultMaxRequest, "longest message in `BYTES`")
	flags.IntVar(&s.maxConnections, "max-connections", serve.DefaultMaxConnections, "most HTTP connections at once; more wait")
	flags.StringVar(&s.logLevel, "log-level", "info", "what is logged on stderr: debug, info, warn or error")
	flags.BoolVar(&s.tools, "tools", false, "add tools that read the same content, for clients that know only tools")
	flags.StringSliceVar(&s.allowHosts, "allow-host", nil, "a `NAME` that the server goes by, beside the local ones on a local address")
	flags.StringSliceVar(&s.allowOrigins, "allow-origin", nil, "an `ORIGIN`, such as https://app.example, whose pages may send requests")
	flags.StringVar(&s.tlsCert, "tls-cert", "", "serve TLS with the certificates in `FILE`, in PEM")
	flags.StringVar(&s.tlsKey, "tls-key", "", "the certificate's private key in `FILE`, in PEM")
	flags.StringVar(&s.tokens, "tokens", "", "let in whoever has a bearer token whose SHA-256 is in `FILE`")
	flags.StringVar(&s.issuer, "oauth-issuer", "", "let in whoever has an access token of the authorization server at `URL`")
	flags.StringVar(&s.audience, "oauth-audience", "", "`URL` of /mcp as clients know it, which access tokens are meant for")
	flags.StringVar(&s.keys, "oauth-jwks", "", "the authorization server's keys, at `URL` or in a file")
	flags.StringSliceVar(&s.scopes, "oauth-scopes", nil, "`SCOPES` that access tokens must have")
	flags.StringVar(&s.metricsAddress, "metrics-address", "", "serve /metrics at `HOST:PORT`; with the address of --http, there, to those who are let in without limits")
	flags.VisitAll(func(f *pflag.Flag) {
		if !before[f.Name] {
			s.own = append(s.own, f)
		}
	})
	return s
}

// variable is the environment variable of a flag.
func (s *Front) variable(flag string) string {
	return s.prefix + "_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Read takes from the environment what the command line does not say, and checks
// all of it. An error names the flag or the variable.
func (s *Front) Read() error {
	for _, f := range s.own {
		value := os.Getenv(s.variable(f.Name))
		if f.Changed || value == "" {
			continue
		}
		s.environment[f.Name] = true
		if s.flags.Set(f.Name, value) != nil {
			want := map[string]string{"int": "a whole number", "bool": "true or false", "stringSlice": "a list with commas between"}[f.Value.Type()]
			return s.errorf(f.Name, "must be %s, not %q", want, value)
		}
	}
	switch {
	case s.pageSize < 0:
		return s.errorf("page-size", "must be 0 or more, not %d", s.pageSize)
	case s.maxRequest < 1:
		return s.errorf("max-request", "must be 1 or more, not %d", s.maxRequest)
	case s.maxConnections < 1:
		return s.errorf("max-connections", "must be 1 or more, not %d", s.maxConnections)
	case !slices.Contains([]string{"debug", "info", "warn", "error"}, s.logLevel):
		return s.errorf("log-level", "must be debug, info, warn or error, not %q", s.logLevel)
	}
	for _, flag := range []string{"http", "metrics-address"} {
		address := s.flags.Lookup(flag).Value.String()
		if _, _, err := net.SplitHostPort(address); err != nil && s.flags.Changed(flag) {
			return s.errorf(flag, "must be an address with a port, such as 127.0.0.1:8080, not %q", address)
		}
	}
	for _, flag := range []string{"max-connections", "allow-host", "allow-origin", "tls-cert", "tls-key", "tokens", "oauth-issuer", "oauth-audience", "oauth-jwks", "oauth-scopes"} {
		switch f := s.flags.Lookup(flag); {
		case !f.Changed:
		case f.Value.String() == "" || f.Value.String() == "[]":
			// As a shell makes it of a variable that is not set.
			return s.errorf(flag, "must not be empty")
		case s.address == "":
			// What protects one transport must not be taken to protect the other.
			return s.errorf(flag, "is for HTTP: say where to serve it with --http")
		}
	}
	for _, group := range [][]string{{"tls-cert", "tls-key"}, {"oauth-issuer", "oauth-audience", "oauth-jwks"}} {
		given := slices.IndexFunc(group, s.flags.Changed)
		missing := slices.IndexFunc(group, func(flag string) bool { return !s.flags.Changed(flag) })
		if given >= 0 && missing >= 0 {
			return s.errorf(group[given], "needs --%s too", group[missing])
		}
	}
	if s.issuer == "" && s.flags.Changed("oauth-scopes") {
		return s.errorf("oauth-scopes", "needs --oauth-issuer too")
	}
	return nil
}

// errorf returns the error of a setting, by the name that it was given under.
func (s *Front) errorf(flag, format string, args ...any) error {
	name := "--" + flag
	if s.environment[flag] {
		name = s.variable(flag)
	}
	return &SettingError{fmt.Sprintf("%s %s", name, fmt.Sprintf(format, args...))}
}

// A SettingError tells of a flag or a variable that is not what it must be.
type SettingError struct{ text string }

func (e *SettingError) Error() string { return e.text }

// rename returns the error of an option of the package serve as that of the
// setting behind it.
func (s *Front) rename(err error) error {
	if bad := (*serve.OptionError)(nil); errors.As(err, &bad) {
		flag := map[string]string{
			"AllowHosts": "allow-host", "AllowOrigins": "allow-origin", "Issuer": "oauth-issuer",
			"Audience": "oauth-audience", "JWKS": "oauth-jwks", "Scopes": "oauth-scopes",
		}[bad.Option]
		return s.errorf(flag, "%s", bad.Reason)
	}
	return err
}

// Logger returns what logs to w, as much as the settings want.
func (s *Front) Logger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: s.level()}))
}

// level is the lowest level that is logged.
func (s *Front) level() (l slog.Level) {
	if err := l.UnmarshalText([]byte(s.logLevel)); err != nil {
		panic(err) // Read has checked it
	}
	return l
}

// options returns what the settings mean for the server, and what reads its files
// again, by the flag that names them.
func (s *Front) options(log *slog.Logger) (opts serve.Options, reload map[string]func() error, err error) {
	opts = serve.Options{PageSize: s.pageSize, MaxRequest: s.maxRequest, Tools: s.tools, Logger: log}
	if s.pageSize == 0 {
		opts.PageSize = -1
	}
	opts.HTTP = serve.HTTPOptions{AllowHosts: s.allowHosts, AllowOrigins: s.allowOrigins, MaxConnections: s.maxConnections}
	reload = map[string]func() error{}
	if s.tlsCert != "" {
		c, err := serve.LoadCertificate(s.tlsCert, s.tlsKey)
		if err != nil {
			return opts, nil, err
		}
		opts.HTTP.Certificate, reload["tls-cert"] = c, c.Reload
	}
	if s.tokens != "" {
		t, err := serve.LoadTokens(s.tokens)
		if err != nil {
			return opts, nil, err
		}
		warn := func() {
			if t.Len() == 0 {
				log.Warn("the file of tokens has none in it: it lets nobody in")
			}
		}
		warn()
		opts.HTTP.Tokens, reload["tokens"] = t, func() error {
			err := t.Reload()
			if err == nil {
				warn()
			}
			return err
		}
	}
	if s.issuer != "" {
		o, err := serve.NewOAuth(serve.OAuthOptions{Issuer: s.issuer, Audience: s.audience, JWKS: s.keys, Scopes: s.scopes, Logger: log})
		if err != nil {
			return opts, nil, s.rename(err)
		}
		opts.HTTP.OAuth, reload["oauth-jwks"] = o, o.Reload
	}
	return opts, reload, nil
}
