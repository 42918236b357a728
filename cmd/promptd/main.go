// Promptd serves the prompts and skills that are compiled into it over the Model
// Context Protocol. To serve them it reads no file and needs no other.
//
//	promptd [--page-size N] [--max-request BYTES] [--log-level LEVEL] [--tools]
//	        [--metrics-address HOST:PORT]
//	promptd --http HOST:PORT [--allow-host NAME ...] [--allow-origin ORIGIN ...]
//	        [--max-connections N] [--tls-cert FILE --tls-key FILE] [--tokens FILE]
//	        [--oauth-issuer URL --oauth-audience URL --oauth-jwks URL|FILE
//	        [--oauth-scopes SCOPES]] ...
//	promptd list
//	promptd render ID [-a NAME=VALUE ...] [--json]
//	promptd version [--json]
//	promptd verify DIR
//	promptd explain ID|URI [--json]
//	promptd tree [--to FILE]
//	promptd export --to DIR [--layout agents|claude|codex|copilot] [--dry-run] [--remove]
//
// Without --http it serves one client over stdin and stdout, and ends with stdin.
// With --http it serves Streamable HTTP at /mcp, tells at /healthz whether it is
// alive and at /readyz whether it takes requests, and first prints on stderr what
// is compiled in and what to paste into a client's configuration.
//
// A page of a list holds 1000 entries, or N; 0 puts all of them on one. A message
// holds at most 4 MiB, or BYTES. LEVEL is debug, info, warn or error; what is
// logged goes to stderr, since stdout belongs to the protocol. With --tools there
// are tools that read the same content, for clients that know only tools.
//
// # Settings
//
// Each flag of the server has an environment variable: PROMPTD_ and its name in
// capitals, with underscores for hyphens, such as PROMPTD_HTTP, PROMPTD_PAGE_SIZE
// and PROMPTD_TOKENS. Lists have commas between. A flag beats its variable, and an
// empty variable is none. Secrets are in files only, which the settings name.
//
// # Who may ask
//
// An address that is not local, such as :8080, is open to whoever can reach it,
// unless --tokens or --oauth-issuer says who is let in. Pages in a browser are not,
// wherever the address is, save those of --allow-origin, those of a name that
// --allow-host lists, and on a local address the local ones. With --allow-host the
// server goes by those names alone.
//
// The file of --tokens has on each line a name, the SHA-256 of a bearer token, and
// what its holder may see, if not everything:
//
//	# made with: head -c 32 /dev/urandom | base64 | tr -d '\n' >token; sha256sum <token
//	alice  d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592
//	ci     ef537f25c895bfa782526529a9b63d97aa631564d5d789c2b765448c8635fb6c  prefixes=support/ tags=git
//
// With --oauth-issuer the server is an OAuth 2.1 resource server. It takes JWT
// access tokens of that issuer for the audience, which is the URL of /mcp as clients
// know it, if they have all of SCOPES and a key at --oauth-jwks signed them. The
// claims promptc_prefixes and promptc_tags, and scopes such as
// promptc:prefix:support/ and promptc:tag:git, limit what the holder sees. Clients
// learn where to get a token at /.well-known/oauth-protected-resource.
//
// With --tls-cert and --tls-key the server speaks TLS 1.2 and 1.3, and HTTP/2. More
// connections than 1000, or N, wait.
//
// # Operating
//
// --metrics-address serves figures for Prometheus at /metrics of another address, to
// whoever can reach that. If it is the address of --http they are there, to those
// who are let in without limits on what they see, for the figures name prompts.
// Otherwise nothing is measured.
//
// SIGHUP has the files of --tokens, --tls-cert, --tls-key and --oauth-jwks read
// again. One that is broken or missing is logged, and what was read before stays valid:
// a token is revoked by a good file without it, and a file without tokens lets nobody
// in. Where there are no files, as on stdio, SIGHUP does nothing.
//
// SIGTERM and SIGINT let the requests under way end, for ten seconds at most; who is
// not done by then is cut off, with a warning. Over HTTP /readyz has status 503 at
// once, and for a second before that new requests are served still, so that a balancer
// can learn that this replica goes; one that learns slower needs a pause before the
// signal. A second signal ends the process at once.
//
// Render prints the text of a prompt with one message; where there are several,
// each stands under a line with its role. With --json it prints what prompts/get
// answers.
//
// # What is compiled in
//
// Verify proves that the program holds exactly the content tree DIR, and what was
// vendored of other repositories beside it, in promptc.vendor. It compares each text
// that it would serve, and not what was recorded of it, with the file as the compiler
// reads it, and lists the differences by path: added is what the tree has and the
// program has not, removed the reverse. What the compiler made of the files, such as
// the entries of lists and the arguments of prompts, is under the catalog's seal, a
// digest of the whole value; where that is broken, verify says which prompt, skill or
// resource is corrupt, as far as that can be told. A seal shows accidents, and that a
// release is of a commit. Against somebody who changes programs on purpose, sign them.
//
// Version --json prints the digest of each prompt, skill and document. Tree writes the
// files themselves as a tar archive whose bytes depend on them alone, for programs
// that compare releases. Explain tells what is served under an id or URI and where it
// comes from: its file, digest, source and commit. That is the commit of its source if
// it was vendored, else the one that the program was built at, if the build recorded
// one (see go help buildvcs).
//
// # Hosts without MCP
//
// Export writes the skills below DIR, a project's directory or a home, where hosts look
// for them: .agents/skills, .claude/skills or .github/skills. The prompts become
// commands of Claude Code in .claude/commands, of Codex in .codex/prompts, which counts
// in a home only, and of Copilot in .github/prompts; the layout agents has none. A
// required argument becomes the host's own where it can fill it in. The others stay
// {{name}}, with a note below the text on what to put there. A prompt whose text has
// what the host would replace is left out, with a warning.
//
// Whenever an export is interrupted, each skill is there whole or not at all, and the
// next export or removal makes good. It never touches what it did not write, nor what
// was edited since, and warns of both; DIR/.promptc-export has on record what it wrote,
// for each catalog by its name. A later export updates that, and takes away what the
// program no longer holds; --remove takes away all, with the record. Two exports to one
// directory must not run at once.
//
// The exit status is 0 where all is well, 1 where serving or writing failed or verify
// found a difference, and 2 where the command line is wrong or verify cannot read DIR.
package main

import (
	"os"

	"github.com/seed33527553/promptc/catalog/baked"
	"github.com/seed33527553/promptc/catalog/promptd"
)

func main() { os.Exit(promptd.Main("promptd", baked.Catalog)) }
