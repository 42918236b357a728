// This file holds the tests of the tools.

package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

func TestTools(t *testing.T) {
	w := &witness{}
	s := newMuxServer(t, Options{Tools: true, Observer: w}, mountOwn)
	c := fixture()
	tests := []struct {
		name, params string
		want         string // the content as JSON; "!" and a part of the text for an error
	}{
		{"list with a cursor", `{"name":"list_prompts","arguments":{"cursor":"AAAA"}}`, "!the cursor is not one of prompts/list"},
		{"get", `{"name":"get_prompt","arguments":{"name":"plain"}}`, textBlock("No arguments at all, and <html> & 'quotes'.")},
		{"get without arguments", `{"name":"get_prompt","arguments":{"name":"plain","arguments":null}}`, textBlock("No arguments at all, and <html> & 'quotes'.")},
		{"get with arguments", `{"name":"get_prompt","arguments":{"name":"deploy-app","arguments":{"service":"a\u0041\n\"{{version}}","environment":"prod \"2\""}}}`,
			textBlock("Deploy aA\n\"{{version}} to prod \"2\", version Not provided.\n\"Quoted\" \\ aA\n\"{{version}} again.")},
		{"get several", `{"name":"get_prompt","arguments":{"name":"dialogue","arguments":{"a":"x","b":"choice 001"}}}`,
			textBlock("user:", "Say xchoice 001", "assistant:", "I said choice 001: \u00e9\u2028\U0001f600", "user:", "And Not provided literal? {{ c }}: x")},
		{"get unknown", `{"name":"get_prompt","arguments":{"name":"nope"}}`, `!no prompt has the name "nope"`},
		{"get with bad arguments", `{"name":"get_prompt","arguments":{"name":"deploy-app","arguments":{"environment":"x","zone":"z"}}}`,
			`!prompt "deploy-app": missing required argument "service"; unknown argument "zone"; argument "environment" must be one of`},
		{"get with a number", `{"name":"get_prompt","arguments":{"name":"own/all","arguments":{"who":1}}}`, `!argument "who" is not a string`},
		{"get what fails", `{"name":"get_prompt","arguments":{"name":"own/fails"}}`, "!internal error"},
		{"get without a name", `{"name":"get_prompt","arguments":{}}`, "!the argument name is missing"},
		{"get without anything", `{"name":"get_prompt"}`, "!the argument name is missing"},
		{"get by a number", `{"name":"get_prompt","arguments":{"name":1}}`, "!the argument name must be a text"},
		{"get by two names", `{"name":"get_prompt","arguments":{"name":"plain","name":"dialogue"}}`, "!the argument name is given twice"},
		{"get with a text", `{"name":"get_prompt","arguments":{"name":"plain","arguments":"x"}}`, "!the argument arguments must be an object"},
		{"get with more", `{"name":"get_prompt","arguments":{"name":"plain","id":1}}`, "!get_prompt has no argument id"},
		{"skills", `{"name":"list_skills","arguments":null}`, textBlock(catalog.SkillsIndex(c.Skills))},
		{"skill", `{"name":"read_skill","arguments":{"skill_id":"tests"}}`, textBlock(c.Skills[0].Document.String())},
		{"reference", `{"name":"read_skill","arguments":{"skill_id":"tests","ref_id":"marks"}}`, textBlock(c.Skills[0].References[0].Document.String())},
		{"skill unknown", `{"name":"read_skill","arguments":{"skill_id":"nope"}}`, `!no skill has the id "nope"`},
		{"reference unknown", `{"name":"read_skill","arguments":{"skill_id":"tests","ref_id":"nope"}}`, `!the skill "tests" has no reference "nope"`},
		{"document", `{"name":"read_document","arguments":{"uri":"resource://docs/readme.md"}}`, textBlock("# Read me\n")},
		{"file of a skill", `{"name":"read_document","arguments":{"uri":"skill://tests/references/marks.md"}}`, textBlock(c.Skills[0].References[0].Document.String())},
		{"bytes", `{"name":"read_document","arguments":{"uri":"skill://tests/assets/a/deep/logo.png"}}`,
			`[{"resource":{"blob":"iVBOR/8=","mimeType":"application/octet-stream","uri":"skill://tests/assets/a/deep/logo.png"},"type":"resource"}]`},
		{"function", `{"name":"read_document","arguments":{"uri":"own://item/3"}}`, textBlock("item 3")},
		{"function with bytes", `{"name":"read_document","arguments":{"uri":"own://item/blob"}}`, `[{"resource":{"blob":"AQ==","mimeType":"image/png","uri":"own://elsewhere"},"type":"resource"}]`},
		{"document unknown", `{"name":"read_document","arguments":{"uri":"resource://docs/nope.md"}}`, "!resource not found"},
	}
	for _, test := range tests {
		for _, e := range []era{legacy, modern} {
			a, status := request(t, s, e, "tools/call", test.params)
			if a.Error != nil || status != 200 {
				t.Errorf("%s: status %d, error %v", test.name, status, a.Error)
				continue
			}
			got, want := toJSON(a.Result["content"]), test.want
			part, isError := strings.CutPrefix(want, "!")
			if isError {
				if a.Result["isError"] != true || !strings.Contains(a.Result["content"].([]any)[0].(map[string]any)["text"].(string), part) {
					t.Errorf("%s: got %s, want an error with %s", test.name, toJSON(a.Result), part)
				}
				continue
			}
			if got != want || a.Result["isError"] != nil {
				t.Errorf("%s: got %s, want %s", test.name, got, want)
			}
		}
	}
	list, _ := request(t, s, legacy, "prompts/list", "")
	a, _ := request(t, s, legacy, "tools/call", `{"name":"list_prompts"}`)
	var listed any
	if err := json.Unmarshal([]byte(a.Result["content"].([]any)[0].(map[string]any)["text"].(string)), &listed); err != nil || toJSON(listed) != toJSON(list.Result) {
		t.Errorf("list_prompts has %s, not %s", toJSON(listed), toJSON(list.Result))
	}
	a, _ = request(t, s, legacy, "tools/call", `{"name":"get_prompt","arguments":{"name":"own/all","arguments":{"who":"W"}}}`)
	var kinds []any
	for _, block := range a.Result["content"].([]any) {
		kinds = append(kinds, block.(map[string]any)["type"])
	}
	if got := fmt.Sprint(kinds); got != "[text text text image text audio text resource text resource_link]" {
		t.Errorf("get_prompt has %s", got)
	}
	if seen := w.take(); !slices.Contains(seen, Rendering{Prompt: "plain", Outcome: Rendered}) ||
		!slices.Contains(seen, Rendering{Prompt: "own/fails", Mount: "own/", Dynamic: true, Outcome: Failed}) {
		t.Errorf("the observer saw %v", seen)
	}
}

// textBlock returns content of texts as JSON.
func textBlock(texts ...string) string {
	var blocks []map[string]string
	for _, text := range texts {
		blocks = append(blocks, map[string]string{"type": "text", "text": text})
	}
	return toJSON(blocks)
}

func TestToolsList(t *testing.T) {
	s := newMuxServer(t, Options{Tools: true}, mountOwn)
	for _, e := range []era{legacy, modern} {
		a, _ := request(t, s, e, "tools/list", "")
		if got := namesOf(a, "tools"); got != "list_prompts get_prompt list_skills read_skill read_document" {
			t.Errorf("the tools are %s", got)
		}
		if e == modern && (a.Result["ttlMs"] != 86400000.0 || a.Result["cacheScope"] != "public") {
			t.Errorf("ttlMs %v, cacheScope %v", a.Result["ttlMs"], a.Result["cacheScope"])
		}
		var result mcp.ListToolsResult
		if err := json.Unmarshal([]byte(toJSON(a.Result)), &result); err != nil {
			t.Fatal(err)
		}
		for _, tool := range result.Tools {
			if !*tool.Annotations.ReadOnlyHint || !*tool.Annotations.IdempotentHint || *tool.Annotations.DestructiveHint || *tool.Annotations.OpenWorldHint {
				t.Errorf("%s is annotated %+v", tool.Name, tool.Annotations)
			}
			if tool.InputSchema.Type != "object" || tool.InputSchema.AdditionalProperties != false {
				t.Errorf("%s takes %+v", tool.Name, tool.InputSchema)
			}
			for _, name := range tool.InputSchema.Required {
				if tool.InputSchema.Properties[name] == nil {
					t.Errorf("%s requires %s, which is no property", tool.Name, name)
				}
			}
		}
		capabilities := func(s *Server) any {
			if e == modern {
				a, _ := request(t, s, e, "server/discover", "")
				return a.Result["capabilities"].(map[string]any)["tools"]
			}
			a, _ := request(t, s, e, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
			return a.Result["capabilities"].(map[string]any)["tools"]
		}
		if capabilities(s) == nil || capabilities(newServer(t, Options{}, fixture())) != nil {
			t.Error("the capability is not there where the tools are, or is where they are not")
		}
	}
}
