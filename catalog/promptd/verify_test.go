// This file tests that the program proves what it holds: against trees, and against
// bytes that changed in its own file.

package promptd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
	"github.com/seed33527553/promptc/gen"
)

const contentDir = "../../content"

// copyContent copies content/ to a new directory, each file as edit has it.
func copyContent(t *testing.T, edit func(path string, data []byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	err := fs.WalkDir(os.DirFS(contentDir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(contentDir, p))
		if err != nil {
			return err
		}
		if edit != nil {
			data = edit(p, data)
		}
		to := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runBaked runs a command line on the catalog that is compiled in.
func runBaked(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Run("promptd", args, baked.Catalog, strings.NewReader(""), &out, &errs)
	return status, out.String(), errs.String()
}

func TestVerifyEqual(t *testing.T) {
	for name, edit := range map[string]func(string, []byte) []byte{
		"as it is": nil,
		"CRLF and a byte order mark": func(p string, data []byte) []byte {
			if filepath.Ext(p) == ".md" || p == settingsFile {
				return append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...)
			}
			return data
		},
	} {
		dir := copyContent(t, edit)
		// What the compiler passes over does not count.
		for _, p := range []string{".hidden.md", "LICENSE", "guides/picture.png", "prompts/.draft/PROMPT.md"} {
			writeFile(t, filepath.Join(dir, p), "not content")
		}
		status, stdout, stderr := runBaked("verify", dir)
		if status != 0 || stdout != "equal: digest "+baked.Catalog.Digest+"\n" || stderr != "" {
			t.Errorf("%s: status %d: %s%s", name, status, stdout, stderr)
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestVerifyDifferences(t *testing.T) {
	tests := []struct {
		name string
		edit func(t *testing.T, dir string)
		want []string
	}{
		{"one of each", func(t *testing.T, dir string) {
			writeFile(t, dir+"/guides/new.md", "# New\n")
			remove(t, dir+"/guides/prompt-style.md")
			writeFile(t, dir+"/prompts/write-adr/PROMPT.md", "---\n")
		}, []string{"added guides/new.md", "removed guides/prompt-style.md", "changed prompts/write-adr/PROMPT.md"}},
		{"a line end at the end", func(t *testing.T, dir string) {
			data, err := os.ReadFile(dir + "/skills/scaffold-pytest/SKILL.md")
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, dir+"/skills/scaffold-pytest/SKILL.md", string(data)+"\n")
		}, []string{"changed skills/scaffold-pytest/SKILL.md"}},
		{"CRLF in a script, which is kept byte for byte", func(t *testing.T, dir string) {
			script := dir + "/skills/scaffold-pytest/scripts/list_unfilled.py"
			data, err := os.ReadFile(script)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, script, strings.ReplaceAll(string(data), "\n", "\r\n"))
		}, []string{"changed skills/scaffold-pytest/scripts/list_unfilled.py"}},
		{"files of skills", func(t *testing.T, dir string) {
			writeFile(t, dir+"/skills/scaffold-pytest/assets/new.bin", "\x00")
			remove(t, dir+"/skills/respond-to-incident/assets/timeline.md")
		}, []string{"removed skills/respond-to-incident/assets/timeline.md", "added skills/scaffold-pytest/assets/new.bin"}},
		{"settings changed", func(t *testing.T, dir string) { writeFile(t, dir+"/catalog.yaml", "catalog: {}\n") }, []string{"changed catalog.yaml"}},
		{"settings removed", func(t *testing.T, dir string) { remove(t, dir+"/catalog.yaml") }, []string{"removed catalog.yaml"}},
		{"settings changed beside a file", func(t *testing.T, dir string) {
			writeFile(t, dir+"/catalog.yaml", "catalog: {}\n")
			writeFile(t, dir+"/a.md", "")
		}, []string{"added a.md", "changed catalog.yaml"}},
		{"what the compiler refuses", func(t *testing.T, dir string) {
			writeFile(t, dir+"/catalog.yml", "")
			writeFile(t, dir+"/prompts/write-adr/notes.txt", "")
			writeFile(t, dir+"/guides/OLD.MD", "")
		}, []string{"added catalog.yml", "added guides/OLD.MD", "added prompts/write-adr/notes.txt"}},
		{"links", func(t *testing.T, dir string) {
			remove(t, dir+"/guides/prompt-style.md")
			link(t, "release-checklist.md", dir+"/guides/prompt-style.md")
			link(t, "guides", dir+"/more")
		}, []string{"removed guides/prompt-style.md", "symlink guides/prompt-style.md", "symlink more"}},
		{"a huge file", func(t *testing.T, dir string) {
			writeFile(t, dir+"/guides/prompt-style.md", strings.Repeat("x", maxFileBytes+1))
		}, []string{"changed guides/prompt-style.md"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := copyContent(t, nil)
			test.edit(t, dir)
			status, stdout, stderr := runBaked("verify", dir)
			if want := strings.Join(test.want, "\n") + "\n"; status != 1 || stdout != want {
				t.Errorf("status %d, stdout\n%swant\n%s", status, stdout, want)
			}
			if !strings.HasPrefix(stderr, "promptd: ") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("stderr: %s", stderr)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

// A catalog without settings tells that the tree has some.
func TestVerifySettingsAdded(t *testing.T) {
	bare := *baked.Catalog
	bare.Digest = catalog.DigestOf(files(&bare))
	bare.Seal = catalog.SealOf(&bare)
	tree, err := readTree(contentDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := verify(&bare, tree); len(got) != 1 || got[0].String() != "added catalog.yaml" {
		t.Errorf("%v", got)
	}
}

// TestTampered changes one byte of the built program's file, in one place after the
// other, and has the program look.
func TestTampered(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "promptd")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/promptd").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sound, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	c := baked.Catalog
	prompt, _ := c.Prompt("review-pr-comments")
	skill, _ := c.Skill("scaffold-pytest")
	script, ok := skill.File("scripts/list_unfilled.py")
	if !ok || len(prompt.Arguments) == 0 {
		t.Fatal("content/ has changed; choose others")
	}
	argument := prompt.Arguments[0]
	last := prompt.Messages[0].Segments[0].Text
	for name, test := range map[string]struct{ text, want string }{
		"a prompt's text":           {last, "changed prompts/review-pr-comments/PROMPT.md\n"},
		"a prompt's entry":          {prompt.Entry, "corrupt prompt review-pr-comments"},
		"an argument's description": {argument.Description, "corrupt prompt review-pr-comments"},
		"a prompt's description":    {prompt.Description, "corrupt prompt review-pr-comments"},
		"a skill's description":     {skill.Description, "corrupt "},
		"a skill's file":            {script.Text[0], "changed skills/scaffold-pytest/scripts/list_unfilled.py\n"},
		"a skill's entry":           {skill.Entry, "corrupt skill scaffold-pytest"},
		"a document's digest":       {script.Digest, "corrupt skills/scaffold-pytest/scripts/list_unfilled.py"},
		"a skill's digest":          {skill.Digest, "corrupt skill scaffold-pytest"},
		"the catalog's digest":      {c.Digest, "corrupt catalog: the digest"},
		"the catalog's description": {c.Description, "corrupt catalog"},
		"the instructions":          {c.Instructions, "corrupt catalog"},
		"the seal":                  {c.Seal, "corrupt catalog"},
		"a resource's entry":        {c.Resources[len(c.Resources)-1].Entry, "corrupt resource " + c.Resources[len(c.Resources)-1].URI},
		"a record of a skill":       {skill.Record(), "corrupt resource " + skill.RecordURI()},
	} {
		t.Run(name, func(t *testing.T) {
			// The text may be there several times: in a file, in an entry made of it. Each
			// time is a byte that must be missed.
			said := ""
			for from := 0; ; {
				i := bytes.Index(sound[from:], []byte(test.text))
				if i < 0 {
					break
				}
				// A letter of another case, so that JSON stays JSON.
				at := from + i + strings.LastIndexFunc(test.text, func(r rune) bool { return r >= 'a' && r <= 'z' })
				from = at + 1
				tampered := filepath.Join(t.TempDir(), "promptd")
				changed := bytes.Clone(sound)
				changed[at] ^= 0x20
				if err := os.WriteFile(tampered, changed, 0o755); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command(tampered, "verify", contentDir).Output()
				if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
					t.Fatalf("%v: %s", err, out)
				}
				said += "\n" + string(out)
			}
			if !strings.Contains(said, "\n"+test.want) {
				t.Errorf("stdout\n%swant a line with %s", said, test.want)
			}
		})
	}
}

// Each value of a catalog is under the seal: inspect tells of any that changed.
func TestInspectFindsEachChange(t *testing.T) {
	if got := inspect(baked.Catalog); got != nil {
		t.Fatalf("%v", got)
	}
	for name, change := range map[string]func(c *catalog.Catalog, p *catalog.Prompt, s *catalog.Skill){
		"cache":  func(c *catalog.Catalog, _ *catalog.Prompt, _ *catalog.Skill) { c.Cache.TTL++ },
		"prefix": func(c *catalog.Catalog, _ *catalog.Prompt, _ *catalog.Skill) { c.Prefix = "x/" },
		"required": func(_ *catalog.Catalog, p *catalog.Prompt, _ *catalog.Skill) {
			p.Arguments[0].Required = !p.Arguments[0].Required
		},
		"default":         func(_ *catalog.Catalog, p *catalog.Prompt, _ *catalog.Skill) { p.Arguments[0].Default += "x" },
		"choices":         func(_ *catalog.Catalog, p *catalog.Prompt, _ *catalog.Skill) { p.Arguments[0].Choices = []string{"x"} },
		"role":            func(_ *catalog.Catalog, p *catalog.Prompt, _ *catalog.Skill) { p.Messages[0].Role = catalog.Assistant },
		"argument number": func(_ *catalog.Catalog, p *catalog.Prompt, _ *catalog.Skill) { p.Messages[0].Segments[1].Argument = 99 },
		"tags":            func(_ *catalog.Catalog, _ *catalog.Prompt, s *catalog.Skill) { s.Tags = nil },
		"capabilities":    func(_ *catalog.Catalog, _ *catalog.Prompt, s *catalog.Skill) { s.Capabilities = nil },
		"no such seal":    func(c *catalog.Catalog, _ *catalog.Prompt, _ *catalog.Skill) { c.Seal = "" },
		"slots": func(c *catalog.Catalog, _ *catalog.Prompt, _ *catalog.Skill) {
			c.PromptTable.Slots = append([]uint32{1}, c.PromptTable.Slots[1:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			program, faults, err := gen.Compile(os.DirFS(contentDir), gen.Options{Root: "content"})
			if err != nil || len(faults) > 0 {
				t.Fatal(err, faults)
			}
			c := program.Catalog // a value of our own
			p, _ := c.Prompt("review-pr-comments")
			s, _ := c.Skill("scaffold-pytest")
			change(c, p, s)
			if got := inspect(c); len(got) == 0 {
				t.Error("nothing was found")
			}
		})
	}
}
