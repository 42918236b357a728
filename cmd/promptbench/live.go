// This file measures promptc serve, which follows its files, from an edit to the answer
// that has it, and while nothing changes.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A following is one run.
type following struct {
	serving
}

func (f *following) measure(ctx context.Context) (figures []figure, err error) {
	dir, err := os.MkdirTemp(f.dir, "promptbench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	a, err := newAdopter(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := a.buildPromptc(ctx); err != nil {
		return nil, err
	}
	for _, prompts := range f.sizes() {
		f.tell("building promptd with %d prompts", prompts)
		t, err := f.newArena(ctx, a, prompts)
		if err != nil {
			return nil, err
		}
		f.tell("measuring %d prompts", prompts)
		more, err := f.play(ctx, a, t)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// play measures servers of one tree, over HTTP, with one request at a time.
func (f *following) play(ctx context.Context, a *adopter, t *arena) (figures []figure, err error) {
	if err := age(t.dir); err != nil {
		return nil, err
	}
	m := match{arena: t, era: legacy, transport: "HTTP"}
	commands := [][]string{
		{a.program("promptc"), "serve", "--page-size", "0", "--http", "127.0.0.1:0", t.dir},
		m.peer(reReading, t.dir),
		{t.promptd, "--page-size", "0", "--http", "127.0.0.1:0"},
	}
	var players []*contestant
	defer func() {
		for _, c := range players {
			c.stop()
		}
	}()
	for i, name := range []string{"promptc serve", reReading, "promptd"} {
		c, err := start(ctx, name, true, commands[i]...)
		if err != nil {
			return nil, err
		}
		players = append(players, c)
	}
	for _, w := range []workload{gets(m.era, t.tree), lists(m.era)} {
		took, err := f.unchanged(ctx, players, w)
		if err != nil {
			return nil, err
		}
		row := fmt.Sprintf("%s of %d, nothing changed", strings.TrimPrefix(w.method, "prompts/"), t.prompts)
		figures = append(figures, liveFigures(row, took)...)
	}
	took, err := f.edited(ctx, players[:2], t.tree)
	if err != nil {
		return nil, err
	}
	return append(figures, liveFigures(fmt.Sprintf("get of %d, edited", t.prompts), took)...), nil
}

// age makes a tree one that nobody has touched for a while: promptc serve reads again what
// changed in the last two seconds, since it may have changed twice.
func age(dir string) error {
	old := time.Now().Add(-time.Hour)
	return filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(p, old, old)
	})
}

// unchanged returns how long each contestant takes for an answer while nothing changes,
// after it made sure that all answer alike.
func (f *following) unchanged(ctx context.Context, players []*contestant, w workload) ([]time.Duration, error) {
	posts := w.posts()
	posts = posts[:min(len(posts), f.turns)]
	// They take turns here too: servers end connections on which nothing is asked.
	sizes := make([][]int64, len(players))
	for k := range posts {
		var want string
		for i, c := range players {
			a, err := c.once(posts[k:k+1], func(_ int, answer []byte) error {
				got, err := content(answer)
				switch {
				case err != nil:
					return err
				case i == 0:
					want = got
				case got != want:
					return fmt.Errorf("its answer is another one than that of %s: %s", players[0].name, difference(got, want))
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			sizes[i] = append(sizes[i], a.sizes[0])
		}
	}
	return f.takeSingleTurns(ctx, players, func(turn, i int) (time.Duration, error) {
		k := turn % len(posts)
		begun := time.Now()
		_, size, err := players[i].lanes[0].ask(posts[k:k+1], 1, 0, io.Discard)
		took := time.Since(begun)
		if err == nil && size != sizes[i][k] {
			err = fmt.Errorf("the answer has %d bytes, and had %d before", size, sizes[i][k])
		}
		return took, err
	})
}

// edited returns how long each contestant takes from an edit of a prompt to the answer
// that has it, which must be the first one.
func (f *following) edited(ctx context.Context, players []*contestant, t tree) ([]time.Duration, error) {
	prompt, edits := t.prompts/2, 0
	w := workload{era: legacy, method: "prompts/get"}
	w.add(promptID(prompt), arguments(prompt))
	post := w.posts()
	return f.takeSingleTurns(ctx, players, func(_, i int) (time.Duration, error) {
		edits++
		var answer bytes.Buffer
		begun := time.Now()
		if err := t.edit(prompt, edits); err != nil {
			return 0, err
		}
		_, _, err := players[i].lanes[0].ask(post, 1, 0, &answer)
		took := time.Since(begun)
		if err == nil && !strings.Contains(answer.String(), fmt.Sprintf("This is edit %d.", edits)) {
			err = fmt.Errorf("its answer is not that of edit %d: %.300q", edits, &answer)
		}
		return took, err
	})
}

// takeSingleTurns has all contestants take short turns, and returns how long each takes
// for one: the low decile.
func (f *following) takeSingleTurns(ctx context.Context, players []*contestant, take func(turn, i int) (time.Duration, error)) ([]time.Duration, error) {
	all := make([][]time.Duration, len(players))
	// The first turn is for getting warm.
	for turn := range f.turns + 1 {
		for k := range players {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			i := (turn + k) % len(players)
			patient := time.AfterFunc(patience, players[i].kill)
			took, err := take(turn, i)
			patient.Stop()
			if err != nil {
				return nil, players[i].failed(err)
			}
			if turn > 0 {
				all[i] = append(all[i], took)
			}
		}
	}
	best := make([]time.Duration, len(players))
	for i, took := range all {
		slices.Sort(took)
		best[i] = took[len(took)/10]
	}
	return best, nil
}

// liveFigures are those of one row: promptc serve's, then how the re-reading server's
// compares with it, and, where nothing changed, how it compares with promptd's.
func liveFigures(row string, took []time.Duration) []figure {
	at := func(column string, f figure) figure {
		f.row, f.column, f.Name = row, column, row+": "+column
		return f
	}
	figures := []figure{
		at("promptc serve", plain("", float64(took[0].Nanoseconds())/1e3, "µs")),
		at(reReading+"/promptc serve", plain("", ratio(took[1], took[0]), "×").atLeast(1)),
	}
	if len(took) > 2 {
		figures = append(figures, at("promptc serve/promptd", plain("", ratio(took[0], took[2]), "×")))
	}
	return figures
}
