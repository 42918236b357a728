// Promptd serves the prompts and skills that are compiled into it over the Model
// Context Protocol. It reads no file and needs no other.
//
//	promptd [--page-size N] [--max-request BYTES] [--log-level LEVEL]
//	promptd --http HOST:PORT ...
//	promptd list
//	promptd render ID [-a NAME=VALUE ...] [--json]
//	promptd version [--json]
//
// Without --http it serves one client over stdin and stdout, and ends with stdin.
// With --http it serves Streamable HTTP at /mcp, tells at /healthz whether it is
// alive and at /readyz whether it takes requests, and first prints on stderr what
// is compiled in and what to paste into a client's configuration. An address that
// is not local, such as :8080, is open to whoever can reach it.
//
// A page of a list holds 1000 entries, or N; 0 puts all of them on one. A message
// holds at most 4 MiB, or BYTES. LEVEL is debug, info, warn or error; what is
// logged goes to stderr, since stdout belongs to the protocol.
//
// SIGTERM and SIGINT let the requests under way end, for ten seconds at most.
//
// Render prints the text of a prompt with one message; where there are several,
// each stands under a line with its role. With --json it prints what prompts/get
// answers.
//
// The exit status is 0 where all is well, 1 where serving failed, and 2 where the
// command line is wrong.
package main

import (
	"os"

	"github.com/seed33527553/promptc/catalog/baked"
)

func main() { os.Exit(run(os.Args[1:], baked.Catalog, os.Stdin, os.Stdout, os.Stderr)) }
