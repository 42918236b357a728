// Promptbench measures promptc against the targets of its design.
//
//	promptbench render [--json] [-benchtime D]
//	promptbench scale  [--json] [-n N] [-dir DIR]
//	promptbench serve  [--json] [-n N] [-dir DIR]
//	promptbench live   [--json] [-n N] [-dir DIR]
//
// Render runs the benchmarks of package catalog: what a prompt of 2 KB takes to
// render, and a name to be found among 10,000, as multiples of what a program would
// do without the package.
//
// Scale makes a content tree of N prompts, 10,000 unless told otherwise, and a
// module that adopts it, and takes both the whole way: check, generate, build, start.
// That takes some minutes, and about two gigabytes in DIR, by default the directory
// for temporary files; all of it is removed at the end. It needs Linux, whose /proc
// tells what a server keeps in memory.
//
// Serve makes such trees of 10, 1,000 and N prompts, and measures prompts/get and
// prompts/list, of all prompts on one page, over stdio and Streamable HTTP, in both
// eras of the protocol. What competes with promptd are plain mcp-go; the official
// go-sdk, and on stdio the TypeScript SDK, both in the legacy era; and the floor, a
// loop over bufio or net/http that writes the answers of promptd, which were made
// before. Each is a process of its own, gets the same bytes and has answers that say
// the same; the Go servers render with package catalog, which is not what takes their
// time. "promptd" is what it takes for an answer, with everything that goes on at the
// same time, the client's part too; "promptd/floor" is how many times the floor's
// time that is, and "mcp-go/promptd" how many times promptd's time mcp-go takes. They
// take many short turns, and the time of each is the low decile of its turns: what it
// takes while nobody else has the processors. The TypeScript SDK is left out where
// there is no Node; npm installs it into the user's cache folder. All of it takes
// some minutes, the first time more, and the user's build cache grows.
//
// Live makes the same trees, and measures promptc serve over HTTP with one request in
// flight: prompts/get and prompts/list while nothing changes, and the time from before a
// prompt's file is written to the end of the answer that has the new text, which must be
// the first one. What competes is a server that reads and parses every prompt's file for
// each request, and keeps nothing; where nothing changes, promptd is the floor, which
// looks at no file. The time of each is the low decile of its turns here, too.
//
// All print a table with the target beside each figure that has one, or with --json
// an array of the same. Every ratio is of things that were measured in turns, in the
// same run, so that it holds on a busy machine; the targets are for 10,000 prompts
// and two processors. The exit status says whether measuring worked, not whether the
// targets were met.
//
// It is a module of its own, so that nothing it needs is a dependency of promptc,
// and is run in its own directory. It does without the network once the modules that
// promptc needs are in the cache.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if status, ok := asTool(os.Args); ok {
		os.Exit(status)
	}
	if status, ok := asPeer(os.Args); ok {
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

const synopsis = `usage: promptbench render [--json] [-benchtime D]
       promptbench scale [--json] [-n N] [-dir DIR]
       promptbench serve [--json] [-n N] [-dir DIR]
       promptbench live [--json] [-n N] [-dir DIR]
`

// run executes a command line and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, synopsis)
		return 2
	}
	flags := flag.NewFlagSet("promptbench "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print JSON")
	var measure func() ([]figure, error)
	print := printTable
	switch args[0] {
	case "render":
		benchtime := flags.String("benchtime", "2s", "how `long` each comparison runs, as for go test")
		measure = func() ([]figure, error) { return measureRender(ctx, *benchtime) }
	case "scale":
		var s scale
		flags.IntVar(&s.prompts, "n", 10_000, "how many `prompts` the tree has, at least 10")
		flags.StringVar(&s.dir, "dir", "", "the `directory` to work in")
		measure = func() ([]figure, error) {
			if s.prompts < fewPrompts {
				return nil, tooFew(s.prompts)
			}
			s.log = stderr
			return s.measure(ctx)
		}
	case "serve":
		s := serving{turns: 40, turn: 10 * time.Millisecond, log: stderr}
		flags.IntVar(&s.prompts, "n", 10_000, "how many `prompts` the largest tree has, at least 10")
		flags.StringVar(&s.dir, "dir", "", "the `directory` to work in")
		measure = func() ([]figure, error) {
			if s.prompts < fewPrompts {
				return nil, tooFew(s.prompts)
			}
			return s.measure(ctx)
		}
		print = printGrid
	case "live":
		f := following{serving{turns: 20, log: stderr}}
		flags.IntVar(&f.prompts, "n", 10_000, "how many `prompts` the largest tree has, at least 10")
		flags.StringVar(&f.dir, "dir", "", "the `directory` to work in")
		measure = func() ([]figure, error) {
			if f.prompts < fewPrompts {
				return nil, tooFew(f.prompts)
			}
			return f.measure(ctx)
		}
		print = printGrid
	default:
		fmt.Fprint(stderr, synopsis)
		return 2
	}
	if err := flags.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprint(stderr, synopsis)
		return 2
	}
	figures, err := measure()
	if err == nil && *asJSON {
		err = printJSON(stdout, figures)
	} else if err == nil {
		err = print(stdout, figures)
	}
	if err != nil {
		fmt.Fprintln(stderr, "promptbench:", err)
		return 1
	}
	return 0
}

func tooFew(prompts int) error {
	return fmt.Errorf("-n must be %d or more, not %d", fewPrompts, prompts)
}
