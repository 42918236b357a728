// This file tests what can be mounted, and where a name or URI then leads.

package catalog_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

func small(prefix string, ids ...string) *catalog.Catalog {
	c := &catalog.Catalog{Name: "c" + prefix, Prefix: prefix, PromptTable: catalog.NewTable(ids)}
	for _, id := range ids {
		c.Prompts = append(c.Prompts, &catalog.Prompt{ID: id})
	}
	return c
}

// shop is a repository whose names are made up as they are asked for.
type shop string

func (s shop) Prefix() string { return string(s) }
func (s shop) List(context.Context, string) (catalog.Page, error) {
	return catalog.Page{}, nil
}
func (s shop) Get(context.Context, string, map[string]string) (catalog.Result, error) {
	return catalog.Result{}, catalog.ErrNotFound
}

func TestRoute(t *testing.T) {
	var m catalog.Mux
	for _, err := range []error{m.Mount(small("a/", "x")), m.Mount(small("", "x", "a")), m.MountRepository(shop("a/b/"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"x": "", "a": "", "a/x": "a/", "a/b/x": "a/b/", "a/b": "a/", "ab/x": "", "": ""} {
		if got := m.Route(name); got == nil || got.Prefix != want {
			t.Errorf("%q is routed to %v, want %q", name, got, want)
		}
	}
	for name, want := range map[string]bool{"x": true, "a": true, "a/x": true, "a/a": false, "a/b/x": false, "b": false} {
		if _, err := m.Prompt(name); (err == nil) != want || err != nil && !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("prompt %q: %v", name, err)
		}
	}
	for _, prefix := range []string{"", "a/", "a/b/"} {
		before := len(m.Mounts())
		if err := m.Mount(small(prefix)); err == nil || !strings.Contains(err.Error(), "taken already") {
			t.Errorf("the prefix %q twice: %v", prefix, err)
		}
		if err := m.MountRepository(shop(prefix)); err == nil {
			t.Errorf("the prefix %q twice", prefix)
		}
		if len(m.Mounts()) != before {
			t.Error("what failed was mounted")
		}
	}
	for _, prefix := range []string{"a", "/", "A/", "a//", "a/b", "-/", strings.Repeat("a", 64) + "/"} {
		if err := m.MountRepository(shop(prefix)); err == nil {
			t.Errorf("the prefix %q was mounted", prefix)
		}
	}
	var empty catalog.Mux
	if empty.Route("x") != nil {
		t.Error("an empty mux routes")
	}
}

func TestMountFuncs(t *testing.T) {
	render := func(context.Context, map[string]string) ([]catalog.Message, error) { return nil, nil }
	sound := catalog.PromptFunc{Name: "p/a", Description: "Does.", Render: render}
	with := func(change func(*catalog.PromptFunc)) catalog.PromptFunc {
		p := sound
		change(&p)
		return p
	}
	argument := func(a catalog.Argument) catalog.PromptFunc {
		return with(func(p *catalog.PromptFunc) { p.Arguments = []catalog.Argument{a} })
	}
	for want, p := range map[string]catalog.PromptFunc{
		"does not start with the prefix": with(func(p *catalog.PromptFunc) { p.Name = "a" }),
		"is not an id":                   with(func(p *catalog.PromptFunc) { p.Name = "p/A" }),
		"no function":                    with(func(p *catalog.PromptFunc) { p.Render = nil }),
		"description is empty":           with(func(p *catalog.PromptFunc) { p.Description = " " }),
		"title has 129":                  with(func(p *catalog.PromptFunc) { p.Title = strings.Repeat("é", 129) }),
		"not valid UTF-8":                with(func(p *catalog.PromptFunc) { p.Title = "\xff" }),
		"the name must be":               argument(catalog.Argument{Name: "A", Description: "x"}),
		`argument "a": the description`:  argument(catalog.Argument{Name: "a"}),
		"a choice is empty":              argument(catalog.Argument{Name: "a", Description: "x", Choices: []string{""}}),
		"is there twice":                 argument(catalog.Argument{Name: "a", Description: "x", Choices: []string{"b", "b"}}),
		"101 choices":                    argument(catalog.Argument{Name: "a", Description: "x", Choices: make([]string, 101)}),
		"cannot have a default":          argument(catalog.Argument{Name: "a", Description: "x", Required: true, Default: "b"}),
		"not one of the choices":         argument(catalog.Argument{Name: "a", Description: "x", Choices: []string{"b"}, Default: "c"}),
		"declared twice": with(func(p *catalog.PromptFunc) {
			p.Arguments = []catalog.Argument{{Name: "a", Description: "x"}, {Name: "a", Description: "x"}}
		}),
	} {
		var m catalog.Mux
		if err := m.MountFuncs("p/", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one with %q", err, want)
		}
		if len(m.Mounts()) != 0 {
			t.Errorf("what failed with %q was mounted", want)
		}
	}
	var m catalog.Mux
	if err := m.MountFuncs("p/", sound, sound); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("a name twice: %v", err)
	}
}

func TestPromptFunc(t *testing.T) {
	var seen map[string]string
	var m catalog.Mux
	err := m.MountFuncs("p/", catalog.PromptFunc{
		Name: "p/a", Description: "Does.",
		Arguments: []catalog.Argument{
			{Name: "who", Description: "Who.", Required: true},
			{Name: "how", Description: "How.", Choices: []string{"well", "badly"}, Default: "well"},
			{Name: "why", Description: "Why."},
		},
		Render: func(_ context.Context, arguments map[string]string) ([]catalog.Message, error) {
			seen = arguments
			return []catalog.Message{{Role: catalog.User, Text: arguments["who"]}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := m.Mounts()[0].Repository
	if funcs := m.Mounts()[0].Funcs; len(funcs) != 1 || funcs[0].Name != "p/a" {
		t.Errorf("the mount has %v", funcs)
	}
	got, err := r.Get(ctx, "p/a", map[string]string{"who": "{{x}}", "why": ""})
	if err != nil || got.Description != "Does." || got.Messages[0].Text != "{{x}}" {
		t.Errorf("%v, %v", got, err)
	}
	if want := map[string]string{"who": "{{x}}", "how": "well"}; !maps.Equal(seen, want) {
		t.Errorf("the function got %v, want %v", seen, want)
	}
	var e *catalog.ArgumentError
	if _, err = r.Get(ctx, "p/a", map[string]string{"how": "so", "x": ""}); !errors.As(err, &e) || len(e.Missing) != 1 || len(e.Unknown) != 1 || len(e.Invalid) != 1 {
		t.Errorf("bad arguments: %v", err)
	}
	if _, err = r.Get(ctx, "p/b", nil); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("an unknown prompt: %v", err)
	}
	page, err := r.List(ctx, "")
	if err != nil || len(page.Prompts) != 1 || page.Prompts[0].Name != "p/a" || page.Next != "" {
		t.Errorf("%v, %v", page, err)
	}
	for _, cursor := range []string{"1", "0", "-1", "x"} {
		if _, err := r.List(ctx, cursor); !errors.Is(err, catalog.ErrCursor) {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
	c := r.(catalog.Completer)
	if values, err := c.Complete(ctx, "p/a", "how", ""); err != nil || len(values) != 2 {
		t.Errorf("%v, %v", values, err)
	}
	if _, err := c.Complete(ctx, "p/a", "x", ""); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("an unknown argument: %v", err)
	}
}

func TestResourceFunc(t *testing.T) {
	read := func(context.Context, string, map[string]string) (catalog.Embedded, error) {
		return catalog.Embedded{}, nil
	}
	var m catalog.Mux
	for _, uri := range []string{"test://static", "test://t/{id}/data", "jobs:{a}-{b}.{c}"} {
		if err := m.MountResource(catalog.ResourceFunc{URI: uri, Name: uri, Read: read}); err != nil {
			t.Fatal(err)
		}
	}
	for uri, want := range map[string]map[string]string{
		"test://static":        nil,
		"test://t/1/data":      {"id": "1"},
		"test://t/a%2Fb/data":  {"id": "a%2Fb"},
		"test://t/../data":     {"id": ".."},
		"jobs:x-y.z":           {"a": "x", "b": "y", "c": "z"},
		"jobs:x-y-z.1.2":       {"a": "x", "b": "y-z", "c": "1.2"},
		"test://t//data":       nil,
		"test://t/1/2/data":    nil,
		"test://t/1/data/":     nil,
		"test://t/1/datax":     nil,
		"test://t/{id}/data/1": nil,
		"jobs:x-y":             nil,
		"jobs:-y.z":            nil,
		"test://static/":       nil,
		"Test://static":        nil,
		"":                     nil,
	} {
		_, variables, ok := m.ResourceFunc(uri)
		if ok != (want != nil || uri == "test://static") || !maps.Equal(variables, want) {
			t.Errorf("%q gives %v, %v", uri, variables, ok)
		}
	}
	for want, r := range map[string]catalog.ResourceFunc{
		"no scheme":        {URI: "x", Name: "x", Read: read},
		"no name":          {URI: "x:y", Read: read},
		"no function":      {URI: "x:y", Name: "x"},
		"do not pair":      {URI: "x:}", Name: "x", Read: read},
		"two variables":    {URI: "x:{a}{b}", Name: "x", Read: read},
		"{+a}":             {URI: "x:{+a}", Name: "x", Read: read},
		"{a":               {URI: "x:{a", Name: "x", Read: read},
		"is there already": {URI: "test://static", Name: "x", Read: read},
	} {
		if err := m.MountResource(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one with %q", err, want)
		}
	}
}

func TestCheckMessages(t *testing.T) {
	for want, m := range map[string]catalog.Message{
		`role "system"`:        {Role: "system", Text: "x"},
		"not valid UTF-8":      {Role: catalog.User, Text: "\xff"},
		"both a text":          {Role: catalog.User, Text: "x", Content: catalog.Image{Data: []byte{1}, MIMEType: "image/png"}},
		"no MIME type":         {Role: catalog.User, Content: catalog.Image{Data: []byte{1}}},
		"has no data":          {Role: catalog.User, Content: catalog.Audio{MIMEType: "audio/wav"}},
		"has no URI":           {Role: catalog.User, Content: catalog.Embedded{Text: "x"}},
		"text and a blob":      {Role: catalog.User, Content: catalog.Embedded{URI: "x:y", Text: "x", Blob: []byte{1}}},
		"no URI or no name":    {Role: catalog.User, Content: catalog.Link{URI: "x:y"}},
		"message 1: a message": {},
	} {
		if err := catalog.CheckMessages([]catalog.Message{m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want one with %q", err, want)
		}
	}
	if catalog.CheckMessages(nil) == nil {
		t.Error("no message is accepted")
	}
	for want, m := range map[string]catalog.Message{
		`{"role":"user","content":{"type":"text","text":"a\"b"}}`:                                                                         {Role: catalog.User, Text: `a"b`},
		`{"role":"user","content":{"type":"image","data":"AQI=","mimeType":"image/png"}}`:                                                 {Role: catalog.User, Content: catalog.Image{Data: []byte{1, 2}, MIMEType: "image/png"}},
		`{"role":"assistant","content":{"type":"audio","data":"AQI=","mimeType":"audio/wav"}}`:                                            {Role: catalog.Assistant, Content: catalog.Audio{Data: []byte{1, 2}, MIMEType: "audio/wav"}},
		`{"role":"user","content":{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"t"}}}`:                       {Role: catalog.User, Content: catalog.Embedded{URI: "x:y", MIMEType: "text/plain", Text: "t"}},
		`{"role":"user","content":{"type":"resource","resource":{"uri":"x:y","blob":""}}}`:                                                {Role: catalog.User, Content: catalog.Embedded{URI: "x:y", Blob: []byte{}}},
		`{"role":"user","content":{"type":"resource_link","uri":"x:y","name":"n","title":"t","description":"d","mimeType":"text/plain"}}`: {Role: catalog.User, Content: catalog.Link{URI: "x:y", Name: "n", Title: "t", Description: "d", MIMEType: "text/plain"}},
		`{"role":"user","content":{"type":"resource","resource":{"uri":"x:<y>","text":"\u0001\n"}}}`:                                      {Role: catalog.User, Content: catalog.Embedded{URI: "x:<y>", Text: "\x01\n"}},
	} {
		if err := catalog.CheckMessages([]catalog.Message{m}); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got := string(m.AppendJSON(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPrincipal(t *testing.T) {
	for _, test := range []struct {
		p    *catalog.Principal
		name string
		tags []string
		want bool
	}{
		{nil, "x", nil, true},
		{&catalog.Principal{}, "x", nil, true},
		{&catalog.Principal{Prefixes: []string{"a/"}}, "a/x", nil, true},
		{&catalog.Principal{Prefixes: []string{"a/"}}, "x", []string{"a/"}, false},
		{&catalog.Principal{Tags: []string{"t"}}, "x", []string{"s", "t"}, true},
		{&catalog.Principal{Prefixes: []string{"a/"}, Tags: []string{"t"}}, "x", nil, false},
	} {
		if got := test.p.Sees(test.name, test.tags); got != test.want {
			t.Errorf("%+v sees %q with %q: %v", test.p, test.name, test.tags, got)
		}
	}
	if catalog.RequestOf(context.Background()) == nil {
		t.Error("no request outside of one")
	}
	r := &catalog.Request{ClientName: "x"}
	if catalog.RequestOf(catalog.WithRequest(context.Background(), r)) != r {
		t.Error("the request is lost")
	}
}

// TestOneURITwice mounts catalogs that differ in their prefixes and share a document
// that is not listed.
func TestOneURITwice(t *testing.T) {
	with := func(prefix string, paths ...string) *catalog.Catalog {
		c := small(prefix)
		for _, path := range paths {
			c.Documents = append(c.Documents, &catalog.Document{Path: path})
		}
		c.DocumentTable = catalog.NewTable(paths)
		return c
	}
	var m catalog.Mux
	if err := m.Mount(with("a/", "prompts/x/PROMPT.md", "guide.md")); err != nil {
		t.Fatal(err)
	}
	if err := m.Mount(with("b/", "prompts/x/PROMPT.md")); err == nil || !strings.Contains(err.Error(), "resource://docs/prompts/x/PROMPT.md is there already") {
		t.Errorf("one document twice: %v", err)
	}
	if err := m.Mount(with("b/", "prompts/y/PROMPT.md")); err != nil {
		t.Error(err)
	}
}
