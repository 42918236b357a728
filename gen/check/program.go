// This file holds Program, what all files of a tree come to when they have no
// faults.

package check

import (
	"path"

	"github.com/seed33527553/promptc/catalog"
)

// A Program is a checked content tree: the catalog's value, and the Go names under
// which a generated package declares it. Everything in it is sorted and decided;
// what remains is printing.
type Program struct {
	// Root is how the content directory is named where files tell what they were
	// made from; it may be empty.
	Root string
	// Origins tells where files of other trees lie, by their paths in the catalog.
	Origins map[string]string
	// Sources are the other trees that catalog.yaml names, in its order.
	Sources []Source
	// Catalog is the value that the tree compiles to.
	Catalog *catalog.Catalog
	// Prompts and Skills hold the Go names of the catalog's prompts and skills,
	// by the same positions.
	Prompts []PromptNames
	Skills  []SkillNames
}

// Origin returns where the file with a path in the catalog lies, for readers.
func (p *Program) Origin(file string) string {
	if origin, ok := p.Origins[file]; ok {
		return origin
	}
	return path.Join(p.Root, file)
}

// PromptNames are the identifiers that a prompt has in the generated package.
type PromptNames struct {
	// Prompt is the variable's name, such as ReviewChanges.
	Prompt string
	// Args is the name of the arguments' type, such as ReviewChangesArgs.
	Args string
	// Fields are the names of the type's fields, by position of the argument.
	Fields []string
	// Choices are the names for the arguments' choices, by position of the
	// argument; the zero value stands for an argument without any.
	Choices []ChoiceNames
}

// ChoiceNames are the identifiers for the choices of an argument.
type ChoiceNames struct {
	// Type is the name of the string type, such as ReviewChangesDepth.
	Type string
	// Constants are the names of its values, by position of the choice.
	Constants []string
}

// SkillNames are the identifiers that a skill has in the generated package.
type SkillNames struct {
	// Skill is the variable's name, such as PytestScaffoldSkill.
	Skill string
	// References are the names of the references' variables, such as
	// PytestScaffoldSkillFixtures, by position of the reference.
	References []string
}
