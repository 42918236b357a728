// This file compares what promptc serve answers with what promptd answers, which has the
// same content compiled in.

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

// A request is one to a server, of the era that a protocol version is of.
type request struct {
	version, method string
	params          string // a JSON object, or empty
}

func newRequest(version, method, params string) request {
	if mcp.IsModernProtocol(version) {
		meta := `{"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + version + `","` + mcp.MetaKeyClientCapabilities + `":{}}`
		if rest := strings.TrimPrefix(params, "{"); rest != "" && rest != "}" {
			params = meta + "," + rest
		} else {
			params = meta + "}"
		}
	}
	return request{version, method, params}
}

// body is the message, on one line.
func (r request) body(id int) string {
	if r.params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, r.method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, r.method, r.params)
}

// header is what goes with it over HTTP.
func (r request) header() http.Header {
	h := http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		http.CanonicalHeaderKey(mcp.HeaderProtocolVersion): {r.version},
	}
	if mcp.IsModernProtocol(r.version) {
		for name, value := range mcp.StandardHeaders(r.version, mcp.MCPMethod(r.method), json.RawMessage(r.params)) {
			if value != "" {
				h.Set(name, value)
			}
		}
	}
	return h
}

// everyRequest returns requests for all that a catalog has, by every method, and some
// that are wrong.
func everyRequest(version string, c *catalog.Catalog) (all []request) {
	add := func(method, format string, args ...any) {
		for i, a := range args {
			text, err := json.Marshal(a)
			if err != nil {
				panic(err) // there are texts and maps of texts only
			}
			args[i] = text
		}
		all = append(all, newRequest(version, method, fmt.Sprintf(format, args...)))
	}
	add("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	for _, method := range []string{
		"ping", "server/discover", "prompts/list", "resources/list", "resources/templates/list", "skills/list", "tools/list",
		"no/such/method", "prompts/get", "resources/read", "completion/complete", "skills/get", "resources/directory/read", "tools/call",
	} {
		add(method, "")
	}
	for _, method := range []string{"prompts/list", "resources/list", "skills/list"} {
		add(method, `{"cursor":"AAAA"}`)
	}
	add("prompts/get", `{"name":"no-such-prompt"}`)
	add("prompts/get", `{"name":%s,"arguments":{"no_such_argument":"1"}}`, c.Prompts[0].ID)
	add("resources/read", `{"uri":"resource://docs/no/such/file.md"}`)
	add("completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/document"},"argument":{"name":"skill_id","value":""}}`)
	add("completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://docs/{+path}"},"argument":{"name":"path","value":"s"}}`)
	add("tools/call", `{"name":"list_prompts"}`)
	add("tools/call", `{"name":"list_skills"}`)
	for _, p := range c.Prompts {
		values := map[string]string{}
		for _, a := range p.Arguments {
			if values[a.Name] = "the \"value\" of {{" + a.Name + "}}\n"; len(a.Choices) > 0 {
				values[a.Name] = a.Choices[0]
				add("completion/complete", `{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":""}}`, p.ID, a.Name)
			}
		}
		add("prompts/get", `{"name":%s,"arguments":%s}`, p.ID, values)
		add("tools/call", `{"name":"get_prompt","arguments":{"name":%s,"arguments":%s}}`, p.ID, values)
	}
	for _, r := range c.Resources {
		add("resources/read", `{"uri":%s}`, r.URI)
	}
	for _, d := range c.Documents {
		add("resources/read", `{"uri":%s}`, catalog.DocumentScheme+d.Path)
	}
	for _, s := range c.Skills {
		add("skills/get", `{"uri":%s}`, catalog.SkillURI("", s.ID, "SKILL.md"))
		add("resources/directory/read", `{"uri":%s}`, catalog.SkillScheme+s.ID)
		add("tools/call", `{"name":"read_skill","arguments":{"skill_id":%s}}`, s.ID)
		for _, d := range s.Files {
			uri := catalog.SkillURI("", s.ID, strings.TrimPrefix(d.Path, "skills/"+s.ID+"/"))
			add("resources/read", `{"uri":%s}`, uri)
			add("tools/call", `{"name":"read_document","arguments":{"uri":%s}}`, uri)
		}
	}
	return all
}

// programOf compiles content in memory.
func programOf(t *testing.T, dir string) *check.Program {
	t.Helper()
	program, faults, err := gen.Compile(os.DirFS(dir), gen.Options{Root: "content"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	return program
}

// buildServer builds promptd with a program compiled in. Its files stand in for those of
// catalog/baked while the go command reads them.
func buildServer(t *testing.T, program *check.Program) string {
	t.Helper()
	const importPath = "github.com/seed33527553/promptc/catalog/baked"
	baked, err := filepath.Abs("../../catalog/baked")
	if err != nil {
		t.Fatal(err)
	}
	files, err := emit.Package(program, emit.Options{Package: "baked", ImportPath: importPath})
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	committed, err := filepath.Glob(filepath.Join(baked, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range committed {
		replace[file] = "" // which is as if it were not there
	}
	dir := t.TempDir()
	for i, f := range files {
		text, err := f.Render()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(baked, filepath.FromSlash(f.Path))] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(dir, "promptd")
	build := exec.Command("go", "build", "-overlay", overlayFile, "-o", server, "../promptd")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return server
}

func TestServeAnswersAsPromptd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Run("content", func(t *testing.T) {
		t.Parallel()
		compareServers(t, filepath.Join("..", "..", "content"), 1)
	})
	t.Run("large", func(t *testing.T) {
		t.Parallel()
		compareServers(t, largeContent(t), 4)
	})
}

// largeContent writes 1,000 prompts and skills, of which no two are alike.
func largeContent(t *testing.T) string {
	t.Helper()
	c := newPlace(t)
	c.write("catalog.yaml", "catalog:\n  name: large\n  version: 1.2.3\n  instructions: Many.\n  cache: {scope: public, ttl: 1h}\n")
	c.write("guide.md", "# Guide\n\n\"Quoted\" \\ <b>&</b> \u00e9\n")
	for i := range 800 {
		var front, body strings.Builder
		fmt.Fprintf(&front, "---\nprompt:\n  version: 1.%d.0\n  description: Number %d \"of\" many, é & <b>.\n", i, i)
		if i%3 == 0 {
			fmt.Fprintf(&front, "  title: Title %d\n  category: c%d\n  tags: [t%d, all]\n", i, i%7, i%11)
		}
		fmt.Fprintf(&body, "Text %d, {{ .Values.x }}, \\\\ and \"quotes\".\n", i)
		if n := i % 5; n > 0 {
			front.WriteString("  arguments:\n")
			for k := range n {
				fmt.Fprintf(&front, "    - name: a%d\n      description: Argument %d.\n", k, k)
				switch (i + k) % 4 {
				case 0:
					front.WriteString("      required: true\n")
				case 1:
					fmt.Fprintf(&front, "      default: d%d\n", i)
				case 2:
					fmt.Fprintf(&front, "      choices: [x%d, y, z]\n", i)
				}
				fmt.Fprintf(&body, "Here {{a%d}} and \\{{a%d}}.\n", k, k)
				if i%9 == 0 {
					body.WriteString("<!-- role: assistant -->\nYes.\n<!-- role: user -->\nMore.\n")
				}
			}
		}
		front.WriteString("---\n")
		c.write(fmt.Sprintf("prompts/prompt-%d/PROMPT.md", i), front.String()+body.String())
	}
	for i := range 200 {
		id := fmt.Sprint("skill-", i)
		c.write("skills/"+id+"/SKILL.md", fmt.Sprintf("---\nname: %s\ndescription: Skill %d. Use when asked.\nx-personal-mcp:\n  id: %s\n  version: 1.0.%d\n  capabilities: [resource://skills/%s/document]\n---\n# Skill %d\n\nSee [more](references/more.md).\n", id, i, id, i, id, i))
		c.write("skills/"+id+"/references/more.md", fmt.Sprintf("# More of %d\n", i))
		if i%4 == 0 {
			c.write("skills/"+id+"/scripts/run.sh", fmt.Sprintf("#!/bin/sh\necho %d\n", i))
		}
	}
	c.age()
	return c.dir
}

// compareServers compares the answers of both programs to all requests. Each is sent over
// both transports in both eras, or, where parts is 4, in one of these ways.
func compareServers(t *testing.T, dir string, parts int) {
	program := programOf(t, dir)
	baked := buildServer(t, program)
	for v, version := range []string{"2025-11-25", "2026-07-28"} {
		all := everyRequest(version, program.Catalog)
		part := func(n int) (requests []request) {
			for i := n % parts; i < len(all); i += parts {
				requests = append(requests, all[i])
			}
			return requests
		}
		t.Run("stdio "+version, func(t *testing.T) {
			t.Parallel()
			live, static := startStdio(t, nil, "promptc", "serve", "--tools", dir), startStdio(t, nil, baked, "--tools")
			for i, r := range part(2 * v) {
				m := r.body(i)
				if got, want := live.ask(m), static.ask(m); got != want {
					t.Fatalf("%s\npromptc serve answers\n%spromptd answers\n%s", m, got, want)
				}
			}
		})
		t.Run("http "+version, func(t *testing.T) {
			t.Parallel()
			live, static := startHTTP(t, nil, "promptc", "serve", "--tools", dir), startHTTP(t, nil, baked, "--tools")
			type answer struct {
				status int
				body   string
			}
			next := make(chan request)
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() {
					for r := range next {
						m, h := r.body(1), r.header()
						var got, want answer
						got.status, got.body = live.do(http.MethodPost, "/mcp", m, h)
						want.status, want.body = static.do(http.MethodPost, "/mcp", m, h)
						if got != want {
							t.Errorf("%s\npromptc serve answers\n%+v\npromptd answers\n%+v", m, got, want)
						}
					}
				})
			}
			for _, r := range part(2*v + 1) {
				next <- r
			}
			close(next)
			clients.Wait()
		})
	}
}
