// This file holds what the rules are, in a sentence each.

package breaking

// A Rule is a way to break callers, or to get a version wrong.
type Rule struct {
	// Name is what findings show, such as "argument-removed".
	Name string
	// Description says in one sentence what is found.
	Description string
}

// Rules returns all rules, sorted by name.
func Rules() []Rule {
	return []Rule{
		{"argument-order", "Arguments changed places, or a new one stands before an old one; some clients fill in by position."},
		{"argument-removed", "An argument is gone; calls that pass it are refused."},
		{"argument-renamed", "An argument seems to have another name now."},
		{"argument-required", "An argument became required, or a new one is; calls without it are refused."},
		{"capability-removed", "A skill no longer says that it has a capability."},
		{"catalog-renamed", "The name is another by which clients know the server."},
		{"choice-removed", "A value of an argument is no longer allowed, and its Go constant is gone."},
		{"choices-added", "An argument that took any text takes choices only, and has another type in Go."},
		{"choices-removed", "An argument takes any text now; its type and constants in Go are gone."},
		{"document-removed", "A document is gone, and with it its resource://docs/ URI."},
		{"document-renamed", "A document seems to have another path, and so another URI."},
		{"file-removed", "A file of a skill is gone, and with it its URIs."},
		{"file-renamed", "A file of a skill seems to have another path, and so other URIs."},
		{"message-count", "A prompt renders to more or fewer messages than before."},
		{"prefix-changed", "The catalog's prefix is another: the names of all prompts and the skill:// URIs change."},
		{"prompt-removed", "A prompt is gone."},
		{"prompt-renamed", "A prompt seems to have another id now."},
		{"reference-removed", "A reference of a skill is gone, and with it its URI."},
		{"reference-renamed", "A reference of a skill seems to have another id, and so another URI."},
		{"role-changed", "A message of a prompt is somebody else's."},
		{"skill-removed", "A skill is gone."},
		{"skill-renamed", "A skill seems to have another id now."},
		{"version-lowered", "A version is lower than before."},
		{"version-not-raised", "Something changed, and its version does not say so, or says too little."},
		{"version-removed", "A version is gone."},
	}
}
