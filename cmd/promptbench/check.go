// This file measures the compiler's check against the YAML decoder that it is built
// on.

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/diag"
)

// measureCheck takes turns at checking the tree, from its files on, and at decoding
// the frontmatters of its prompts and skills from memory, both on all processors.
func (s *scale) measureCheck(ctx context.Context, _ *adopter, many tree) ([]figure, error) {
	s.tell("checking")
	frontmatters, err := many.frontmatters()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(many.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as promptc has it
	var checks, ratios []float64
	for range turns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		decoding, err := timed(func() error { return decode(frontmatters) })
		if err != nil {
			return nil, err
		}
		checking, err := timed(func() error {
			_, faults, err := gen.Compile(root.FS(), gen.Options{Root: "content"})
			if len(faults) > 0 {
				diag.Write(s.log, diag.Text, faults[:1])
				return fmt.Errorf("the synthetic tree has %d faults", len(faults))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		checks = append(checks, checking.Seconds())
		ratios = append(ratios, ratio(checking, decoding))
	}
	return []figure{
		plain("check", median(checks), "s"),
		target("check, against yaml.v3 alone", median(ratios), "×", 1.5),
	}, nil
}

// timed returns how long f takes on a heap without garbage of others.
func timed(f func() error) (time.Duration, error) {
	runtime.GC()
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// frontmatters returns the YAML of all prompts and skills.
func (t tree) frontmatters() ([][]byte, error) {
	var all [][]byte
	for _, pattern := range []string{"prompts/*/PROMPT.md", "skills/*/SKILL.md"} {
		paths, err := filepath.Glob(filepath.Join(t.dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			block, _, ok := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n")
			if !ok {
				return nil, fmt.Errorf("%s has no frontmatter", path)
			}
			all = append(all, []byte(block))
		}
	}
	return all, nil
}

// decode has yaml.v3 decode all frontmatters into its own tree.
func decode(frontmatters [][]byte) error {
	var next atomic.Int64
	var workers sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		workers.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(frontmatters) {
					return
				}
				var node yaml.Node
				errs[w] = yaml.Unmarshal(frontmatters[i], &node)
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
