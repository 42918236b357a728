// This file holds the content that the tests serve, and how they look at answers.

package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func document(path, title, text string) *catalog.Document {
	return &catalog.Document{Path: path, Title: title, MIMEType: catalog.Markdown, Size: len(text), Digest: digest(text), Text: []string{text}}
}

// prompt returns a prompt whose text is cut at {{name}}.
func prompt(id, text string, arguments ...catalog.Argument) *catalog.Prompt {
	p := &catalog.Prompt{
		ID: id, Version: "1.2.0", Title: "Title of " + id, Description: `Says "` + id + "\"\tand more.",
		Category: "testing", Tags: []string{"a", "b"}, Arguments: arguments,
		Document: document("prompts/"+id+"/PROMPT.md", id, text),
	}
	for i, part := range strings.Split(text, "<!-- next -->") {
		t := catalog.Template{Role: catalog.User}
		if i%2 == 1 {
			t.Role = catalog.Assistant
		}
		for rest := part; rest != ""; {
			before, after, found := strings.Cut(rest, "{{")
			if before != "" {
				t.Segments = append(t.Segments, catalog.Segment{Text: before})
			}
			if !found {
				break
			}
			name, end, _ := strings.Cut(after, "}}")
			if at, ok := p.Argument(name); ok {
				t.Segments = append(t.Segments, catalog.Segment{Argument: at + 1})
			} else {
				t.Segments = append(t.Segments, catalog.Segment{Text: "{{" + name + "}}"})
			}
			rest = end
		}
		p.Messages = append(p.Messages, t)
	}
	return p
}

// assemble makes a catalog of its parts, as the compiler does.
func assemble(prefix string, prompts []*catalog.Prompt, skills []*catalog.Skill, documents []*catalog.Document) *catalog.Catalog {
	c := &catalog.Catalog{
		Name: "fixture", Title: "The fixture", Version: "3.1.4", Description: "What the tests serve.",
		Instructions: "Ask for <anything>.", Prefix: prefix, Prompts: prompts, Skills: skills, Documents: documents,
	}
	var ids, uris, paths []string
	for _, p := range prompts {
		p.Entry = catalog.PromptEntry(p, prefix)
		ids = append(ids, p.ID)
		c.Digest = digest(c.Digest + p.Entry)
	}
	add := func(uri, name string, d *catalog.Document) {
		r := catalog.Resource{URI: uri, Name: name, Title: d.Title, Description: "What " + name + " says.", Document: d}
		r.Entry = catalog.ResourceEntry(&r)
		c.Resources = append(c.Resources, r)
	}
	generated := func(title, text string) *catalog.Document {
		return &catalog.Document{Title: title, MIMEType: catalog.JSON, Size: len(text), Digest: digest(text), Text: []string{text}}
	}
	add(catalog.SkillsIndexURI, "skills-index", generated("Skills", catalog.SkillsIndex(skills)))
	for _, s := range skills {
		s.Entry = catalog.SkillEntry(s, prefix, `{"name":"`+s.ID+`","description":"`+s.Description+`","x":[1.5,null]}`)
		add(catalog.SkillURI(prefix, s.ID, "SKILL.md"), s.ID, s.Document)
		add(s.RecordURI(), s.ID+"-record", generated(s.ID, s.Record()))
		add(s.URI(), s.ID+"-document", s.Document)
		for _, r := range s.References {
			add(s.ReferenceURI(r.ID), s.ID+"-"+r.ID, r.Document)
		}
	}
	for _, d := range documents {
		paths = append(paths, d.Path)
		c.Digest = digest(c.Digest + d.Digest)
		if !strings.HasPrefix(d.Path, "prompts/") && !strings.HasPrefix(d.Path, "skills/") {
			add(catalog.DocumentScheme+d.Path, d.Path, d)
		}
	}
	slices.SortFunc(c.Resources, func(a, b catalog.Resource) int { return strings.Compare(a.URI, b.URI) })
	for _, r := range c.Resources {
		uris = append(uris, r.URI)
	}
	c.PromptTable, c.ResourceTable, c.DocumentTable = catalog.NewTable(ids), catalog.NewTable(uris), catalog.NewTable(paths)
	return c
}

// skill returns a skill of a SKILL.md and the files given, each a path in the skill's
// directory and a text; Markdown directly in references/ is a reference.
func skill(id string, tags []string, files ...string) *catalog.Skill {
	s := &catalog.Skill{ID: id, Version: "0.1.0", Description: "Use when " + id + ".", Tags: tags, Digest: digest(id)}
	s.Document = document("skills/"+id+"/SKILL.md", id, "---\nname: "+id+"\n---\n# \"quoted\" \\ back\n")
	s.Files = append(s.Files, s.Document)
	for i := 0; i < len(files); i += 2 {
		d := document("skills/"+id+"/"+files[i], files[i], files[i+1])
		s.Files = append(s.Files, d)
		if name, ok := strings.CutPrefix(files[i], "references/"); ok && strings.HasSuffix(name, ".md") && !strings.Contains(name, "/") {
			name = strings.TrimSuffix(name, ".md")
			s.References = append(s.References, &catalog.Reference{ID: name, Title: "About " + name, Document: d})
		} else if !ok {
			d.MIMEType = "application/octet-stream"
		}
	}
	slices.SortFunc(s.Files, func(a, b *catalog.Document) int { return strings.Compare(a.Path, b.Path) })
	return s
}

// markdown returns the documents of a skill, which its catalog has too.
func markdown(s *catalog.Skill) []*catalog.Document {
	return slices.DeleteFunc(slices.Clone(s.Files), func(d *catalog.Document) bool { return d.MIMEType != catalog.Markdown })
}

// fixture is a small catalog with one of everything.
func fixture() *catalog.Catalog {
	many := make([]string, 150)
	for i := range many {
		many[i] = fmt.Sprintf("choice %03d", i)
	}
	tests := skill("tests", []string{"go"},
		"assets/a-b/x", "x", "assets/a/deep/logo.png", "\x89PNG\xff", "assets/a/y", "y", "assets/odd name%.txt", "odd",
		"references/deep/more.md", "# More\n",
		"references/marks.md", "# Marks\n\n`{{not.a.placeholder}}` \u2028 \u00e9\U0001f600\n",
		"references/more.md", "# More\n",
		"scripts/run.sh", "#!/bin/sh\n")
	prompts := []*catalog.Prompt{
		prompt("deploy-app", "Deploy {{service}} to {{environment}}, version {{version}}.\n\"Quoted\" \\ {{service}} again.",
			catalog.Argument{Name: "service", Description: "The service.", Required: true},
			catalog.Argument{Name: "environment", Description: "Where to.", Required: true, Choices: []string{"staging", "Production", "prod \"2\""}},
			catalog.Argument{Name: "version", Description: "Which version."}),
		prompt("dialogue", "Say {{a}}{{b}}<!-- next -->I said {{b}}: \u00e9\u2028\U0001f600<!-- next -->And {{c}} literal? {{ c }}: {{a}}",
			catalog.Argument{Name: "a", Description: "First.", Default: "a \"default\"\n"},
			catalog.Argument{Name: "b", Description: "Second.", Choices: many},
			catalog.Argument{Name: "c", Description: "Third."}),
		prompt("plain", "No arguments at all, and <html> & 'quotes'."),
	}
	documents := []*catalog.Document{
		document("guide/deep/intro.md", "Intro", strings.Repeat("A line of the guide.\n", 40)),
		document("prompts/plain/PROMPT.md", "plain", "No arguments at all."),
		document("readme.md", "Read me", "# Read me\n"),
	}
	documents = append(documents, markdown(tests)...)
	slices.SortFunc(documents, func(a, b *catalog.Document) int { return strings.Compare(a.Path, b.Path) })
	return assemble("", prompts, []*catalog.Skill{tests}, documents)
}

// numbered is a catalog of n prompts of about two kilobytes.
func numbered(n int) *catalog.Catalog {
	prompts := make([]*catalog.Prompt, n)
	for i := range prompts {
		prompts[i] = prompt(fmt.Sprintf("prompt-%05d", i),
			strings.Repeat("Line of the prompt, with \"quotes\" in it.\n", 20)+"{{code}}\n"+
				strings.Repeat("More of the same, and no argument here.\n", 25)+"Look at {{focus}} in {{language}}, {{focus}} first.\n",
			catalog.Argument{Name: "language", Description: "The language of the code.", Required: true, Choices: []string{"go", "python", "rust"}},
			catalog.Argument{Name: "code", Description: "The code under review.", Required: true},
			catalog.Argument{Name: "focus", Description: "What to look at first."})
	}
	return assemble("", prompts, nil, nil)
}

func newServer(t testing.TB, opts Options, catalogs ...*catalog.Catalog) *Server {
	t.Helper()
	return newMuxServer(t, opts, mounting(catalogs...))
}

// mounting mounts catalogs.
func mounting(catalogs ...*catalog.Catalog) func(*catalog.Mux) error {
	return func(m *catalog.Mux) error {
		var err error
		for _, c := range catalogs {
			err = errors.Join(err, m.Mount(c))
		}
		return err
	}
}

// newMuxServer serves what mount mounts.
func newMuxServer(t testing.TB, opts Options, mount func(*catalog.Mux) error) *Server {
	t.Helper()
	s, err := New(muxOf(t, mount), opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// muxOf returns what mount mounts.
func muxOf(t testing.TB, mount func(*catalog.Mux) error) *catalog.Mux {
	t.Helper()
	var mux catalog.Mux
	if err := mount(&mux); err != nil {
		t.Fatal(err)
	}
	return &mux
}

// An era is one of the two ways to speak the protocol.
type era bool

const (
	legacy era = false
	modern era = true
)

func (e era) String() string {
	if e == modern {
		return "modern"
	}
	return "legacy"
}

// request returns a request with the params, which is a JSON object or empty.
func (e era) request(id, method, params string) string {
	if e == modern {
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`
		if params == "" || params == "{}" {
			params = "{" + meta + "}"
		} else {
			params = strings.TrimSuffix(params, "}") + "," + meta + "}"
		}
	}
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + `}`
}

// post returns the HTTP request that carries a message, with the headers that its
// revision asks for.
func (e era) post(message string) *http.Request {
	req := httptest.NewRequest(http.MethodPost, "http://localhost:8080/mcp", strings.NewReader(message))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if e == modern {
		req.Header.Set(mcp.HeaderProtocolVersion, mcp.ProtocolVersion20260728)
		var m struct {
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal([]byte(message), &m) == nil {
			for name, value := range mcp.StandardHeaders(mcp.ProtocolVersion20260728, mcp.MCPMethod(m.Method), m.Params) {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
		}
	}
	return req
}

// ask sends one message by stdio and returns the lines that come back.
func ask(t testing.TB, s *Server, message string) []string {
	t.Helper()
	return askAs(context.Background(), t, s, message)
}

func askAs(ctx context.Context, t testing.TB, s *Server, message string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(ctx, strings.NewReader(message), &out); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// An answer is a JSON-RPC answer as a client decodes it.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  map[string]any  `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	} `json:"error"`
}

func decode(t testing.TB, text string) answer {
	t.Helper()
	var a answer
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if a.JSONRPC != "2.0" || a.ID == nil || (a.Result == nil) == (a.Error == nil) {
		t.Fatalf("not a JSON-RPC answer: %s", text)
	}
	return a
}

// request makes a request by both transports, holds the answers together and returns
// the answer and the HTTP status.
func request(t testing.TB, s *Server, e era, method, params string) (answer, int) {
	t.Helper()
	return exchange(t, s, e, e.request("7", method, params))
}

func exchange(t testing.TB, s *Server, e era, message string) (answer, int) {
	t.Helper()
	return exchangeAs(t, s, nil, e, message)
}

// exchangeAs is exchange for a principal.
func exchangeAs(t testing.TB, s *Server, p *catalog.Principal, e era, message string) (answer, int) {
	t.Helper()
	ctx := catalog.WithRequest(context.Background(), &catalog.Request{Principal: p})
	lines := askAs(ctx, t, s, message)
	if len(lines) != 1 {
		t.Fatalf("%d answers to %s", len(lines), message)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, e.post(message).WithContext(ctx))
	if w.Body.String() != lines[0] {
		t.Fatalf("stdio and HTTP differ for %s:\n%s\n%s", message, lines[0], w.Body)
	}
	return decode(t, lines[0]), w.Code
}

// toJSON is how the tests compare values that were decoded.
func toJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func textLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// decodeJSON is a JSON text as a client decodes it.
func decodeJSON(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
