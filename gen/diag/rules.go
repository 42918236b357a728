// This file holds what the rules are, in a sentence each.

package diag

// Describe returns what a rule asks of the content, in one sentence, or the empty
// text where the rule is not known.
func Describe(rule string) string {
	for _, r := range rules {
		if r[0] == rule {
			return r[1]
		}
	}
	return ""
}

var rules = [...][2]string{
	{"argument-name", "An argument's name starts with a lower-case letter, has letters, digits and underscores, and is declared once."},
	{"argument-unused", "An argument that is declared is used."},
	{"body-empty", "A prompt has a text."},
	{"body-size", "A prompt's text is at most 256 KiB."},
	{"catalog-block", "The mapping catalog of catalog.yaml has no other keys than are known, each with a value of its form."},
	{"category", "A prompt's category is an id."},
	{"choices", "An argument has 1 to 100 distinct choices that are not empty."},
	{"default", "An optional argument's default is a text, and one of its choices if it has any."},
	{"dependency-cycle", "Skills do not depend on each other in a circle."},
	{"depends-on", "A skill depends on other skills that exist, on each once."},
	{"description", "A prompt, an argument and a skill have a description of 1 to 1,024 characters."},
	{"encoding", "A text file is UTF-8 without control, tag or bidirectional control characters."},
	{"file-name", "The file is named exactly PROMPT.md or SKILL.md, and no two names differ by case alone."},
	{"file-size", "A file has at most 16 MiB."},
	{"frontmatter-json", "A value in a skill's frontmatter means the same to every YAML reader, and JSON can hold it."},
	{"frontmatter-missing", "The file's first line is ---."},
	{"frontmatter-size", "The frontmatter has at most 64 KiB."},
	{"frontmatter-unclosed", "The frontmatter ends with a line that is exactly ---."},
	{"frontmatter-wrapped", "Nothing stands before the frontmatter, and the file is not wrapped in a code fence."},
	{"id-form", "An id is lower-case kebab-case of 1 to 64 characters that starts with a letter."},
	{"id-repeated", "No two prompts, and no two skills, have one id, in whatever trees they are."},
	{"identifier-collision", "No two things have the same name in the generated Go package."},
	{"link-broken", "A relative link in a skill leads to a file that is served with it."},
	{"markdown-limit", "Quotes and lists nest at most 100 deep, and a paragraph has no tens of thousands of brackets and emphasis marks."},
	{"message-empty", "A message has a text."},
	{"message-role", "A message's role is user or assistant, in a line that is exactly <!-- role: user --> or <!-- role: assistant -->."},
	{"name-repeated", "The directory is a prompt's name; the frontmatter does not repeat it."},
	{"placeholder-near-miss", "A placeholder is exactly {{name}}."},
	{"placeholder-undeclared", "A placeholder names a declared argument."},
	{"prompt-block", "The mapping prompt has the keys that are required, and no others than are known."},
	{"reference-orphan", "Every file under a skill's references/ is a reference with an id."},
	{"references", "A reference is an existing Markdown file under the skill's references/, listed once."},
	{"skill-block", "The mapping x-personal-mcp has the keys that are required, and no others than are known."},
	{"skill-field", "The optional fields of a skill have the form that the Agent Skills specification gives them."},
	{"skill-name", "A skill's name is an id and equals its directory."},
	{"skill-size", "A skill has at most 512 files and 16 MiB."},
	{"sources", "Each of the sources in catalog.yaml has a name of its own and the URL of a repository without a password, and other keys than are known it has none."},
	{"stray-file", "Every file is where the compiler reads it."},
	{"symlink", "The tree holds no symbolic links."},
	{"tags", "Tags are distinct ids."},
	{"title", "A title has 1 to 128 characters."},
	{"unreadable", "Every file and directory of the tree can be read."},
	{"uri-collision", "No two things have the same URI."},
	{"uri-unknown", "A resource:// URI names something that exists."},
	{"version", "A version is a semantic version."},
	{"yaml-feature", "The frontmatter is one YAML document without anchors, aliases, tags, merge keys and duplicate keys."},
	{"yaml-syntax", "The frontmatter is valid YAML."},
	{"yaml-type", "A value has the type that its key asks for; text that reads as another type is quoted."},
}

// Rules returns the names of all rules, sorted.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r[0]
	}
	return names
}
