// This file holds the flags that name a source beside those of catalog.yaml, and the
// environment that stands in for them.

package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/source"
)

// tokenVariable is the environment variable that holds the token for the repository of
// --user-prompts-repo, unless another is named.
const tokenVariable = "PROMPTC_GIT_TOKEN"

// sourcesHelp is what --help says of the sources.
const sourcesHelp = `Sources are git repositories with more prompts and skills. They are named under
sources: in catalog.yaml, and one more by --user-prompts-repo. Built-in content comes
first: what has a name that is taken is left out, with a warning.

Git reads them over https:// or from file://. A token for --user-prompts-repo stands
in the environment variable PROMPTC_GIT_TOKEN, as TOKEN or as USER:TOKEN; it is
never an argument and is in no file.`

// A sourceFlags is what flags and environment say of a source.
type sourceFlags struct {
	repository, branch, path string
	token, ttl, layout       string
	cacheDir                 string
	flags                    *pflag.FlagSet
}

func addSourceFlags(cmd *cobra.Command) *sourceFlags {
	s := &sourceFlags{flags: cmd.Flags()}
	s.flags.StringVar(&s.repository, "user-prompts-repo", "", "`URL` of a git repository with more prompts and skills")
	s.flags.StringVar(&s.branch, "user-prompts-branch", "", "its `BRANCH`; by default the one that its HEAD names")
	s.flags.StringVar(&s.path, "user-prompts-path", "", "the `DIRECTORY` in it")
	s.flags.StringVar(&s.ttl, "user-prompts-cache-ttl", "", "how long what was read counts as fresh, in `SECONDS` or as 5m (default 300)")
	s.flags.StringVar(&s.layout, "user-prompts-layout", "", "its `LAYOUT`: "+strings.Join(check.Layouts(), ", ")+"; by default what is there tells")
	s.flags.StringVar(&s.token, "user-prompts-token-variable", tokenVariable, "the environment `VARIABLE` that holds its token")
	s.flags.StringVar(&s.cacheDir, "cache-dir", "", "keep what git reads in `DIRECTORY`; by default promptc in the user's cache directory")
	must(cmd.MarkFlagDirname("cache-dir"))
	must(cmd.RegisterFlagCompletionFunc("user-prompts-layout", cobra.FixedCompletions(check.Layouts(), cobra.ShellCompDirectiveNoFileComp)))
	return s
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "PROMPTC_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment takes from the environment what the command line does not say of flags.
func fromEnvironment(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		value := os.Getenv(variable(name))
		if value == "" || flags.Changed(name) {
			continue
		}
		if flags.Set(name, value) != nil { // which a text always takes
			return fmt.Errorf("%s must be true or false, not %q", variable(name), value)
		}
	}
	return nil
}

// read takes from the environment what the command line does not say.
func (s *sourceFlags) read() error {
	err := fromEnvironment(s.flags, "user-prompts-repo", "user-prompts-branch", "user-prompts-path", "user-prompts-cache-ttl", "user-prompts-layout", "user-prompts-token-variable", "cache-dir")
	if err != nil {
		return err
	}
	if s.repository != "" {
		return nil
	}
	for _, flag := range []string{"user-prompts-branch", "user-prompts-path", "user-prompts-cache-ttl", "user-prompts-layout", "user-prompts-token-variable"} {
		if s.flags.Changed(flag) {
			return fmt.Errorf("%s is set, and no repository: set %s", s.name(flag), s.name("user-prompts-repo"))
		}
	}
	return nil
}

// name is a setting's flag, with its variable.
func (s *sourceFlags) name(flag string) string { return "--" + flag + " (" + variable(flag) + ")" }

// sources returns the source that was named, if any, and how sources are kept.
func (s *sourceFlags) sources(log *slog.Logger) ([]check.Source, source.Options, error) {
	err := s.read()
	options := source.Options{Dir: s.cacheDir, Log: log}
	if err != nil || s.repository == "" {
		return nil, options, err
	}
	wrong := func(flag, format string, args ...any) error {
		return fmt.Errorf("%s: %s", s.name(flag), fmt.Sprintf(format, args...))
	}
	from := check.Source{Repository: s.repository, Branch: s.branch, Path: strings.Trim(s.path, "/"), Layout: check.Layout(s.layout)}
	if s.layout != "" && !slices.Contains(check.Layouts(), s.layout) {
		return nil, options, wrong("user-prompts-layout", "must be one of %s, not %q", strings.Join(check.Layouts(), ", "), s.layout)
	}
	if s.ttl != "" {
		ttl, err := time.ParseDuration(s.ttl)
		if seconds, bad := strconv.ParseUint(s.ttl, 10, 31); bad == nil {
			ttl, err = time.Duration(seconds)*time.Second, nil
		}
		if err != nil || ttl < time.Second {
			return nil, options, wrong("user-prompts-cache-ttl", "must be a number of seconds, or a time such as 5m, of at least one second, not %q", s.ttl)
		}
		from.TTL = ttl
	}
	// What stands in the URL for the server to know the user is for git alone. It may
	// be a token.
	u, err := url.Parse(s.repository)
	if err == nil && u.User != nil {
		user := u.User
		u.User = nil
		from.Repository, from.Token = u.String(), variable("user-prompts-repo")
		options.Getenv = func(name string) string {
			if name == from.Token {
				return credentials(user, os.Getenv(s.token))
			}
			return os.Getenv(name)
		}
	} else if os.Getenv(s.token) != "" && (err != nil || u.Scheme != "file") {
		from.Token = s.token
	}
	from.Name = cmp.Or(source.Name(from.Repository), "user")
	if from.Name == catalog.BuiltIn {
		from.Name = "user"
	}
	if err := (source.Settings{Name: from.Name, Repository: from.Repository, Branch: from.Branch, Path: from.Path, Token: from.Token, TTL: from.TTL}).Check(); err != nil {
		return nil, options, wrong("user-prompts-repo", "%s", err)
	}
	return []check.Source{from}, options, nil
}

// credentials returns what the userinfo of a URL means, as USER:TOKEN or TOKEN, where the
// environment may hold the token.
func credentials(user *url.Userinfo, token string) string {
	if password, ok := user.Password(); ok {
		return user.Username() + ":" + password
	}
	if token != "" {
		return user.Username() + ":" + token
	}
	return user.Username()
}
