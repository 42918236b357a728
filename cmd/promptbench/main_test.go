// This file tests the program with few prompts, so that it still works when many are
// measured.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/diag"
)

// The test binary runs Go's tools, and is a peer, as the program does.
func TestMain(m *testing.M) {
	if status, ok := asTool(os.Args); ok {
		os.Exit(status)
	}
	if status, ok := asPeer(os.Args); ok {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("builds servers")
	}
	cache, err := output(t.Context(), ".", "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	s := scale{prompts: 30, dir: t.TempDir(), log: t.Output(), cache: cache, edits: rand.Int()}
	figures, err := s.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkFigures(t, figures, 24)
	checkEmpty(t, s.dir)
}

// What was begun is removed when the user loses patience.
func TestScaleInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	s := scale{prompts: fewPrompts, dir: dir, log: cancelling{cancel}}
	if _, err := s.measure(ctx); err == nil {
		t.Error("it measures after it was interrupted")
	}
	checkEmpty(t, dir)
}

// A cancelling is interrupted when something is written to it.
type cancelling struct{ cancel func() }

func (c cancelling) Write(p []byte) (int, error) {
	c.cancel()
	return len(p), nil
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("it leaves behind %v, %v", left, err)
	}
}

func TestRender(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"render", "-json", "-benchtime", "1x"}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	var figures []figure
	if err := json.Unmarshal(stdout.Bytes(), &figures); err != nil {
		t.Fatal(err)
	}
	checkFigures(t, figures, len(comparisons))
}

// checkFigures looks at what holds for any figures.
func checkFigures(t *testing.T, figures []figure, want int) {
	t.Helper()
	if len(figures) != want {
		t.Errorf("%d figures, want %d", len(figures), want)
	}
	targets := 0
	for _, f := range figures {
		if f.Name == "" || f.Unit == "" || math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			t.Errorf("figure %+v", f)
		}
		// Only differences can be negative.
		if f.Value <= 0 && !strings.Contains(f.Name, "beyond") && !strings.HasPrefix(f.Name, "of that") {
			t.Errorf("%s is %v", f.Name, f.Value)
		}
		if f.Most != nil {
			targets++
			if *f.Met != (f.Value <= *f.Most) {
				t.Errorf("%s is %v of %v, and met says %v", f.Name, f.Value, *f.Most, *f.Met)
			}
		}
		if f.Least != nil {
			targets++
		}
		if f.Least != nil && *f.Met != (f.Value >= *f.Least) {
			t.Errorf("%s is %v of %v, and met says %v", f.Name, f.Value, *f.Least, *f.Met)
		}
	}
	if targets == 0 {
		t.Error("no figure has a target")
	}
}

func TestCommandLine(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"scales"},
		{"scale", "-m", "10"},
		{"scale", "10000"},
		{"render", "-n", "10"},
		{"serve", "-m", "10"},
		{"serve", "10000"},
		{"live", "-m", "10"},
		{"live", "10000"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), args, &stdout, &stderr); status != 2 || stderr.Len() == 0 || stdout.Len() > 0 {
			t.Errorf("%q: status %d, %q and %q", args, status, &stdout, &stderr)
		}
	}
	for _, command := range []string{"scale", "serve", "live"} {
		var stdout, stderr bytes.Buffer
		if status := run(t.Context(), []string{command, "-n", "9"}, &stdout, &stderr); status != 1 || !strings.Contains(stderr.String(), "10 or more") {
			t.Errorf("%s with nine prompts: status %d, %q", command, status, &stderr)
		}
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	err := printTable(&b, []figure{
		plain("text", 20.251, "MB"),
		target("check", 1.499, "×", 1.5),
		target("start", -0.126, "ms", 1),
		target("memory", 1234.5, "MB", 100),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `
        measured  at most
text     20.3 MB
check      1.50×     1.5×  met
start   -0.13 ms     1 ms  met
memory   1234 MB   100 MB  not met
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestGrid(t *testing.T) {
	at := func(row, column string, f figure) figure {
		f.row, f.column = row, column
		return f
	}
	var b bytes.Buffer
	err := printGrid(&b, []figure{
		at("get", "promptd", plain("", 8.434, "µs")),
		at("get", "promptd/floor", target("", 2.5, "×", 2)),
		at("get", "go-sdk/promptd", plain("", 12.34, "×")),
		at("list", "promptd", plain("", 1234, "µs")),
		at("list", "go-sdk/promptd", plain("", 7, "×").atLeast(5)),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `
      promptd    promptd/floor               go-sdk/promptd
get   8.43 µs            2.50×  ≤ 2 not met           12.3×
list  1234 µs                                         7.00×  ≥ 5 met
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// The tree is the same each time, has no faults, and is not all of one kind.
func TestTree(t *testing.T) {
	const n = 120
	compile := func() *check.Program {
		many := tree{filepath.Join(t.TempDir(), "content"), n}
		if err := many.write(); err != nil {
			t.Fatal(err)
		}
		program, faults, err := gen.Compile(os.DirFS(many.dir), gen.Options{Root: "content"})
		if err != nil {
			t.Fatal(err)
		}
		if len(faults) > 0 {
			diag.Write(t.Output(), diag.Text, faults)
			t.Fatal("the tree has faults")
		}
		return program
	}
	c := compile().Catalog
	if again := compile().Catalog; again.Digest != c.Digest {
		t.Error("the tree is another one the second time")
	}
	if len(c.Prompts) != n || len(c.Skills) != 2 || len(c.Skills[1].References) != 3 {
		t.Errorf("%d prompts, %d skills", len(c.Prompts), len(c.Skills))
	}
	arguments, messages := map[int]int{}, map[int]int{}
	withChoices, withDefault, size := 0, 0, 0
	for _, p := range c.Prompts {
		arguments[len(p.Arguments)]++
		messages[len(p.Messages)]++
		for _, a := range p.Arguments {
			if len(a.Choices) > 0 {
				withChoices++
			}
			if a.Default != "" {
				withDefault++
			}
		}
		size += p.Document.Size
	}
	for k := 2; k <= 6; k++ {
		if arguments[k] == 0 {
			t.Errorf("no prompt has %d arguments", k)
		}
	}
	if messages[1] == 0 || messages[3] == 0 || withChoices == 0 || withDefault == 0 {
		t.Errorf("messages %v, %d choices, %d defaults", messages, withChoices, withDefault)
	}
	if mean := size / n; mean < 2500 || mean > 4500 {
		t.Errorf("a PROMPT.md has %d bytes, on average", mean)
	}
}
