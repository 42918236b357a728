// This file holds follower, which makes of each state of the content what is served and
// what is said of it.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// mostTold is how many faults the instructions tell of.
const mostTold = 20

// A follower serves a live catalog.
type follower struct {
	live   *gen.Live
	stderr io.Writer

	mu      sync.Mutex
	state   *gen.State     // nil before the first
	said    string         // what was last printed of faults and warnings
	program *check.Program // what mux is made of, with notice in its instructions
	notice  string
	mux     *catalog.Mux
}

func newFollower(stderr io.Writer, opt gen.LiveOptions) *follower {
	f := &follower{stderr: stderr}
	opt.Changed = f.changed
	f.live = gen.NewLive(opt)
	return f
}

// changed prints what is wrong with a new state, unless it was printed before.
func (f *follower) changed(s *gen.State) {
	text := wrongs(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = s
	if text == f.said || s.Program == nil && s.Problem != nil { // of which the error of the start tells
		return
	}
	if f.said = text; text == "" {
		text = "the content has no faults any more\n"
	}
	// Who serves cannot do more about it than say it.
	_, _ = io.WriteString(f.stderr, text)
}

// wrongs returns what is wrong with a state, in full.
func wrongs(s *gen.State) string {
	var b bytes.Buffer
	if s.Problem != nil {
		fmt.Fprintf(&b, "%v\n", s.Problem)
	}
	all := append(append(diag.List(nil), s.Faults...), s.Warnings...)
	all.Sort()
	if err := diag.Write(&b, diag.Text, all); err != nil {
		panic(err) // memory takes it
	}
	return b.String()
}

// start returns what is to be served at first. It fails where the content has faults that
// are not to be left out, which were printed.
func (f *follower) start(ctx context.Context) (*catalog.Mux, error) {
	s := f.live.State(ctx, false)
	switch {
	case s == nil:
		return nil, ctx.Err()
	case s.Program != nil:
		return f.muxOf(s), nil
	case s.Problem != nil:
		return nil, s.Problem
	}
	return nil, errFaults
}

// muxOf returns what to serve in a state: the same while nothing changes in it that
// clients could see.
func (f *follower) muxOf(s *gen.State) *catalog.Mux {
	notice := notice(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mux != nil && s.Program == f.program && notice == f.notice {
		return f.mux
	}
	c := *s.Program.Catalog
	c.Instructions = strings.TrimPrefix(c.Instructions+notice, "\n\n")
	mux := &catalog.Mux{}
	if err := mux.Mount(&c); err != nil {
		panic(err) // nothing else is mounted
	}
	f.program, f.notice, f.mux = s.Program, notice, mux
	return mux
}

// notice is what the instructions say while something is wrong, after a blank line.
func notice(s *gen.State) string {
	if s.Problem == nil && len(s.Faults) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n\nThe content of this server has faults, and what is served is older or not complete:\n")
	if s.Problem != nil {
		fmt.Fprintf(&b, "%v\n", s.Problem)
	}
	for i := range s.Faults {
		if i == mostTold {
			fmt.Fprintf(&b, "and %d more\n", len(s.Faults)-i)
			break
		}
		fmt.Fprintln(&b, s.Faults[i].String())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// serve returns what a server wants to know of content that changes.
func (f *follower) serve() *serve.Live {
	return &serve.Live{
		Content: func(ctx context.Context, refresh bool) *catalog.Mux { return f.muxOf(f.live.State(ctx, refresh)) },
		Health:  func() string { return health(f.last(), time.Now()) },
		Status:  func() string { return report(f.last(), time.Now()) },
	}
}

func (f *follower) last() *gen.State {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// health tells in a few lines how the content is. It names no file and no repository,
// for it is read by whoever reaches the server.
func health(s *gen.State, now time.Time) string {
	var b strings.Builder
	switch {
	case s.Problem != nil:
		b.WriteString("content: cannot be read; what was read before is served\n")
	case len(s.Faults) > 0:
		fmt.Fprintf(&b, "content: %s; what is served is older or not complete\n", count(len(s.Faults), "fault"))
	default:
		b.WriteString("content: no faults\n")
	}
	if n := len(s.Warnings); n > 0 {
		fmt.Fprintf(&b, "left out: %s\n", count(n, "warning"))
	}
	for _, source := range s.Sources {
		fmt.Fprintf(&b, "source %s: %s\n", source.Name, freshness(&source, now))
	}
	return b.String()
}

// freshness tells how old what is served of a source is.
func freshness(s *gen.SourceState, now time.Time) string {
	switch age := now.Sub(s.Fetched).Round(time.Second); {
	case s.Commit == "":
		return "nothing was read yet"
	case s.Problem != nil:
		return fmt.Sprintf("%v old, and cannot be read again now", age)
	default:
		return fmt.Sprintf("%v old", age)
	}
}

// report tells all there is to know of the content.
func report(s *gen.State, now time.Time) string {
	var b strings.Builder
	if s.Program != nil {
		c := s.Program.Catalog
		fmt.Fprintf(&b, "%s, %s, %s, digest %s\n", count(len(c.Prompts), "prompt"), count(len(c.Skills), "skill"), count(len(c.Documents), "document"), c.Digest)
	}
	b.WriteString(health(s, now))
	for _, source := range s.Sources {
		fmt.Fprintf(&b, "\nsource %s: %s", source.Name, source.Repository)
		if source.Commit != "" {
			fmt.Fprintf(&b, "\ncommit %s, known to be the newest at %s", source.Commit, source.Fetched.UTC().Format(time.RFC3339))
		}
		if source.Problem != nil {
			fmt.Fprintf(&b, "\n%v", source.Problem)
		}
		b.WriteByte('\n')
	}
	if wrong := wrongs(s); wrong != "" {
		b.WriteString("\n" + wrong)
	}
	return b.String()
}
