// This file checks trees with more of everything than people write.

package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/gen/check"
)

// skills returns a tree of n skills, of which needs says what each depends on and names.
func skills(n int, needs func(i int) (dependsOn, capability string)) *check.Tree {
	files := map[string]file{}
	for i := range n {
		dependsOn, capability := needs(i)
		files[fmt.Sprintf("s%d/SKILL.md", i)] = file{data: fmt.Appendf(nil, "---\nname: s%d\ndescription: Does it.\n"+
			"x-personal-mcp: {id: s%d, version: 1.0.0, capabilities: [%s], depends_on: [%s]}\n---\n# S\n", i, i, capability, dependsOn)}
	}
	t := tree("team", "vendor/team", check.AgentSkills, files)
	t.Lenient = true
	return t
}

// TestChains has skills each of which needs the next, where the last is missing: each
// is left out, and says so once.
func TestChains(t *testing.T) {
	const n = 500
	for name, needs := range map[string]func(i int) (string, string){
		"dependencies": func(i int) (string, string) { return fmt.Sprintf("s%d", i+1), "x" },
		"URIs":         func(i int) (string, string) { return "", fmt.Sprintf("resource://skills/s%d/document", i+1) },
		"documents":    func(i int) (string, string) { return "", fmt.Sprintf("resource://docs/skills/s%d/SKILL.md", i+1) },
	} {
		program, faults, warnings := check.Trees([]*check.Tree{builtIn(), skills(n, needs)})
		if len(faults) > 0 || len(program.Catalog.Skills) != 1 || len(warnings) != n {
			t.Errorf("%s: %d faults and %d warnings, want %d; %d skills, want the built-in one", name, len(faults), len(warnings), n, len(program.Catalog.Skills))
		}
	}
}

// TestLongCircle has a circle that is longer than people read, and turns it around the
// built-in skill, which is in none.
func TestLongCircle(t *testing.T) {
	const n = 300
	team := skills(n, func(i int) (string, string) { return fmt.Sprintf("base, s%d", (i+1)%n), "x" })
	_, _, warnings := check.Trees([]*check.Tree{builtIn(), team})
	circles := 0
	for _, d := range warnings {
		if d.Rule == "dependency-cycle" {
			circles++
			if !strings.HasSuffix(d.Message, " and 200 more") || len(d.Related) != 99 {
				t.Errorf("%s with %d places", d.Message, len(d.Related))
			}
		}
	}
	if circles != 1 || len(warnings) != n {
		t.Errorf("%d circles among %d warnings, want 1 among %d", circles, len(warnings), n)
	}
	team.Lenient = false
	program, faults, _ := check.Trees([]*check.Tree{builtIn(), team})
	if program != nil || len(faults) != 1 {
		t.Errorf("%d faults, want the circle alone", len(faults))
	}
}

// TestManyGuesses has more unknown names than are compared with the known ones: each
// is reported, and the first ones have suggestions.
func TestManyGuesses(t *testing.T) {
	var arguments, body strings.Builder
	for i := range 300 {
		fmt.Fprintf(&arguments, "  - {name: argument_%d, description: x}\n", i)
		fmt.Fprintf(&body, "{{argument_%d}}", i)
	}
	const n = 3000
	for i := range n {
		fmt.Fprintf(&body, " {{argumant_%d}}", i%300)
	}
	team := tree("team", "vendor/team", check.Flat, map[string]file{
		"x.md": {data: []byte("---\nname: x\ndescription: x\narguments:\n" + arguments.String() + "---\n" + body.String() + "\n")},
	})
	_, faults, _ := check.Trees([]*check.Tree{builtIn(), team})
	suggested := 0
	for _, d := range faults {
		if strings.Contains(d.Help, "did you mean") {
			suggested++
		}
	}
	if len(faults) != n || suggested == 0 || suggested == n || !strings.Contains(faults[0].Help, "did you mean {{argument_0}}?") {
		t.Errorf("%d faults, %d of them with suggestions", len(faults), suggested)
	}
}
