// Package published tests a release against what is published of its formats: the schema
// of CycloneDX, those of the MCP registry and of MCP bundles, and the rules of OCI images.
// It is a module of its own, so that what knows the registry is no dependency of the
// product.
package published

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	registry "github.com/modelcontextprotocol/registry/pkg/api/v0"
	"github.com/modelcontextprotocol/registry/pkg/model"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const root = "../../.."

// release is made once.
var release struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	status := m.Run()
	if release.dir != "" {
		os.RemoveAll(release.dir)
	}
	os.Exit(status)
}

// made returns the directory of a release of this project, by its own compiler.
func made(t *testing.T) string {
	t.Helper()
	release.once.Do(func() {
		if release.dir, release.err = os.MkdirTemp("", "published"); release.err != nil {
			return
		}
		cmd := exec.Command("go", "run", "./cmd/promptc", "package", "-o", filepath.Join(release.dir, "dist"),
			"--target", "linux/"+runtime.GOARCH, "--title", "Prompts", "--description", "Prompts and skills.",
			"--license", "Apache-2.0 OR MIT", "--repository", "https://github.com/owner/server", "--revision", strings.Repeat("0a", 20),
			"--name", "io.github.owner/server", "--image", "ghcr.io/owner/server",
			"--download-url", "https://github.com/owner/server/releases/download/v1.0.0", "./cmd/promptd")
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1767225600")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if release.err = cmd.Run(); release.err != nil {
			t.Logf("%s", &stderr)
		}
	})
	if release.err != nil {
		t.Fatal(release.err)
	}
	return filepath.Join(release.dir, "dist")
}

func TestBillOfMaterials(t *testing.T) {
	text := one(t, "*.cdx.json")
	schemas := filepath.Join(module(t, "github.com/CycloneDX/cyclonedx-go"), "schema")
	if faults := faults(t, text, filepath.Join(schemas, "bom-1.6.schema.json"),
		filepath.Join(schemas, "spdx.schema.json"), filepath.Join(schemas, "jsf-0.82.schemax.json")); faults != nil {
		t.Error(faults)
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	// The schema is held to account: what is no bill fails.
	if faults := faults(t, bytes.Replace(text, []byte(`"alg": "SHA-256"`), []byte(`"alg": "SHA-257"`), 1), filepath.Join(schemas, "bom-1.6.schema.json"),
		filepath.Join(schemas, "spdx.schema.json"), filepath.Join(schemas, "jsf-0.82.schemax.json")); faults == nil {
		t.Error("a hash of no algorithm passes")
	}
}

func TestRegistryEntry(t *testing.T) {
	text := one(t, "server.json")
	schema := filepath.Join(module(t, "github.com/modelcontextprotocol/registry"), "internal", "validators", "schemas", "2025-12-11.json")
	if faults := faults(t, text, schema); faults != nil {
		t.Error(faults)
	}
	if faults := faults(t, bytes.Replace(text, []byte("io.github.owner/server"), []byte("server"), 1), schema); faults == nil {
		t.Error("a name without a slash passes")
	}
	// No field is one that the registry does not know.
	var entry registry.ServerJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&entry); err != nil {
		t.Fatal(err)
	}
	if entry.Schema != model.CurrentSchemaURL {
		t.Errorf("the entry has the schema %s, and the newest is %s", entry.Schema, model.CurrentSchemaURL)
	}
	if entry.Meta.PublisherProvided == nil || len(entry.Packages) != 2 {
		t.Errorf("the entry is %+v", entry)
	}
	for _, p := range entry.Packages {
		switch p.RegistryType {
		case model.RegistryTypeMCPB:
			if p.FileSHA256 == "" || !strings.Contains(p.Identifier, "mcp") {
				t.Errorf("the registry does not take %+v", p)
			}
		case model.RegistryTypeOCI:
			if p.FileSHA256 != "" || p.Version != "" {
				t.Errorf("the registry does not take %+v", p)
			}
		default:
			t.Errorf("there is a package of %q", p.RegistryType)
		}
	}
}

func TestImage(t *testing.T) {
	dir := filepath.Join(made(t), "oci")
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
}

// TestConformanceOfBundle has the tool of MCP bundles read one. Make conformance installs
// it.
func TestConformanceOfBundle(t *testing.T) {
	installed := os.Getenv("PROMPTC_CONFORMANCE")
	if installed == "" {
		t.Skip("make conformance installs the tool of MCP bundles")
	}
	bundles, err := filepath.Glob(filepath.Join(made(t), "*.mcpb"))
	if err != nil || len(bundles) != 1 {
		t.Fatal(err, bundles)
	}
	tool := func(args ...string) (string, error) {
		cli := filepath.Join(installed, "node_modules", "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
		out, err := exec.CommandContext(t.Context(), "node", append([]string{cli}, args...)...).CombinedOutput()
		return string(out), err
	}
	dir := filepath.Join(t.TempDir(), "bundle")
	if out, err := tool("unpack", bundles[0], dir); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := tool("validate", dir); err != nil || !strings.Contains(out, "passes") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "server", "promptd"), "version").CombinedOutput()
	if err != nil {
		t.Errorf("the server does not run: %v\n%s", err, out)
	}
	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, bytes.Replace(text, []byte(`"display_name"`), []byte(`"shown_name"`), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := tool("validate", dir); err == nil {
		t.Errorf("a field that no manifest has passes\n%s", out)
	}
}

// Nothing in a bundle is where unpacking would not put it.
func TestBundlePaths(t *testing.T) {
	text := one(t, "*.mcpb")
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if !fs.ValidPath(f.Name) {
			t.Errorf("the bundle has a file at %q", f.Name)
		}
	}
}

// one returns the file of the release whose name matches.
func one(t *testing.T, pattern string) []byte {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatal(err, found)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// module returns the directory of a module of this one's.
func module(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// faults returns what a text is that its schema does not have, and nil if it is sound.
// More are the schemas that it refers to.
func faults(t *testing.T, text []byte, schema string, more ...string) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	id := add(t, compiler, schema)
	for _, name := range more {
		add(t, compiler, name)
	}
	compiled, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value)
}

// add gives the compiler a schema by its id, which it returns.
func add(t *testing.T, compiler *jsonschema.Compiler, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	id, _ := value.(map[string]any)["$id"].(string)
	if id == "" {
		t.Fatalf("%s has no id", filepath.Base(name))
	}
	if err := compiler.AddResource(id, value); err != nil {
		t.Fatal(err)
	}
	return id
}
