// This file holds Settings, which say where the content of a source is, and their
// checks.

package source

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed33527553/promptc/catalog"
)

// DefaultTTL is how long what was fetched counts as fresh where Settings say nothing.
const DefaultTTL = 300 * time.Second

// maxSetting is how long a URL, a branch and a path may be, in bytes.
const maxSetting = 2048

// Settings say where the content of one source is.
type Settings struct {
	// Name is the id by which messages name the source; what Name makes of the
	// repository if empty.
	Name string
	// Repository is a URL with https:// or file://. A user name may stand in it, and
	// a password, which is used as a token is.
	Repository string
	// Branch is the branch to follow, without refs/heads/; the one that the
	// repository names as its HEAD if empty.
	Branch string
	// Path is the directory of the repository that holds the content, with slashes;
	// the whole repository if empty.
	Path string
	// Token is the name of the environment variable that holds the token, which is
	// read at each fetch; nothing but the URL is used if empty.
	Token string
	// TTL is how long what was fetched counts as fresh; DefaultTTL if 0.
	TTL time.Duration
}

// Check tells what is wrong with the settings. It does not repeat the URL, which may
// hold a password.
func (s Settings) Check() error {
	repository, err := parseRepository(s.Repository)
	if err != nil {
		return err
	}
	switch {
	case s.Name == "" && Name(s.Repository) == "":
		return errors.New("no name can be made from the repository's URL; name the source")
	case s.Name != "" && !catalog.IsID(s.Name):
		return fmt.Errorf("the name of a source must be lower-case letters, digits and single hyphens, and start with a letter, with at most %d of them", catalog.MaxID)
	case s.Branch != "" && !isBranch(s.Branch):
		return fmt.Errorf("git allows no branch to be named %.100q", s.Branch)
	case s.Path != "" && !isContentPath(s.Path):
		return fmt.Errorf("the path %.100q must lead to a directory inside the repository, with slashes and without . and .. in it", s.Path)
	case s.Token != "" && !isVariable(s.Token):
		return errors.New("the token is given by the name of an environment variable, of letters, digits and underscores; never write the token itself")
	case s.Token != "" && repository.Scheme == "file":
		return errors.New("a file:// repository needs no token; leave it out")
	case s.TTL < 0:
		return errors.New("the time that content counts as fresh must not be negative")
	}
	if _, ok := repository.User.Password(); ok && s.Token != "" {
		return errors.New("the repository's URL holds a password and a token is named as well; remove the password")
	}
	return nil
}

// Name makes a source's name from the last element of its repository's URL, in lower
// case, without .git, and with a hyphen for whatever an id cannot hold. It is empty
// where nothing is left.
func Name(repository string) string {
	u, err := url.Parse(repository)
	if err != nil {
		return ""
	}
	base := strings.TrimSuffix(path.Base(strings.TrimRight(u.Path, "/")), ".git")
	words := strings.FieldsFunc(strings.ToLower(base), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
	name := strings.TrimLeft(strings.Join(words, "-"), "0123456789-")
	if len(name) > catalog.MaxID {
		name = strings.TrimRight(name[:catalog.MaxID], "-")
	}
	if !catalog.IsID(name) {
		return ""
	}
	return name
}

// parseRepository reads a repository's URL. An error does not repeat it.
func parseRepository(text string) (*url.URL, error) {
	const want = "the repository must be a URL that starts with https:// or file://"
	if text == "" {
		return nil, errors.New("no repository is named; " + want)
	}
	u, err := url.Parse(text)
	switch {
	case len(text) > maxSetting || !utf8.ValidString(text):
		return nil, errors.New(want)
	case overSSH.MatchString(text):
		return nil, errors.New(want + "; a repository that is reached over ssh, as git@host:path, has an address such as https://host/path too")
	case err != nil:
		return nil, errors.New(want)
	case u.Scheme == "http":
		return nil, errors.New(want + "; http:// would send everything in the clear")
	case u.Scheme != "https" && u.Scheme != "file":
		return nil, errors.New(want + "; git's other protocols are not used")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#"):
		return nil, errors.New("the repository's URL must not hold ? or #; branch and path are settings of their own")
	case strings.Trim(u.Path, "/") == "":
		return nil, errors.New("the URL names no repository; its path is missing")
	case strings.ContainsFunc(u.Path, isControl):
		return nil, errors.New("the repository's URL holds a control character")
	case u.Scheme == "https" && u.Hostname() == "":
		return nil, errors.New("the repository's URL names no host")
	case u.Scheme == "file" && (u.Host != "" || u.User != nil):
		return nil, errors.New("a file:// URL has three slashes, and an absolute path after them")
	}
	return u, nil
}

// overSSH is how git's command line takes an address for ssh, without a scheme.
var overSSH = regexp.MustCompile(`^[^/:@]+@[^/:@]+:`)

// isBranch tells whether git lets a branch have the name, by the rules of
// git-check-ref-format(1).
func isBranch(name string) bool {
	if len(name) > maxSetting || !utf8.ValidString(name) || name == "@" || strings.HasPrefix(name, "-") || strings.HasSuffix(name, ".") {
		return false
	}
	if strings.Contains(name, "..") || strings.Contains(name, "@{") || strings.ContainsAny(name, " ~^:?*[\\") || strings.ContainsFunc(name, isControl) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// isContentPath tells whether a path leads into the repository. A directory that
// starts with a dot may be named here, though it is left out below the path.
func isContentPath(p string) bool {
	return len(p) <= maxSetting && p != "." && isLocal(p)
}

// isLocal tells whether a path of a tree can be written below a directory on every
// system, and lead nowhere else.
func isLocal(p string) bool {
	return fs.ValidPath(p) && !strings.Contains(p, `\`) && !strings.ContainsFunc(p, isControl) && filepath.IsLocal(filepath.FromSlash(p))
}

// isVariable tells whether an environment variable can have the name.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxSetting
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }
