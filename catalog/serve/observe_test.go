// This file holds the tests of what an Observer is told.

package serve

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
)

// A witness keeps what it is told.
type witness struct {
	mu   sync.Mutex
	seen []Rendering
}

func (w *witness) Rendered(_ context.Context, r Rendering) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Duration < 0 {
		panic("a duration below zero")
	}
	r.Duration = 0
	w.seen = append(w.seen, r)
}

// take returns what was seen since the last time.
func (w *witness) take() []Rendering {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

func TestObserver(t *testing.T) {
	w := &witness{}
	s := newMuxServer(t, Options{Observer: w}, mountOwn)
	for params, want := range map[string]Rendering{
		`{"name":"plain"}`:                           {Prompt: "plain", Outcome: Rendered},
		`{"name":"deploy-app"}`:                      {Prompt: "deploy-app", Outcome: BadArguments},
		`{"name":"made-up"}`:                         {Outcome: NotFound},
		`{"name":"own/nope"}`:                        {Mount: "own/", Dynamic: true, Outcome: NotFound},
		`{"name":"own/all"}`:                         {Prompt: "own/all", Mount: "own/", Dynamic: true, Outcome: BadArguments},
		`{"name":"own/panics"}`:                      {Prompt: "own/panics", Mount: "own/", Dynamic: true, Outcome: Failed},
		`{"name":"own/all","arguments":{"who":"x"}}`: {Prompt: "own/all", Mount: "own/", Dynamic: true, Outcome: Rendered},
		`{}`: {Outcome: NotFound},
	} {
		request(t, s, modern, "prompts/get", params)
		// Both transports were asked.
		if seen := w.take(); len(seen) != 2 || seen[0] != want || seen[1] != want {
			t.Errorf("%s: %+v, want %+v twice", params, seen, want)
		}
	}
	request(t, s, legacy, "prompts/list", "")
	if seen := w.take(); seen != nil {
		t.Errorf("a list was observed: %v", seen)
	}
}

// A clumsy observer panics.
type clumsy struct{}

func (clumsy) Rendered(context.Context, Rendering) { panic("clumsy") }

func TestObserverPanics(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, Options{Observer: clumsy{}, Logger: textLogger(&log)}, fixture())
	if a, _ := request(t, s, legacy, "prompts/get", `{"name":"plain"}`); a.Error != nil {
		t.Errorf("the answer came to harm: %v", a.Error)
	}
	if !strings.Contains(log.String(), "the observer panicked") {
		t.Errorf("the log says %s", &log)
	}
}

func TestLogRenderings(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, Options{Observer: LogRenderings{textLogger(&log)}}, fixture())
	request(t, s, legacy, "prompts/get", `{"name":"deploy-app","arguments":{"service":"secret"}}`)
	if line := log.String(); !strings.Contains(line, `prompt=deploy-app mount="" dynamic=false duration=`) || !strings.Contains(line, "outcome=bad-arguments") || strings.Contains(line, "secret") {
		t.Errorf("the log says %s", line)
	}
}
