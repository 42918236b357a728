// This file holds Observer, by which a program counts what is rendered.

package serve

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/seed33527553/promptc/catalog"
)

// An Observer is told of every prompt that was asked for. Its method is called by
// several goroutines at once, right before the answer is sent, so it must be quick;
// a panic of it is logged and does the answer no harm.
type Observer interface {
	// Rendered is told of one prompts/get. catalog.RequestOf(ctx) tells who asked.
	Rendered(ctx context.Context, r Rendering)
}

// A Rendering is what an Observer is told: never an argument, nor any text.
type Rendering struct {
	// Prompt is the prompt's public name. It is empty where nothing has the name
	// that was asked for, since clients can make up names without end.
	Prompt string
	// Mount is the prefix of the catalog or repository that the name leads to.
	Mount string
	// Dynamic tells that a Repository answered, whose names may have no bound.
	Dynamic bool
	// Duration is how long the answer took to make.
	Duration time.Duration
	Outcome  Outcome
}

// An Outcome is what became of a prompts/get.
type Outcome string

// The outcomes.
const (
	Rendered     Outcome = "ok"
	NotFound     Outcome = "not-found"
	BadArguments Outcome = "bad-arguments"
	Failed       Outcome = "error"
)

// LogRenderings is the Observer that writes a line for each rendering to a logger,
// at the level info.
type LogRenderings struct{ Logger *slog.Logger }

// Rendered writes the line.
func (l LogRenderings) Rendered(ctx context.Context, r Rendering) {
	l.Logger.LogAttrs(ctx, slog.LevelInfo, "rendered", slog.String("prompt", r.Prompt), slog.String("mount", r.Mount),
		slog.Bool("dynamic", r.Dynamic), slog.Duration("duration", r.Duration), slog.String("outcome", string(r.Outcome)))
}

// observe tells the observer, if there is one, of a prompts/get that began at a
// given time and led to a mount, which may be nil.
func (s *Server) observe(ctx context.Context, began time.Time, m *message, mount *catalog.Mount, outcome Outcome) {
	if s.observer == nil {
		return
	}
	defer func() {
		if cause := recover(); cause != nil {
			s.log.Error("the observer panicked", "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	r := Rendering{Duration: time.Since(began), Outcome: outcome}
	if mount != nil {
		r.Mount, r.Dynamic = mount.Prefix, mount.Repository != nil
	}
	if outcome != NotFound {
		r.Prompt = strings.Clone(text(m.name))
	}
	s.observer.Rendered(ctx, r)
}
