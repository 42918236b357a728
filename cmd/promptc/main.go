// Promptc compiles prompts and skills, authored as Markdown, into typed Go, and is
// the author's tool for them: it checks, generates, previews and serves them.
//
//	promptc init     [--module PATH] [DIR]
//	promptc new      prompt|skill ID
//	promptc check    [--format FORMAT] [CONTENT]
//	promptc breaking --against OLD [--allow-breaking] [--format FORMAT] [CONTENT]
//	promptc generate [-o DIR] [--package NAME] [--check] [CONTENT]
//	promptc list     [--json] [CONTENT]
//	promptc show     [--content CONTENT] ID
//	promptc render   [--content CONTENT] [-a NAME=VALUE ...] [--json] ID
//	promptc serve    [--http HOST:PORT] [--user-prompts-repo URL] [CONTENT]
//	promptc vendor   [--update | --check] [CONTENT]
//	promptc package  [--target OS/ARCH ...] [--version VERSION] [-o DIR] [MAINPACKAGE]
//	promptc version
//	promptc completion bash|zsh|fish|powershell
//
// CONTENT is the content directory; without it, "content" in the working
// directory.
//
// Check reads the whole tree and reports every fault in it, with its file, line
// and column. FORMAT is text, json, github (annotations in GitHub Actions) or sarif.
//
// Generate writes the Go package of a tree without faults to DIR, by default where it
// was written before, else prompts, and names it NAME, by default as the last element of DIR. It
// writes only files that change and removes only files that it once wrote. With
// --check it writes nothing and lists what it would write or remove. It is made for
// a go:generate line:
//
//	//go:generate go tool promptc generate -o internal/prompts
//
// List, show and render work on the tree as it is, without generating. Render
// prints the text of a prompt with one message; where there are several, each
// stands under a line with its role. With --json it prints what a server answers
// to prompts/get.
//
// Serve serves the tree as it is at each request, as promptd serves what is compiled into
// it, and follows git repositories with more prompts and skills beside it. Vendor copies
// what is in them beside the tree, for Generate to compile. Promptc help serve and
// promptc help vendor are their manuals.
//
// Package builds a server with a catalog for each platform, and archives, bundles, an
// image and a bill of materials of it; promptc help package is its manual.
//
// The exit status is 0 where all is well; 1 where the content has faults, or the
// generated files are not what they should be; 2 where the command line is wrong,
// or a file cannot be read or written.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	// Nearly all that a run allocates lives until its end, so that collecting it
	// in between is wasted.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
