// Package breaking compares two states of a content tree: it tells what the newer one
// breaks for those who use the older one, and whether versions were raised as Semantic
// Versioning demands.
//
// # Who uses a catalog
//
// Clients of a server know prompts by their ids and arguments by their names, pass
// choices, read URIs, and look for capabilities. Some fill in arguments by position, as
// catalog.Prompt.Render does. Go programs use the generated package: its variables,
// argument types, fields, and the types and constants of choices. Go names follow from
// ids, names and choices, so that most of what breaks the ones breaks the others.
// Adding choices to an argument gives its field another type; taking all of them away
// breaks Go programs alone.
//
// [Rules] lists what is found. Two decisions need a reason. The position of an argument
// belongs to its callers, so that a new argument stands after all old ones. And the
// number of messages and their roles belong to them too: programs index the one and
// hand on the other.
//
// What was renamed is told by its text. A prompt, skill or document that is gone and a
// new one with at least four fifths of their words in common are one that was renamed;
// so are arguments that have one description, one name but for case and underscores,
// or are the only ones without a partner at one position; and references and files of
// one content.
//
// # Versions
//
// How much a prompt or skill changed is the greatest of its changes:
//
//	major  something breaks
//	minor  something was added: an optional argument, a choice, a reference, a file or
//	       a capability; an argument became optional; a default, the tags, the category
//	       or the dependencies are others. Every call stays valid.
//	patch  anything else that is served: texts, titles, descriptions, other frontmatter
//
// A default is minor since it changes what a call without the argument renders, and no
// call's validity. So are dependencies: they say what to read besides, and all that
// they name exists.
//
// A version must be raised by at least as much. Before 1.0.0 what breaks wants the
// second number raised and anything else the third. After a pre-release any later
// version will do, and a pre-release of a version that is high enough is high enough.
// Build metadata counts for nothing. A version may be raised without need; it may not be
// lowered or taken away. What has no version on the old side gets no advice.
//
// The version in catalog.yaml answers for everything: it is raised by the greatest
// change of all. It alone can tell of what is gone, of new prompts and skills, which are
// minor, and of documents outside of prompts/ and skills/.
//
// # The older state
//
// It is a content tree with what was vendored beside it: those of a directory, those that
// [Commit] reads from a git repository, or those that [Program] gets from a server, which
// holds of vendored files the ones that it serves. What is a fault by today's rules in it is
// left out and told.
package breaking
