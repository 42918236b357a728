// Package serve puts catalogs on the wire: it speaks the Model Context Protocol
// over stdio and Streamable HTTP for a [catalog.Mux].
//
//	server, err := serve.New(mux, serve.Options{})
//	err = server.ServeStdio(ctx, os.Stdin, os.Stdout)
//	err = server.Serve(ctx, listener) // HTTP; the endpoint is /mcp
//
// A program that has a server of mcp-go's already can add a catalog to it with
// [Attach], which serves less.
//
// # Who answers what
//
// The catalog's own methods are answered here, from text that was JSON before the
// request came: prompts/list, prompts/get, resources/list,
// resources/templates/list, resources/read and completion/complete; where there are
// skills, skills/list, skills/get and resources/directory/read (SEP-2640); and with
// Options.Tools, tools/list and tools/call. Everything else is the protocol's
// lifecycle, and mcp-go's: initialize, server/discover, ping, subscriptions/listen,
// notifications, and the refusal of methods that do not exist. A test holds the
// answers made here against the ones that mcp-go gives for the same content,
// message by message. mcp-go gets nothing of a request but the members of params
// that were found here to be what they must be.
//
// Both eras of the protocol are spoken at once, and each request tells its own: a
// protocol version of 2026-07-28 or later in its _meta makes it a modern one,
// which is answered with resultType, serverInfo and, on lists and reads, ttlMs and
// cacheScope. A request without one is served by the rules of 2025-11-25 and
// before, whether or not initialize came first: nothing that is answered here
// depends on what a connection sent earlier. (A repository on stdio learns what a
// client called itself at initialize.) Batches, which 2025-03-26 alone has, are
// refused in every revision.
//
// # Repositories and functions
//
// Prompts of a [catalog.Repository] or a [catalog.PromptFunc] and resources of a
// [catalog.ResourceFunc] are the program's own code. It finds who asks with
// [catalog.RequestOf], and has half a minute, after which its context is done. On
// stdio it runs aside, while others are answered. An error that is neither
// catalog.ErrNotFound nor a *catalog.ArgumentError, a panic, and messages that MCP
// does not know are -32603, with the reason in the log alone.
//
// prompts/list has the catalogs first, then each repository in the order of
// mounting; no page mixes two repositories, and none is empty but the only one. What
// a repository lists that another mount would answer for, or lists twice on a page,
// is left out and logged. At most 16 empty pages of a repository in a row are passed
// over, after which it counts as broken; where they are not empty but hidden from
// the one who asks, an empty page stands for them. A page holds at most 10,000
// prompts. To know whether anything follows,
// the repositories after a page are asked too, for two seconds at most; what goes
// wrong there is told to the request that gets there.
//
// An [Observer] is told of every prompt that was asked for, also through a tool, and
// of no argument.
//
// # Content that changes
//
// With Options.Live a program tells before each request what is to be served now:
//
//	server, err := serve.New(mux, serve.Options{Live: &serve.Live{Content: tree.Content}})
//
// Live.Content is asked before every request that lists, reads or completes content,
// and before initialize and server/discover, which tell the instructions. While it
// returns the same mux nothing is made anew; a request that is under way goes on with
// the mux that it began with. Answers are the same as those of a server whose content
// is fixed, with two differences. As every request may have to wait for the content,
// all that need it are made aside on stdio; and where a catalog or a repository does
// not say how long its answers stay fresh, they do not. Tools and templates are taken
// to change with the program only, so the resources written in Go should be the same
// on every mux.
//
// Nothing is announced: subscriptions/listen promises no notification, and clients see
// a change when they ask. A cursor that was made for what was served before is -32602.
//
// Over HTTP there is more then. The lines of Live.Health follow the ok at /healthz,
// for anybody who asks. GET / answers with Live.Status to those who may send requests
// and see everything, and with Live.Health to others who may send requests. To these
// too, POST /refresh has Content look at once, and answers with Live.Health;
// /mcp?refresh=true does so for the request that is sent there. A program that wants
// the same at a signal calls its own Content.
//
// # Who sees what
//
// A request may have a [catalog.Principal], by catalog.WithRequest in its context:
// Serve and Handler put there who was authenticated. A principal with prefixes or
// tags sees the prompts and skills that Principal.Sees lets through, by their public
// names, in every list, read and completion; a skill with all its URIs and its place
// in the index, a prompt with its document. A repository's prompts have no tags.
//
// The index and the record of a skill name, to a principal with limits, neither
// skills nor documents that they do not see; a skill's own files and its frontmatter
// are served as their author wrote them. Documents that stand in prompts/ or skills/
// and belong to none, such as a README, are seen by those alone who see everything
// there by a prefix. All other documents, such as guides, and resources that are
// functions are seen by everybody: what they say is no secret among principals. A
// function that knows better answers catalog.ErrNotFound. What is not seen is
// answered exactly as what is not there.
//
// # Caching
//
// What is made of catalogs stays fresh as long as the most careful catalog says, or
// a day; what changes with the program only, tools and templates, a day; the pages
// of a repository as long as its CacheHint says, which is asked once, or not at all
// without one; what a function reads not at all. The scope is the same on all
// answers: private if anything that is mounted says so, or if the one who asks was
// authenticated.
//
// # Errors
//
//	-32700  the message is not JSON: syntax, UTF-8, lone surrogates, nesting
//	-32600  not a request: a batch, a wrong jsonrpc or id, a member twice, a
//	        message longer than Options.MaxRequest
//	-32601  no such method
//	-32602  params: an unknown prompt, resource, template, skill, directory, tool or
//	        cursor, bad arguments
//	-32002  an unknown resource, in revisions before 2026-07-28; data.uri names it
//	-32020  a header that is missing or differs from the body (HTTP, 2026-07-28), or
//	        a version that stands in two headers
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
// At most 100 unknown and 100 invalid ones are named; the member more tells how many
// there are besides. Of a prompt that a repository renders, the list of its arguments
// is left out. What a client made up is repeated cut short: after 64 characters in a
// message, after 1024 in data. What is wrong with the arguments of a tool is a result
// with isError, which the model sees.
//
// Over HTTP, -32700, -32600, -32020 and -32022 have status 400, for notifications and
// answers of clients too, which else have 202 and nothing to read; and a request of
// 2026-07-28 has 404 for -32601, 500 for -32603 and 400 for every other error; an
// earlier one has 200.
//
// # HTTP
//
// What HTTPOptions leave out is open or closed as it is safe: on a loopback address
// the server goes by local names only, on another by any, and on each it refuses
// pages of other origins (status 403). With Tokens or OAuth, a request without a
// token that is good has the status 401, whatever is wrong with the token, one
// without a scope that is required 403, one with a token in its address 400, and
// while the keys of the issuer cannot be had, 503; WWW-Authenticate says what is
// needed. Then no answer is to be shared between clients, and catalog.RequestOf
// tells who asks. No token is logged.
//
//	tokens, err := serve.LoadTokens("tokens")
//	server, err := serve.New(mux, serve.Options{HTTP: serve.HTTPOptions{Tokens: tokens}})
//
// # Limits
//
// A message holds at most Options.MaxRequest bytes: a longer line is answered
// with an error and skipped without being kept, a longer body is refused with
// status 413. Arrays and objects nest 64 deep. A page of a list holds
// Options.PageSize entries, or what a repository puts on it. On stdio at most 16
// requests that may have to wait are under way; then reading stops until one is
// done. Every wait of the HTTP server has a timeout. Of what principals with limits
// see, 64 kinds are kept ready.
//
// # Cursors
//
// A cursor names a list, what is mounted, the limits of who asks, and a place: a
// position in the catalogs, or a repository and its own cursor. So it works on every
// replica that serves the same content, and nowhere else: one of another list, of
// other content or of nobody's making is -32602. Cursors hold no secret and are not
// signed.
package serve
