// This file holds Change and Advice: how much something changed, and which version
// it wants.

package breaking

import (
	"math/big"
	"strings"

	"golang.org/x/mod/semver"
)

// A Change is how much something changed for its callers, from nothing up.
type Change int

const (
	// None: nothing changed, but perhaps the version.
	None Change = iota
	// Patch: words changed, of a text, a title or a description.
	Patch
	// Minor: something was added or loosened, and everything that was there works
	// as before.
	Minor
	// Major: something breaks.
	Major
)

// String returns the change in a word.
func (c Change) String() string { return [...]string{"none", "patch", "minor", "major"}[c] }

// An Advice tells which version a prompt, a skill or the catalog wants.
type Advice struct {
	// Kind is "prompt", "skill" or "catalog". ID is the prompt's or skill's id, and
	// empty for the catalog.
	Kind, ID string
	// Change is how much it changed, and Why names the change that weighs most: a
	// rule's name for one that breaks, else a few words. Why is empty for None.
	Change Change
	Why    string
	// Old and New are the versions. Either is empty where the side has none.
	Old, New string
	// Least is the lowest version that says what changed. It is empty where nothing
	// changed, or where there is no old version.
	Least string
	// Right tells that the new version says what changed. Without an old and a new
	// version it does not.
	Right bool
}

// note takes notice of a change.
func (a *Advice) note(change Change, why string) {
	if change > a.Change {
		a.Change, a.Why = change, why
	}
}

// name returns what the advice is on, for messages.
func (a *Advice) name() string {
	if a.Kind == "catalog" {
		return "the catalog"
	}
	return "the " + a.Kind + ` "` + a.ID + `"`
}

// decide fills in Least and Right from the other fields.
func (a *Advice) decide() {
	if a.Old == "" {
		return
	}
	a.Least = leastVersion(a.Old, a.Change)
	if a.New == "" {
		return
	}
	a.Right = precedence(a.New, a.Old) >= 0
	if a.Change > None {
		a.Right = precedence(a.New, a.Old) > 0 && precedence(release(a.New), a.Least) >= 0
	}
}

// precedence compares versions (Semantic Versioning 2.0.0, item 11).
func precedence(a, b string) int { return semver.Compare("v"+a, "v"+b) }

// release returns a version without its pre-release and build metadata.
func release(version string) string {
	if i := strings.IndexAny(version, "-+"); i >= 0 {
		return version[:i]
	}
	return version
}

// leastVersion returns the lowest version, of those without a pre-release, that
// may follow an old one after a change; it is empty for None.
//
// Before 1.0.0 anything may change (Semantic Versioning 2.0.0, item 4): a change
// that breaks wants the second number raised there, any other one the third. A
// pre-release promises nothing (item 9): whatever comes after it will do, its own
// release at the latest.
func leastVersion(old string, change Change) string {
	if change == None {
		return ""
	}
	numbers := strings.Split(release(old), ".")
	if semver.Prerelease("v"+old) != "" {
		return release(old)
	}
	position := map[Change]int{Major: 0, Minor: 1, Patch: 2}[change]
	if numbers[0] == "0" {
		position = 2
		if change == Major {
			position = 1
		}
	}
	n, _ := new(big.Int).SetString(numbers[position], 10) // the compiler has checked it
	numbers[position] = n.Add(n, big.NewInt(1)).String()
	for i := position + 1; i < len(numbers); i++ {
		numbers[i] = "0"
	}
	return strings.Join(numbers, ".")
}
