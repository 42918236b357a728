// This file tests what is made of the trees of hostile and odd repositories.

package source

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

func TestOddTrees(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
	commit := server.Push("other", second)
	server.PushEntries(sourcetest.Branch,
		sourcetest.Entry{Mode: "100644", Path: ".gitattributes", Text: "* text eol=crlf filter=lfs export-ignore ident\n"},
		sourcetest.Entry{Mode: "100644", Path: ".github/x.md", Text: "hidden"},
		sourcetest.Entry{Mode: "100644", Path: "team/.x/x.md", Text: "hidden"},
		sourcetest.Entry{Mode: "100644", Path: ".gitmodules", Text: "[submodule \"s\"]\n\tpath = team/sub\n\turl = ../other\n"},
		sourcetest.Entry{Mode: "160000", Path: "team/sub", Text: commit},
		sourcetest.Entry{Mode: "120000", Path: "team/passwd", Text: "/etc/passwd"},
		sourcetest.Entry{Mode: "120000", Path: "team/up", Text: ".."},
		sourcetest.Entry{Mode: "100755", Path: "team/run.sh", Text: "#!/bin/sh\n$Id$\n"},
		sourcetest.Entry{Mode: "100644", Path: "team/large", Text: pointer},
		sourcetest.Entry{Mode: "100644", Path: "team/ü b…", Text: pointer},
		sourcetest.Entry{Mode: "100644", Path: "a*", Text: "*"},
	)
	b := newBench(t, server)
	s, err := b.Snapshot(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	equal(t, filesOf(t, s.FS), map[string]string{"team/run.sh": "#!/bin/sh\n$Id$\n", "team/large": pointer, "team/ü b…": pointer, "a*": "*"})
	if !slices.Equal(s.Links, []string{"team/passwd", "team/up"}) || !slices.Equal(s.Submodules, []string{"team/sub"}) {
		t.Errorf("links %q, submodules %q", s.Links, s.Submodules)
	}
	contains(t, b.log.String(), `msg="symbolic links and submodules are not served"`)

	// The same after a new start.
	b.reopen()
	again, err := b.Snapshot(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if !slices.Equal(again.Links, s.Links) || !slices.Equal(again.Submodules, s.Submodules) {
		t.Errorf("links %q, submodules %q", again.Links, again.Submodules)
	}

	// A part of it.
	b = newBench(t, server, func(s *Settings, _ *Options) { s.Path = "team" })
	equal(t, b.files(false), map[string]string{"run.sh": "#!/bin/sh\n$Id$\n", "large": pointer, "ü b…": pointer})
	for path, want := range map[string]string{"team/up": "symbolic link", "team/sub": "submodule", "a": "there is no directory", "*": "there is no directory"} {
		b = newBench(t, server, func(s *Settings, o *Options) {
			local(server)(s, o)
			s.Path = path
		})
		contains(t, b.fails(), want)
	}
}

// Neither the configuration of the user nor that of a repository around the cache acts.
func TestForeignConfiguration(t *testing.T) {
	server := sourcetest.NewServer(t, token)
	server.Push(sourcetest.Branch, first)
	home := t.TempDir()
	hooks := filepath.Join(home, "hooks")
	if err := os.Mkdir(hooks, 0o700); err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(home, "marker")
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-merge"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config := "[core]\n\thooksPath = " + hooks + "\n\taskPass = touch " + marker + "\n[url \"https://other.invalid/\"]\n\tinsteadOf = https://\n[credential]\n\thelper = \"!touch " + marker + "\"\n"
	around := filepath.Join(home, "around")
	if err := os.Mkdir(around, 0o700); err != nil {
		t.Fatal(err)
	}
	server.Git("", "--git-dir="+filepath.Join(around, ".git"), "--work-tree="+around, "init", "--quiet")
	for _, name := range []string{filepath.Join(home, ".gitconfig"), filepath.Join(around, ".git", "config")} {
		if err := os.WriteFile(name, []byte("[core]\n\trepositoryFormatVersion = 0\n"+config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_DIR", filepath.Join(around, ".git"))
	t.Setenv("GIT_ASKPASS", "touch "+marker)
	b := newBench(t, server, func(_ *Settings, o *Options) { o.Dir = filepath.Join(around, "cache") })
	equal(t, b.files(false), first)
	b.setenv(variable, "wrong")
	b.stale(true)
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the configuration ran")
	}
}

// A crafted tree fails as a whole, and nothing of it is written.
func TestCraftedTrees(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	blob := server.Git("evil", "hash-object", "-w", "--stdin")
	raw, err := hex.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, server, local(server))
	for name, want := range map[string]string{
		"..":                      "git's checks refuse",
		".":                       "git's checks refuse",
		"../../x":                 "git's checks refuse",
		"/x":                      "git's checks refuse",
		".git":                    "git's checks refuse",
		`..\x`:                    `it holds the path "..\\x"`,
		`a\b`:                     `it holds the path "a\\b"`,
		"a\nb":                    `it holds the path "a\nb"`,
		"\x1b[2J":                 `it holds the path "\x1b[2J"`,
		"\xff":                    `it holds the path "\xff"`,
		strings.Repeat("x", 5000): "the repository holds a path of more than 4,096 bytes",
	} {
		tree := server.Git("100644 "+name+"\x00"+string(raw), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
		server.Git("", "update-ref", "refs/heads/"+sourcetest.Branch, server.Git("crafted", "commit-tree", tree))
		contains(t, b.fails(), want)
	}
	filepath.WalkDir(b.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "lock" {
			t.Errorf("%s was written", path)
		}
		return nil
	})
	for _, path := range []string{"", ".", "..", "../x", "a/../b", "a//b", "/a", "a/", "./a", `a\b`, "a\x00b", "\xff"} {
		if isLocal(path) && path != "." {
			t.Errorf("%q can be written", path)
		}
	}
}

// A tree that names a file twice is refused as well.
func TestCraftedDuplicates(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, token)
	raw, err := hex.DecodeString(server.Git("evil", "hash-object", "-w", "--stdin"))
	if err != nil {
		t.Fatal(err)
	}
	entry := "100644 aaa\x00" + string(raw)
	tree := server.Git(entry+entry, "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
	server.Git("", "update-ref", "refs/heads/"+sourcetest.Branch, server.Git("crafted", "commit-tree", tree))
	contains(t, newBench(t, server, local(server)).fails(), "git's checks refuse")
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	server := sourcetest.NewServer(t, "")
	dir := filepath.Join(t.TempDir(), "modern.git")
	server.Git("", "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", dir)
	server.Git("commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\nM 644 inline a.md\ndata 1\nx\n", "--git-dir="+dir, "fast-import", "--quiet")
	b := newBench(t, server, func(s *Settings, _ *Options) { s.Repository, s.Token = "file://"+filepath.ToSlash(dir), "" })
	equal(t, b.files(false), map[string]string{"a.md": "x"})
}
