// This file has the official conformance suite and the Inspector, which make
// conformance installs, look at the built program. Without them these tests are
// skipped.

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
)

// conformance returns the folder of what make conformance installs.
func conformance(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PROMPTC_CONFORMANCE")
	if dir == "" {
		t.Skip("PROMPTC_CONFORMANCE does not name the folder of the conformance suite: run make conformance")
	}
	return filepath.Join(dir, "node_modules")
}

// node runs a script that was installed, with a home of its own, and returns what it
// prints.
func node(t *testing.T, installed, script string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	bin := filepath.Join(installed, "node-linux-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1), "bin")
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "node"), append([]string{filepath.Join(installed, script)}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestConformance runs the scenarios that look for nothing in particular.
func TestConformance(t *testing.T) {
	installed := conformance(t)
	url := start(t, buildProgram(t))
	both := []string{"resources-list", "prompts-list", "dns-rebinding-protection"}
	legacy := append([]string{"server-initialize", "ping"}, both...)
	modern := append([]string{"server-stateless", "sep-2164-resource-not-found"}, both...)
	for _, run := range []struct {
		suite     string
		args      []string
		scenarios []string
	}{
		{"0.1.16", []string{"--spec-version", "2025-11-25"}, legacy},
		{"0.2.0-alpha.12", []string{"--spec-version", "2025-11-25"}, legacy},
		{"0.2.0-alpha.12", []string{"--spec-version", "2026-07-28"}, modern},
		// An extension is part of no version.
		{"0.2.0-alpha.12", nil, []string{"sep-2640-skills-directory", "sep-2640-skills-enumeration", "sep-2640-skills-manifest"}},
	} {
		for _, scenario := range run.scenarios {
			t.Run(strings.Join(append([]string{run.suite, scenario}, run.args...), " "), func(t *testing.T) {
				results := t.TempDir()
				out, errs, err := node(t, installed, filepath.Join("suite-"+run.suite, "dist", "index.js"),
					append([]string{"server", "--url", url, "--scenario", scenario, "--output-dir", results, "--expected-failures",
						filepath.Join("..", "..", "catalog", "serve", "testdata", "conformance", "expected-"+run.suite+".yaml")}, run.args...)...)
				if err != nil {
					t.Fatalf("%v\n%s%s", err, out, errs)
				}
				// A scenario that finds nothing to look at does not fail.
				var checks []struct{ ID, Status string }
				files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
				if err != nil || len(files) != 1 {
					t.Fatalf("the suite leaves %d results: %v", len(files), err)
				}
				data, err := os.ReadFile(files[0])
				if err == nil {
					err = json.Unmarshal(data, &checks)
				}
				if err != nil {
					t.Fatal(err)
				}
				passed := 0
				for _, c := range checks {
					if c.Status == "SUCCESS" && c.ID != "wire-schema-valid" {
						passed++
					}
				}
				if passed == 0 {
					t.Errorf("nothing was checked\n%s", out)
				}
			})
		}
	}
}

// TestInspector lists all by each way, and gets and reads everything by one of them.
func TestInspector(t *testing.T) {
	installed := conformance(t)
	program := buildProgram(t)
	url := start(t, program)
	ways := []inspector{
		{installed, "legacy", []string{program, "--transport", "stdio"}},
		{installed, "modern", []string{program, "--transport", "stdio"}},
		{installed, "legacy", []string{url, "--transport", "http"}},
		{installed, "modern", []string{url, "--transport", "http"}},
	}
	for way, i := range ways {
		t.Run(i.target[2]+"/"+i.era, func(t *testing.T) {
			t.Parallel()
			i.lists(t, "prompts/list", "prompts", promptEntries())
			i.lists(t, "resources/list", "resources", resourceEntries())
			i.verifiesSkills(t)
			for n, p := range baked.Catalog.Prompts {
				if n%len(ways) == way {
					i.gets(t, p)
				}
			}
			for n, uri := range readable() {
				if n%len(ways) == way {
					i.reads(t, uri)
				}
			}
			for n, s := range baked.Catalog.Skills {
				if n%len(ways) == way {
					i.readsDirectory(t, s)
				}
			}
		})
	}
}

// An inspector is a way to ask the program by the Inspector.
type inspector struct {
	installed, era string
	target         []string
}

func (i inspector) run(t *testing.T, args ...string) string {
	t.Helper()
	args = append(append(append([]string{"--cli"}, i.target...), "--protocol-era", i.era, "--format", "json"), args...)
	out, errs, err := node(t, i.installed, filepath.Join(".bin", "mcp-inspector"), args...)
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", args[1:], err, out, errs)
	}
	return out
}

// ask returns the result of a request.
func (i inspector) ask(t *testing.T, method string, args ...string) map[string]any {
	t.Helper()
	var answer struct{ Result map[string]any }
	out := i.run(t, append([]string{"--method", method}, args...)...)
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatalf("%s: %v in %s", method, err, out)
	}
	return answer.Result
}

func (i inspector) lists(t *testing.T, method, member string, want []any) {
	t.Helper()
	got, _ := i.ask(t, method)[member].([]any)
	for _, entry := range append(got, want...) {
		// The Inspector does not know these annotations, and leaves them out.
		delete(entry.(map[string]any), "annotations")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s gives %v\nand the catalog holds %v", method, got, want)
	}
}

func (i inspector) verifiesSkills(t *testing.T) {
	t.Helper()
	out := json.NewDecoder(strings.NewReader(i.run(t, "--method", "skills/list", "--verify", "--require-digests")))
	for _, s := range baked.Catalog.Skills {
		var report struct {
			Name, Outcome string
			OK            bool
			Files         []struct{ URI, Status string }
		}
		if err := out.Decode(&report); err != nil {
			t.Fatalf("skill %s: %v", s.ID, err)
		}
		if report.Name != s.ID || !report.OK || report.Outcome != "verified" || len(report.Files) != len(s.Files) {
			t.Errorf("skill %s: %+v", s.ID, report)
		}
	}
	if out.More() {
		t.Error("there are more skills than in the catalog")
	}
}

func (i inspector) gets(t *testing.T, p *catalog.Prompt) {
	t.Helper()
	values := map[string]string{}
	args := []string{"--prompt-name", p.ID}
	for n, a := range p.Arguments {
		value := "<" + a.Name + `> = "é" {{` + a.Name + "}}"
		switch {
		case len(a.Choices) > 0:
			value = a.Choices[len(a.Choices)-1]
		case !a.Required && n%2 == 0:
			continue
		}
		if len(values) == 0 {
			args = append(args, "--prompt-args")
		}
		args = append(args, a.Name+"="+value)
		values[a.Name] = value
	}
	messages, err := p.RenderNamed(values)
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, m := range messages {
		want = append(want, map[string]any{"role": string(m.Role), "content": map[string]any{"type": "text", "text": m.Text}})
	}
	got := i.ask(t, "prompts/get", args...)
	if got["description"] != p.Description || !reflect.DeepEqual(got["messages"], want) {
		t.Errorf("prompt %s with %v gives %v\nwant %v", p.ID, values, got, want)
	}
}

func (i inspector) reads(t *testing.T, uri string) {
	t.Helper()
	d, ok := baked.Catalog.Resource(uri)
	if !ok {
		t.Fatalf("%s is not in the catalog", uri)
	}
	contents := map[string]any{"uri": uri, "mimeType": d.MIMEType}
	if d.IsText() {
		contents["text"] = d.String()
	} else {
		contents["blob"] = base64.StdEncoding.EncodeToString([]byte(d.String()))
	}
	if got := i.ask(t, "resources/read", "--uri", uri)["contents"]; !reflect.DeepEqual(got, []any{contents}) {
		t.Errorf("%s is %v\nwant %v", uri, got, contents)
	}
}

func (i inspector) readsDirectory(t *testing.T, s *catalog.Skill) {
	t.Helper()
	want := map[string]bool{}
	for _, d := range s.Files {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.Path, "skills/"+s.ID+"/"), "/")
		want[catalog.SkillURI(baked.Catalog.Prefix, s.ID, name)] = true
	}
	got := map[string]bool{}
	directory := strings.TrimSuffix(catalog.SkillURI(baked.Catalog.Prefix, s.ID, ""), "/")
	children, _ := i.ask(t, "resources/directory/read", "--uri", directory)["resources"].([]any)
	for _, child := range children {
		uri, _ := child.(map[string]any)["uri"].(string)
		got[uri] = true
	}
	if len(children) != len(got) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s holds %v, want %v", directory, children, want)
	}
}

func promptEntries() []any {
	var entries []any
	for _, p := range baked.Catalog.Prompts {
		entries = append(entries, decoded(p.Entry))
	}
	return entries
}

func resourceEntries() []any {
	var entries []any
	for _, r := range baked.Catalog.Resources {
		entries = append(entries, decoded(r.Entry))
	}
	return entries
}

func decoded(entry string) any {
	var v any
	if err := json.Unmarshal([]byte(entry), &v); err != nil {
		panic(err)
	}
	return v
}

// readable are the URIs of what is listed, and of the prompts' documents, which are
// not. The other files of skills are read when the skills are verified.
func readable() []string {
	var uris []string
	for _, r := range baked.Catalog.Resources {
		uris = append(uris, r.URI)
	}
	for _, p := range baked.Catalog.Prompts {
		uris = append(uris, catalog.DocumentScheme+p.Document.Path)
	}
	return uris
}
