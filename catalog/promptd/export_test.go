// This file tests that an export writes all of a skill or nothing, and takes away what
// it wrote and nothing else.

package promptd

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
)

// manySkills is how many skills the catalog large has.
const manySkills = 200

// large is a catalog of many skills, each of several files that tell the release.
func large(release string) *catalog.Catalog {
	c := &catalog.Catalog{Name: "large"}
	for i := range manySkills {
		s := &catalog.Skill{ID: fmt.Sprintf("skill-%03d", i), Description: "A skill."}
		for _, file := range []string{"SKILL.md", "references/deep/more.md", "references/one.md"} {
			text := s.ID + " " + file + " of release " + release + "\n"
			d := &catalog.Document{Path: "skills/" + s.ID + "/" + file, MIMEType: catalog.Markdown, Size: len(text), Text: []string{text, strings.Repeat(text, 50)}}
			if s.Document == nil {
				s.Document = d
			}
			s.Files = append(s.Files, d)
			c.Documents = append(c.Documents, d)
		}
		c.Skills = append(c.Skills, s)
	}
	return c
}

// snapshot returns what is in a directory: files by path, and directories with a slash.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || p == ".":
			return err
		case d.IsDir():
			all[p+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			all[p], err = os.Readlink(filepath.Join(dir, p))
		default:
			var data []byte
			data, err = os.ReadFile(filepath.Join(dir, p))
			all[p] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantSame(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, p := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[p]; !ok {
			t.Errorf("%s: %s is missing", what, p)
		} else if text != want[p] {
			t.Errorf("%s: %s holds %q, want %q", what, p, text, want[p])
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[p]; !ok {
			t.Errorf("%s: %s is too much", what, p)
		}
	}
}

// exportTo runs the command on a catalog.
func exportTo(t *testing.T, c *catalog.Catalog, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if status := Run("promptd", append([]string{"export", "--to", dir}, args...), c, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	return out.String(), errs.String()
}

// Whatever a layout writes is what is served, and its removal leaves no trace.
func TestExportAndRemove(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, dir+"/README.md", "mine")
			writeFile(t, dir+"/.github/workflows/ci.yml", "mine")
			before := snapshot(t, dir)

			planned, _ := exportTo(t, baked.Catalog, dir, "--layout", l.name, "--dry-run")
			wantSame(t, "after a dry run", snapshot(t, dir), before)
			stdout, stderr := exportTo(t, baked.Catalog, dir, "--layout", l.name)
			if want := strings.ReplaceAll(stdout, "wrote ", "would write "); planned != want {
				t.Errorf("planned:\n%sdone:\n%s", planned, stdout)
			}
			for _, s := range baked.Catalog.Skills {
				for _, d := range s.Files {
					data, err := os.ReadFile(filepath.Join(dir, l.skills, strings.TrimPrefix(d.Path, "skills/")))
					if err != nil || string(data) != d.String() {
						t.Errorf("%s: %v", d.Path, err)
					}
				}
			}
			if l.commands != "" {
				entries, err := os.ReadDir(filepath.Join(dir, l.commands))
				if err != nil || len(entries)+strings.Count(stderr, " is left out: ") != len(baked.Catalog.Prompts) {
					t.Errorf("%d prompts, %v: %s", len(entries), err, stderr)
				}
			}
			after := snapshot(t, dir)
			if stdout, _ := exportTo(t, baked.Catalog, dir, "--layout", l.name); !strings.HasPrefix(stdout, "nothing to do: ") {
				t.Errorf("a second time: %s", stdout)
			}
			wantSame(t, "a second time", snapshot(t, dir), after)

			exportTo(t, baked.Catalog, dir, "--remove", "--dry-run")
			wantSame(t, "after a dry removal", snapshot(t, dir), after)
			exportTo(t, baked.Catalog, dir, "--remove", "--layout", l.name)
			wantSame(t, "after the removal", snapshot(t, dir), before)
		})
	}
}

// Layouts share what lies at one place, until the last is removed.
func TestExportSharedPlace(t *testing.T) {
	dir := t.TempDir()
	c := large("1")
	exportTo(t, c, dir)
	agents := snapshot(t, dir)
	exportTo(t, c, dir, "--layout", "codex")
	exportTo(t, c, dir, "--layout", "claude")
	exportTo(t, c, dir, "--layout", "claude", "--remove")
	exportTo(t, c, dir, "--layout", "codex", "--remove")
	wantSame(t, "without codex", snapshot(t, dir), agents)
	exportTo(t, c, dir, "--remove")
	wantSame(t, "without any", snapshot(t, dir), map[string]string{})
}

// Two catalogs in one directory do not touch each other's.
func TestExportTwoCatalogs(t *testing.T) {
	dir := t.TempDir()
	exportTo(t, baked.Catalog, dir)
	first := snapshot(t, dir)
	other := large("1")
	other.Name = "Ours & theirs"
	other.Skills[0].ID = "scaffold-pytest"
	for _, d := range other.Skills[0].Files {
		d.Path = strings.Replace(d.Path, "skill-000", "scaffold-pytest", 1)
	}
	if _, stderr := exportTo(t, other, dir); stderr != "promptd: warning: .agents/skills/scaffold-pytest is left alone: it is there already, and not written by this command\n" {
		t.Errorf("stderr: %s", stderr)
	}
	exportTo(t, other, dir, "--remove")
	wantSame(t, "without the second", snapshot(t, dir), first)
	exportTo(t, baked.Catalog, dir, "--remove")
	wantSame(t, "without any", snapshot(t, dir), map[string]string{})
}

// A new release updates what the former wrote, and takes away what it has no more.
// What somebody edited, added or made is left alone.
func TestExportOverChanges(t *testing.T) {
	dir := t.TempDir()
	skills := dir + "/.agents/skills/"
	writeFile(t, skills+"skill-007/SKILL.md", "mine")
	_, stderr := exportTo(t, large("1"), dir)
	if stderr != "promptd: warning: .agents/skills/skill-007 is left alone: it is there already, and not written by this command\n" {
		t.Errorf("stderr: %s", stderr)
	}
	writeFile(t, skills+"skill-010/references/one.md", "edited")
	writeFile(t, skills+"skill-011/scripts/cache", "added")
	remove(t, skills+"skill-012/references/one.md")

	second := large("2")
	second.Skills = second.Skills[:manySkills-1]
	second.Documents = nil
	// A release that is the same is not hindered by what was added.
	if _, stderr := exportTo(t, large("1"), dir); strings.Contains(stderr, "skill-011") || !strings.Contains(stderr, "skill-010 is left alone: its references/one.md was changed") {
		t.Errorf("stderr: %s", stderr)
	}
	stdout, stderr := exportTo(t, second, dir)
	for _, want := range []string{
		"promptd: warning: .agents/skills/skill-010 is left alone: its references/one.md was changed since it was written\n",
		"promptd: warning: .agents/skills/skill-011 is left alone: its scripts was added since it was written\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr has no line %s: %s", want, stderr)
		}
	}
	if n := strings.Count(stdout, "updated "); n != manySkills-4 || !strings.Contains(stdout, "removed .agents/skills/skill-199\n") {
		t.Errorf("%d updated: %s", n, stdout)
	}
	whole(t, dir, ".agents/skills", "1", "2", "skill-007", "skill-010", "skill-011")
	if data, err := os.ReadFile(skills + "skill-012/references/one.md"); err != nil || !strings.Contains(string(data), "release 2") {
		t.Errorf("a file that was removed is not back: %q, %v", data, err)
	}

	_, stderr = exportTo(t, second, dir, "--remove")
	if !strings.Contains(stderr, "skill-010 is left alone: its references/one.md was changed") || !strings.Contains(stderr, "skill-011 keeps scripts, which was added") || strings.Count(stderr, "\n") != 2 {
		t.Errorf("stderr: %s", stderr)
	}
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(snapshot(t, dir))), func(p string) bool { return strings.HasSuffix(p, "/") })
	want := []string{
		".agents/skills/skill-007/SKILL.md",
		".agents/skills/skill-010/SKILL.md", ".agents/skills/skill-010/references/deep/more.md", ".agents/skills/skill-010/references/one.md",
		".agents/skills/skill-011/scripts/cache",
	}
	if !slices.Equal(got, want) {
		t.Errorf("left: %v", got)
	}
}

// whole wants that each skill in a directory, save some, has all its files of one of
// two releases, and returns how many there are of either.
func whole(t *testing.T, dir, skills, one, two string, but ...string) map[string]int {
	t.Helper()
	found := map[string]int{}
	entries, err := os.ReadDir(filepath.Join(dir, skills))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	releases := map[string]*catalog.Catalog{one: large(one), two: large(two)}
	for _, entry := range entries {
		id := entry.Name()
		if slices.Contains(but, id) {
			continue
		}
		got := snapshot(t, filepath.Join(dir, skills, id))
		release := two
		if strings.Contains(got["SKILL.md"], "release "+one+"\n") {
			release = one
		}
		found[release]++
		i := slices.IndexFunc(releases[release].Skills, func(s *catalog.Skill) bool { return s.ID == id })
		if i < 0 {
			t.Errorf("%s is no skill", id)
			continue
		}
		want := map[string]string{"references/": "", "references/deep/": ""}
		for _, d := range releases[release].Skills[i].Files {
			want[strings.TrimPrefix(d.Path, "skills/"+id+"/")] = d.String()
		}
		wantSame(t, id, got, want)
	}
	return found
}

// TestExportKilled kills the command at many points of writing, of updating and of
// removing. Each skill is all there or not at all then, and what comes next makes good.
func TestExportKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	const skills = ".agents/skills"
	// interrupt starts an export and kills it when enough has happened.
	interrupt := func(t *testing.T, dir, release string, enough func() bool, args ...string) {
		cmd := exec.Command("promptd-large", append([]string{"export", "--to", dir}, args...)...)
		cmd.Env = append(os.Environ(), "RELEASE="+release)
		cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			select {
			case <-ended: // it was quicker
				return
			default:
				if !enough() {
					runtime.Gosched()
					continue
				}
				_ = cmd.Process.Kill() // it may have ended by now
				<-ended
				return
			}
		}
	}
	// reached tells whether the skill at a step, which are taken in their order, has a
	// text, or is not there where the text is empty.
	reached := func(dir string, step int, text string) bool {
		data, err := os.ReadFile(filepath.Join(dir, skills, fmt.Sprintf("skill-%03d", min(step, manySkills-1)), "SKILL.md"))
		if text == "" {
			return os.IsNotExist(err)
		}
		return err == nil && strings.Contains(string(data), text)
	}
	interrupted := 0
	for i, step := range []int{0, 1, 40, 90, 140, 185, manySkills} {
		t.Run(fmt.Sprintf("at %d", step), func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, dir+"/mine", "mine")
			before := snapshot(t, dir)
			interrupt(t, dir, "1", func() bool { return reached(dir, step, "release 1\n") })
			if n := whole(t, dir, skills, "1", "2"); n["1"] < manySkills {
				interrupted++
			}
			if i%2 == 0 {
				exportTo(t, large("1"), dir, "--remove")
				wantSame(t, "removed after an interruption", snapshot(t, dir), before)
			}
			exportTo(t, large("1"), dir)
			if n := whole(t, dir, skills, "1", "2"); n["1"] != manySkills {
				t.Fatalf("after the next export: %v", n)
			}

			interrupt(t, dir, "2", func() bool { return reached(dir, step, "release 2\n") })
			if n := whole(t, dir, skills, "1", "2"); n["1"] > 0 && n["2"] > 0 {
				interrupted++
				if n["1"]+n["2"] < manySkills-1 {
					t.Errorf("in the middle of an update: %v", n)
				}
			}
			if i%2 != 0 {
				if _, stderr := exportTo(t, large("2"), dir); stderr != "" {
					t.Errorf("stderr: %s", stderr)
				}
				if n := whole(t, dir, skills, "1", "2"); n["2"] != manySkills {
					t.Fatalf("after the next update: %v", n)
				}
			}

			interrupt(t, dir, "2", func() bool { return reached(dir, step, "") }, "--remove")
			whole(t, dir, skills, "1", "2")
			if _, stderr := exportTo(t, large("2"), dir, "--remove"); stderr != "" {
				t.Errorf("stderr: %s", stderr)
			}
			wantSame(t, "removed", snapshot(t, dir), before)
		})
	}
	if interrupted == 0 {
		t.Error("no export was interrupted")
	}
}

// No write goes through a link that leads out of the target.
func TestExportLinks(t *testing.T) {
	outside := t.TempDir()
	writeFile(t, outside+"/SKILL.md", "mine")
	before := snapshot(t, outside)
	for _, at := range []string{".agents", ".agents/skills", ".agents/skills/skill-000", stateDir} {
		t.Run(at, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o755); err != nil {
				t.Fatal(err)
			}
			link(t, outside, filepath.Join(dir, at))
			var out, errs bytes.Buffer
			status := Run("promptd", []string{"export", "--to", dir}, large("1"), strings.NewReader(""), &out, &errs)
			if at == ".agents/skills/skill-000" {
				if status != 0 || !strings.Contains(errs.String(), at+" is left alone") {
					t.Errorf("status %d: %s", status, errs.String())
				}
			} else if status != 1 || strings.Contains(errs.String(), outside) || !strings.Contains(errs.String(), stateDir) && !strings.Contains(errs.String(), "a symbolic link leads out of the directory") {
				t.Errorf("status %d: %s", status, errs.String())
			}
			wantSame(t, "outside", snapshot(t, outside), before)
		})
	}
}

// A record that no export wrote is refused, and nothing is touched.
func TestExportForeignRecord(t *testing.T) {
	for _, text := range []string{
		"", "[]", `{"format":2}`, `{"format":1,"units":{"mine":{"layouts":["agents"],"files":{"":["0"]}}}}`,
		`{"format":1,"units":{".agents/skills/x":{"layouts":["agents"],"files":{"../../../mine":["0"]}}}}`,
		`{"format":1,"units":{".claude/commands/../../mine":{"layouts":["claude"],"files":{"":["0"]}}}}`,
		`{"format":1,"directories":["keep"]}`, `{"format":1,"units":{".agents/skills/x":null}}`,
	} {
		dir := t.TempDir()
		writeFile(t, dir+"/mine", "mine")
		writeFile(t, dir+"/"+stateDir+"/large.json", text)
		if err := os.Mkdir(dir+"/keep", 0o755); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, dir)
		for _, args := range [][]string{nil, {"--remove"}} {
			var out, errs bytes.Buffer
			status := Run("promptd", append([]string{"export", "--to", dir}, args...), large("1"), strings.NewReader(""), &out, &errs)
			if status != 1 || !strings.Contains(errs.String(), "it is no record of an export") {
				t.Errorf("%s %v: status %d: %s", text, args, status, errs.String())
			}
			wantSame(t, text, snapshot(t, dir), before)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add([]byte(`{"format":1,"directories":[".agents"],"units":{".agents/skills/x":{"layouts":["agents"],"files":{"SKILL.md":["0"]}}}}`))
	f.Add([]byte(`{"format":1,"units":{".claude/commands/x.md":{"layouts":["claude"],"files":{"":["0"]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := parseRecord(data)
		if err != nil {
			return
		}
		for p, u := range r.Units {
			for file := range u.Files {
				full := path.Join(p, file)
				if !slices.ContainsFunc(layouts(), func(l layout) bool {
					return strings.HasPrefix(full, l.skills+"/") || l.commands != "" && strings.HasPrefix(full, l.commands+"/")
				}) || !filepath.IsLocal(full) {
					t.Errorf("the record has %q", full)
				}
			}
		}
		for _, dir := range r.Directories {
			if !filepath.IsLocal(dir) || !strings.HasPrefix(dir, ".") {
				t.Errorf("the record has the directory %q", dir)
			}
		}
	})
}
