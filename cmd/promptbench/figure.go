// This file holds figure, a measurement, and how figures are printed.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A figure is one measurement.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Unit follows the number: "×", "s", "ms", "ns" or "MB", of a million bytes.
	Unit string `json:"unit"`
	// Most or Least is the target: what the value should be at most, or at least.
	// There is none if both are nil, and no verdict then.
	Most  *float64 `json:"most,omitempty"`
	Least *float64 `json:"least,omitempty"`
	Met   *bool    `json:"met,omitempty"`
	// row and column are the figure's place in a grid.
	row, column string
}

func plain(name string, value float64, unit string) figure {
	return figure{Name: name, Value: value, Unit: unit}
}

func target(name string, value float64, unit string, most float64) figure {
	return plain(name, value, unit).atMost(most)
}

func (f figure) atMost(most float64) figure {
	met := f.Value <= most
	f.Most, f.Met = &most, &met
	return f
}

func (f figure) atLeast(least float64) figure {
	met := f.Value >= least
	f.Least, f.Met = &least, &met
	return f
}

// verdict tells whether the target was met, "" where there is none.
func (f figure) verdict() string {
	switch {
	case f.Met == nil:
		return ""
	case *f.Met:
		return "met"
	default:
		return "not met"
	}
}

// printTable prints figures that have no target or at most one, a line each.
func printTable(w io.Writer, figures []figure) error {
	lines := [][]string{{"", "measured", "at most", ""}}
	for _, f := range figures {
		line := []string{f.Name, f.String(), "", f.verdict()}
		if f.Most != nil {
			line[2] = amount(*f.Most, -1, f.Unit)
		}
		lines = append(lines, line)
	}
	return printAligned(w, lines, "<>><")
}

// printGrid prints figures in rows and columns, in the order in which those come, with
// the target and the verdict after each value.
func printGrid(w io.Writer, figures []figure) error {
	head, align := []string{""}, "<"
	var lines [][]string
	for _, f := range figures {
		column := slices.Index(head, f.column)
		if column < 0 {
			column = len(head)
			head, align = append(head, f.column, ""), align+"><"
		}
		if len(lines) == 0 || lines[len(lines)-1][0] != f.row {
			lines = append(lines, []string{f.row})
		}
		line := &lines[len(lines)-1]
		for len(*line) < column+2 {
			*line = append(*line, "")
		}
		(*line)[column] = f.String()
		switch {
		case f.Most != nil:
			(*line)[column+1] = "≤ " + amount(*f.Most, -1, "") + " " + f.verdict()
		case f.Least != nil:
			(*line)[column+1] = "≥ " + amount(*f.Least, -1, "") + " " + f.verdict()
		}
	}
	return printAligned(w, slices.Insert(lines, 0, head), align)
}

// printAligned prints lines of cells, each column of which is aligned to the left or
// to the right as a character of align says.
func printAligned(w io.Writer, lines [][]string, align string) error {
	widths := make([]int, len(align))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			if i > 0 {
				b.WriteString("  ")
			}
			if align[i] == '>' {
				fmt.Fprintf(&b, "%*s", widths[i], cell)
			} else {
				fmt.Fprintf(&b, "%-*s", widths[i], cell)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

func (f figure) String() string { return amount(f.Value, f.decimals(), f.Unit) }

// decimals is how many digits after the point make three in all, or more where the
// number is large.
func (f figure) decimals() int {
	switch size := math.Abs(f.Value); {
	case size >= 100:
		return 0
	case size >= 10:
		return 1
	default:
		return 2
	}
}

func amount(value float64, decimals int, unit string) string {
	s := strconv.FormatFloat(value, 'f', decimals, 64)
	if unit == "×" || unit == "" {
		return s + unit
	}
	return s + " " + unit
}

func printJSON(w io.Writer, figures []figure) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(figures)
}

// median returns the middle one of the values, of which there is at least one.
func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}
