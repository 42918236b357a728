// This file tests the checks of settings.

package source

import (
	"os/exec"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const good = "https://git.example.com/org/team.git"
	for _, s := range []Settings{
		{Repository: good},
		{Repository: "https://me@git.example.com:8443/team", Token: "TEAM_TOKEN", Branch: "release/1", Path: "a/b c", Name: "x", TTL: 1},
		{Repository: "https://me:secret@git.example.com/team"},
		{Repository: "file:///srv/team.git", Path: ".github/prompts"},
		{Repository: "https://[::1]/team"},
	} {
		if err := s.Check(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for want, list := range map[string][]Settings{
		"no repository is named":          {{}},
		"starts with https:// or file://": {{Repository: "git@example.com:secret/team"}, {Repository: "ssh://secret@example.com/team"}, {Repository: "ext::sh -c secret"}, {Repository: "/secret/team"}, {Repository: "-secret"}, {Repository: "https://secret%zz/x"}, {Repository: good + strings.Repeat("x", 3000)}, {Repository: good + "\xff"}},
		"in the clear":                    {{Repository: "http://me:secret@example.com/team"}},
		"must not hold ? or #":            {{Repository: good + "?token=secret"}, {Repository: good + "?"}, {Repository: good + "#secret"}, {Repository: good + "#"}},
		"names no repository":             {{Repository: "https://secret.example.com"}, {Repository: "https://secret.example.com//"}, {Repository: "file:///"}},
		"control character":               {{Repository: good + "%0asecret"}},
		"names no host":                   {{Repository: "https:///secret"}, {Repository: "https://:8080/secret"}},
		"three slashes":                   {{Repository: "file://secret/team"}},
		"no name can be made":             {{Repository: "https://example.com/42"}},
		"the name of a source must be":    {{Repository: good, Name: "Secret"}},
		"git allows no branch":            {{Repository: good, Branch: "--upload-pack=x"}, {Repository: good, Branch: "a b"}},
		"must lead to a directory inside": {{Repository: good, Path: "../x"}, {Repository: good, Path: "/x"}, {Repository: good, Path: "x/"}, {Repository: good, Path: "."}, {Repository: good, Path: `a\b`}, {Repository: good, Path: "a\nb"}},
		"never write the token itself":    {{Repository: good, Token: "ghp-secret"}, {Repository: good, Token: "a=secret"}, {Repository: good, Token: "1secret"}},
		"needs no token":                  {{Repository: "file:///srv/team", Token: "T"}},
		"must not be negative":            {{Repository: good, TTL: -1}},
		"a password and a token is named": {{Repository: "https://me:secret@example.com/team", Token: "T"}},
	} {
		for _, s := range list {
			err := s.Check()
			if err == nil {
				t.Errorf("%+v is let through", s)
				continue
			}
			contains(t, err.Error(), want)
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%v repeats what may be secret", err)
			}
			if _, err := Open(s, Options{Dir: t.TempDir()}); err == nil {
				t.Errorf("%+v is opened", s)
			}
		}
	}
}

func TestName(t *testing.T) {
	for repository, want := range map[string]string{
		"https://example.com/org/Team_Prompts.git":          "team-prompts",
		"https://me:pw@example.com/team/":                   "team",
		"file:///srv/team.git/":                             "team",
		"https://example.com/2024-x..y--z":                  "x-y-z",
		"https://example.com/%C3%BCber":                     "ber",
		"https://example.com/42":                            "",
		"https://example.com/" + strings.Repeat("ab-", 40):  strings.Repeat("ab-", 21) + "a",
		"https://example.com/a" + strings.Repeat("-bc", 40): "a" + strings.Repeat("-bc", 21),
		"https://example.com/.git":                          "",
		"%":                                                 "",
	} {
		if got := Name(repository); got != want {
			t.Errorf("Name(%q) is %q, want %q", repository, got, want)
		}
	}
}

// The names of branches that are let through are those that git lets through.
func TestIsBranch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	for _, name := range []string{
		"main", "a/b", "a-", "@a", "a@", "ü", "a.b", "a.lock.b", "HEAD", "{", "a{b", "refs/heads/x", "%", "'", "\"", "$(x)", ";", "a&b",
		"", "/", "a/", "/a", "a//b", ".a", "a/.b", "a.", "a..b", "a.lock", "a.lock/b", "a@{b", "a b", "a~", "a^", "a:b", "a?", "a*", "a[", "a\\b", "a\x7f", "a\tb", "a\nb",
	} {
		err := exec.Command("git", "check-ref-format", "--branch", name).Run()
		if got := isBranch(name); got != (err == nil) && name != "HEAD" {
			t.Errorf("%q: %v, git says %v", name, got, err)
		}
	}
	for _, name := range []string{"@", "-", "--upload-pack=touch", "a\x00b", "\xff"} {
		if isBranch(name) {
			t.Errorf("%q is let through", name)
		}
	}
}
