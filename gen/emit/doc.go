// Package emit prints a checked program as a Go package.
//
// [Package] decides which files there are and what each depends on; printing is
// left to [File.Render], so that a caller who finds a file up to date on disk need
// not print it again. Nothing here reads or writes a file.
//
// # What is emitted
//
// A package has these files:
//
//	prompt_<id>_gen.go   a prompt: the type of its arguments, its value, its text
//	skill_<id>_gen.go    a skill: its handle, those of its references, their texts
//	documents_gen.go     documents that belong to no prompt or skill
//	index_gen.go         the sorted lists and the lookup tables
//	catalog_gen.go       Catalog and Register
//
// Hyphens of an id are underscores in file names, and the suffix keeps an id such
// as x-test or x-windows in the build. An edit of one Markdown file changes its own
// Go file and a digest in catalog_gen.go, nothing else.
//
// Above [MaxItems] prompts, skills and other documents, the package is split:
//
//	shard/s00 ...       values and texts, by a hash of the id
//	shard/args00 ...    the types of their arguments
//	shard/index         the catalog's value, lists and tables
//
// The package itself then only re-exports: types by alias, constants by constant,
// variables by address. Its API is the same at any size. The reason is the Go
// compiler, which takes gigabytes for ten thousand prompts in one package, and
// compiles all of it again for a changed word. Split, it takes half a second for the
// shard and one second for the index, and four more where the re-exports are used. A
// server that renders prompts by name needs no types: it imports shard/index, and
// neither they nor the methods, which are most of the work, are compiled at all.
//
// # Static data
//
// All that is emitted is laid out by the linker; no code runs at program start.
// That holds for composite literals, nested slices, addresses of variables, also
// of other packages, and copies of slices and pointers inside a package. It does
// not hold for maps, for copies of structs or of another package's variables, and
// for slices of constants.
//
// # Text
//
// Authored text is emitted as quoted strings alone, one Markdown line a Go line,
// in constants of at most 256 lines: gofmt takes time quadratic in the length of
// a concatenation. A raw string would lose carriage returns, cannot hold backticks
// or byte order marks, and would change its style with its content. Where authored
// text stands in a comment, every line gets its own slashes and a space, and is
// broken only where the rest cannot be taken for a directive or a list.
package emit
