// This file holds the benchmarks of rendering and of lookup, and how they are
// measured against each other.

package catalog_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/seed33527553/promptc/catalog"
)

// A contender is one way to do a job that several are compared at.
type contender struct {
	name string
	do   func(n int)
}

// bench runs the contenders, each as a benchmark of its own.
func bench(b *testing.B, contenders []contender) {
	for _, c := range contenders {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			c.do(b.N)
		})
	}
}

// ratios reports how long each contender takes, as a multiple of the first one's
// time. They take turns, calls at a time, so that a busy machine slows all of them
// alike; the figure is the median over all turns.
func ratios(b *testing.B, calls int, contenders []contender) {
	b.Run("ratios", func(b *testing.B) {
		times := make([][]float64, len(contenders))
		for b.Loop() {
			for i, c := range contenders {
				start := time.Now()
				c.do(calls)
				times[i] = append(times[i], time.Since(start).Seconds())
			}
		}
		b.ReportMetric(0, "ns/op") // of a turn, which says nothing
		for i, c := range contenders {
			turns := make([]float64, len(times[i]))
			for turn, t := range times[i] {
				turns[turn] = t / times[0][turn]
			}
			b.ReportMetric(median(times[i])*1e9/float64(calls), c.name+"-ns")
			b.ReportMetric(median(turns), c.name+"-x")
		}
	})
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// Sinks keep the compiler from leaving out what is measured.
var (
	sinkMessages []catalog.Message
	sinkText     string
	sinkPosition int
)

// reviewArgs holds arguments as a generated type does.
type reviewArgs struct{ Change, Depth, Language, Ticket string }

func (a reviewArgs) Messages() ([]catalog.Message, error) {
	return review.Render(a.Change, a.Depth, a.Language, a.Ticket)
}

// review is a prompt with four arguments that renders to about 2 KB.
var review = &catalog.Prompt{
	ID: "review-change",
	Arguments: []catalog.Argument{
		{Name: "change", Required: true},
		{Name: "depth", Choices: []string{"quick", "usual", "thorough"}, Default: "usual"},
		{Name: "language", Required: true},
		{Name: "ticket"},
	},
	Messages: []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{
		{Text: reviewText1},
		{Argument: 1},
		{Text: reviewText2},
		{Argument: 3},
		{Text: reviewText3},
		{Argument: 2},
		{Text: reviewText4},
		{Argument: 4},
		{Text: reviewText5},
		{Argument: 1},
		{Text: reviewText6},
	}}},
}

const (
	reviewText1 = "You are the second pair of eyes on a change before it is merged. Read the change\n\n    "
	reviewText2 = "\n\nfrom its first line to its last before you write anything. It is written in "
	reviewText3 = ", by somebody who knows the code better than you do and who has a reason for most of what looks " +
		"odd at first. Find that reason before you object to it.\n\nHow far to go: "
	reviewText4 = ".\n\n## What to look for\n\n" +
		"1. Behaviour that differs from what the description says, and cases that it forgets: empty input, " +
		"input that is far too large, two callers at once, a dependency that answers late or never.\n" +
		"2. Errors that are dropped, wrapped twice, or that tell the user nothing about what to do next.\n" +
		"3. Names that promise something else than the code does. Propose a better one, do not only complain.\n" +
		"4. Tests that cannot fail, that wait for a fixed time, or that repeat the code they should hold to account.\n" +
		"5. Documentation that was true before the change and is not any more.\n\n" +
		"Leave out what a formatter or a linter reports. Leave out matters of taste unless the file around the " +
		"change clearly has another one.\n\nThe ticket that asked for it: "
	reviewText5 = "\n\n## How to answer\n\n" +
		"Start with one sentence that says whether the change can be merged. Then list your findings, the worst " +
		"first, at most ten of them. Each has the file and the line, what happens, an input for which it happens, " +
		"and the smallest change that prevents it. If you are not sure of a finding, say what you would have to " +
		"see to be sure, and put it last.\n\n" +
		"Do not rewrite the change. Do not praise it either: the author wants to know what is wrong with it, and " +
		"an answer that finds nothing is a good one when there is nothing. If you need to run something to decide, " +
		"give the command and what each of its possible results would mean. Once you are done, read the change\n\n    "
	reviewText6 = "\n\nagain from the end to the start, because most of what is missed stands in the second half, and add " +
		"whatever you find. Close with the number of files that you read and the ones that you did not, so that the " +
		"next reviewer knows where to begin.\n"
)

var reviewValues = reviewArgs{
	Change:   "git diff origin/main...feature/retry-with-backoff",
	Depth:    "thorough",
	Language: "Go",
	Ticket:   "PLAT-1187",
}

// source is the prompt's text with its placeholders between the given marks.
func source(open, shut string) string {
	var b strings.Builder
	for _, s := range review.Messages[0].Segments {
		b.WriteString(s.Text)
		if s.Argument != 0 {
			b.WriteString(open + review.Arguments[s.Argument-1].Name + shut)
		}
	}
	return b.String()
}

func concatenate(a reviewArgs) string {
	return reviewText1 + a.Change + reviewText2 + a.Language + reviewText3 + a.Depth + reviewText4 +
		a.Ticket + reviewText5 + a.Change + reviewText6
}

// renderers are the ways to render the prompt; memcpy, with its allocation, is the
// first.
func renderers(tb testing.TB) []contender {
	want := concatenate(reviewValues)
	named := map[string]string{
		"change": reviewValues.Change, "depth": reviewValues.Depth,
		"language": reviewValues.Language, "ticket": reviewValues.Ticket,
	}
	pairs := []string{
		"{{change}}", reviewValues.Change, "{{depth}}", reviewValues.Depth,
		"{{language}}", reviewValues.Language, "{{ticket}}", reviewValues.Ticket,
	}
	marked := source("{{", "}}")
	parsed, err := template.New("review").Parse(source("{{.", "}}"))
	if err != nil {
		tb.Fatal(err)
	}
	replacer := strings.NewReplacer(pairs...)

	message := func(messages []catalog.Message, err error) string {
		if err != nil {
			tb.Fatal(err)
		}
		sinkMessages = messages
		return messages[0].Text
	}
	var contenders []contender
	add := func(name string, render func() string) {
		if got := render(); got != want {
			tb.Fatalf("%s renders %q, not %q", name, got, want)
		}
		contenders = append(contenders, contender{name, func(n int) {
			for range n {
				sinkText = render()
			}
		}})
	}
	add("memcpy", func() string { return strings.Clone(want) })
	add("typed", func() string { return message(reviewValues.Messages()) })
	add("named", func() string { return message(review.RenderNamed(named)) })
	add("concatenation", func() string { return concatenate(reviewValues) })
	add("template", func() string {
		var b strings.Builder
		if err := parsed.Execute(&b, named); err != nil {
			tb.Fatal(err)
		}
		return b.String()
	})
	add("replacer-per-call", func() string { return strings.NewReplacer(pairs...).Replace(marked) })
	// One that is made once renders the same values for ever.
	add("replacer-once", func() string { return replacer.Replace(marked) })
	return contenders
}

func BenchmarkRender(b *testing.B) {
	contenders := renderers(b)
	bench(b, contenders)
	ratios(b, 1000, contenders)
}

// Rendering allocates each message's text and the slice of the messages, and by name
// nothing more for as many arguments as a prompt usually has.
func TestRenderAllocations(t *testing.T) {
	named := map[string]string{"change": "a", "language": "Go"}
	for _, test := range []struct {
		name   string
		render func() ([]catalog.Message, error)
		want   float64
	}{
		{"typed", reviewArgs{Change: "a", Language: "Go"}.Messages, 2},
		{"named", func() ([]catalog.Message, error) { return review.RenderNamed(named) }, 2},
	} {
		got := testing.AllocsPerRun(100, func() {
			messages, err := test.render()
			if err != nil {
				t.Fatal(err)
			}
			sinkMessages = messages
		})
		if got != test.want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, test.want)
		}
	}
}

// lookups are the ways to find a name among 10,000, asked in random order; a map is
// the first.
func lookups(tb testing.TB, hit bool) []contender {
	const n = 10_000
	verbs := []string{"review", "write", "plan", "explain", "migrate", "diagnose"}
	things := []string{"service", "schema", "pipeline", "release", "incident"}
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("%s-%s-%04d", verbs[i%len(verbs)], things[i/7%len(things)], i)
	}
	slices.Sort(keys)
	table := catalog.NewTable(keys)
	positions := make(map[string]int, n)
	for i, key := range keys {
		positions[key] = i
	}
	// The names that are asked for are copies: comparing a string with itself would
	// not read it.
	asked := make([]string, n)
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		asked[i] = strings.Clone(keys[at])
		if !hit {
			asked[i] += "x"
		}
	}

	var contenders []contender
	add := func(name string, find func(key string) (int, bool)) {
		for _, key := range asked {
			if i, ok := find(key); ok != hit || ok && keys[i] != key {
				tb.Fatalf("%s finds %q at %d, %v", name, key, i, ok)
			}
		}
		next := 0
		contenders = append(contenders, contender{name, func(n int) {
			for range n {
				sinkPosition, _ = find(asked[next])
				if next++; next == len(asked) {
					next = 0
				}
			}
		}})
	}
	add("map", func(key string) (int, bool) { i, ok := positions[key]; return i, ok })
	add("table", table.Find)
	add("search", func(key string) (int, bool) { return slices.BinarySearchFunc(keys, key, cmp.Compare[string]) })
	return contenders
}

func BenchmarkLookup(b *testing.B) {
	for _, answer := range []string{"hit", "miss"} {
		b.Run(answer, func(b *testing.B) {
			contenders := lookups(b, answer == "hit")
			bench(b, contenders)
			ratios(b, 20_000, contenders)
		})
	}
}
