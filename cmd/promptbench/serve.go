// This file measures promptd against other servers, on the wire.

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

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
)

// A serving is one run.
type serving struct {
	// prompts is how many the largest tree has.
	prompts int
	dir     string // of temporary files, if not the system's
	log     io.Writer
	// Each contestant has so many turns at each workload, and each turn takes so long
	// at least.
	turns int
	turn  time.Duration
	// typeScript is the program of the TypeScript SDK, empty where there is none.
	typeScript string
}

func (s *serving) tell(format string, args ...any) { fmt.Fprintf(s.log, format+"\n", args...) }

func (s *serving) measure(ctx context.Context) (figures []figure, err error) {
	dir, err := os.MkdirTemp(s.dir, "promptbench-")
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
	if s.typeScript, err = newTypeScript(ctx, dir); err != nil {
		s.tell("the TypeScript SDK is left out: %v", err)
	}
	for _, prompts := range s.sizes() {
		s.tell("building promptd with %d prompts", prompts)
		t, err := s.newArena(ctx, a, prompts)
		if err != nil {
			return nil, err
		}
		for _, e := range []era{legacy, modern} {
			for _, transport := range []string{"stdio", "HTTP"} {
				s.tell("measuring %d prompts over %s, %s", prompts, transport, e.name)
				m := match{arena: t, era: e, transport: transport}
				more, err := m.play(ctx, s)
				if err != nil {
					return nil, err
				}
				figures = append(figures, more...)
			}
		}
	}
	return figures, nil
}

// sizes are how many prompts the trees have, of which none is larger than the largest.
func (s *serving) sizes() []int {
	sizes := []int{fewPrompts, 1000, s.prompts}
	slices.Sort(sizes)
	return slices.Compact(sizes[:1+slices.Index(sizes, s.prompts)])
}

// An arena is a tree, and what serves it.
type arena struct {
	tree
	promptd  string // the program
	forPeers string // the file that holds the prompts for them
}

func (s *serving) newArena(ctx context.Context, a *adopter, prompts int) (*arena, error) {
	size := fmt.Sprintf("serve-%d", prompts)
	dir := filepath.Join(a.dir, size)
	t := &arena{tree: tree{filepath.Join(dir, "content"), prompts}, forPeers: filepath.Join(dir, "prompts.json")}
	if err := t.write(); err != nil {
		return nil, err
	}
	program, faults, err := gen.Compile(os.DirFS(t.dir), gen.Options{Root: "content"})
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		diag.Write(s.log, diag.Text, faults[:1])
		return nil, fmt.Errorf("the synthetic tree has %d faults", len(faults))
	}
	if err := writePrompts(t.forPeers, program.Catalog.Prompts); err != nil {
		return nil, err
	}
	cache, err := output(ctx, a.dir, "go", "env", "GOCACHE")
	if err != nil {
		return nil, err
	}
	if _, err := a.generate(ctx, size); err != nil {
		return nil, err
	}
	if err := a.addServer(size); err != nil {
		return nil, err
	}
	if _, err := a.build(ctx, cache, size+"/server", ""); err != nil {
		return nil, err
	}
	t.promptd = a.program(size + "-server")
	return t, nil
}

// A match is servers with the same prompts on the same transport in the same era.
type match struct {
	*arena
	era       era
	transport string
	// contestants begin with promptd. The floor is not among them, for it serves
	// one workload only.
	contestants []*contestant
}

// play measures all there is to measure. In the modern era, which not all peers
// speak, mcp-go is the only one.
func (m *match) play(ctx context.Context, s *serving) (figures []figure, err error) {
	defer func() {
		for _, c := range m.contestants {
			c.stop()
		}
	}()
	promptd := []string{m.promptd, "--page-size", "0"}
	if m.transport == "HTTP" {
		promptd = append(promptd, "--http", "127.0.0.1:0")
	}
	commands := [][]string{promptd, m.peer("mcp-go", m.forPeers)}
	names := []string{"promptd", "mcp-go"}
	if m.era == legacy {
		commands, names = append(commands, m.peer("go-sdk", m.forPeers)), append(names, "go-sdk")
		if m.transport == "stdio" && s.typeScript != "" {
			commands, names = append(commands, []string{"node", s.typeScript, m.forPeers}), append(names, "TypeScript")
		}
	}
	for i, command := range commands {
		c, err := start(ctx, names[i], m.transport == "HTTP", command...)
		if err != nil {
			return nil, err
		}
		m.contestants = append(m.contestants, c)
		if m.era == legacy && m.transport == "stdio" {
			if err := c.greet(); err != nil {
				return nil, err
			}
		}
	}
	for _, w := range []workload{gets(m.era, m.tree), lists(m.era)} {
		more, err := m.playWorkload(ctx, s, w)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

// peer returns the command line of a server that is part of this program.
func (m *match) peer(name, file string) []string {
	command := []string{"/proc/self/exe", peerArgument, name, file}
	if m.transport == "HTTP" {
		command = append(command, "http")
	}
	return command
}

// playWorkload has all contestants, and the floor, answer one workload by turns,
// after it made sure that they answer alike.
func (m *match) playWorkload(ctx context.Context, s *serving, w workload) (figures []figure, err error) {
	requests := w.lines()
	if m.transport == "HTTP" {
		requests = w.posts()
	}
	var precomputed []byte
	var want []string
	first, err := m.contestants[0].once(requests, func(i int, answer []byte) error {
		precomputed = append(append(precomputed, bytes.TrimSuffix(answer, []byte("\n"))...), '\n')
		text, err := content(answer)
		want = append(want, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(m.forPeers), "answers.jsonl")
	if err := os.WriteFile(file, precomputed, 0o666); err != nil {
		return nil, err
	}
	bottom, err := start(ctx, "the floor", m.transport == "HTTP", m.peer("floor", file)...)
	if err != nil {
		return nil, err
	}
	defer bottom.stop()

	players := slices.Insert(slices.Clone(m.contestants), 1, bottom)
	all := []*asked{first}
	for _, c := range players[1:] {
		a, err := c.once(requests, func(i int, answer []byte) error {
			got, err := content(answer)
			if err == nil && got != want[i] {
				err = fmt.Errorf("its answer is another one than promptd's: %s", difference(got, want[i]))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	ahead := []int{1}
	if m.transport == "stdio" && len(requests) > 1 {
		ahead = []int{1, inFlight}
	}
	for _, inFlight := range ahead {
		nanoseconds, err := s.takeTurns(ctx, players, all, inFlight)
		if err != nil {
			return nil, err
		}
		figures = append(figures, m.figures(w, inFlight, players, nanoseconds)...)
	}
	return figures, nil
}

// difference shows where two texts differ.
func difference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-40)
	return fmt.Sprintf("%.120q, not %.120q", got[from:], want[from:])
}

// takeTurns returns how many nanoseconds each contestant takes for an answer: the low
// decile of its turns. On a busy machine most turns are longer, by what others did
// meanwhile, and short ones show how fast it is.
func (s *serving) takeTurns(ctx context.Context, players []*contestant, all []*asked, inFlight int) ([]float64, error) {
	nanoseconds := make([][]float64, len(players))
	// The first turn is for getting warm.
	for turn := range s.turns + 1 {
		for k := range players {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			// Nobody always comes after the same one.
			i := (turn + k) % len(players)
			took, err := players[i].timed(all[i], inFlight, s.turn)
			if err != nil {
				return nil, err
			}
			if turn > 0 {
				nanoseconds[i] = append(nanoseconds[i], took)
			}
		}
	}
	best := make([]float64, len(players))
	for i, took := range nanoseconds {
		slices.Sort(took)
		best[i] = took[len(took)/10]
	}
	return best, nil
}

// inFlight is how many requests for prompts are sent ahead on stdio, where they are.
const inFlight = 32

// figures are the ratios of one workload.
func (m *match) figures(w workload, inFlight int, players []*contestant, nanoseconds []float64) []figure {
	at := fmt.Sprintf("%d in flight", inFlight)
	if m.transport == "HTTP" {
		at = fmt.Sprintf("%d connections", connections)
	}
	row := fmt.Sprintf("%s of %d, %s, %s, %s", strings.TrimPrefix(w.method, "prompts/"), m.prompts, m.transport, at, m.era.name)
	list := w.method == "prompts/list"
	figures := []figure{plain("promptd", nanoseconds[0]/1e3, "µs")}
	for i := 1; i < len(players); i++ {
		switch name := players[i].name; {
		case i == 1:
			f := plain("promptd/floor", nanoseconds[0]/nanoseconds[i], "×")
			if !list || m.prompts >= 10_000 {
				f = f.atMost(2)
			}
			figures = append(figures, f)
		default:
			f := plain(name+"/promptd", nanoseconds[i]/nanoseconds[0], "×")
			switch {
			case name == "mcp-go" && !list:
				f = f.atLeast(2)
			case name == "mcp-go" && m.prompts >= 10_000:
				f = f.atLeast(5)
			case name == "TypeScript" && inFlight > 1:
				f = f.atLeast(1)
			}
			figures = append(figures, f)
		}
	}
	for i := range figures {
		figures[i].row, figures[i].column = row, figures[i].Name
		figures[i].Name = row + ": " + figures[i].column
	}
	return figures
}
