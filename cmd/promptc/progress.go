// This file holds the line that tells how far a long check is.

package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/term"
)

const (
	progressAfter = time.Second            // work that takes less has no line
	progressEvery = 100 * time.Millisecond // how often the line changes
)

// progress is a line on a terminal. It is safe for use by several goroutines.
type progress struct {
	w   io.Writer
	now func() time.Time

	mu    sync.Mutex
	next  time.Time // when the line is printed next
	shown bool
}

// newProgress returns a line on w, or nil where w is not a terminal.
func newProgress(w io.Writer) *progress {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return startProgress(w, time.Now)
}

func startProgress(w io.Writer, now func() time.Time) *progress {
	return &progress{w: w, now: now, next: now().Add(progressAfter)}
}

// report returns the function to call with how many files are done, or nil where
// nobody looks.
func (p *progress) report() func(done, total int) {
	if p == nil {
		return nil
	}
	return func(done, total int) {
		p.mu.Lock()
		defer p.mu.Unlock()
		now := p.now()
		if now.Before(p.next) {
			return
		}
		p.next = now.Add(progressEvery)
		p.shown = true
		fmt.Fprintf(p.w, "\r\x1b[Kchecking %s/%s files", grouped(done), grouped(total))
	}
}

// stop erases the line.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// grouped returns a number with a comma before every third digit from the end.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
