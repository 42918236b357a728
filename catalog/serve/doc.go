// Package serve puts catalogs on the wire: it speaks the Model Context Protocol
// over stdio and Streamable HTTP for a [catalog.Mux].
//
//	server, err := serve.New(mux, serve.Options{})
//	err = server.ServeStdio(ctx, os.Stdin, os.Stdout)
//	err = server.Serve(ctx, listener) // HTTP; the endpoint is /mcp
//
// # Who answers what
//
// The catalog's own methods are answered here, from text that was JSON before the
// request came: prompts/list, prompts/get, resources/list,
// resources/templates/list, resources/read and completion/complete. Everything
// else is the protocol's lifecycle, and mcp-go's: initialize, server/discover,
// ping, subscriptions/listen, notifications, and the refusal of methods that do
// not exist. A test holds the answers made here against the ones that mcp-go
// gives for the same content, message by message.
//
// Both eras of the protocol are spoken at once, and each request tells its own: a
// protocol version of 2026-07-28 or later in its _meta makes it a modern one,
// which is answered with resultType, serverInfo and, on lists and reads, ttlMs and
// cacheScope. A request without one is served by the rules of 2025-11-25 and
// before, whether or not initialize came first: nothing here depends on what a
// connection sent earlier.
//
// # Errors
//
//	-32700  the message is not JSON: syntax, UTF-8, lone surrogates, nesting
//	-32600  not a request: a batch, a wrong jsonrpc or id, a member twice, a
//	        message longer than Options.MaxRequest
//	-32601  no such method
//	-32602  params: an unknown prompt, resource, template or cursor, bad arguments
//	-32002  an unknown resource, in revisions before 2026-07-28; data.uri names it
//	-32020  a header that is missing or differs from the body (HTTP, 2026-07-28)
//	-32022  a protocol version not spoken; data lists the ones that are
//	-32603  a fault of the server's, which its log explains and the answer does not
//
// Bad arguments of prompts/get are one -32602 that tells all of them in data:
//
//	{"prompt": "deploy-app", "missing": ["service"], "unknown": ["enviroment"],
//	 "invalid": [{"name": "environment", "allowed": ["staging", "production"]},
//	             {"name": "version", "reason": "is not a string"}],
//	 "arguments": ["service", "environment", "version"]}
//
// Over HTTP, -32700, -32600 and -32022 have status 400, and a request of
// 2026-07-28 has 404 for -32601, 500 for -32603 and 400 for every other error; an
// earlier one has 200.
//
// # Limits
//
// A message holds at most Options.MaxRequest bytes: a longer line is answered
// with an error and skipped without being kept, a longer body is refused with
// status 413. Arrays and objects nest 64 deep. A page of a list holds
// Options.PageSize entries. On stdio at most 16 requests that may have to wait are
// under way; then reading stops until one is done. Every wait of the HTTP server
// has a timeout.
//
// # Cursors
//
// A cursor names a list, a catalog and a place, so it works on every replica that
// serves the same content, and nowhere else: one of another list, of other content
// or of nobody's making is -32602. Cursors hold no secret and are not signed.
package serve
