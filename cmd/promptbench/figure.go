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
	// Most is the target: the most that the value should be. There is none if it is
	// nil, and no verdict then.
	Most *float64 `json:"most,omitempty"`
	Met  *bool    `json:"met,omitempty"`
}

func plain(name string, value float64, unit string) figure {
	return figure{Name: name, Value: value, Unit: unit}
}

func target(name string, value float64, unit string, most float64) figure {
	met := value <= most
	return figure{name, value, unit, &most, &met}
}

func printTable(w io.Writer, figures []figure) error {
	lines := [][4]string{{"", "measured", "at most", ""}}
	for _, f := range figures {
		line := [4]string{f.Name, amount(f.Value, f.decimals(), f.Unit)}
		if f.Most != nil {
			line[2], line[3] = amount(*f.Most, -1, f.Unit), "not met"
			if *f.Met {
				line[3] = "met"
			}
		}
		lines = append(lines, line)
	}
	var widths [4]int
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		s := fmt.Sprintf("%-*s  %*s  %*s  %s", widths[0], line[0], widths[1], line[1], widths[2], line[2], line[3])
		if _, err := fmt.Fprintln(w, strings.TrimRight(s, " ")); err != nil {
			return err
		}
	}
	return nil
}

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
	if unit == "×" {
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
