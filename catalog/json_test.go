// This file tests the JSON of what a prompt or skill may not have.

package catalog_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// TestMeta has each of the fields that can be empty, so, and not.
func TestMeta(t *testing.T) {
	document := &catalog.Document{Digest: "d"}
	for name, test := range map[string]struct {
		prompt catalog.Prompt
		want   map[string]any
	}{
		"nothing": {catalog.Prompt{}, map[string]any{"promptc/source": "built-in"}},
		"all": {
			catalog.Prompt{Source: "team", Version: "1.0.0", Category: "c", Tags: []string{"x", "y"}},
			map[string]any{"promptc/source": "team", "promptc/version": "1.0.0", "promptc/category": "c", "promptc/tags": []any{"x", "y"}},
		},
		"tags":     {catalog.Prompt{Tags: []string{"x"}}, map[string]any{"promptc/source": "built-in", "promptc/tags": []any{"x"}}},
		"category": {catalog.Prompt{Category: "c"}, map[string]any{"promptc/source": "built-in", "promptc/category": "c"}},
		"version":  {catalog.Prompt{Version: "1.0.0"}, map[string]any{"promptc/source": "built-in", "promptc/version": "1.0.0"}},
	} {
		test.prompt.Document = document
		test.want["promptc/digest"] = "d"
		var got map[string]any
		if err := json.Unmarshal(test.prompt.AppendMeta(nil), &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}

// TestRecord has a skill of the built-in tree, and one from elsewhere without a
// version.
func TestRecord(t *testing.T) {
	for _, s := range []*catalog.Skill{{ID: "a", Version: "1.0.0"}, {ID: "a", Source: "team"}} {
		var record, index map[string]any
		if err := json.Unmarshal([]byte(s.Record()), &record); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(catalog.SkillsIndex([]*catalog.Skill{s})), &index); err != nil {
			t.Fatal(err)
		}
		indexed := index["skills"].([]any)[0].(map[string]any)
		for what, got := range map[string]map[string]any{"record": record, "index": indexed} {
			version, ok := got["version"]
			if ok != (s.Version != "") || ok && version != s.Version {
				t.Errorf("the %s of %+v has the version %v", what, s, version)
			}
		}
		source, ok := record["source"]
		if ok != (s.Source != "") || ok && source != s.Source {
			t.Errorf("the record of %+v has the source %v", s, source)
		}
		if _, ok := indexed["source"]; ok {
			t.Errorf("the index has the source of %+v", s)
		}
	}
}
