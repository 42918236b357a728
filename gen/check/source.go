// This file holds Source, a tree elsewhere that catalog.yaml names.

package check

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A Source is a tree in a git repository whose prompts and skills are to be in the
// catalog.
type Source struct {
	// Name is an id that no other source has.
	Name string
	// Repository is a URL with the scheme https or file, without user and password.
	Repository string
	// Branch and Path may be empty. Path is a directory of the repository, with
	// slashes.
	Branch, Path string
	// Token is the name of the environment variable that holds the access token; it
	// may be empty.
	Token string
	// TTL is how long what was read counts as fresh; 0 where catalog.yaml does not
	// say, else at least a second.
	TTL time.Duration
	// Layout is the tree's; it is empty where it is to be detected.
	Layout Layout
	// SkipInvalid tells to leave out what has faults.
	SkipInvalid bool
	// Span is where catalog.yaml names the repository.
	Span diag.Span
}

// Sources returns the sources that the catalog.yaml among the inputs of a built-in
// tree names and that have no faults. Trees reports the faults of the others.
func Sources(inputs []*Input) []Source {
	for _, in := range inputs {
		if in.Kind == parse.Settings {
			return checkSettings(in.File).sources
		}
	}
	return nil
}

// checkSources checks the sources of a catalog.yaml.
func (c *settings) checkSources(top fields) {
	list := top.value.Get("sources")
	if list == nil {
		return
	}
	before := len(c.faults)
	first := map[string]diag.Span{} // where a name is used first
	var secrets []diag.Span
	if list.Kind != parse.Sequence {
		c.faults.Add(list.Span, "yaml-type", "sources must be a list; YAML reads "+list.Kind.String(), "start each source with a hyphen")
		secrets = append(secrets, list.Span)
	}
	for _, v := range list.Items {
		if v.Kind != parse.Mapping {
			c.faults.Add(v.Span, "yaml-type", "each of sources must be a mapping; YAML reads "+v.Kind.String(), "write the key repository: before the URL")
			secrets = append(secrets, v.Span)
			continue
		}
		faults := len(c.faults)
		e := sourceEntry{fields: fields{faults: &c.faults, value: v, rule: "sources", what: "a source"}}
		e.known("repository", "name", "branch", "path", "token", "ttl", "layout", "on_invalid")
		for _, entry := range v.Entries {
			if !slices.Contains(e.names, entry.Key.Text) { // such as password
				e.secrets = append(e.secrets, entry.Key.Span, entry.Value.Span)
			}
		}
		e.repository()
		named := e.name()
		e.branch()
		e.path()
		e.token()
		e.rest()
		secrets = append(secrets, e.secrets...)
		if earlier, ok := first[e.source.Name]; ok {
			d := c.faults.Add(named, "sources", fmt.Sprintf("two sources are named %q", e.source.Name), "give one of them another name")
			d.Related = []diag.Related{{Span: earlier, Message: "the other one is here"}}
		} else if e.source.Name != "" {
			first[e.source.Name] = named
		}
		if len(c.faults) == faults {
			c.sources = append(c.sources, e.source)
		}
	}
	for i := before; i < len(c.faults); i++ {
		// Two faults of a line show the same text.
		line := c.faults[i].Span.Position().Line
		c.faults[i].Secret = slices.ContainsFunc(secrets, func(s diag.Span) bool {
			return s.Position().Line <= line && line <= s.EndPosition().Line
		})
	}
}

// A sourceEntry is an element of sources while it is checked.
type sourceEntry struct {
	fields
	source Source
	// secrets are where a password may stand.
	secrets []diag.Span
}

// secret reports a value that may be a password, or hold one.
func (e *sourceEntry) secret(v *parse.Value, message, help string) {
	e.faults.Add(v.Span, "sources", message, help)
	e.secrets = append(e.secrets, v.Span)
}

// repository checks the URL.
func (e *sourceEntry) repository() {
	v := e.value.Get("repository")
	if v == nil {
		e.missing("repository", "sources")
		return
	}
	if v.Kind != parse.Text {
		e.secret(v, "repository must be text; YAML reads "+v.Kind.String(), "write the URL")
		return
	}
	s := v.Text
	e.source.Span = v.Span
	const help = "write https://host/path or file:///path"
	u, err := url.Parse(s)
	switch {
	case strings.Contains(s, "@") && (err != nil || u.User != nil || u.Host == ""):
		e.secret(v, "a repository's URL cannot hold a user or a password", help+", and name the environment variable that holds the token as token:")
	case err != nil || u.Scheme == "" || u.Opaque != "":
		e.faults.Add(v.Span, "sources", "the repository is not a URL", help)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		e.secret(v, "a repository's URL cannot hold a query or a fragment", help)
	case u.Scheme == "http":
		e.faults.Add(v.Span, "sources", "a repository cannot be read over http, which anybody on the way can change", "write https://")
	case u.Scheme != "https" && u.Scheme != "file":
		e.faults.Add(v.Span, "sources", fmt.Sprintf("a repository cannot be read over %s", u.Scheme), help)
	case u.Scheme == "https" && (u.Hostname() == "" || strings.Trim(u.Path, "/") == ""),
		u.Scheme == "file" && (u.Host != "" || path.Clean(u.Path) == "/" || !strings.HasPrefix(u.Path, "/")):
		e.faults.Add(v.Span, "sources", "the repository's URL is not complete", help)
	default:
		e.source.Repository = s
	}
}

// name checks the name, or takes it from the URL. It returns where that is written.
func (e *sourceEntry) name() diag.Span {
	if e.value.Get("name") == nil {
		if e.source.Repository == "" {
			return diag.Span{}
		}
		last := strings.TrimSuffix(path.Base(strings.TrimRight(e.source.Repository, "/")), ".git")
		if catalog.IsID(last) && last != catalog.BuiltIn {
			e.source.Name = last
		} else {
			e.faults.Add(e.source.Span, "sources", "the end of the URL cannot be the source's name, which must be an id", "add name: and an id such as "+kebabOr(last, "team-prompts"))
		}
		return e.source.Span
	}
	s, v := e.text("name")
	switch {
	case v == nil:
		return diag.Span{}
	case !catalog.IsID(s):
		e.notAnID(v, "sources", "the name")
	case s == catalog.BuiltIn:
		e.faults.Add(v.Span, "sources", fmt.Sprintf("%q is the name of the built-in tree", s), "give the source another name")
	default:
		e.source.Name = s
	}
	return v.Span
}

// branchForm is what a branch's name may be: less than git allows (git-check-ref-format),
// and never what a command line takes for an option.
var branchForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+#@-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.+#@-]*)*$`)

func (e *sourceEntry) branch() {
	s, v := e.text("branch")
	if v == nil {
		return
	}
	e.source.Branch = s
	if !branchForm.MatchString(s) || strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.HasSuffix(s, ".") || strings.HasSuffix(s, ".lock") {
		e.faults.Add(v.Span, "sources", fmt.Sprintf("%q cannot be the name of a branch", s), "write it as git branch shows it")
	}
}

func (e *sourceEntry) path() {
	s, v := e.text("path")
	if v == nil {
		return
	}
	e.source.Path = s
	help := `write the way from the repository's root, with slashes and without "." and ".."`
	switch {
	case s == "" || s == ".":
		help = "remove the key for the repository's root"
	case strings.HasSuffix(s, "/") && path.Clean(s) == strings.TrimRight(s, "/"):
		help = "write it without the slash at its end: " + path.Clean(s)
	case strings.Contains(s, `\`):
		help = "use slashes: " + strings.ReplaceAll(s, `\`, "/")
	case path.Clean(s) == s && s[0] != '/' && s != ".." && !strings.HasPrefix(s, "../"):
		return
	}
	e.faults.Add(v.Span, "sources", fmt.Sprintf("%q is not the path of a directory of the repository", s), help)
}

var (
	variableForm = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	// longWord is a word that is more likely an access key than a name.
	longWord = regexp.MustCompile(`^[A-Z]*[0-9][A-Z0-9]*$`)
)

// longName is from how many characters on a name without underscores is doubted.
const longName = 16

// token checks the name of the environment variable. Whatever is none may be the
// token itself, and is not repeated.
func (e *sourceEntry) token() {
	v := e.value.Get("token")
	if v == nil {
		return
	}
	e.source.Token = v.Text
	if v.Kind != parse.Text || !variableForm.MatchString(v.Text) || len(v.Text) >= longName && longWord.MatchString(v.Text) {
		e.secret(v, "token must be the name of an environment variable, such as TEAM_GIT_TOKEN",
			"if it is the token itself, withdraw it where it was issued, for it was written to a file, and put a new one into the environment")
	}
}

// rest checks ttl, layout and on_invalid.
func (e *sourceEntry) rest() {
	if v := e.value.Get("ttl"); v != nil {
		const help = "write a number with its unit, such as 300s, 30m or 24h; at least 1s"
		ttl, err := time.ParseDuration(v.Text)
		switch {
		case v.Kind != parse.Text:
			e.faults.Add(v.Span, "yaml-type", "ttl must be a duration; YAML reads "+v.Kind.String(), help)
		case err != nil:
			e.faults.Add(v.Span, "sources", fmt.Sprintf("%q is not a duration", v.Text), help)
		case ttl < time.Second:
			e.faults.Add(v.Span, "sources", fmt.Sprintf("the ttl %s is too short", v.Text), help)
		}
		e.source.TTL = ttl
	}
	e.source.Layout = Layout(e.oneOf("layout", Layouts()))
	e.source.SkipInvalid = e.oneOf("on_invalid", []string{"fail", "skip"}) == "skip"
}

// oneOf returns the text of a key, which must be one of some.
func (e *sourceEntry) oneOf(name string, allowed []string) string {
	s, v := e.text(name)
	if v != nil && !slices.Contains(allowed, s) {
		e.faults.Add(v.Span, "sources", fmt.Sprintf("%s is %q", name, s), didYouMean(s, allowed, "write one of "+strings.Join(allowed, ", ")))
	}
	return s
}
