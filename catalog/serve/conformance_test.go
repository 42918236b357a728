// This file runs the official conformance suite against a server whose prompts and
// resources are written in Go, beside a small compiled catalog with skills. Make
// conformance installs the suite; without it these tests are skipped.

package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/serve"
	"github.com/seed33527553/promptc/gen"
)

// conformanceDir holds package.json, which pins what is installed, and the expected
// failures of each version of the suite.
const conformanceDir = "testdata/conformance"

// suites are the versions of the suite, and the runs of each that cover its
// scenarios. A requirement set speaks one revision of the protocol; all has what no
// revision requires.
var suites = []struct {
	version string
	runs    [][]string
}{
	{"0.1.16", [][]string{{"--suite", "all"}}},
	{"0.2.0-alpha.12", [][]string{{"--requirements", "2026-07-28"}, {"--requirements", "2025-11-25"}, {"--suite", "all"}}},
}

func TestConformance(t *testing.T) {
	installed := conformance(t)
	url := serveFixture(t)
	for _, suite := range suites {
		t.Run(suite.version, func(t *testing.T) {
			expected, err := filepath.Abs(filepath.Join(conformanceDir, "expected-"+suite.version+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			failing := expectedFailures(t, expected)
			var all []outcome
			for _, args := range suite.runs {
				t.Run(args[1], func(t *testing.T) {
					outcomes, out, err := runSuite(t, installed, suite.version, url, append(args, "--expected-failures", expected)...)
					if err != nil {
						t.Errorf("%v\n%s", err, out)
					}
					all = append(all, outcomes...)
					var passed []string
					for _, o := range outcomes {
						if o.passed() {
							passed = append(passed, o.scenario)
						}
					}
					t.Logf("%d of %d scenarios pass: %s", len(passed), len(outcomes), strings.Join(passed, " "))
				})
			}
			for _, fault := range unaccounted(all, failing) {
				t.Error(fault)
			}
		})
	}
}

// TestConformanceIsWatched runs the suites with lists that are wrong.
func TestConformanceIsWatched(t *testing.T) {
	installed := conformance(t)
	url := serveFixture(t)
	for _, suite := range suites {
		for scenario, list := range map[string]string{
			"ping":                   "server: [ping]", // passes, and is listed
			"tools-call-simple-text": "server: []",     // fails, and is not
		} {
			file := filepath.Join(t.TempDir(), "expected.yaml")
			if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			outcomes, out, err := runSuite(t, installed, suite.version, url, "--scenario", scenario, "--expected-failures", file)
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || len(outcomes) != 1 {
				t.Errorf("%s: with %q, %s gives %v and %d outcomes\n%s", suite.version, list, scenario, err, len(outcomes), out)
			}
		}
	}
}

func TestUnaccounted(t *testing.T) {
	outcomes := []outcome{
		{"passes", []check{{"a", "SUCCESS"}, {"b", "INFO"}}},
		{"shows-nothing", []check{{"a", "SKIPPED"}, {"wire-schema-valid", "SUCCESS"}}},
		{"listed-nothing", []check{{"a", "SKIPPED"}}},
		{"fails", []check{{"a", "SUCCESS"}, {"b", "FAILURE"}}},
		{"warns", []check{{"a", "WARNING"}}},
	}
	got := unaccounted(outcomes, []string{"listed-nothing:a", "fails:b", "fails:a", "warns", "passes", "gone"})
	want := []string{
		`"shows-nothing" neither passes nor is listed`,
		`"fails:a" is listed, and no run of the suite fails there`,
		`"passes" is listed, and no run of the suite fails there`,
		`"gone" is listed, and no run of the suite fails there`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// conformance returns the folder that make conformance installs into.
func conformance(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PROMPTC_CONFORMANCE")
	if dir == "" {
		t.Skip("PROMPTC_CONFORMANCE does not name the folder of the conformance suite: run make conformance")
	}
	for _, name := range []string{"package.json", "package-lock.json"} {
		pinned, err := os.ReadFile(filepath.Join(conformanceDir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, pinned) {
			t.Fatalf("%s is not what %s pins: run make conformance", dir, conformanceDir)
		}
	}
	return filepath.Join(dir, "node_modules")
}

// A check is one that a scenario made, and what came of it: SUCCESS, FAILURE,
// WARNING, SKIPPED or INFO.
type check struct{ ID, Status string }

// An outcome is what came of a scenario.
type outcome struct {
	scenario string
	checks   []check
}

// passed tells whether the scenario shows something, and nothing bad.
func (o outcome) passed() bool {
	shown := false
	for _, c := range o.checks {
		switch c.Status {
		case "FAILURE", "WARNING":
			return false
		case "SUCCESS":
			// That what was answered is well-formed says nothing of the scenario.
			shown = shown || c.ID != "wire-schema-valid"
		}
	}
	return shown
}

// fails tells whether an entry of the expected failures, a scenario or one
// scenario:check, is true of the outcome.
func (o outcome) fails(entry string) bool {
	scenario, id, one := strings.Cut(entry, ":")
	if scenario != o.scenario {
		return false
	}
	if !one {
		return !o.passed()
	}
	return slices.ContainsFunc(o.checks, func(c check) bool { return c.ID == id && c.Status != "SUCCESS" })
}

// unaccounted returns what the suite itself lets through: scenarios that show
// nothing, and expected failures that are none.
func unaccounted(outcomes []outcome, expected []string) []string {
	var faults []string
	for _, o := range outcomes {
		if !o.passed() && !slices.ContainsFunc(expected, o.fails) {
			faults = append(faults, fmt.Sprintf("%q neither passes nor is listed", o.scenario))
		}
	}
	for _, entry := range expected {
		if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.fails(entry) }) {
			faults = append(faults, fmt.Sprintf("%q is listed, and no run of the suite fails there", entry))
		}
	}
	return faults
}

func expectedFailures(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Server []string }
	if err := yaml.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list.Server
}

// runSuite runs a version of the suite against the server at url, and returns what
// came of each scenario and all that was printed. The error is that of the suite's
// exit status.
func runSuite(t *testing.T, installed, version, url string, args ...string) ([]outcome, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	results := t.TempDir()
	node := filepath.Join(installed, "node-linux-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1), "bin", "node")
	cmd := exec.CommandContext(ctx, node,
		append([]string{filepath.Join(installed, "suite-"+version, "dist", "index.js"), "server", "--url", url, "--output-dir", results}, args...)...)
	cmd.WaitDelay = 10 * time.Second
	out, runErr := cmd.CombinedOutput()
	files, err := filepath.Glob(filepath.Join(results, "server-*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the suite leaves no results: %v %v\n%s", err, runErr, out)
	}
	var outcomes []outcome
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The folder's name is server-, the scenario, and the time it was run.
		name := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-")
		o := outcome{scenario: name[:len(name)-len("-2006-01-02T15-04-05-000Z")]}
		if err := json.Unmarshal(data, &o.checks); err != nil {
			t.Fatalf("%s: %v", o.scenario, err)
		}
		outcomes = append(outcomes, o)
	}
	return outcomes, string(out), runErr
}

// serveFixture serves what the suite asks for on a port of its own for the length of
// the test, and returns the URL.
func serveFixture(t *testing.T) string {
	t.Helper()
	program, faults, err := gen.Compile(fixtureContent(), gen.Options{Root: "fixture"})
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	var mux catalog.Mux
	err = errors.Join(mux.Mount(program.Catalog), mux.MountRepository(fixtureRepository{}))
	for _, r := range fixtureResources() {
		err = errors.Join(err, mux.MountResource(r))
	}
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(&mux, serve.Options{Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String() + serve.Endpoint
}

// fixtureContent is a content tree whose first skill has files of all kinds.
func fixtureContent() fs.FS {
	skill := func(id, references string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("---\nname: " + id + "\ndescription: Use when testing conformance.\nlicense: MIT\n" +
			"metadata: {nested: [1, true, null]}\nx-personal-mcp:\n  id: " + id + "\n  version: 1.0.0\n  capabilities: [testing]\n" +
			"  references: " + references + "\n---\n# " + id + "\n")}
	}
	return fstest.MapFS{
		"catalog.yaml":                              {Data: []byte("catalog:\n  name: conformance\n  version: 1.0.0\n  prefix: compiled/\n")},
		"skills/all-kinds/SKILL.md":                 skill("all-kinds", "{rules: references/deep/rules.md}"),
		"skills/all-kinds/assets/pixel.png":         {Data: pixel()},
		"skills/all-kinds/references/deep/rules.md": {Data: []byte("# Rules\n")},
		"skills/all-kinds/references/terms.md":      {Data: []byte("# Terms\n\nÀ la carte.\n")},
		"skills/all-kinds/scripts/run.sh":           {Data: []byte("#!/bin/sh\n")},
		"skills/one-file/SKILL.md":                  skill("one-file", "{}"),
		"prompts/compiled-prompt/PROMPT.md":         {Data: []byte("---\nprompt:\n  version: 1.0.0\n  description: Is compiled.\n---\nHello.\n")},
	}
}

// pixel is the smallest picture there is.
func pixel() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// fixtureRepository has the prompts that the suite asks for. Their names are no ids,
// so they cannot be PromptFuncs.
type fixtureRepository struct{}

func (fixtureRepository) Prefix() string { return "" }

func (fixtureRepository) List(context.Context, string) (catalog.Page, error) {
	return catalog.Page{Prompts: []catalog.Listing{
		{Name: "test_simple_prompt", Description: "Is one message."},
		{Name: "test_prompt_with_arguments", Description: "Shows its arguments.", Arguments: []catalog.Argument{
			{Name: "arg1", Description: "First.", Required: true},
			{Name: "arg2", Description: "Second.", Required: true},
		}},
		{Name: "test_prompt_with_embedded_resource", Description: "Embeds a resource.", Arguments: []catalog.Argument{
			{Name: "resourceUri", Description: "The URI of the resource.", Required: true},
		}},
		{Name: "test_prompt_with_image", Description: "Has a picture."},
	}}, nil
}

func (fixtureRepository) Get(_ context.Context, name string, arguments map[string]string) (catalog.Result, error) {
	text := func(text string) catalog.Message { return catalog.Message{Role: catalog.User, Text: text} }
	content := func(c catalog.Content) catalog.Message { return catalog.Message{Role: catalog.User, Content: c} }
	var messages []catalog.Message
	switch name {
	case "test_simple_prompt":
		messages = append(messages, text("This is a simple prompt for testing."))
	case "test_prompt_with_arguments":
		messages = append(messages, text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", arguments["arg1"], arguments["arg2"])))
	case "test_prompt_with_embedded_resource":
		messages = append(messages,
			content(catalog.Embedded{URI: arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
			text("Please process the embedded resource above."))
	case "test_prompt_with_image":
		messages = append(messages, content(catalog.Image{Data: pixel(), MIMEType: "image/png"}), text("Please analyze the image above."))
	default:
		return catalog.Result{}, fmt.Errorf("prompt %q: %w", name, catalog.ErrNotFound)
	}
	return catalog.Result{Messages: messages}, nil
}

func (fixtureRepository) Complete(_ context.Context, name, argument, _ string) ([]string, error) {
	if name != "test_prompt_with_arguments" || argument != "arg1" {
		return nil, fmt.Errorf("argument %q of prompt %q: %w", argument, name, catalog.ErrNotFound)
	}
	return []string{"paris", "park", "party"}, nil
}

func fixtureResources() []catalog.ResourceFunc {
	return []catalog.ResourceFunc{
		{
			URI: "test://static-text", Name: "static-text", MIMEType: "text/plain",
			Read: func(context.Context, string, map[string]string) (catalog.Embedded, error) {
				return catalog.Embedded{Text: "This is the content of the static text resource."}, nil
			},
		},
		{
			URI: "test://static-binary", Name: "static-binary", MIMEType: "image/png",
			Read: func(context.Context, string, map[string]string) (catalog.Embedded, error) {
				return catalog.Embedded{Blob: pixel()}, nil
			},
		},
		{
			URI: "test://template/{id}/data", Name: "template", MIMEType: catalog.JSON,
			Read: func(_ context.Context, _ string, variables map[string]string) (catalog.Embedded, error) {
				text, err := json.Marshal(map[string]any{"id": variables["id"], "templateTest": true, "data": "Data for ID: " + variables["id"]})
				return catalog.Embedded{Text: string(text)}, err
			},
		},
	}
}
