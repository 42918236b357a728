// This file runs the benchmarks of package catalog and reads their ratios.

package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A comparison is a metric of those benchmarks that is worth a line.
type comparison struct {
	benchmark, metric, unit string
	name                    string
	most                    float64 // 0 where there is no target
}

var comparisons = []comparison{
	{"Render", "memcpy-ns", "ns", "memcpy of 2 KB with its allocation", 0},
	{"Render", "typed-x", "×", "rendering from typed arguments, against that", 1.5},
	{"Render", "named-x", "×", "rendering from a map of arguments, against that", 0},
	{"Render", "concatenation-x", "×", "concatenation with +, against that", 0},
	{"Render", "template-x", "×", "text/template, parsed once, against that", 0},
	{"Render", "replacer-per-call-x", "×", "strings.NewReplacer at each call, against that", 0},
	{"Render", "replacer-once-x", "×", "strings.NewReplacer made once, against that", 0},
	{"Lookup/hit", "table-ns", "ns", "finding one of 10,000 names", 50},
	{"Lookup/hit", "table-x", "×", "the same, against a map", 0},
	{"Lookup/miss", "table-ns", "ns", "finding that a name is not among 10,000", 50},
	{"Lookup/miss", "table-x", "×", "the same, against a map", 0},
}

func measureRender(ctx context.Context, benchtime string) ([]figure, error) {
	out, err := output(ctx, ".", "go", "test", promptc+"/catalog", "-run", "^$", "-bench", "Render/ratios|Lookup/./ratios", "-benchtime", benchtime)
	if err != nil {
		return nil, err
	}
	measured := metrics(out)
	var figures []figure
	for _, c := range comparisons {
		value, ok := measured["Benchmark"+c.benchmark+"/ratios "+c.metric]
		switch {
		case !ok:
			return nil, fmt.Errorf("the benchmarks report no %s of %s:\n%s", c.metric, c.benchmark, out)
		case c.most == 0:
			figures = append(figures, plain(c.name, value, c.unit))
		default:
			figures = append(figures, target(c.name, value, c.unit, c.most))
		}
	}
	return figures, nil
}

// metrics reads what go test -bench prints: the values, by the benchmark's name
// without the number of processors, a space, and the unit.
func metrics(out string) map[string]float64 {
	values := map[string]float64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := fields[0]
		if at := strings.LastIndexByte(name, '-'); at > 0 {
			if _, err := strconv.Atoi(name[at+1:]); err == nil {
				name = name[:at]
			}
		}
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				values[name+" "+fields[i+1]] = value
			}
		}
	}
	return values
}
