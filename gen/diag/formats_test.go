// This file tests that the formats for programs can be read back.

package diag

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// What is read back from the JSON is what was put in.
func TestJSON(t *testing.T) {
	l := faults()
	var b bytes.Buffer
	if err := Write(&b, JSON, l); err != nil {
		t.Fatal(err)
	}
	type span struct {
		Path                                       string
		Line, Column, EndLine, EndColumn           int
		Severity, Rule, Message, Help, Replacement string
	}
	var got []struct {
		span
		Fix     *span
		Related []span
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(l) {
		t.Fatalf("%d entries, want %d", len(got), len(l))
	}
	same := func(got span, want Span) {
		t.Helper()
		start, end := want.Position(), want.EndPosition()
		if got.Line != start.Line || got.Column != start.Column || got.EndLine != end.Line || got.EndColumn != end.Column {
			t.Errorf("place %+v, want %v to %v", got, start, end)
		}
	}
	for i, g := range got {
		w := l[i]
		if g.Path != w.Span.Source.Name || g.Severity != w.Severity.String() || g.Rule != w.Rule || g.Message != w.Message || g.Help != w.Help {
			t.Errorf("got %+v, want %+v", g, w)
		}
		same(g.span, w.Span)
		if (g.Fix != nil) != (w.Fix != nil) {
			t.Errorf("fix is %v, want %v", g.Fix, w.Fix)
		} else if g.Fix != nil {
			same(*g.Fix, w.Fix.Span)
			if g.Fix.Replacement != w.Fix.Replacement {
				t.Errorf("replacement %q, want %q", g.Fix.Replacement, w.Fix.Replacement)
			}
		}
		if len(g.Related) != len(w.Related) {
			t.Fatalf("%d related places, want %d", len(g.Related), len(w.Related))
		}
		for j, r := range g.Related {
			same(r, w.Related[j].Span)
			if r.Path != w.Related[j].Span.Source.Name || r.Message != w.Related[j].Message {
				t.Errorf("got %+v, want %+v", r, w.Related[j])
			}
		}
	}
}

// A command is one line, and splits into the properties that were put in.
func TestGitHub(t *testing.T) {
	l := faults()
	var b bytes.Buffer
	if err := Write(&b, GitHub, l); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != len(l) {
		t.Fatalf("%d lines, want %d", len(lines), len(l))
	}
	unescape := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	for i, line := range lines {
		command, ok := strings.CutPrefix(line, "::"+l[i].Severity.String()+" ")
		properties, data, found := strings.Cut(command, "::")
		if !ok || !found {
			t.Fatalf("not a command: %q", line)
		}
		got := make(map[string]string)
		for _, p := range strings.Split(properties, ",") {
			name, value, _ := strings.Cut(p, "=")
			got[name] = unescape.Replace(value)
		}
		d := l[i]
		if got["file"] != d.Span.Source.Name || got["title"] != d.Rule {
			t.Errorf("properties %v of %v", got, d)
		}
		if oneLine := d.Span.Position().Line == d.Span.EndPosition().Line; oneLine != (got["col"] != "") {
			t.Errorf("col is %q, endLine %q", got["col"], got["endLine"])
		}
		if !strings.HasPrefix(unescape.Replace(data), visible(d.Message)) {
			t.Errorf("data %q, want the message %q", data, d.Message)
		}
	}
}

// The log has what the schema requires: of the log, version and runs; of a run,
// the tool's driver's name; of a rule, its id; of a result, its message; of a
// fix, its changes; of a change, the artifact and at least one replacement; of a
// replacement, the deleted region. Regions count from 1 and do not end before
// they start.
func TestSARIF(t *testing.T) {
	for _, l := range []List{faults(), nil} {
		var b bytes.Buffer
		if err := Write(&b, SARIF, l); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		d := json.NewDecoder(&b)
		d.DisallowUnknownFields()
		if err := d.Decode(&log); err != nil {
			t.Fatal(err)
		}
		if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-schema-2.1.0") || len(log.Runs) != 1 {
			t.Fatalf("log %+v", log)
		}
		run := log.Runs[0]
		if run.Tool.Driver.Name != "promptc" || run.ColumnKind != "unicodeCodePoints" {
			t.Errorf("run %+v", run)
		}
		if run.Results == nil || run.Tool.Driver.Rules == nil {
			t.Error("results or rules are null: that means that the check was not run")
		}
		rules := run.Tool.Driver.Rules
		for i, r := range rules {
			for _, other := range rules[:i] {
				if r.ID == other.ID {
					t.Errorf("rule %q is listed twice", r.ID)
				}
			}
			if r.ShortDescription == nil {
				t.Errorf("rule %q has no description", r.ID)
			}
		}
		checkPlace := func(p sarifPhysical, want Span) {
			t.Helper()
			u, err := url.Parse(p.Artifact.URI)
			if err != nil || u.IsAbs() || strings.TrimPrefix(u.Path, "./") != want.Source.Name || p.Artifact.Base != sarifBase {
				t.Errorf("artifact %+v, want %q (%v)", p.Artifact, want.Source.Name, err)
			}
			r := p.Region
			if r.StartLine < 1 || r.StartColumn < 1 || r.EndLine < r.StartLine || r.EndLine == r.StartLine && r.EndColumn < r.StartColumn {
				t.Errorf("region %+v", r)
			}
			if start := want.Position(); r.StartLine != start.Line || r.StartColumn != start.Column {
				t.Errorf("region %+v, want %v", r, start)
			}
		}
		if len(run.Results) != len(l) {
			t.Fatalf("%d results, want %d", len(run.Results), len(l))
		}
		for i, r := range run.Results {
			d := l[i]
			if rules[r.RuleIndex].ID != r.RuleID || r.RuleID != d.Rule || r.Level != d.Severity.String() {
				t.Errorf("result %+v", r)
			}
			if !strings.HasPrefix(r.Message.Text, d.Message) || !strings.HasSuffix(r.Message.Text, d.Help) {
				t.Errorf("message %q", r.Message.Text)
			}
			checkPlace(r.Locations[0].Physical, d.Span)
			for j, related := range r.RelatedLocations {
				checkPlace(related.Physical, d.Related[j].Span)
			}
			if (d.Fix != nil) != (len(r.Fixes) == 1) {
				t.Errorf("fixes %+v, want %+v", r.Fixes, d.Fix)
			}
			for _, f := range r.Fixes {
				change := f.Changes[0].Replacements[0]
				checkPlace(sarifPhysical{f.Changes[0].Artifact, change.Deleted}, d.Fix.Span)
				if change.Inserted.Text != d.Fix.Replacement {
					t.Errorf("inserted %q", change.Inserted.Text)
				}
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	for i, r := range rules {
		if i > 0 && r[0] <= rules[i-1][0] {
			t.Errorf("rule %q is not in its place", r[0])
		}
		if Describe(r[0]) != r[1] || !strings.HasSuffix(r[1], ".") {
			t.Errorf("rule %q: %q", r[0], r[1])
		}
	}
	if got := Describe("no-such-rule"); got != "" {
		t.Errorf("an unknown rule is described as %q", got)
	}
}
