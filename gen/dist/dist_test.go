// This file tests a whole release: this project's own, for linux.

package dist_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen"
	"github.com/seed33527553/promptc/gen/dist"
)

const root = "../.."

// target is what this machine can run, if it runs linux.
var target = dist.Target{OS: "linux", Arch: runtime.GOARCH}

// created stands in the release as its time.
var created = time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)

// options returns those of a release of this project into a directory.
func options(t *testing.T, output string) dist.Options {
	t.Helper()
	compiled, err := gen.CompileRelease(root+"/content", gen.Options{Root: "content"})
	if err != nil || len(compiled.Faults) > 0 {
		t.Fatal(err, compiled.Faults)
	}
	program, err := dist.Find(t.Context(), root+"/cmd/promptd")
	if err != nil {
		t.Fatal(err)
	}
	files, err := dist.Licences("", program.Dir, program.Root)
	if err != nil {
		t.Fatal(err)
	}
	return dist.Options{
		Program: program,
		Catalog: compiled.Program.Catalog,
		Targets: []dist.Target{target},
		About: dist.About{
			Version: "1.2.0-rc.1+x", Title: "Prompts", Description: "Prompts & skills.", Author: "Someone", License: "Apache-2.0",
			Repository: "https://github.com/owner/server", Revision: strings.Repeat("a1", 20),
			Name: "io.github.owner/server", DownloadURL: "https://github.com/owner/server/releases/download/v1.2.0/", Image: "ghcr.io/owner/server",
		},
		Files:  files,
		Output: output,
		Time:   created,
	}
}

// release is made once, for the tests that only look at it.
var release struct {
	once sync.Once
	dir  string
	opt  dist.Options
	made []dist.Made
}

func TestMain(m *testing.M) {
	status := m.Run()
	if release.dir != "" {
		os.RemoveAll(filepath.Dir(release.dir))
	}
	os.Exit(status)
}

func made(t *testing.T) (dir string, opt dist.Options) {
	t.Helper()
	if runtime.GOOS != "linux" || !slices.Contains(dist.Targets(), target) {
		t.Skip("this machine does not run what is built for linux")
	}
	if testing.Short() {
		t.Skip("builds the server")
	}
	release.once.Do(func() {
		above, err := os.MkdirTemp("", "dist")
		if err != nil {
			t.Fatal(err)
		}
		release.dir = filepath.Join(above, "below", "out")
		release.opt = options(t, release.dir)
		if release.made, err = dist.Make(t.Context(), release.opt); err != nil {
			t.Fatal(err)
		}
	})
	if release.made == nil {
		t.Fatal("there is no release")
	}
	return release.dir, release.opt
}

const (
	stem     = "promptd_1.2.0-rc.1+x"
	describe = "_linux_" + runtime.GOARCH
)

func TestFiles(t *testing.T) {
	dir, _ := made(t)
	want := []string{
		"checksums.txt", "oci", stem + ".cdx.json", stem + describe + ".mcpb", stem + describe + ".tar.gz", stem + "_oci.tar", "server.json",
	}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the release holds %q, want %q", got, want)
	}
	for _, name := range names(t, filepath.Dir(dir)) {
		if name != "out" {
			t.Errorf("%s was left beside the release", name)
		}
	}
	// What has a checksum has the right one, and everything has one.
	var listed []string
	for line := range strings.Lines(string(read(t, dir, "checksums.txt"))) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		listed = append(listed, name)
		if got := sha256.Sum256(read(t, dir, name)); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another checksum than is listed", name)
		}
	}
	if want := slices.DeleteFunc(want, func(s string) bool { return s == "oci" || s == "checksums.txt" }); !slices.Equal(listed, want) {
		t.Errorf("there are checksums of %q, want of %q", listed, want)
	}
	for _, m := range release.made {
		if data := read(t, dir, m.Name); int64(len(data)) != m.Size {
			t.Errorf("%s has %d bytes, and %d were told", m.Name, len(data), m.Size)
		}
	}
}

func TestArchive(t *testing.T) {
	dir, _ := made(t)
	z, err := gzip.NewReader(bytes.NewReader(read(t, dir, stem+describe+".tar.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || !z.ModTime.IsZero() {
		t.Errorf("gzip has the name %q and the time %s", z.Name, z.ModTime)
	}
	headers, files := untar(t, z)
	want := []string{"LICENSE", "README.md", "promptd"}
	for i, h := range headers {
		if want := stem + describe + "/" + want[i]; h.Name != want {
			t.Errorf("there is %s, want %s", h.Name, want)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || !h.ModTime.Equal(created) {
			t.Errorf("%s has the owner %d:%d %q:%q and the time %s", h.Name, h.Uid, h.Gid, h.Uname, h.Gname, h.ModTime)
		}
		if want := map[bool]int64{true: 0o755, false: 0o644}[strings.HasSuffix(h.Name, "promptd")]; h.Mode != want {
			t.Errorf("%s has the mode %o", h.Name, h.Mode)
		}
	}
	// The same program is in the bundle, and in the image.
	program := files[stem+describe+"/promptd"]
	if got := bundle(t, dir)["server/promptd"]; !bytes.Equal(got, program) {
		t.Error("the bundle has another program")
	}
	if got := imageFiles(t, image(t, dir))["promptd"]; !bytes.Equal(got, program) {
		t.Error("the image has another program")
	}
	for _, path := range []string{root, "dist"} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(program, []byte(absolute+"/")) {
			t.Errorf("the program holds a path of this machine")
		}
	}
}

// Whatever names the catalog names the same one, and the server in each artifact has it.
func TestOneCatalog(t *testing.T) {
	dir, opt := made(t)
	digests := map[string]string{}
	var m struct {
		Meta map[string]struct{ Catalog struct{ Digest string } } `json:"_meta"`
	}
	decode(t, bundle(t, dir)["manifest.json"], &m)
	digests["the bundle"] = m.Meta["io.github.seed33527553.promptc"].Catalog.Digest
	var s struct {
		Meta struct {
			Provided map[string]struct{ Catalog struct{ Digest string } } `json:"io.modelcontextprotocol.registry/publisher-provided"`
		} `json:"_meta"`
	}
	decode(t, read(t, dir, "server.json"), &s)
	digests["server.json"] = s.Meta.Provided["io.github.seed33527553.promptc"].Catalog.Digest
	for _, p := range *bill(t, dir).Metadata.Component.Properties {
		if p.Name == "promptc:catalog:digest" {
			digests["the bill of materials"] = p.Value
		}
	}
	config, err := image(t, dir).ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	digests["the image"] = config.Config.Labels["io.github.seed33527553.promptc.catalog.digest"]
	program := filepath.Join(t.TempDir(), "promptd")
	write(t, program, bundle(t, dir)["server/promptd"])
	out, err := exec.Command(program, "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var v struct{ Catalog struct{ Digest string } }
	decode(t, out, &v)
	digests["the server"] = v.Catalog.Digest
	if len(digests) != 5 {
		t.Errorf("only these name the catalog: %q", digests)
	}
	for what, digest := range digests {
		if digest != opt.Catalog.Digest {
			t.Errorf("%s names the digest %q", what, digest)
		}
	}
}

// The server in the image serves, from a file system with nothing else in it.
func TestImage(t *testing.T) {
	dir, opt := made(t)
	index := imageIndex(t, dir)
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if got := manifest.Annotations["io.modelcontextprotocol.server.name"]; got != opt.About.Name {
		t.Errorf("the index is of the server %q", got)
	}
	img := image(t, dir)
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/promptd"}) || config.OS != "linux" ||
		config.Architecture != runtime.GOARCH || !config.Created.Time.Equal(created) || len(config.Config.Cmd) > 0 {
		t.Errorf("the image has the configuration %+v", config)
	}
	want := map[string]string{
		"org.opencontainers.image.title":                opt.About.Title,
		"org.opencontainers.image.description":          opt.About.Description,
		"org.opencontainers.image.version":              opt.About.Version,
		"org.opencontainers.image.authors":              opt.About.Author,
		"org.opencontainers.image.licenses":             opt.About.License,
		"org.opencontainers.image.source":               opt.About.Repository,
		"org.opencontainers.image.revision":             opt.About.Revision,
		"org.opencontainers.image.created":              "2026-02-03T04:05:06Z",
		"io.modelcontextprotocol.server.name":           opt.About.Name,
		"io.github.seed33527553.promptc.catalog.digest": opt.Catalog.Digest,
	}
	for name, value := range want {
		if got := config.Config.Labels[name]; got != value {
			t.Errorf("the label %s is %q, want %q", name, got, value)
		}
	}
	if len(config.Config.Labels) != len(want) {
		t.Errorf("the labels are %q", config.Config.Labels)
	}
	files := imageFiles(t, img)
	if len(files) != 1 {
		t.Errorf("the image holds %d files", len(files))
	}
	program := filepath.Join(t.TempDir(), "promptd")
	write(t, program, files["promptd"])
	c, err := client.NewStdioMCPClient(program, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	prompts, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(prompts.Prompts) != len(opt.Catalog.Prompts) {
		t.Errorf("the server in the image lists %d prompts", len(prompts.Prompts))
	}

	// The tar holds the same layout.
	_, tarred := untar(t, bytes.NewReader(read(t, dir, stem+"_oci.tar")))
	layout := map[string][]byte{}
	err = fs.WalkDir(os.DirFS(filepath.Join(dir, "oci")), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			layout[p] = read(t, filepath.Join(dir, "oci"), p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(layout) != len(tarred) {
		t.Errorf("the tar holds %d files, and the directory %d", len(tarred), len(layout))
	}
	for name, data := range layout {
		if !bytes.Equal(tarred[name], data) {
			t.Errorf("%s is another in the tar", name)
		}
	}
}

func TestBundle(t *testing.T) {
	dir, opt := made(t)
	files := bundle(t, dir)
	var m struct {
		Name, Version string
		Server        struct {
			EntryPoint string `json:"entry_point"`
		}
		Prompts []struct {
			Name, Description, Text string
			Arguments               []string
		}
		Compatibility struct{ Platforms []string }
	}
	decode(t, files["manifest.json"], &m)
	if m.Name != "promptd" || m.Version != opt.About.Version || len(files[m.Server.EntryPoint]) == 0 || !slices.Equal(m.Compatibility.Platforms, []string{"linux"}) {
		t.Errorf("the manifest says %+v", m)
	}
	if len(m.Prompts) != len(opt.Catalog.Prompts) {
		t.Fatalf("the manifest has %d prompts", len(m.Prompts))
	}
	for i, p := range opt.Catalog.Prompts {
		// A prompt's text is what its arguments' places render as.
		values := make([]string, len(p.Arguments))
		free := *p
		free.Arguments = slices.Clone(p.Arguments)
		for i := range free.Arguments {
			free.Arguments[i].Choices = nil
			values[i] = "${arguments." + p.Arguments[i].Name + "}"
		}
		messages, err := free.Render(values...)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Prompts[i]
		if got.Name != opt.Catalog.Prefix+p.ID || got.Description != p.Description || got.Text != string(catalog.AppendTranscript(nil, messages)) || len(got.Arguments) != len(p.Arguments) {
			t.Errorf("the manifest has the prompt %s as %+v", p.ID, got)
		}
	}
}

func TestBillOfMaterials(t *testing.T) {
	dir, opt := made(t)
	bom := bill(t, dir)
	components := map[string]cyclonedx.Component{bom.Metadata.Component.BOMRef: *bom.Metadata.Component}
	var add func(list *[]cyclonedx.Component)
	add = func(list *[]cyclonedx.Component) {
		for _, c := range *list {
			if _, twice := components[c.BOMRef]; twice {
				t.Errorf("%s is there twice", c.BOMRef)
			}
			components[c.BOMRef] = c
			if c.Components != nil {
				add(c.Components)
			}
		}
	}
	add(bom.Components)
	has := func(ref, version, digest string) {
		c, ok := components[ref]
		switch {
		case !ok:
			t.Errorf("there is no %s", ref)
		case c.Version != version || digest != "" && (*c.Hashes)[0].Value != digest:
			t.Errorf("%s is there as %+v", ref, c)
		}
	}
	c := opt.Catalog
	has("catalog", c.Version, c.Digest)
	for _, p := range c.Prompts {
		has("prompt:"+p.ID, p.Version, p.Document.Digest)
	}
	for _, s := range c.Skills {
		has("skill:"+s.ID, s.Version, s.Digest)
		for _, d := range s.Files {
			has("file:"+d.Path, "", d.Digest)
		}
	}
	has("file:guides/getting-started.md", "", "")
	has("file:prompts/README.md", "", "")
	has("pkg:golang/std@"+strings.TrimPrefix(runtime.Version(), "go"), strings.TrimPrefix(runtime.Version(), "go"), "")
	modules := 0
	for ref, c := range components {
		if strings.HasPrefix(ref, "pkg:golang/github.com/mark3labs/mcp-go@") && c.Hashes != nil {
			modules++
		}
	}
	if modules != 1 {
		t.Error("there is no mcp-go with a hash")
	}
	for _, d := range *bom.Dependencies {
		for _, ref := range append(*d.Dependencies, d.Ref) {
			if _, ok := components[ref]; !ok {
				t.Errorf("something depends on %s, which is not there", ref)
			}
		}
	}
}

func TestRegistryEntry(t *testing.T) {
	dir, opt := made(t)
	var s struct {
		Name, Version string
		Packages      []struct{ RegistryType, Identifier, Version, FileSha256 string }
	}
	decode(t, read(t, dir, "server.json"), &s)
	if s.Name != opt.About.Name || s.Version != opt.About.Version || len(s.Packages) != 2 {
		t.Fatalf("the entry is %+v", s)
	}
	sum := sha256.Sum256(read(t, dir, stem+describe+".mcpb"))
	if p := s.Packages[0]; p.RegistryType != "mcpb" || p.FileSha256 != hex.EncodeToString(sum[:]) ||
		p.Identifier != "https://github.com/owner/server/releases/download/v1.2.0/"+stem+describe+".mcpb" {
		t.Errorf("the bundle is %+v", p)
	}
	digest, err := imageIndex(t, dir).Digest()
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Packages[1]; p.RegistryType != "oci" || p.Identifier != "ghcr.io/owner/server:1.2.0-rc.1_x@"+digest.String() || p.Version != "" || p.FileSha256 != "" {
		t.Errorf("the image is %+v", p)
	}
}

// A release takes the place of another, and of nothing else. Where it fails, what was
// there stays.
func TestOutput(t *testing.T) {
	_, opt := made(t)
	opt.About.DownloadURL, opt.About.Image = "", ""
	above := t.TempDir()
	opt.Output = filepath.Join(above, "out")
	opt.Files = nil

	wrong := opt
	wrongCatalog := *opt.Catalog
	wrongCatalog.Digest = strings.Repeat("0c", 32)
	wrong.Catalog = &wrongCatalog
	if _, err := dist.Make(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "does not have the catalog of the content") {
		t.Errorf("a catalog that is not in the server: %v", err)
	}
	if left := names(t, above); len(left) > 0 {
		t.Errorf("the failure left %q", left)
	}
	if _, err := dist.Make(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	opt.About.Version = "3.0.0"
	if _, err := dist.Make(t.Context(), opt); err != nil {
		t.Fatalf("in the place of another: %v", err)
	}
	kept := names(t, opt.Output)
	if slices.ContainsFunc(kept, func(name string) bool { return strings.Contains(name, "1.2.0") }) {
		t.Errorf("of the release before there is left %q", kept)
	}
	wrong.Output = opt.Output
	if _, err := dist.Make(t.Context(), wrong); err == nil {
		t.Error("a catalog that is not in the server is released")
	}
	if now := names(t, opt.Output); !slices.Equal(now, kept) {
		t.Errorf("after a failure there is %q, and there was %q", now, kept)
	}

	ctx, cancel := context.WithCancel(t.Context())
	opt.Progress = func(string) { cancel() }
	if _, err := dist.Make(ctx, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was cancelled: %v", err)
	}
	opt.Progress = nil
	if left := names(t, above); !slices.Equal(left, []string{"out"}) {
		t.Errorf("the failures left %q", left)
	}

	write(t, filepath.Join(opt.Output, "thesis.txt"), []byte("x"))
	if _, err := dist.Make(t.Context(), opt); err == nil || !strings.Contains(err.Error(), `out holds "thesis.txt", which is no part of a release`) {
		t.Errorf("a directory with a file of somebody's: %v", err)
	}
	read(t, opt.Output, "thesis.txt")
	opt.Output = filepath.Join(above, "link")
	if err := os.Symlink("out", opt.Output); err != nil {
		t.Fatal(err)
	}
	if _, err := dist.Make(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "link is not a directory") {
		t.Errorf("a symbolic link: %v", err)
	}
}

func TestAbout(t *testing.T) {
	sound := dist.About{Version: "1.0.0", Name: "io.github.owner/server"}
	for _, c := range []struct {
		change func(a *dist.About)
		want   string
	}{
		{func(a *dist.About) { a.Version = "" }, "the catalog has no version"},
		{func(a *dist.About) { a.Version = "../1" }, "is no Semantic Version"},
		{func(a *dist.About) { a.Version = "1.0/0" }, "is no Semantic Version"},
		{func(a *dist.About) { a.Name = "server" }, "is no name of the MCP registry"},
		{func(a *dist.About) { a.Name = "a/" + strings.Repeat("b", 200) }, "is no name of the MCP registry"},
		{func(a *dist.About) { a.Name, a.Image = "", "ghcr.io/o/s" }, "say --name"},
		{func(a *dist.About) { a.Image = "ghcr.io/o/s:1" }, "is no image without a tag"},
		{func(a *dist.About) { a.Image = "Ghcr.io/O" }, "is no image without a tag"},
		{func(a *dist.About) { a.Image, a.Description = "ghcr.io/o/s", strings.Repeat("é", 101) }, "the description has 101 characters"},
		{func(a *dist.About) { a.DownloadURL = "http://github.com/o" }, "--download-url is not the URL"},
		{func(a *dist.About) { a.Repository = "https://user:secret@github.com/o" }, "--repository is not the URL"},
		{func(a *dist.About) { a.Repository = "git@github.com:o/r" }, "--repository is not the URL"},
		{func(a *dist.About) { a.Title = "a\nb" }, "--title is not one line"},
		{func(a *dist.About) { a.License = "\xff" }, "--license is not one line"},
	} {
		a := sound
		c.change(&a)
		_, err := dist.Make(t.Context(), dist.Options{About: a, Targets: []dist.Target{{OS: "linux", Arch: "amd64"}}, Output: filepath.Join(t.TempDir(), "out")})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", a, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells a password: %v", err)
		}
	}
}

func TestFind(t *testing.T) {
	for pattern, want := range map[string]string{
		root + "/catalog":  "is package catalog, and no program",
		root + "/cmd/...":  "packages; name one main package",
		root + "/nowhere":  "go list failed",
		"-toolexec=touch":  "is no main package",
		"fmt":              "is package fmt, and no program",
		"golang.org/x/mod": "go list failed",
	} {
		if _, err := dist.Find(t.Context(), pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

func TestParseTarget(t *testing.T) {
	for _, target := range dist.Targets() {
		if got, err := dist.ParseTarget(target.String()); err != nil || got != target {
			t.Errorf("%s is %v, %v", target, got, err)
		}
	}
	for _, word := range []string{"", "linux", "linux/arm64/v8", "plan9/amd64", "linux/../x"} {
		if _, err := dist.ParseTarget(word); err == nil {
			t.Errorf("%q is a target", word)
		}
	}
}

// names returns what is in a directory, sorted.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func untar(t *testing.T, r io.Reader) ([]*tar.Header, map[string][]byte) {
	t.Helper()
	var headers []*tar.Header
	files := map[string][]byte{}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return headers, files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
		files[path.Clean(h.Name)] = data
	}
}

// bundle returns the files of the MCP bundle.
func bundle(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(dir, stem+describe+".mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		want := fs.FileMode(0o644)
		if strings.HasPrefix(f.Name, "server/") {
			want = 0o755
		}
		if f.Mode() != want || !f.Modified.Equal(created) {
			t.Errorf("%s in the bundle has the mode %s and the time %s", f.Name, f.Mode(), f.Modified)
		}
		if files[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func bill(t *testing.T, dir string) *cyclonedx.BOM {
	t.Helper()
	bom := new(cyclonedx.BOM)
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, dir, stem+".cdx.json")), cyclonedx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	return bom
}

// imageIndex returns the index of the image for all platforms.
func imageIndex(t *testing.T, dir string) v1.ImageIndex {
	t.Helper()
	outer, err := layout.ImageIndexFromPath(filepath.Join(dir, "oci"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := outer.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 || manifest.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1.2.0-rc.1_x" {
		t.Fatalf("%v, %+v", err, manifest)
	}
	index, err := outer.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

// image returns the image for this machine.
func image(t *testing.T, dir string) v1.Image {
	t.Helper()
	index := imageIndex(t, dir)
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifest.Manifests {
		if m.Platform.OS == target.OS && m.Platform.Architecture == target.Arch {
			img, err := index.Image(m.Digest)
			if err != nil {
				t.Fatal(err)
			}
			return img
		}
	}
	t.Fatalf("there is no image for %s", target)
	return nil
}

func imageFiles(t *testing.T, img v1.Image) map[string][]byte {
	t.Helper()
	r := mutate.Extract(img)
	defer r.Close()
	_, files := untar(t, r)
	return files
}
