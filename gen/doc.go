// Package gen compiles a tree of prompts and skills, written as Markdown with YAML
// frontmatter, into Go.
//
// # The idea
//
// A catalog is a value. [Compile] turns a content tree into a [check.Program],
// which holds a finished [catalog.Catalog]. That value is then either written out as
// Go source, by package emit and [Write], or used at once, as promptc's render, show
// and list do. Baked and live are the same value, rendered by the same few lines of
// package catalog. So one comparison holds the whole compiler to account: the value
// compiled from content/ deeply equals the one in the generated package.
//
// # The stages
//
//	parse   one file's bytes to one positioned file; alone knows yaml.v3
//	check   all files to a program: ids, links, cycles, URIs, Go names, limits
//	emit    a program to Go files, in memory; alone knows jennifer
//	diag    sources, places, diagnostics and their printing, for all of them
//
// Imports point one way: gen to emit, emit to check, check to parse, parse to diag;
// parse, check and emit also to catalog, whose vocabulary both sides share. Nothing here
// imports a generated package: a broken one could not be generated again.
//
// Beside these stand package source, which brings trees from git repositories and knows
// nothing of prompts; package breaking, which compares two programs; and package dist,
// which packages what was built.
//
// Placement is decided before anything is read. check.Arrange looks at the paths
// alone, says what each file is, and reports what lies where nothing reads it; only
// then are files opened, each up to a limit, and links never followed.
//
// # Several trees
//
// A catalog can be made of several trees: the built-in one, and sources in repositories
// of their own, of which each has one of three layouts. The layout is a matter of
// where files lie and how their frontmatter is written, and of nothing else: check gives
// each file its canonical path, under which it stands in the catalog, and from there on
// all trees are alike. Only diagnostics go on speaking of the path in the file's own
// tree.
//
// check.Trees merges them in order: what has an id that is taken is left out. A tree
// that is lenient loses each item that has a fault, and those that have one only
// because of that; so there is one notion of soundness, and not a second, weaker one
// for other people's prompts. Nothing in another tree can make a fault of the built-in
// one.
//
// The same trees come about in two ways. [Vendor] copies the sources of a release beside
// the content, and [CompileRelease] reads them there, without a network and to the same
// bytes. [Live] fetches them as it goes on, and follows the content directory as well.
//
// # Live
//
// A live catalog is pull-based. Whoever asks for its state has it look, and all who ask
// meanwhile wait for the next look, which begins after they asked: an edit that was
// saved before a request is in its answer, with no watcher that could miss it and no
// interval that somebody must choose. [Reader] makes that cheap by remembering what it
// has read, and check by remembering what it made of each file, in the file's
// check.Input. While there are faults the last sound program is served, since a client
// in the middle of its work is better off with an older prompt than with none.
//
// # Faults
//
// Whatever is wrong with the content is a [diag.Diagnostic] with the rule's name, a
// span and a hint. All faults of all files come out of one run, sorted. After a
// fault in a file's frontmatter nothing is guessed from it, and what only follows
// from another fault is not reported: a skill whose frontmatter cannot be read still
// exists for those that depend on it, an argument whose name is wrong makes no
// placeholder undeclared.
//
// yaml.v3 gives syntax errors no column, and at times a wrong line. The place is
// found with yaml.v3 itself: fed a byte at a time it tells how far it had read when
// it gave up, and from there the shortest prefix that it refuses in the same way
// ends at the fault. Fixes are tried the same way before they are offered.
//
// Besides the rules that the contract names there are some for its limits and for
// fields that it describes without a name: catalog-block, category, choices,
// default, description, file-size, frontmatter-size, skill-field, skill-size, tags,
// title and version. diag.Describe has a sentence on each.
//
// # Texts
//
// A segment's text is always a piece of the file as it stands. An escape drops a
// backslash between two segments, and trimming drops white space around a message,
// so a document, which is the whole file, is made of the same pieces and what lies
// between them. Go's linker keeps equal string constants once: the text of a prompt
// is in the binary once, although it is rendered and can also be read as a document.
// Pieces have at most 256 lines, because the time that gofmt takes for a constant
// grows with the square of its lines.
//
// # Names
//
// Go names are made in check, where places are still known, so that a collision is
// a diagnostic with two places and not a compile error in generated code. The
// grammar is frozen, and so is that of placeholders: both are what other people's
// programs and prompts are written against.
//
// # What is decided where the contract is silent
//
// A file outside of prompts/ and skills/ that is not Markdown is passed over, since
// guides have pictures. A nested SKILL.md is a fault also below scripts/ and
// assets/: hosts that look for skills would find it. An empty tree compiles. The
// index of skills is there even if there are none. A skill's description is kept as
// YAML gives it, since hosts compare it with the frontmatter; a prompt's is trimmed.
package gen
