// This file holds how a repository is reached, and what must never be said of it.

package source

import (
	"encoding/base64"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// defaultUser is the user name beside a token where the URL has none. Servers that
// look at the token alone take any; GitHub asks for this one.
const defaultUser = "x-access-token"

// An access is what one fetch needs to reach a repository.
type access struct {
	// url has no user name and no password.
	url string
	// origin is the scheme and the host, with a slash, to which alone header goes.
	origin string
	// header authenticates; empty where there is no token.
	header string
	// secrets are the token and the forms that others may print it in.
	secrets []string
}

// newAccess reads the token, which is TOKEN or, where the URL has no user name,
// USER:TOKEN. Servers differ in which of the two is secret. An error shows neither.
func newAccess(repository *url.URL, token string, getenv func(string) string) (*access, error) {
	plain := *repository
	plain.User = nil
	a := &access{url: plain.String(), origin: plain.Scheme + "://" + plain.Host + "/"}
	user := repository.User.Username()
	secret, _ := repository.User.Password()
	if token != "" {
		secret = getenv(token)
		if secret == "" {
			return nil, problem("the environment variable " + token + ", which is to hold the token, is not set or empty")
		}
		if strings.ContainsFunc(secret, isControl) {
			return nil, problem("the token in " + token + " holds a line break or another control character; remove it")
		}
	}
	if secret == "" {
		a.hide(user) // which may be a token
		return a, nil
	}
	whole := secret
	if user == "" && token != "" {
		if before, after, ok := strings.Cut(secret, ":"); ok {
			user, secret = before, after
		}
	}
	if user == "" {
		user = defaultUser
	}
	if strings.Contains(user, ":") || strings.ContainsFunc(user+secret, isControl) {
		return nil, problem("user name and password in the repository's URL must hold no control characters, and the user name no colon")
	}
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + secret))
	a.header = "Authorization: Basic " + basic
	a.hide(basic)
	// The longer first: without its part, the whole would not be found.
	a.hide(whole)
	a.hide(secret)
	if user != defaultUser {
		a.hide(user) // which may be the token
	}
	return a, nil
}

// hide adds a secret in every form in which it may be printed.
func (a *access) hide(secret string) {
	if secret == "" {
		return
	}
	a.secrets = append(a.secrets, secret, url.QueryEscape(secret), url.PathEscape(secret), url.UserPassword("", secret).String()[1:],
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.URLEncoding.EncodeToString([]byte(secret)))
}

// Parts of texts that tell of passwords and of this machine.
var (
	userinfo     = regexp.MustCompile(`://[^/\s@]*@`)
	absolutePath = regexp.MustCompile(`(^|[\s'"(=])(?:[A-Za-z]:)?[/\\][^\s'"():]+`)
)

// scrub takes secrets, user names in URLs and absolute paths out of a text that
// another program wrote.
func (a *access) scrub(text string) string {
	for _, secret := range a.secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	text = userinfo.ReplaceAllString(text, "://")
	return absolutePath.ReplaceAllString(text, "${1}…")
}

// shown is how messages name a repository: without user and password, and without
// the directories of this machine.
func shown(repository *url.URL) string {
	if repository.Scheme == "file" {
		return "file:///…/" + path.Base(repository.Path)
	}
	plain := *repository
	plain.User = nil
	return plain.String()
}
