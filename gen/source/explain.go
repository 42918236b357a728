// This file says why a fetch failed, in our words, and what to do.

package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"syscall"
	"unicode"
)

// A problem is a reason in words that can be shown as they are.
type problem string

func (p problem) Error() string { return string(p) }

// A signature is how git, or the library by which it speaks HTTP, tells of a fault.
type signature struct {
	pattern *regexp.Regexp
	meaning func(s *Source) string
}

// says makes a signature whose meaning does not depend on the source.
func says(pattern, meaning string) signature {
	return signature{regexp.MustCompile(pattern), func(*Source) string { return meaning }}
}

// signatures are looked for one after another.
var signatures = []signature{
	says(`(?i)no space left on device|not enough space|disk quota exceeded`, diskFull),
	says(`(?i)read-only file system`, readOnly),
	says(`returned error: 407|(?i)could not resolve proxy|proxy connect|from proxy after CONNECT`, "the proxy did not let the connection through; look at the variables http_proxy, https_proxy and no_proxy"),
	says(`(?i)could not resolve host|name or service not known|could not be resolved`, "the host is unknown; check the URL and the network"),
	says(`(?i)certificate|ssl peer`, "the server's certificate is not trusted; give its authority by GIT_SSL_CAINFO"),
	{regexp.MustCompile(`returned error: 40[13]|(?i)authentication failed|could not read (username|password)|invalid credentials`), (*Source).refused},
	says(`returned error: 3\d\d|redirect`, "the server redirects to another URL; name that one, since a token is never sent on"),
	says(`transport '[a-z]*' not allowed|(?i)protocol "?[a-z]*"? (is )?(disabled|not supported)`, "the server leads to another protocol than https; name the final URL"),
	says(`(?i)dubious ownership`, "the repository belongs to another user, and git refuses to read it; run as its owner, or serve it over https"),
	says(`(?i)couldn't find remote ref|couldn't find remote`, "the branch is gone"),
	says(`(?i)not our ref|unadvertised object|no such remote ref`, "the repository has no such commit, or its server hands out branches only"),
	{regexp.MustCompile(`returned error: 404|(?i)repository .* not found|not appear to be a git repository|repository .* does not exist|not valid: is this a git repository`), (*Source).missing},
	says(`returned error: 429`, "the server has had too many requests; fetch less often"),
	says(`returned error: 5\d\d`, "the server has failed; look again later"),
	says(`(?i)operation too slow|timed? ?out`, "the server is too slow; check the network"),
	says(`(?i)failed to connect|couldn't connect|connection refused|network is unreachable|no route to host`, "the server cannot be reached; check the URL, the network and the proxy"),
	says(`(?i)fsck|corrupt|bad object|invalid index-pack`, "the repository holds objects that git's checks refuse; look at them with git fsck"),
	says(`(?i)early eof|hung up|disconnect|connection reset|empty reply|rpc failed|recv failure|was not closed cleanly`, "the connection broke"),
	says(`unknown option|usage: git`, "this git is too old; install 2.31 or newer"),
	says(`is not a git command|unable to find remote helper`, "this git lacks the part that speaks https; install it"),
}

const (
	diskFull = "the disk that holds the cache is full; free some space"
	readOnly = "the cache directory cannot be written to; name another one, or let this user write there"
)

// refused is the meaning of a server that does not let us in.
func (s *Source) refused() string {
	_, password := s.repository.User.Password()
	switch {
	case s.settings.Token != "":
		return "the server refused the token in " + s.settings.Token + "; check that it is valid and may read the repository"
	case password:
		return "the server refused the password in the URL; check that it is valid and may read the repository"
	}
	return "the server wants a token, or there is no such repository; name the environment variable that holds the token"
}

// missing is the meaning of a repository that is not found, which many servers also
// say to those who may not see it.
func (s *Source) missing() string {
	if s.repository.Scheme == "https" {
		if s.settings.Token == "" {
			return "there is no such repository, or it wants a token; check the URL"
		}
		return "there is no such repository, or the token in " + s.settings.Token + " may not read it; check both"
	}
	return "there is no such repository; check the URL"
}

// explain makes of whatever stopped a fetch an error that names the source and the
// repository, says what is wrong and what to do, and holds no secret.
func (s *Source) explain(a *access, err error) error {
	if err == nil {
		return nil
	}
	return &fetchError{fmt.Sprintf("cannot fetch %s from %s: %s", s.settings.Name, s.shown, s.reason(a, err)), err}
}

// A fetchError is a text to show, and what can be asked of its cause.
type fetchError struct {
	text  string
	cause error
}

func (e *fetchError) Error() string { return e.text }

func (e *fetchError) Is(target error) bool {
	return (target == context.Canceled || target == context.DeadlineExceeded) && errors.Is(e.cause, target)
}

// reason says what stopped a fetch.
func (s *Source) reason(a *access, err error) string {
	var p problem
	var g *gitError
	switch {
	case errors.As(err, &p):
		return string(p)
	case errors.As(err, &g):
		return s.meaning(a, g)
	case errors.Is(err, context.DeadlineExceeded):
		return "it took longer than " + s.timeout.String() + "; check the network, and that the repository is small"
	case errors.Is(err, context.Canceled):
		return "the fetch was stopped"
	case errors.Is(err, syscall.ENOSPC), isQuota(err):
		return diskFull
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return readOnly
	case errors.Is(err, fs.ErrExist):
		return "two of its files have names that the file system of the cache cannot tell apart; rename one"
	}
	return a.scrub(systemText(err))
}

// systemText is the text of an error without the path in it.
func systemText(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	var y *os.SyscallError
	switch {
	case errors.As(err, &p):
		return "the cache: " + p.Err.Error()
	case errors.As(err, &l):
		return "the cache: " + l.Err.Error()
	case errors.As(err, &y):
		return y.Err.Error()
	}
	return err.Error()
}

// meaning is what git's words mean, or the last of them.
func (s *Source) meaning(a *access, g *gitError) string {
	var own []string
	for line := range strings.Lines(g.stderr) {
		// These lines are the server's, which can say anything.
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "remote:") {
			own = append(own, line)
		}
	}
	// The URL can hold any word.
	text := strings.NewReplacer(a.url, "", s.repository.Path, "").Replace(strings.Join(own, "\n"))
	for _, known := range signatures {
		if known.pattern.MatchString(text) {
			return known.meaning(s)
		}
	}
	if len(own) == 0 {
		return "git failed and said nothing"
	}
	last := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, a.scrub(own[len(own)-1]))
	if runes := []rune(last); len(runes) > 200 {
		last = string(runes[:200]) + "…"
	}
	return "git says: " + last
}
