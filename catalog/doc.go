// Package catalog is the vocabulary of compiled prompts and skills: what the
// compiler emits, what a server serves and what a program calls.
//
// A [Catalog] is a value. The compiler, promptc, makes it of a tree of Markdown
// files and writes it out as Go source, as static data that needs no code at
// program start. A program that imports such a generated package renders a prompt
// through its typed arguments,
//
//	messages, err := baked.DeployAppArgs{Environment: baked.DeployAppEnvironmentStaging}.Messages()
//
// or, where the name is known only at run time, through the value:
//
//	prompt, ok := baked.Catalog.Prompt("deploy-app")
//	messages, err := prompt.RenderNamed(map[string]string{"environment": "staging"})
//
// Rendering is one pass over segments that the compiler split: an argument's value
// is inserted as it is, and nothing in it is ever taken for a placeholder, a role
// or a pattern. What can be wrong with arguments is an [*ArgumentError], which
// names all of it at once.
//
// A [Mux] brings several catalogs together under their prefixes; package
// catalog/serve serves one over MCP.
//
// The package depends on the standard library alone, and runs no code when a
// program starts.
package catalog
