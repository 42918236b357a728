// This file holds the tests of Attach, with mcp-go's server and client.

package serve

import (
	"context"
	"encoding/base64"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/seed33527553/promptc/catalog"
)

func TestAttach(t *testing.T) {
	var mux catalog.Mux
	if err := mountOwn(&mux); err != nil {
		t.Fatal(err)
	}
	peer := server.NewMCPServer("own", "1.0.0")
	peer.AddPrompt(mcp.NewPrompt("theirs"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{}, nil
	})
	if err := Attach(peer, &mux); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	c, err := client.NewInProcessClient(peer)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: mcp.LATEST_PROTOCOL_VERSION, ClientInfo: mcp.Implementation{Name: "t", Version: "1"}}}); err != nil {
		t.Fatal(err)
	}

	// What is attached is what a Server of this package serves.
	ours := newMuxServer(t, Options{}, mountOwn)
	list, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	texts, _ := walkPrompts(t, ours, nil)
	want := strings.Fields(strings.Join(texts, " ") + " theirs")
	var names []string
	for _, p := range list.Prompts {
		names = append(names, p.Name)
	}
	if slices.Sort(want); !slices.Equal(names, want) {
		t.Errorf("the prompts are %q, want %q", names, want)
	}
	for name, arguments := range map[string]map[string]string{
		"plain": nil, "deploy-app": {"service": "a\"b", "environment": "staging"}, "own/all": {"who": "W"},
	} {
		got, err := c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name, Arguments: arguments}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, _ := request(t, ours, legacy, "prompts/get", toJSON(map[string]any{"name": name, "arguments": arguments}))
		for _, m := range a.Result["messages"].([]any) {
			if content := m.(map[string]any)["content"].(map[string]any); content["type"] == "resource_link" {
				content["description"], content["mimeType"] = "", "" // mcp-go always has them
			}
		}
		if !sameMessages(t, got.Messages, a.Result["messages"]) {
			t.Errorf("%s: got %s, want %s", name, toJSON(got.Messages), toJSON(a.Result["messages"]))
		}
		delete(got.Meta.AdditionalFields, mcp.MetaKeyServerInfo)
		if meta, ok := a.Result["_meta"]; ok && toJSON(got.Meta.AdditionalFields) != toJSON(meta) {
			t.Errorf("%s: _meta is %s, want %s", name, toJSON(got.Meta), toJSON(meta))
		}
	}
	for _, name := range []string{"own/fails", "own/panics", "own/silent", "deploy-app", "nope"} {
		if _, err := c.GetPrompt(ctx, mcp.GetPromptRequest{Params: mcp.GetPromptParams{Name: name}}); err == nil {
			t.Errorf("%s is answered", name)
		}
	}

	resources, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	uris := map[string]bool{"own://item/7": true, "own://item/blob": true, "resource://docs/prompts/plain/PROMPT.md": true, "skill://tests/scripts/run.sh": true, "skill://tests/assets/a/deep/logo.png": true}
	for _, r := range resources.Resources {
		uris[r.URI] = true
	}
	for _, entry := range walkEntries(t, ours, legacy, "resources/list", "resources", "") {
		if !uris[entry["uri"].(string)] {
			t.Errorf("%s is not attached", entry["uri"])
		}
	}
	for uri := range maps.Keys(uris) {
		got, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}})
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		a, _ := request(t, ours, legacy, "resources/read", `{"uri":"`+uri+`"}`)
		want := a.Result["contents"].([]any)[0].(map[string]any)
		switch contents := got.Contents[0].(type) {
		case mcp.TextResourceContents:
			if uri != "own://state" && contents.Text != want["text"] {
				t.Errorf("%s is %.80q, want %.80q", uri, contents.Text, want["text"])
			}
		case mcp.BlobResourceContents:
			if _, err := base64.StdEncoding.DecodeString(contents.Blob); err != nil || contents.Blob != want["blob"] {
				t.Errorf("%s is %q, want %q", uri, contents.Blob, want["blob"])
			}
		}
	}
	for _, uri := range []string{"own://item/none", "own://item/fails", "resource://docs/nope.md", "skill://tests/nope", "x:y"} {
		if _, err := c.ReadResource(ctx, mcp.ReadResourceRequest{Params: mcp.ReadResourceParams{URI: uri}}); err == nil {
			t.Errorf("%s is answered", uri)
		}
	}
	templates, err := c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) != 6 {
		t.Errorf("%d templates, %v", len(templates.ResourceTemplates), err)
	}
}

// sameMessages compares messages by what a client makes of them.
func sameMessages(t *testing.T, got []mcp.PromptMessage, want any) bool {
	t.Helper()
	var plain []any
	for _, m := range got {
		plain = append(plain, map[string]any{"role": m.Role, "content": m.Content})
	}
	return toJSON(decodeJSON(t, toJSON(plain))) == toJSON(want)
}

func TestAttachRefuses(t *testing.T) {
	for want, mount := range map[string]func(*server.MCPServer, *catalog.Mux) error{
		`a prompt has the name "plain" already`: func(s *server.MCPServer, m *catalog.Mux) error {
			s.AddPrompt(mcp.NewPrompt("plain"), nil)
			return m.Mount(fixture())
		},
		`a prompt has the name "own/all" already`: func(s *server.MCPServer, m *catalog.Mux) error {
			s.AddPrompt(mcp.NewPrompt("own/all"), nil)
			return mountOwn(m)
		},
		`a resource has the URI "resource://docs/readme.md" already`: func(s *server.MCPServer, m *catalog.Mux) error {
			s.AddResource(mcp.NewResource("resource://docs/readme.md", "x"), nil)
			return m.Mount(fixture())
		},
		`a resource has the URI "own://state" already`: func(s *server.MCPServer, m *catalog.Mux) error {
			s.AddResource(mcp.NewResource("own://state", "x"), nil)
			return mountOwn(m)
		},
		`the prompts of the repository "live/" can change`: func(_ *server.MCPServer, m *catalog.Mux) error {
			return errors.Join(m.Mount(fixture()), m.MountRepository(pages("live/", "x")))
		},
	} {
		var mux catalog.Mux
		s := server.NewMCPServer("own", "1.0.0")
		if err := mount(s, &mux); err != nil {
			t.Fatal(err)
		}
		prompts, resources := len(s.ListPrompts()), len(s.ListResources())
		if err := Attach(s, &mux); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if len(s.ListPrompts()) != prompts || len(s.ListResources()) != resources {
			t.Errorf("%s: something was registered", want)
		}
	}
	var twice catalog.Mux
	if err := twice.Mount(fixture()); err != nil {
		t.Fatal(err)
	}
	if err := twice.Mount(assemble("team/", nil, []*catalog.Skill{skill("more", nil)}, nil)); err != nil {
		t.Fatal(err)
	}
	s := server.NewMCPServer("own", "1.0.0")
	if err := Attach(s, &twice); err != nil {
		t.Fatal(err)
	}
	if err := Attach(s, &twice); err == nil {
		t.Error("the same was attached twice")
	}
}
