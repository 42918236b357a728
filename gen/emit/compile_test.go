// This file holds the tests that compile and run the output.

package emit_test

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/check"
	"github.com/seed33527553/promptc/gen/emit"
)

// everything is what the sizes and the goldens come to in one module, so that it is
// built once.
func everything() map[string]*check.Program {
	programs := map[string]*check.Program{
		"hostile": hostile().program(),
		"sharded": many(600).program(),
		"binary":  binary().program(),
	}
	for name, program := range goldens {
		programs[name] = program()
	}
	return programs
}

// many is a catalog of n prompts, skills and documents.
func many(n int) *tree {
	t := newTree()
	for i := range n {
		switch id := fmt.Sprintf("item-%d", i); i % 6 {
		case 4:
			t.skill(catalog.Skill{ID: id, Version: "1.0.0", Description: "Skill " + id, Capabilities: []string{"x"}},
				"# "+id+"\n\nText.\n", map[string]string{"first": "# First\n\nOf " + id + ".\n"}, nil)
		case 5:
			t.loose("docs/"+id+".md", "# "+id+"\n\nText.\n")
		default:
			t.prompt(catalog.Prompt{ID: id, Version: "1.0.0", Description: "Prompt " + id, Arguments: []catalog.Argument{
				{Name: "name", Description: "A name.", Required: true},
				{Name: "depth", Description: "How far to go.", Choices: []string{"quick", "thorough"}},
			}}, "Text of "+id+"\nfor {{name}}\n\nin {{depth}} words.")
		}
	}
	// A handle's name with Document after it is that of another's text.
	t.prompt(catalog.Prompt{ID: "item-1-document", Version: "1.0.0", Description: "Another."}, "Text\nof\nit.")
	return t
}

// binary is a catalog with data of many lines, and a text so long that its constants
// are added up twice.
func binary() *tree {
	t := newTree()
	data := make([]byte, 300<<10)
	for i := range data {
		data[i] = byte(i * i >> 8)
	}
	t.skill(catalog.Skill{ID: "data", Version: "1.0.0", Description: "Data.", Capabilities: []string{"x"}}, "# Data\n", nil, map[string]string{
		"assets/random": string(data),
		"assets/lines":  strings.Repeat("a\n", 256*257+1),
	})
	return t
}

// module writes the programs as packages of a module outside of the repository that
// uses it, with a command that encodes each one's catalog.
func module(t *testing.T, programs map[string]*check.Program) (dir string) {
	t.Helper()
	dir = t.TempDir()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", fmt.Appendf(nil, "module example.com/user\n\ngo 1.26\n\nrequire github.com/seed33527553/promptc v0.0.0\n\nreplace github.com/seed33527553/promptc => %q\n", repository))
	var main bytes.Buffer
	main.WriteString("package main\n\nimport (\n\t\"encoding/gob\"\n\t\"os\"\n\n\t\"github.com/seed33527553/promptc/catalog\"\n")
	for name := range programs {
		fmt.Fprintf(&main, "\t%q\n", "example.com/user/"+name)
	}
	main.WriteString(")\n\nfunc main() {\n\terr := gob.NewEncoder(os.Stdout).Encode(map[string]*catalog.Catalog{\n")
	for name, program := range programs {
		fmt.Fprintf(&main, "\t\t%q: %s.Catalog,\n", name, name)
		files, err := emit.Package(program, emit.Options{Package: name, ImportPath: "example.com/user/" + name})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive(t, files).Files {
			write(name+"/"+f.Name, f.Data)
		}
	}
	main.WriteString("\t})\n\tif err != nil {\n\t\tpanic(err)\n\t}\n}\n")
	write("main.go", main.Bytes())
	return dir
}

// command is one that needs no network.
func command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GONOSUMDB=*", "GOTOOLCHAIN=local")
	return c
}

// staticcheck returns the path of the tool that the repository pins.
func staticcheck(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "staticcheck").Output()
	if err != nil {
		t.Fatalf("go tool -n staticcheck: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func TestCompiledCatalogIsTheProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module")
	}
	programs := everything()
	dir := module(t, programs)
	if out, err := command(dir, "go", "vet", "./...").CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	if out, err := command(dir, staticcheck(t), "./...").CombinedOutput(); err != nil {
		t.Errorf("staticcheck: %v\n%.2000s", err, out)
	}
	if out, err := command(dir, "gofmt", "-l", ".").CombinedOutput(); err != nil || strings.ReplaceAll(string(out), "main.go\n", "") != "" {
		t.Errorf("gofmt -l: %v\n%.500s", err, out)
	}
	if out, err := command(dir, "go", "build", "-o", "user", ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}

	run := command(dir, "./user")
	run.Env = append(run.Env, "GODEBUG=inittrace=1")
	var stdout, stderr bytes.Buffer
	run.Stdout, run.Stderr = &stdout, &stderr
	if err := run.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if ours := regexp.MustCompile(`(?m)^init (example\.com|github\.com/seed33527553).*`).FindString(stderr.String()); ours != "" {
		t.Errorf("code at program start: %s", ours)
	}
	if !strings.Contains(stderr.String(), "init runtime") {
		t.Errorf("no trace of initialisation:\n%s", &stderr)
	}

	var got map[string]*catalog.Catalog
	if err := gob.NewDecoder(&stdout).Decode(&got); err != nil {
		t.Fatal(err)
	}
	for name, program := range programs {
		if !reflect.DeepEqual(got[name], program.Catalog) {
			t.Errorf("%s: the compiled catalog is not the one that was emitted: %s", name, unequal(reflect.ValueOf(got[name]), reflect.ValueOf(program.Catalog), name))
		}
	}
}

// unequal names the first place where two values differ.
func unequal(a, b reflect.Value, path string) string {
	switch a.Kind() {
	case reflect.Pointer:
		if !a.IsNil() && !b.IsNil() {
			return unequal(a.Elem(), b.Elem(), path)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
				return unequal(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)
			}
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !reflect.DeepEqual(a.Index(i).Interface(), b.Index(i).Interface()) {
				return unequal(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))
			}
		}
		return fmt.Sprintf("%s: %d elements and %d", path, a.Len(), b.Len())
	}
	return fmt.Sprintf("%s: %.200v and %.200v", path, a, b)
}

// The sample must set every field of the vocabulary, or a field that the emitter does
// not know would not be missed.
func TestSampleSetsEveryField(t *testing.T) {
	set := map[string]bool{}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			walk(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				name := v.Type().String() + "." + v.Type().Field(i).Name
				set[name] = set[name] || !v.Field(i).IsZero()
				walk(v.Field(i))
			}
		}
	}
	walk(reflect.ValueOf(sample().program().Catalog))
	for name, ok := range set {
		if !ok {
			t.Errorf("%s is nowhere set", name)
		}
	}
}

func TestTypedArguments(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module")
	}
	dir := module(t, map[string]*check.Program{"sample": sample().program(), "sharded": many(600).program()})
	const start = "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/user/sample\"\n\t\"example.com/user/sharded\"\n\t\"github.com/seed33527553/promptc/catalog\"\n)\n\n" +
		"func show(messages []catalog.Message, err error) {\n\tfor _, m := range messages {\n\t\tfmt.Printf(\"%s: %s\\n\", m.Role, m.Text)\n\t}\n\tfmt.Println(err)\n}\n\n" +
		"func main() {\n\tvar m catalog.Mux\n\tfmt.Println(sample.Register(&m), sample.PytestScaffoldSkill.ID, sample.PytestScaffoldSkillFixtures.Document.Path, sharded.Item4SkillFirst.ID)\n"
	for name, test := range map[string]struct{ code, want string }{
		"rendered": {
			`	show(sample.ReviewChangesArgs{Diff: "D", Depth: sample.ReviewChangesDepthQuick}.Messages())`,
			"user: Review this change quickly, in English.\nRun `go test ./...` first, and read\n\"CONTRIBUTING.md\".\n\n```diff\nD\n```\nassistant: I looked at the change.\nNothing is wrong with it,\nin English.\n<nil>\n",
		},
		"from a shard": {
			`	show(sharded.Item0Args{Name: "N", Depth: sharded.Item0DepthThorough}.Messages())`,
			"user: Text of item-0\nfor N\n\nin thorough words.\n<nil>\n",
		},
		"missing": {
			`	show(sharded.Item0Args{}.Messages())`,
			"prompt \"item-0\": missing required argument \"name\"\n",
		},
		"misspelt argument": {`	_ = sample.ReviewChangesArgs{Dif: "D"}`, "unknown field Dif"},
		"misspelt choice":   {`	_ = sharded.Item0Args{Depth: sharded.Item0DepthQick}`, "undefined: sharded.Item0DepthQick"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "main.go")
			if err := os.WriteFile(file, []byte(start+test.code+"\n}\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			out, _ := command(dir, "go", "run", ".").CombinedOutput()
			if !strings.Contains(string(out), test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", out, test.want)
			}
		})
	}
}
