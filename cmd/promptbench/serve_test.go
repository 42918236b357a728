// This file tests that servers are measured only where they answer alike, and that
// what goes wrong is told.

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
)

func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	var log strings.Builder
	s := serving{prompts: fewPrompts, dir: t.TempDir(), log: io.MultiWriter(&log, t.Output()), turns: 1}
	figures, err := s.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Three workloads on stdio and two over HTTP, of four and three contestants.
	want := (3+2)*4 + (3+2)*3
	if !strings.Contains(log.String(), "the TypeScript SDK is left out") {
		want += 3
	}
	checkFigures(t, figures, want)
	checkEmpty(t, s.dir)
}

// newPeers returns a match without promptd, whose prompts are in a file for peers.
func newPeers(t *testing.T, change func([]*catalog.Prompt)) *match {
	t.Helper()
	dir := t.TempDir()
	m := &match{arena: &arena{tree: tree{filepath.Join(dir, "content"), fewPrompts}, forPeers: filepath.Join(dir, "prompts.json")}, era: legacy, transport: "stdio"}
	if err := m.write(); err != nil {
		t.Fatal(err)
	}
	program, faults, err := gen.Compile(os.DirFS(m.dir), gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if change != nil {
		change(program.Catalog.Prompts)
	}
	if err := writePrompts(m.forPeers, program.Catalog.Prompts); err != nil {
		t.Fatal(err)
	}
	return m
}

func enter(t *testing.T, m *match, name, file string) *contestant {
	t.Helper()
	c, err := start(t.Context(), name, m.transport == "HTTP", m.peer(name, file)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	return c
}

// Who answers something else does not compete.
func TestAnswersDiffer(t *testing.T) {
	m := newPeers(t, nil)
	m.transport = "HTTP"
	other := newPeers(t, func(prompts []*catalog.Prompt) {
		last := prompts[len(prompts)-1]
		last.Messages[0].Segments[0].Text = "# Something else\n"
	})
	m.contestants = []*contestant{enter(t, m, "mcp-go", m.forPeers), enter(t, m, "go-sdk", other.forPeers)}
	s := serving{turns: 1, log: t.Output()}
	_, err := m.playWorkload(t.Context(), &s, gets(legacy, m.tree))
	if err == nil || !strings.Contains(err.Error(), "go-sdk: its answer is another one") || !strings.Contains(err.Error(), "Something else") {
		t.Errorf("error %v", err)
	}
	if _, err := m.playWorkload(t.Context(), &s, lists(legacy)); err != nil {
		t.Errorf("the lists are the same: %v", err)
	}
}

// An error is no answer, however fast it comes.
func TestErrorsDoNotCount(t *testing.T) {
	m := newPeers(t, nil)
	m.transport = "HTTP"
	m.contestants = []*contestant{enter(t, m, "mcp-go", m.forPeers)}
	w := workload{era: legacy, method: "prompts/get"}
	w.add("no-such-prompt", "{}")
	s := serving{turns: 1, log: t.Output()}
	if _, err := m.playWorkload(t.Context(), &s, w); err == nil || !strings.Contains(err.Error(), "mcp-go: it answers") {
		t.Errorf("error %v", err)
	}
}

// Answers of another size than before are noticed while the time is taken.
func TestSizesDiffer(t *testing.T) {
	m := newPeers(t, nil)
	m.transport = "HTTP"
	c := enter(t, m, "mcp-go", m.forPeers)
	w := gets(legacy, m.tree)
	a, err := c.once(w.posts(), func(int, []byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.timed(a, 1, 0); err != nil {
		t.Fatal(err)
	}
	a.sizes[50]++
	if _, err := c.timed(a, 1, 0); err == nil || !strings.Contains(err.Error(), "bytes, and had") {
		t.Errorf("error %v", err)
	}
}

// A process that ends tells why.
func TestContestantEnds(t *testing.T) {
	m := newPeers(t, nil)
	for _, transport := range []string{"stdio", "HTTP"} {
		m.transport = transport
		c, err := start(t.Context(), "nobody", transport == "HTTP", m.peer("nobody", m.forPeers)...)
		if err == nil {
			t.Cleanup(c.stop)
			err = c.greet()
		}
		if err == nil || !strings.Contains(err.Error(), "nobody: ") {
			t.Errorf("%s: error %v", transport, err)
		}
	}
}

// Requests in flight are as many as they should be, and each is sent equally often.
func TestAsk(t *testing.T) {
	m := newPeers(t, nil)
	file := filepath.Join(t.TempDir(), "answers")
	if err := os.WriteFile(file, []byte(strings.Repeat("answer\n", cycle)), 0o666); err != nil {
		t.Fatal(err)
	}
	c := enter(t, m, "floor", file)
	w := gets(legacy, m.tree)
	for _, inFlight := range []int{1, 7, 32, 2 * cycle} {
		answers, size, err := c.lanes[0].ask(w.lines(), inFlight, time.Millisecond, io.Discard)
		if err != nil || answers == 0 || answers%cycle != 0 || size != int64(answers*len("answer\n")) {
			t.Errorf("%d in flight: %d answers of %d bytes, %v", inFlight, answers, size, err)
		}
	}
}

func TestContent(t *testing.T) {
	const same = `{"id":100,"result":{"messages":[]}}`
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":100,"result":{"messages":[]}}`,
		`{"result":{"resultType":"complete","ttlMs":5,"cacheScope":"public","messages":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a"}}},"id":100,"jsonrpc":"2.0"}`,
	} {
		if got, err := content([]byte(answer)); err != nil || got != same {
			t.Errorf("%s: %s, %v", answer, got, err)
		}
	}
	for _, answer := range []string{``, `[]`, `{"id":100,"error":{"code":-32602}}`, `{"id":100}`} {
		if got, err := content([]byte(answer)); err == nil {
			t.Errorf("%s: %s", answer, got)
		}
	}
}
