// This file holds Live: a catalog that follows its content directory and the sources
// beside it.

package gen

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/source"
)

// LiveOptions are the settings of a Live catalog.
type LiveOptions struct {
	// Dir is the content directory, and Root how it is shown in diagnostics.
	Dir, Root string
	// Sources come before those that catalog.yaml names.
	Sources []check.Source
	// Cache is where and how the sources are kept.
	Cache source.Options
	// Strict takes what is wrong in a source for a fault. Otherwise it is left out, with
	// a warning.
	Strict bool
	// KeepGoing leaves out what has faults in the content directory too, for as long as
	// there was no time at which it had none.
	KeepGoing bool
	// Changed, if not nil, is told of each state that is another than the one before, in
	// their order.
	Changed func(*State)
}

// A Live catalog is compiled again when its content changed. It is pull-based: nothing
// is watched, and whoever asks for its state has it look first.
type Live struct {
	opt    LiveOptions
	reader *Reader

	mu      sync.Mutex
	next    *round // the one that the next callers wait for
	running bool
	idle    chan struct{} // closed while it is not running

	state atomic.Pointer[State]

	// What follows belongs to the round that runs.

	sound      *check.Program // the last program of content without faults
	configured bool           // whether the sources are known
	settings   *check.Input   // catalog.yaml, of which they are; nil if there is none
	sources    []*followed
	twice      diag.List // of those whose name another has
}

// A State is what a Live catalog was found to be. It is never changed.
type State struct {
	// Program is what to serve: of the content as it is, or, while that has faults, of
	// the last that had none.
	Program *check.Program
	// Faults are those of the content as it is; Problem, if not nil, tells why it could
	// not be read.
	Faults  diag.List
	Problem error
	// Warnings are of what was left out.
	Warnings diag.List
	// Sources are the sources in their order.
	Sources []SourceState
}

// A SourceState is what is known of a source.
type SourceState struct {
	// Name is the source's. Repository names its repository to people: without user and
	// password, and without the directories of this machine.
	Name, Repository string
	// Commit is what is served of it, and Fetched when that was last known to be the
	// newest; empty and zero while there is nothing.
	Commit  string
	Fetched time.Time
	// Problem tells why what is served is not up to date; nil if it is.
	Problem error
}

// A followed source is one whose tree is read again when its commit changes.
type followed struct {
	check.Source
	source *source.Source
	tree   *check.Tree
	state  SourceState
}

// A round is one look at everything, which any number of callers wait for.
type round struct {
	refresh bool
	done    chan struct{}
}

// NewLive returns a catalog of which nothing is known yet.
func NewLive(opt LiveOptions) *Live {
	l := &Live{opt: opt, reader: NewReader(opt.Dir, Options{Root: opt.Root, Layout: check.Contract})}
	l.idle = make(chan struct{})
	close(l.idle)
	return l
}

// State returns the state as it is now, after a look at the content directory and at
// the sources whose time is up; with refresh, at all sources. Calls at the same time
// share a look that begins after them. If ctx is done before, the state is the last one;
// it is nil only if there was none.
func (l *Live) State(ctx context.Context, refresh bool) *State {
	l.mu.Lock()
	if l.next == nil {
		l.next = &round{done: make(chan struct{})}
	}
	r := l.next
	r.refresh = r.refresh || refresh
	if !l.running {
		l.running, l.idle = true, make(chan struct{})
		go l.run()
	}
	l.mu.Unlock()
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	return l.state.Load()
}

// run looks for as long as somebody waits for it.
func (l *Live) run() {
	for {
		l.mu.Lock()
		r := l.next
		l.next = nil
		if r == nil {
			l.running = false
			close(l.idle)
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		was := l.state.Load()
		if now := l.look(was, r.refresh); now != was {
			l.state.Store(now)
			if l.opt.Changed != nil {
				l.opt.Changed(now)
			}
		}
		close(r.done)
	}
}

// look returns the state as it is, which is was if nothing changed.
func (l *Live) look(was *State, refresh bool) *State {
	tree, changed, err := l.reader.Read()
	if err != nil {
		err = fmt.Errorf("%s cannot be read: %w", l.opt.Root, systemError(err))
		if was != nil && was.Problem != nil && was.Problem.Error() == err.Error() {
			return was
		}
		now := &State{Problem: err}
		if was != nil {
			now.Program, now.Warnings, now.Sources = was.Program, was.Warnings, was.Sources
		}
		return now
	}
	if changed {
		l.configure(tree)
	}
	fetched := l.fetch(refresh)
	now := &State{}
	trees := []*check.Tree{tree}
	for _, f := range l.sources {
		now.Sources = append(now.Sources, f.state)
		if f.tree != nil {
			trees = append(trees, f.tree)
		}
	}
	if was != nil && was.Problem == nil && !changed && !fetched {
		if slices.EqualFunc(was.Sources, now.Sources, SourceState.equal) {
			return was
		}
		now.Program, now.Faults, now.Warnings = was.Program, was.Faults, was.Warnings
		return now
	}
	program, faults, warnings := check.Trees(trees)
	if len(l.twice) > 0 {
		program, faults = nil, slices.Concat(faults, l.twice)
		faults.Sort()
	}
	now.Program, now.Faults, now.Warnings = program, faults, warnings
	switch {
	case program != nil:
		l.sound = program
	case l.sound != nil:
		now.Program = l.sound
	case l.opt.KeepGoing:
		now.Program = sound(trees)
	}
	return now
}

// configure brings the list of sources up to date with catalog.yaml. While that has
// faults the sources stay what they were.
func (l *Live) configure(tree *check.Tree) {
	var settings *check.Input
	if i := slices.IndexFunc(tree.Inputs, isSettings); i >= 0 {
		settings = tree.Inputs[i]
	}
	if l.configured && (settings == l.settings || len(settingsFaults(tree)) > 0) {
		return
	}
	l.configured, l.settings = true, settings
	wanted, twice := allSources(l.opt.Sources, tree)
	l.twice = twice
	var sources []*followed
	for _, s := range wanted {
		same := func(f *followed) bool {
			was := f.Source
			was.Span = s.Span // an edit above may have moved it
			return was == s
		}
		if i := slices.IndexFunc(l.sources, same); i >= 0 {
			sources = append(sources, l.sources[i])
			continue
		}
		f := &followed{Source: s, state: SourceState{Name: s.Name, Repository: s.Repository}}
		f.source, f.state.Problem = source.Open(settingsOf(s), l.opt.Cache)
		if f.source != nil {
			f.state.Repository = f.source.Repository()
		}
		sources = append(sources, f)
	}
	for _, f := range l.sources {
		if !slices.Contains(sources, f) {
			f.close()
		}
	}
	l.sources = sources
}

// close ends what the source does.
func (f *followed) close() {
	if f.source != nil {
		_ = f.source.Close() // what is cached stays
	}
}

// Close ends what the sources do, once no look is under way. The last state stays. It
// waits for a few seconds at most: a file system may be one that does not answer.
func (l *Live) Close() {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(closePatience):
		return
	}
	for _, f := range l.sources {
		f.close()
	}
}

// closePatience is how long Close waits for a look.
const closePatience = 5 * time.Second

// settingsOf returns where the content of a source is.
func settingsOf(s check.Source) source.Settings {
	return source.Settings{Name: s.Name, Repository: s.Repository, Branch: s.Branch, Path: s.Path, Token: s.Token, TTL: s.TTL}
}

// fetch brings the sources up to date, side by side, and tells whether one has another
// tree than before.
func (l *Live) fetch(refresh bool) bool {
	var changed atomic.Bool
	var all sync.WaitGroup
	for _, f := range l.sources {
		if f.source == nil {
			continue
		}
		all.Go(func() {
			if f.fetch(refresh, l.opt.Strict) {
				changed.Store(true)
			}
		})
	}
	all.Wait()
	return changed.Load()
}

// fetch brings the source up to date, and tells whether it has another tree than before.
// How long a source waits for its repository is its own affair.
func (f *followed) fetch(refresh, strict bool) bool {
	snapshot, err := f.source.Snapshot(context.Background(), refresh)
	if err != nil {
		f.state.Problem = err
		return false
	}
	defer snapshot.Close()
	if f.tree == nil || f.state.Commit != snapshot.Commit {
		tree, err := Load(snapshot.FS, Options{Root: shownSource(f.Name, snapshot.Commit), Layout: f.Layout, Links: snapshot.Links})
		if err != nil {
			f.state.Problem = fmt.Errorf("the content of %s cannot be read: %w", f.Name, err)
			return false
		}
		tree.Source = catalog.Source{Name: f.Name, Repository: f.Repository, Branch: f.Branch, Path: f.Path, Commit: snapshot.Commit}
		tree.Lenient, tree.Strict = !strict, strict
		f.tree = tree
		f.state.Commit, f.state.Fetched, f.state.Problem = snapshot.Commit, snapshot.Fetched, snapshot.Stale
		return true
	}
	f.state.Fetched, f.state.Problem = snapshot.Fetched, snapshot.Stale
	return false
}

// shownSource is how the tree of a source is named in diagnostics.
func shownSource(name, commit string) string {
	const short = 7
	return name + "@" + commit[:min(len(commit), short)]
}

// equal tells whether two states say the same.
func (s SourceState) equal(o SourceState) bool {
	return s.Name == o.Name && s.Repository == o.Repository && s.Commit == o.Commit && s.Fetched.Equal(o.Fetched) &&
		(s.Problem == nil) == (o.Problem == nil) && (s.Problem == nil || s.Problem.Error() == o.Problem.Error())
}
