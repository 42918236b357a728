// Package promptc is the root of the promptc module; it has no code of its own.
//
// Running go generate here compiles content/ into the package catalog/baked, which
// the release server promptd carries. The compiler is described in package gen, the
// compiled values in package catalog, the server in package catalog/serve.
package promptc

//go:generate go run ./cmd/promptc generate -o catalog/baked content
