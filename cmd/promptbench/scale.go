// This file measures what a tree of many prompts takes: to check, to generate, to
// build and to start.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

const (
	// turns is how often what takes seconds is measured, and startTurns how often
	// what takes milliseconds is.
	turns      = 5
	startTurns = 60
)

// A scale is one run.
type scale struct {
	prompts int
	dir     string // of temporary files, if not the system's
	log     io.Writer
	// cache is the build cache, if not a new and empty one for each build that
	// should be cold.
	cache string
	// edits is how many edits there were. With a cache that is not empty it starts
	// at a number of its own, or what should be compiled is there already.
	edits int
}

func (s *scale) tell(format string, args ...any) { fmt.Fprintf(s.log, format+"\n", args...) }

// edit changes a prompt.
func (s *scale) edit(t tree) error {
	s.edits++
	return t.edit(t.prompts/2, s.edits)
}

func (s *scale) measure(ctx context.Context) (figures []figure, err error) {
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
	few := tree{filepath.Join(dir, "few", "content"), fewPrompts}
	many := tree{filepath.Join(dir, "many", "content"), s.prompts}
	s.tell("writing %d prompts", s.prompts)
	if err := errors.Join(few.write(), many.write()); err != nil {
		return nil, err
	}
	for _, part := range []func(context.Context, *adopter, tree) ([]figure, error){
		s.measureCheck, s.measureGenerate, s.measureBuild, s.measureStart,
	} {
		more, err := part(ctx, a, many)
		if err != nil {
			return nil, err
		}
		figures = append(figures, more...)
	}
	return figures, nil
}

func (s *scale) measureGenerate(ctx context.Context, a *adopter, many tree) ([]figure, error) {
	s.tell("generating")
	if err := a.buildPromptc(ctx); err != nil {
		return nil, err
	}
	if _, err := a.generate(ctx, "few"); err != nil {
		return nil, err
	}
	full, err := a.generate(ctx, "many")
	if err != nil {
		return nil, err
	}
	if err := errors.Join(a.addServer("few"), a.addServer("many")); err != nil {
		return nil, err
	}
	var same, edited []float64
	for range turns {
		u, err := a.generate(ctx, "many")
		if err != nil {
			return nil, err
		}
		same = append(same, u.wall.Seconds())
		if err := s.edit(many); err != nil {
			return nil, err
		}
		if u, err = a.generate(ctx, "many"); err != nil {
			return nil, err
		}
		edited = append(edited, u.wall.Seconds())
	}
	return []figure{
		plain("promptc generate, everything", full.wall.Seconds(), "s"),
		plain("promptc generate, nothing changed", median(same), "s"),
		plain("promptc generate, one prompt edited", median(edited), "s"),
	}, nil
}

func (s *scale) measureBuild(ctx context.Context, a *adopter, many tree) ([]figure, error) {
	s.tell("building promptd and an empty mcp-go server, each from an empty cache")
	cache := func(name string) string { return cmp.Or(s.cache, filepath.Join(a.dir, "cache", name)) }
	compilers := filepath.Join(a.dir, "compilers")
	empty, err := a.build(ctx, cache("empty"), "empty", compilers)
	if err != nil {
		return nil, err
	}
	cold, err := a.build(ctx, cache("many"), "many/server", compilers)
	if err != nil {
		return nil, err
	}
	memory, err := peak(compilers, adopterModule+"/many/baked")
	if err != nil {
		return nil, err
	}
	if _, err := a.build(ctx, cache("many"), "typed", compilers); err != nil {
		return nil, err
	}
	typedMemory, err := peak(compilers, adopterModule+"/many/baked")
	if err != nil {
		return nil, err
	}

	s.tell("editing a prompt, generating and building again")
	var walls, cpus, typedWalls []float64
	for range turns {
		if err := s.edit(many); err != nil {
			return nil, err
		}
		generated, err := a.generate(ctx, "many")
		if err != nil {
			return nil, err
		}
		built, err := a.build(ctx, cache("many"), "many/server", "")
		if err != nil {
			return nil, err
		}
		walls = append(walls, (generated.wall + built.wall).Seconds())
		cpus = append(cpus, (generated.cpu + built.cpu).Seconds())
		more, err := a.build(ctx, cache("many"), "typed", "")
		if err != nil {
			return nil, err
		}
		typedWalls = append(typedWalls, more.wall.Seconds())
	}

	s.tell("building the others")
	for _, name := range []string{"few/server", "linked"} {
		if _, err := a.build(ctx, cache("many"), name, ""); err != nil {
			return nil, err
		}
	}
	text, err := many.bytes()
	if err != nil {
		return nil, err
	}
	size, err := a.size("many-server")
	if err != nil {
		return nil, err
	}
	emptySize, err := a.size("empty")
	if err != nil {
		return nil, err
	}
	return []figure{
		plain("cold build of promptd", cold.wall.Seconds(), "s"),
		target("cold build, against an empty mcp-go server's", ratio(cold.wall, empty.wall), "×", 1.5),
		target("the same in processor time", ratio(cold.cpu, empty.cpu), "×", 1.5),
		plain("one prompt edited, generated and built", median(walls), "s"),
		target("one prompt edited, against the cold build", median(walls)/cold.wall.Seconds(), "×", 0.1),
		target("the same in processor time", median(cpus)/cold.cpu.Seconds(), "×", 0.1),
		plain("after that, a program that uses the prompts' types built", median(typedWalls), "s"),
		target("most memory of a Go compiler, for promptd", memory, "MB", 100),
		plain("most memory of a Go compiler, for the package with the types", typedMemory, "MB"),
		plain("text of the content", float64(text)/1e6, "MB"),
		plain("promptd's binary", float64(size)/1e6, "MB"),
		target("binary beyond an empty mcp-go server's, against the text", float64(size-emptySize)/float64(text), "×", 1.2),
	}, nil
}

func (s *scale) measureStart(ctx context.Context, a *adopter, _ tree) ([]figure, error) {
	s.tell("starting promptd %d times", startTurns)
	all, err := starts(ctx, []server{
		{a.program("linked"), true},
		{a.program("few-server"), false},
		{a.program("many-server"), false},
	}, startTurns)
	if err != nil {
		return nil, err
	}
	var figures []figure
	empty := all[0]
	figures = append(figures, plain("start to first answer, empty mcp-go server with the same libraries", median(empty.milliseconds), "ms"))
	for i, prompts := range []int{fewPrompts, s.prompts} {
		u := all[i+1]
		figures = append(figures,
			target(fmt.Sprintf("start to first answer, %d prompts, beyond that", prompts), median(u.milliseconds)-median(empty.milliseconds), "ms", 1),
			target(fmt.Sprintf("idle memory, %d prompts, beyond the empty server's", prompts), median(u.resident)-median(empty.resident), "MB", 2),
			plain("of that, not pages of the program's file", median(u.own)-median(empty.own), "MB"),
		)
	}
	return figures, nil
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
