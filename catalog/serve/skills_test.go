// This file holds the tests of the skills extension.

package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// TestSkills does as a host does: it lists the skills, gets each again, reads every
// file that an entry names and verifies it, and finds the same files by walking the
// directories.
func TestSkills(t *testing.T) {
	prefixed := assemble("team/deep/", nil, []*catalog.Skill{skill("a", nil), skill("b", nil, "references/x.md", "x")}, nil)
	for name, c := range map[string]*catalog.Catalog{"plain": fixture(), "under a prefix": prefixed} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, Options{PageSize: 1}, c)
			for _, e := range []era{legacy, modern} {
				entries := walkEntries(t, s, e, "skills/list", "skills", "")
				if len(entries) != len(c.Skills) {
					t.Fatalf("%d skills", len(entries))
				}
				for i, entry := range entries {
					uri := entry["uri"].(string)
					if want := "skill://" + c.Prefix + c.Skills[i].ID + "/SKILL.md"; uri != want {
						t.Errorf("skill %d is %s, want %s", i, uri, want)
					}
					got, _ := request(t, s, e, "skills/get", `{"uri":"`+uri+`"}`)
					if toJSON(got.Result["skill"]) != toJSON(entry) {
						t.Errorf("skills/get of %s is %s", uri, toJSON(got.Result))
					}
					if e == modern && (got.Result["ttlMs"] != 86400000.0 || got.Result["cacheScope"] != "public" || got.Result["resultType"] != "complete") {
						t.Errorf("skills/get of %s is %s", uri, toJSON(got.Result))
					}
					files := map[string]bool{}
					for _, r := range entry["resources"].([]any) {
						r := r.(map[string]any)
						files[r["uri"].(string)] = true
						verify(t, s, e, r)
					}
					if len(files) != len(c.Skills[i].Files) {
						t.Errorf("%d files, want %d", len(files), len(c.Skills[i].Files))
					}
					walkDirectory(t, s, e, strings.TrimSuffix(uri, "/SKILL.md"), files)
					for file := range files {
						t.Errorf("%s is in no directory", file)
					}
				}
			}
		})
	}
}

// walkEntries reads all pages of a list.
func walkEntries(t *testing.T, s *Server, e era, method, key, params string) []map[string]any {
	t.Helper()
	var all []map[string]any
	cursor := ""
	for {
		given := strings.TrimSuffix(params, "}")
		if cursor != "" {
			if given == "" {
				given = "{"
			} else {
				given += ","
			}
			given += `"cursor":"` + cursor + `"`
		}
		if given != "" {
			given += "}"
		}
		a, _ := request(t, s, e, method, given)
		if a.Error != nil {
			t.Fatalf("%s %s: %v", method, given, a.Error)
		}
		for _, entry := range a.Result[key].([]any) {
			all = append(all, entry.(map[string]any))
		}
		next, ok := a.Result["nextCursor"].(string)
		if !ok {
			return all
		}
		cursor = next
	}
}

// verify reads a file and compares it with its entry.
func verify(t *testing.T, s *Server, e era, entry map[string]any) {
	t.Helper()
	a, _ := request(t, s, e, "resources/read", toJSON(map[string]any{"uri": entry["uri"]}))
	if a.Error != nil {
		t.Errorf("%s: %v", entry["uri"], a.Error)
		return
	}
	contents := a.Result["contents"].([]any)[0].(map[string]any)
	text, ok := contents["text"].(string)
	data := []byte(text)
	if !ok {
		var err error
		if data, err = base64.StdEncoding.DecodeString(contents["blob"].(string)); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(data)
	if entry["digest"] != "sha256:"+hex.EncodeToString(sum[:]) || entry["size"] != float64(len(data)) || contents["uri"] != entry["uri"] {
		t.Errorf("%s is not as %s says", toJSON(contents), toJSON(entry))
	}
}

// walkDirectory strikes the files below a directory from files.
func walkDirectory(t *testing.T, s *Server, e era, uri string, files map[string]bool) {
	t.Helper()
	seen := map[string]bool{}
	for _, child := range walkEntries(t, s, e, "resources/directory/read", "resources", `{"uri":"`+uri+`"}`) {
		at := child["uri"].(string)
		if seen[at] {
			t.Errorf("%s is listed twice", at)
		}
		seen[at] = true
		if child["mimeType"] == directoryType {
			walkDirectory(t, s, e, at, files)
			continue
		}
		if !files[at] {
			t.Errorf("%s is in no entry, or in two directories", at)
		}
		delete(files, at)
	}
	if len(seen) == 0 {
		t.Errorf("%s is empty", uri)
	}
}

func TestDirectory(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	annotations := `"annotations":{"idempotentHint":true,"readOnlyHint":true}`
	for uri, want := range map[string]string{
		"skill://tests/assets": `[{"mimeType":"inode/directory","name":"a-b","uri":"skill://tests/assets/a-b"},` +
			`{"mimeType":"inode/directory","name":"a","uri":"skill://tests/assets/a"},` +
			`{` + annotations + `,"mimeType":"application/octet-stream","name":"odd name%.txt","size":3,"uri":"skill://tests/assets/odd%20name%25.txt"}]`,
		"skill://tests/assets/a": `[{"mimeType":"inode/directory","name":"deep","uri":"skill://tests/assets/a/deep"},` +
			`{` + annotations + `,"mimeType":"application/octet-stream","name":"y","size":1,"uri":"skill://tests/assets/a/y"}]`,
	} {
		a, _ := request(t, s, modern, "resources/directory/read", `{"uri":"`+uri+`"}`)
		if got := toJSON(a.Result["resources"]); got != want {
			t.Errorf("%s: %s", uri, got)
		}
		if a.Result["ttlMs"] != 86400000.0 || a.Result["cacheScope"] != "public" || a.Result["resultType"] != "complete" {
			t.Errorf("%s: %s", uri, toJSON(a.Result))
		}
	}
	// The SKILL.md is as resources/list has it: by the skill's name.
	a, _ := request(t, s, modern, "resources/directory/read", `{"uri":"skill://tests"}`)
	if got := toJSON(a.Result["resources"]); !strings.HasPrefix(got, `[{`+annotations+`,"description":"What tests says.","mimeType":"text/markdown","name":"tests",`) {
		t.Errorf("skill://tests: %s", got)
	}
}

// TestSkillsCapability shows that the extension is there where there are skills.
func TestSkillsCapability(t *testing.T) {
	const hello = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`
	for _, test := range []struct {
		c    *catalog.Catalog
		want string
	}{{fixture(), `{"io.modelcontextprotocol/skills":{"directoryRead":true}}`}, {numbered(1), "null"}} {
		s := newServer(t, Options{}, test.c)
		old, _ := request(t, s, legacy, "initialize", hello)
		new, _ := request(t, s, modern, "server/discover", "")
		for _, a := range []answer{old, new} {
			if got := toJSON(a.Result["capabilities"].(map[string]any)["extensions"]); got != test.want {
				t.Errorf("the extensions are %s, want %s", got, test.want)
			}
		}
		if test.want == "null" {
			for _, method := range []string{"skills/list", "skills/get", "resources/directory/read"} {
				if a, _ := request(t, s, modern, method, ""); a.Error == nil || a.Error.Code != -32601 {
					t.Errorf("%s without skills: %s", method, fmt.Sprint(a.Error))
				}
			}
		}
	}
}
