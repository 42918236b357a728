// This file holds the tests of what a principal sees.

package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// mountTeams mounts two catalogs and a repository: prompts and skills that are
// open, and some that a principal needs a tag or a prefix for.
func mountTeams(m *catalog.Mux) error {
	tagged := func(id string, tags ...string) *catalog.Prompt {
		p := prompt(id, "Text of "+id+".")
		p.Tags = tags
		return p
	}
	open, closed := skill("open", []string{"shared"}, "references/how.md", "# How\n"), skill("secret", nil, "references/why.md", "# Why\n", "assets/x", "\xff")
	open.DependsOn = []string{"secret"}
	open.Capabilities = []string{"anything", "resource://skills/secret/document", "resource://docs/prompts/hidden/PROMPT.md", "resource://docs/guide.md"}
	prompts := []*catalog.Prompt{tagged("hidden"), tagged("public", "shared", "x")}
	var documents []*catalog.Document
	documents = append(documents, document("guide.md", "Guide", "# Guide\n"), document("prompts/README.md", "Read me", "# Read me\n"), document("skills/README.md", "Read me", "# Read me\n"))
	for _, p := range prompts {
		documents = append(documents, p.Document)
	}
	documents = append(append(documents, markdown(open)...), markdown(closed)...)
	slices.SortFunc(documents, func(a, b *catalog.Document) int { return strings.Compare(a.Path, b.Path) })
	team := assemble("team/", []*catalog.Prompt{tagged("only")}, nil, nil)
	for _, err := range []error{
		m.Mount(assemble("", prompts, []*catalog.Skill{open, closed}, documents)),
		m.Mount(team),
		m.MountRepository(pages("live/", "a", "b")),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestPrincipals(t *testing.T) {
	s := newMuxServer(t, Options{PageSize: 2, Tools: true}, mountTeams)
	everything := []string{"hidden", "public", "team/only", "live/a", "live/b"}
	for name, test := range map[string]struct {
		p               *catalog.Principal
		prompts, skills []string
	}{
		"nobody":     {nil, everything, []string{"open", "secret"}},
		"no limits":  {&catalog.Principal{Name: "a"}, everything, []string{"open", "secret"}},
		"a tag":      {&catalog.Principal{Tags: []string{"shared"}}, []string{"public"}, []string{"open"}},
		"a prefix":   {&catalog.Principal{Prefixes: []string{"team/"}}, []string{"team/only"}, nil},
		"both":       {&catalog.Principal{Prefixes: []string{"live/"}, Tags: []string{"x"}}, []string{"public", "live/a", "live/b"}, nil},
		"nothing":    {&catalog.Principal{Tags: []string{"none"}}, nil, nil},
		"everything": {&catalog.Principal{Prefixes: []string{""}}, everything, []string{"open", "secret"}},
	} {
		texts, _ := walkPrompts(t, s, test.p)
		if got := strings.Fields(strings.Join(texts, " ")); !slices.Equal(got, test.prompts) {
			t.Errorf("%s lists %q, want %q", name, got, test.prompts)
		}
		if len(texts) > 1 && slices.Contains(texts, "") {
			t.Errorf("%s gets an empty page: %q", name, texts)
		}
		if test.skills == nil {
			test.skills = []string{}
		}
		ask := func(e era, method, params string) answer {
			a, _ := exchangeAs(t, s, test.p, e, e.request("7", method, params))
			return a
		}
		for _, e := range []era{legacy, modern} {
			for _, prompt := range everything[:3] {
				got := ask(e, "prompts/get", `{"name":"`+prompt+`"}`)
				sameAs(t, ask, e, name, "prompts/get", "name", prompt, slices.Contains(test.prompts, prompt), got)
			}
			completed := ask(e, "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/document"},"argument":{"name":"skill_id","value":""}}`)
			if got := toJSON(completed.Result["completion"].(map[string]any)["values"]); got != toJSON(test.skills) {
				t.Errorf("%s completes %s, want %q", name, got, test.skills)
			}
			for id, reference := range map[string]string{"open": "how", "secret": "why"} {
				seen := slices.Contains(test.skills, id)
				for _, uri := range []string{
					"resource://catalog/skills/" + id, "resource://skills/" + id + "/document", "resource://skills/" + id + "/references/" + reference,
					"resource://docs/skills/" + id + "/SKILL.md", "resource://docs/skills/" + id + "/references/" + reference + ".md",
					"skill://" + id + "/SKILL.md", "skill://" + id + "/references/" + reference + ".md",
				} {
					sameAs(t, ask, e, name, "resources/read", "uri", uri, seen, ask(e, "resources/read", `{"uri":"`+uri+`"}`))
				}
				uri := "skill://" + id + "/SKILL.md"
				sameAs(t, ask, e, name, "skills/get", "uri", uri, seen, ask(e, "skills/get", `{"uri":"`+uri+`"}`))
				uri = "skill://" + id + "/references"
				sameAs(t, ask, e, name, "resources/directory/read", "uri", uri, seen, ask(e, "resources/directory/read", `{"uri":"`+uri+`"}`))
				of := ask(e, "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/references/{ref_id}"},"argument":{"name":"ref_id","value":""},"context":{"arguments":{"skill_id":"`+id+`"}}}`)
				if got := of.Result["completion"].(map[string]any)["total"]; (got == 1.0) != seen {
					t.Errorf("%s completes %v references of %s", name, got, id)
				}
				if a := ask(e, "tools/call", `{"name":"read_skill","arguments":{"skill_id":"`+id+`"}}`); (a.Result["isError"] == nil) != seen {
					t.Errorf("%s has the tool say %s of %s", name, toJSON(a.Result), id)
				}
			}
			for _, uri := range []string{"resource://docs/guide.md", "resource://catalog/skills_index"} {
				if a := ask(e, "resources/read", `{"uri":"`+uri+`"}`); a.Error != nil {
					t.Errorf("%s does not see %s", name, uri)
				}
			}
			seen := slices.Contains(test.prompts, "hidden")
			for _, readme := range []string{"resource://docs/prompts/README.md", "resource://docs/skills/README.md"} {
				got, want := ask(e, "resources/read", `{"uri":"`+readme+`"}`), ask(e, "resources/read", `{"uri":"`+readme+`x"}`)
				if (got.Error == nil) != seen || !seen && strings.ReplaceAll(toJSON(want), "README.mdx", "README.md") != toJSON(got) {
					t.Errorf("%s reads %s: %s", name, readme, toJSON(got))
				}
			}
			paths := ask(e, "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://docs/{+path}"},"argument":{"name":"path","value":""}}`)
			if got := toJSON(paths.Result); strings.Contains(got, "prompts/README.md") != seen || strings.Contains(got, "skills/README.md") != seen || !strings.Contains(got, `"guide.md"`) {
				t.Errorf("%s completes %s", name, got)
			}
			uri := "resource://docs/prompts/hidden/PROMPT.md"
			sameAs(t, ask, e, name, "resources/read", "uri", uri, seen, ask(e, "resources/read", `{"uri":"`+uri+`"}`))
		}
		checkIndex(t, name, ask, test.skills)
	}
}

// sameAs fails unless something is answered with a result where it is seen, and
// otherwise as something is that does not exist.
func sameAs(t *testing.T, ask func(era, string, string) answer, e era, who, method, member, value string, seen bool, got answer) {
	t.Helper()
	if seen != (got.Error == nil) {
		t.Errorf("%s: %s of %s: %s", who, method, value, toJSON(got))
	}
	if seen {
		return
	}
	absent := strings.NewReplacer("hidden", "absent", "public", "absent", "only", "absent", "open", "absent", "secret", "absent").Replace
	if want := ask(e, method, `{"`+member+`":"`+absent(value)+`"}`); toJSON(want) != absent(toJSON(got)) {
		t.Errorf("%s: %s of %s is\n%s, not\n%s", who, method, value, toJSON(got), toJSON(want))
	}
}

// checkIndex holds the lists of skills together: the index, its place in
// resources/list, skills/list and the tool.
func checkIndex(t *testing.T, who string, ask func(era, string, string) answer, skills []string) {
	t.Helper()
	index := ask(legacy, "resources/read", `{"uri":"resource://catalog/skills_index"}`).Result["contents"].([]any)[0].(map[string]any)["text"].(string)
	var read struct{ Skills []struct{ ID string } }
	if err := json.Unmarshal([]byte(index), &read); err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, skill := range read.Skills {
		ids = append(ids, skill.ID)
	}
	if !slices.Equal(ids, skills) {
		t.Errorf("%s: the index has %q", who, ids)
	}
	listed := ask(legacy, "tools/call", `{"name":"list_skills"}`).Result["content"].([]any)[0].(map[string]any)["text"]
	if listed != index {
		t.Errorf("%s: the tool lists %s", who, listed)
	}
	sizes := map[any]any{}
	var uris []string
	for params := ""; ; {
		a := ask(legacy, "resources/list", params)
		for _, entry := range a.Result["resources"].([]any) {
			entry := entry.(map[string]any)
			uris = append(uris, entry["uri"].(string))
			sizes[entry["uri"]] = entry["size"]
		}
		if a.Result["nextCursor"] == nil {
			break
		}
		params = toJSON(map[string]any{"cursor": a.Result["nextCursor"]})
	}
	if size := sizes[catalog.SkillsIndexURI]; size != float64(len(index)) {
		t.Errorf("%s: the index has %d bytes, and is listed with %v", who, len(index), size)
	}
	if slices.Contains(skills, "open") {
		record := ask(legacy, "resources/read", `{"uri":"resource://catalog/skills/open"}`).Result["contents"].([]any)[0].(map[string]any)["text"].(string)
		all := slices.Contains(skills, "secret")
		if strings.Contains(record+index, "secret") != all || strings.Contains(record+index, "hidden") != all || !strings.Contains(record, "docs/guide.md") {
			t.Errorf("%s: the record is %s", who, record)
		}
		if sizes["resource://catalog/skills/open"] != float64(len(record)) {
			t.Errorf("%s: the record has %d bytes, and is listed with %v", who, len(record), sizes["resource://catalog/skills/open"])
		}
	}
	for _, id := range []string{"open", "secret"} {
		if n := strings.Count(strings.Join(uris, " "), "/"+id); (n == 4) != slices.Contains(skills, id) || n != 0 && n != 4 {
			t.Errorf("%s: %s stands %d times in %q", who, id, n, uris)
		}
	}
	a := ask(modern, "skills/list", "")
	ids = []string{}
	for _, entry := range a.Result["skills"].([]any) {
		ids = append(ids, entry.(map[string]any)["frontmatter"].(map[string]any)["name"].(string))
	}
	if !slices.Equal(ids, skills) {
		t.Errorf("%s: skills/list has %q", who, ids)
	}
}

// TestViewCursors shows that a cursor leads nowhere under other limits.
func TestViewCursors(t *testing.T) {
	s := newMuxServer(t, Options{PageSize: 1}, mountTeams)
	all := &catalog.Principal{Name: "a", Prefixes: []string{"", "live/"}}
	same := &catalog.Principal{Name: "b", Prefixes: []string{"live/", ""}}
	fewer := &catalog.Principal{Name: "c", Prefixes: []string{"hidden", "public", "team/", "live/"}}
	_, cursors := walkPrompts(t, s, all)
	if len(cursors) != 4 {
		t.Fatalf("%d cursors", len(cursors))
	}
	for i, cursor := range cursors {
		params := `{"cursor":"` + cursor + `"}`
		if a, _ := exchangeAs(t, s, same, legacy, legacy.request("7", "prompts/list", params)); a.Error != nil {
			t.Errorf("cursor %d is refused under the same limits", i)
		}
		for _, other := range []*catalog.Principal{nil, fewer} {
			if a, _ := exchangeAs(t, s, other, legacy, legacy.request("7", "prompts/list", params)); a.Error == nil || a.Error.Code != -32602 {
				t.Errorf("cursor %d is taken under other limits", i)
			}
		}
	}
}

// TestViews shows that the number of views that are kept has a bound, and that they
// can be made side by side.
func TestViews(t *testing.T) {
	s := newMuxServer(t, Options{}, mountTeams)
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range mostViews {
				p := &catalog.Principal{Tags: []string{fmt.Sprint("t", (i+j)%(mostViews+9))}, Prefixes: []string{"team/"}}
				if v := s.stock.Load().view(p); len(v.prompts.entries()) != 1 {
					t.Errorf("%v sees %q", p.Tags, v.prompts.entries())
				}
			}
		})
	}
	all.Wait()
	for i := range 3 * mostViews {
		s.stock.Load().view(&catalog.Principal{Tags: []string{fmt.Sprint(i)}})
	}
	if len(s.stock.Load().views.byLimits) != mostViews || len(s.stock.Load().views.order) != mostViews {
		t.Errorf("%d views are kept", len(s.stock.Load().views.byLimits))
	}
	p := &catalog.Principal{Tags: []string{"shared"}}
	v := s.stock.Load().view(p)
	p.Tags[0] = "other"
	if len(v.prompts.entries()) != 1 {
		t.Error("a view changes with the principal that it was made for")
	}
}
