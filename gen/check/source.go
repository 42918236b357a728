// This file holds Source, a tree elsewhere that catalog.yaml names.

package check

import (
	"time"

	"github.com/seed33527553/promptc/gen/diag"
)

// A Source is a tree in a git repository whose prompts and skills are to be in the
// catalog.
type Source struct {
	// Name is an id that no other source has.
	Name string
	// Repository is a URL with the scheme https or file, without user and password.
	Repository string
	// Branch and Path may be empty. Path is a directory of the repository, with
	// slashes.
	Branch, Path string
	// Token is the name of the environment variable that holds the access token; it
	// may be empty.
	Token string
	// TTL is how long what was read counts as fresh; 0 where catalog.yaml does not
	// say, else at least a second.
	TTL time.Duration
	// Layout is the tree's; it is empty where it is to be detected.
	Layout Layout
	// SkipInvalid tells to leave out what has faults.
	SkipInvalid bool
	// Span is where catalog.yaml names the repository.
	Span diag.Span
}
