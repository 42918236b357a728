// This file holds the SARIF format (OASIS, Static Analysis Results Interchange
// Format, version 2.1.0; section numbers are the standard's).

package diag

import (
	"bufio"
	"net/url"
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sarifBase is what paths are relative to: the working directory, which the
// consumer takes for the root of the repository.
const sarifBase = "%SRCROOT%"

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string     `json:"id"`
		ShortDescription *sarifText `json:"shortDescription,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID           string          `json:"ruleId"`
		RuleIndex        int             `json:"ruleIndex"`
		Level            string          `json:"level"`
		Message          sarifText       `json:"message"`
		Locations        []sarifLocation `json:"locations"`
		RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
		Fixes            []sarifFix      `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description *sarifText    `json:"description,omitempty"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted sarifText   `json:"insertedContent"`
	}
)

// writeSARIF prints a log of one run, which names the rules that occur.
func writeSARIF(w *bufio.Writer, l List) {
	rules := []sarifRule{}
	index := make(map[string]int)
	results := []sarifResult{}
	for i := range l {
		d := &l[i]
		at, ok := index[d.Rule]
		if !ok {
			at = len(rules)
			index[d.Rule] = at
			rules = append(rules, sarifRule{d.Rule, optional(Describe(d.Rule))})
		}
		r := sarifResult{
			RuleID: d.Rule, RuleIndex: at, Level: d.Severity.String(),
			Message:   sarifText{d.Message},
			Locations: []sarifLocation{{Physical: physical(d.Span)}},
		}
		if d.Help != "" {
			r.Message.Text += "\n" + d.Help
		}
		for i, related := range d.Related {
			r.RelatedLocations = append(r.RelatedLocations, sarifLocation{&i, physical(related.Span), optional(related.Message)})
		}
		if d.Fix != nil {
			p := physical(d.Fix.Span)
			change := sarifChange{p.Artifact, []sarifReplacement{{p.Region, sarifText{d.Fix.Replacement}}}}
			r.Fixes = []sarifFix{{optional(d.Help), []sarifChange{change}}}
		}
		results = append(results, r)
	}
	w.Write(encodeJSON(sarifLog{sarifSchema, "2.1.0", []sarifRun{{
		Tool: sarifTool{sarifDriver{"promptc", rules}},
		// A column counts code points (section 3.14.17); the default is UTF-16.
		ColumnKind: "unicodeCodePoints",
		Results:    results,
	}}}, "  "))
}

func optional(text string) *sarifText {
	if text == "" {
		return nil
	}
	return &sarifText{text}
}

func physical(s Span) sarifPhysical {
	// A URI escapes what may not stand in it, and a colon in a first element
	// that would read as a scheme (RFC 3986, section 4.2).
	uri := (&url.URL{Path: s.Source.Name}).String()
	p := placeOf(s)
	return sarifPhysical{sarifArtifact{uri, sarifBase}, sarifRegion{p.Line, p.Column, p.EndLine, p.EndColumn}}
}
