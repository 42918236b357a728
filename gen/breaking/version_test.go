// This file tests versions and renaming by themselves.

package breaking

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct {
		old, new string
		change   Change
		least    string
		right    bool
	}{
		{"1.2.3", "1.2.3", None, "", true},
		{"1.2.3", "9.0.0", None, "", true},
		{"1.2.3", "1.2.3+build", None, "", true},
		{"1.2.3", "1.2.3-rc.1", None, "", false},
		{"1.2.3", "1.2.2", None, "", false},
		{"1.2.3", "1.2.4", Patch, "1.2.4", true},
		{"1.2.3", "1.2.3", Patch, "1.2.4", false},
		{"1.2.3", "1.2.3+build", Patch, "1.2.4", false},
		{"1.2.3", "1.2.4-rc.1", Patch, "1.2.4", true},
		{"1.2.3+build-7", "1.2.4", Patch, "1.2.4", true},
		{"1.2.3", "1.2.9", Minor, "1.3.0", false},
		{"1.2.3", "1.3.0-alpha+x", Minor, "1.3.0", true},
		{"1.2.3", "2.0.0", Minor, "1.3.0", true},
		{"1.2.3", "1.99.99", Major, "2.0.0", false},
		{"1.2.3", "2.0.0-rc.1", Major, "2.0.0", true},
		{"1.9.9", "1.10.0", Minor, "1.10.0", true},
		{"0.2.3", "0.2.4", Minor, "0.2.4", true},
		{"0.2.3", "0.2.4", Major, "0.3.0", false},
		{"0.2.3", "0.3.0", Major, "0.3.0", true},
		{"0.2.3", "1.0.0", Major, "0.3.0", true},
		{"0.0.0", "0.0.1", Patch, "0.0.1", true},
		{"2.0.0-rc.1", "2.0.0-rc.2", Major, "2.0.0", true},
		{"2.0.0-rc.9", "2.0.0-rc.10", Patch, "2.0.0", true},
		{"2.0.0-rc.1", "2.0.0-rc.1", Patch, "2.0.0", false},
		{"2.0.0-rc.2", "2.0.0-rc.1", None, "", false},
		{"2.0.0-rc.1", "2.0.0", Major, "2.0.0", true},
		{"1.0.99999999999999999999", "1.0.100000000000000000000", Patch, "1.0.100000000000000000000", true},
		{"", "1.0.0", Major, "", false},
		{"1.0.0", "", Major, "2.0.0", false},
	} {
		a := &Advice{Change: test.change, Old: test.old, New: test.new}
		if a.decide(); a.Least != test.least || a.Right != test.right {
			t.Errorf("%s to %s, %v: at least %q, %v; want %q, %v", test.old, test.new, test.change, a.Least, a.Right, test.least, test.right)
		}
	}
}

func TestRenames(t *testing.T) {
	text := func(n int) string {
		var words []string
		for i := range 20 {
			words = append(words, fmt.Sprintf("word%d", n+i))
		}
		return strings.Join(words, " ")
	}
	for name, test := range map[string]struct {
		gone, added []candidate
		want        map[string]string
	}{
		"nothing":                 {},
		"equal":                   {[]candidate{{"a", "x"}}, []candidate{{"b", "y"}, {"c", "x"}}, map[string]string{"a": "c"}},
		"equal, of one only":      {[]candidate{{"a", "x"}, {"b", "x"}}, []candidate{{"c", "x"}}, map[string]string{"a": "c"}},
		"empty":                   {[]candidate{{"a", ""}, {"b", "\n"}}, []candidate{{"c", ""}, {"d", "\n"}}, nil},
		"nearly equal":            {[]candidate{{"a", text(0)}}, []candidate{{"b", text(4)}}, map[string]string{"a": "b"}},
		"the nearest":             {[]candidate{{"a", text(0)}}, []candidate{{"b", text(4)}, {"c", text(2)}, {"d", text(3)}}, map[string]string{"a": "c"}},
		"not near enough":         {[]candidate{{"a", text(0)}}, []candidate{{"b", text(5)}}, nil},
		"nearly equal, but short": {[]candidate{{"a", "one two three four five six"}}, []candidate{{"b", "one two three four five seven"}}, nil},
		"equal before near":       {[]candidate{{"a", text(1)}, {"b", text(0)}}, []candidate{{"c", text(0)}}, map[string]string{"b": "c"}},
	} {
		got := renames(test.gone, test.added)
		if len(got) != len(test.want) || !maps.Equal(got, test.want) && len(got) > 0 {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	// Beyond the limit only equal texts are found.
	var gone, added []candidate
	long := strings.Repeat(text(0)+" ", 100)
	for i := range 800 {
		gone = append(gone, candidate{fmt.Sprint("old", i), fmt.Sprint(long, i)})
		added = append(added, candidate{fmt.Sprint("new", i), fmt.Sprint(long, i, strings.Repeat(" more", i%2))})
	}
	if got := renames(gone, added); len(got) != 400 || got["old0"] != "new0" {
		t.Errorf("%d were renamed", len(got))
	}
}
