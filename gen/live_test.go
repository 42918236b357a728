// This file follows a content directory, and sources behind a real git server, while
// both change.

package gen_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/source"
	"github.com/seed33527553/promptc/gen/source/sourcetest"
)

// A following is a Live catalog under test.
type following struct {
	*gen.Live
	t *testing.T
	*folder
	mu      sync.Mutex
	changes int
}

func follow(t *testing.T, f *folder, opt gen.LiveOptions) *following {
	t.Helper()
	l := &following{t: t, folder: f}
	opt.Dir, opt.Root = f.dir, "content"
	opt.Cache.Dir = t.TempDir()
	opt.Changed = func(*gen.State) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changes++
	}
	l.Live = gen.NewLive(opt)
	t.Cleanup(l.Close)
	return l
}

// want compares what a state comes to: the ids that are served, each of another source
// with its name, then the problems of the sources, faults and warnings.
func (l *following) want(refresh bool, want string) *gen.State {
	l.t.Helper()
	s := l.State(context.Background(), refresh)
	var b bytes.Buffer
	if s.Program != nil {
		for _, p := range s.Program.Catalog.Prompts {
			fmt.Fprint(&b, p.ID)
			if p.Source != "" {
				fmt.Fprint(&b, "@", p.Source)
			}
			b.WriteByte('\n')
		}
	}
	if s.Problem != nil {
		fmt.Fprintln(&b, s.Problem)
	}
	for _, source := range s.Sources {
		if source.Problem != nil {
			fmt.Fprintf(&b, "%s: problem\n", source.Name)
		}
	}
	for _, d := range append(append(diag.List(nil), s.Faults...), s.Warnings...) {
		fmt.Fprintln(&b, strings.TrimSpace(d.String()))
	}
	if got := b.String(); got != want {
		l.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	return s
}

func TestLiveFollowsContent(t *testing.T) {
	l := follow(t, newFolder(t, 2), gen.LiveOptions{})
	first := l.want(false, "p0\np1\n")
	if again := l.want(false, "p0\np1\n"); again != first {
		t.Error("another state without a change")
	}
	l.write("prompts/new/PROMPT.md", promptText("New"))
	l.want(false, "new\np0\np1\n")
	l.write("prompts/p0/PROMPT.md", "none")
	broken := l.want(false, "new\np0\np1\ncontent/prompts/p0/PROMPT.md:1:1: frontmatter-missing: the file has no frontmatter\n")
	if text := broken.Program.Catalog.Prompts[1].Messages[0].Segments[0].Text; text != "The text 0" {
		t.Errorf("while there are faults, %q is served", text)
	}
	os.RemoveAll(l.path("prompts/p1"))
	l.want(false, "new\np0\np1\ncontent/prompts/p0/PROMPT.md:1:1: frontmatter-missing: the file has no frontmatter\n")
	l.write("prompts/p0/PROMPT.md", promptText("Mended"))
	l.want(false, "new\np0\n")
	os.Rename(l.dir, l.dir+".away")
	l.want(false, "new\np0\ncontent cannot be read: no such file or directory\n")
	os.Rename(l.dir+".away", l.dir)
	l.want(false, "new\np0\n")
	if l.changes != 7 {
		t.Errorf("%d changes were told of", l.changes)
	}
}

func TestLiveKeepsGoing(t *testing.T) {
	f := newFolder(t, 2)
	f.write("prompts/p0/PROMPT.md", "none")
	const fault = "content/prompts/p0/PROMPT.md:1:1: frontmatter-missing: the file has no frontmatter\n"
	follow(t, f, gen.LiveOptions{}).want(false, fault)
	l := follow(t, f, gen.LiveOptions{KeepGoing: true})
	l.want(false, "p1\n"+fault)
	l.write("prompts/new/PROMPT.md", promptText("New"))
	l.want(false, "new\np1\n"+fault)
	l.write("prompts/p0/PROMPT.md", promptText("Mended"))
	l.want(false, "new\np0\np1\n")
	l.write("prompts/p0/PROMPT.md", "none")
	l.want(false, "new\np0\np1\n"+fault)
}

// flat returns a prompt of a flat tree.
func flat(name string) string {
	return "---\nname: " + name + "\ndescription: A prompt.\n---\nThe text of " + name + ".\n"
}

func TestLiveFollowsSources(t *testing.T) {
	s := sourcetest.NewServer(t, "open sesame")
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("team-a"), "p0.md": flat("p0"), "broken.md": "none", "README.md": "# Prompts\n"})
	commit := s.Commit(sourcetest.Branch)[:7]
	l := follow(t, newFolder(t, 1), gen.LiveOptions{Cache: source.Options{Getenv: s.Getenv(map[string]string{"TEAM_TOKEN": "open sesame"})}})
	l.want(false, "p0\n")
	settings := "sources:\n  - {repository: " + s.URL + ", name: team, token: TEAM_TOKEN, ttl: 1h}\n"
	l.write("catalog.yaml", settings)
	warnings := func(commit string) string {
		return "team@" + commit + "/broken.md:1:1: warning: frontmatter-missing: the file has no frontmatter\n" +
			"team@" + commit + `/p0.md:1:1: warning: id-repeated: the source "team" has a prompt "p0", and so has the built-in tree` + "\n"
	}
	l.want(false, "p0\nteam-a@team\n"+warnings(commit))

	// A push is seen when it is asked for, here by a refresh.
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("team-a"), "b.md": flat("team-b"), "p0.md": flat("p0"), "broken.md": "none"})
	l.want(false, "p0\nteam-a@team\n"+warnings(commit))
	commit = s.Commit(sourcetest.Branch)[:7]
	l.want(true, "p0\nteam-a@team\nteam-b@team\n"+warnings(commit))

	// What was read is served when the repository cannot be.
	s.Close()
	l.want(true, "p0\nteam-a@team\nteam-b@team\nteam: problem\n"+warnings(commit))
	l.write("prompts/p1/PROMPT.md", promptText("New"))
	// It was read within its TTL, which is new enough when nobody asks for more.
	l.want(false, "p0\np1\nteam-a@team\nteam-b@team\n"+warnings(commit))

	// A prompt that no longer has the name of a built-in one is served.
	os.RemoveAll(l.path("prompts/p0"))
	l.want(false, "p0@team\np1\nteam-a@team\nteam-b@team\nteam@"+commit+"/broken.md:1:1: warning: frontmatter-missing: the file has no frontmatter\n")

	// Faults of catalog.yaml leave the sources alone, and without it they go.
	l.write("catalog.yaml", "sources: none\n")
	l.want(false, "p0@team\np1\nteam-a@team\nteam-b@team\n"+
		"content/catalog.yaml:1:10: yaml-type: sources must be a list; YAML reads text\n"+
		"team@"+commit+"/broken.md:1:1: warning: frontmatter-missing: the file has no frontmatter\n")
	os.Remove(l.path("catalog.yaml"))
	l.want(false, "p1\n")
}

func TestLiveStrict(t *testing.T) {
	s := sourcetest.NewServer(t, "")
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("team-a"), "broken.md": "none"})
	commit := s.Commit(sourcetest.Branch)[:7]
	given := []check.Source{{Name: "team", Repository: s.URL, TTL: time.Hour}}
	l := follow(t, newFolder(t, 1), gen.LiveOptions{Strict: true, Sources: given, Cache: source.Options{Getenv: s.Getenv(nil)}})
	l.want(false, "team@"+commit+"/broken.md:1:1: frontmatter-missing: the file has no frontmatter\n")
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("team-a")})
	l.want(true, "p0\nteam-a@team\n")
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("p0")})
	commit = s.Commit(sourcetest.Branch)[:7]
	l.want(true, "p0\nteam-a@team\nteam@"+commit+`/a.md:1:1: id-repeated: the source "team" has a prompt "p0", and so has the built-in tree`+"\n")
}

// TestLiveShares has many ask at once.
func TestLiveShares(t *testing.T) {
	s := sourcetest.NewServer(t, "")
	s.Push(sourcetest.Branch, map[string]string{"a.md": flat("team-a")})
	given := []check.Source{{Name: "team", Repository: s.URL, TTL: time.Hour}}
	l := follow(t, newFolder(t, 1), gen.LiveOptions{Sources: given, Cache: source.Options{Getenv: s.Getenv(nil)}})
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if got := l.State(context.Background(), false); got == nil || len(got.Program.Catalog.Prompts) != 2 {
				t.Errorf("the state is %v", got)
			}
		})
	}
	all.Wait()
	if n := s.Fetches.Load(); n != 1 {
		t.Errorf("%d fetches", n)
	}
	if l.changes != 1 {
		t.Errorf("%d changes were told of", l.changes)
	}
}

// TestLiveDoesNotWait asks with no time to wait while the server hangs.
func TestLiveDoesNotWait(t *testing.T) {
	l := follow(t, newFolder(t, 1), gen.LiveOptions{})
	first := l.want(false, "p0\n")
	l.write("prompts/new/PROMPT.md", promptText("New"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := l.State(ctx, false); got == nil {
		t.Error("no state")
	} else if got != first && len(got.Program.Catalog.Prompts) != 2 {
		t.Errorf("the state is %v", got)
	}
	l.want(false, "new\np0\n")
}
