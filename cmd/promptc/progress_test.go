// This file tests the line that tells how far a long check is.

package main

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := startProgress(&out, func() time.Time { return now })
	report := p.report()

	want := ""
	step := func(wait time.Duration, done int, prints string) {
		t.Helper()
		now = now.Add(wait)
		report(done, 10_000)
		want += prints
		if out.String() != want {
			t.Errorf("after %d files: got %q, want %q", done, out.String(), want)
		}
	}
	step(0, 1, "")
	step(999*time.Millisecond, 999, "")
	step(time.Millisecond, 1000, "\r\x1b[Kchecking 1,000/10,000 files")
	step(99*time.Millisecond, 1001, "")
	step(time.Millisecond, 4213, "\r\x1b[Kchecking 4,213/10,000 files")

	p.stop()
	want += "\r\x1b[K"
	if out.String() != want {
		t.Errorf("the line is not erased: %q", out.String())
	}
	p.stop()
	if out.String() != want {
		t.Errorf("the line is erased twice: %q", out.String())
	}
}

// Work that ends within a second leaves no trace.
func TestProgressOfLittle(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := startProgress(&out, func() time.Time { return now })
	p.report()(10, 10)
	p.stop()
	if out.Len() > 0 {
		t.Errorf("printed %q", out.String())
	}
}

// Where standard error is not a terminal nothing is ever printed on it.
func TestProgressElsewhere(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&out)
	if p.report() != nil {
		t.Error("progress is reported to a buffer")
	}
	p.stop()
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
}
