// This file holds the answers of each method: results and errors, in both eras and
// on both transports.

package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed33527553/promptc/catalog"
)

// noArguments is the data of an error that names no bad argument of deploy-app.
const deployArguments = `"arguments":["service","environment","version"]`

// An errorCase is a request that fails, by the rules of each era.
type errorCase struct {
	name, method, params string
	legacy, modern       int    // the code; 0 where there is no error
	message              string // a part of it
	data                 string // JSON; empty for none
}

// errorCases are for what mountOwn mounts. Only those that call tools need them.
func errorCases() []errorCase {
	deploy := func(missing, unknown, invalid string) string {
		return `{"prompt":"deploy-app","missing":[` + missing + `],"unknown":[` + unknown + `],"invalid":[` + invalid + `],` + deployArguments + `}`
	}
	allowed := `{"name":"environment","allowed":["staging","Production","prod \"2\""]}`
	return []errorCase{
		{"prompt unknown", "prompts/get", `{"name":"nope"}`, -32602, -32602, `no prompt has the name "nope"`, `{"prompt":"nope"}`},
		{"prompt name in other case", "prompts/get", `{"name":"Plain"}`, -32602, -32602, `"Plain"`, `{"prompt":"Plain"}`},
		{"prompt name absent", "prompts/get", `{}`, -32602, -32602, "name must be", ""},
		{"params absent", "prompts/get", ``, -32602, -32602, "name must be", ""},
		{"prompt name null", "prompts/get", `{"name":null}`, -32602, -32602, "name must be", ""},
		{"prompt name a number", "prompts/get", `{"name":1}`, -32602, -32602, "name must be", ""},
		{"prompt name member in other case", "prompts/get", `{"Name":"plain"}`, -32602, -32602, "name must be", ""},
		{"prompt name twice", "prompts/get", `{"name":"plain","name":"dialogue"}`, -32602, -32602, "the member name stands twice in params", ""},
		{"prompt name twice, once escaped", "prompts/get", `{"name":"plain","n\u0061me":"dialogue"}`, -32602, -32602, "the member name stands twice in params", ""},

		{"arguments absent", "prompts/get", `{"name":"deploy-app"}`, -32602, -32602,
			`prompt "deploy-app": missing required arguments "service", "environment"`, deploy(`"service","environment"`, ``, ``)},
		{"arguments null", "prompts/get", `{"name":"deploy-app","arguments":null}`, -32602, -32602,
			`missing required arguments "service", "environment"`, deploy(`"service","environment"`, ``, ``)},
		{"arguments empty", "prompts/get", `{"name":"deploy-app","arguments":{}}`, -32602, -32602,
			`missing required arguments "service", "environment"`, deploy(`"service","environment"`, ``, ``)},
		{"arguments an array", "prompts/get", `{"name":"deploy-app","arguments":["a"]}`, -32602, -32602,
			`arguments must be an object`, deploy(``, ``, ``)},
		{"arguments a text", "prompts/get", `{"name":"deploy-app","arguments":"service"}`, -32602, -32602,
			`arguments must be an object`, deploy(``, ``, ``)},
		{"argument null or empty is omitted", "prompts/get", `{"name":"deploy-app","arguments":{"service":null,"environment":""}}`, -32602, -32602,
			`missing required arguments "service", "environment"`, deploy(`"service","environment"`, ``, ``)},
		{"argument unknown", "prompts/get", `{"name":"deploy-app","arguments":{"service":"s","environment":"staging","zone":"z","Service":"s"}}`, -32602, -32602,
			`unknown arguments "Service", "zone"`, deploy(``, `"Service","zone"`, ``)},
		{"argument of a prompt without any", "prompts/get", `{"name":"plain","arguments":{"x":"y"}}`, -32602, -32602,
			`unknown argument "x"`, `{"prompt":"plain","missing":[],"unknown":["x"],"invalid":[],"arguments":[]}`},
		{"choice", "prompts/get", `{"name":"deploy-app","arguments":{"service":"s","environment":"production"}}`, -32602, -32602,
			`argument "environment" must be one of "staging", "Production"`, deploy(``, ``, allowed)},
		{"argument not a string", "prompts/get", `{"name":"deploy-app","arguments":{"service":1,"environment":["staging"],"version":{"a":"b"}}}`, -32602, -32602,
			`argument "service" is not a string`, deploy(``, ``, `{"name":"service","reason":"is not a string"},{"name":"environment","reason":"is not a string"},{"name":"version","reason":"is not a string"}`)},
		{"argument true", "prompts/get", `{"name":"deploy-app","arguments":{"service":true,"environment":"staging"}}`, -32602, -32602,
			`argument "service" is not a string`, deploy(``, ``, `{"name":"service","reason":"is not a string"}`)},
		{"argument twice", "prompts/get", `{"name":"deploy-app","arguments":{"service":"a","service":"b","environment":"staging"}}`, -32602, -32602,
			`argument "service" is given twice`, deploy(``, ``, `{"name":"service","reason":"is given twice"}`)},
		{"all faults at once", "prompts/get", `{"name":"deploy-app","arguments":{"version":2,"environment":"x","b":"","a":""}}`, -32602, -32602,
			`missing required argument "service"; unknown arguments "a", "b"; argument "environment" must be one of`,
			deploy(`"service"`, `"a","b"`, allowed+`,{"name":"version","reason":"is not a string"}`)},
		{"argument with an endless name", "prompts/get", `{"name":"plain","arguments":{"` + strings.Repeat("x", 1000) + `":"y"}}`, -32602, -32602,
			`unknown argument`, `{"prompt":"plain","missing":[],"unknown":["` + strings.Repeat("x", 64) + `…"],"invalid":[],"arguments":[]}`},

		{"resource unknown", "resources/read", `{"uri":"resource://docs/nope.md"}`, -32002, -32602, "resource not found", `{"uri":"resource://docs/nope.md"}`},
		{"resource traversal", "resources/read", `{"uri":"resource://docs/../readme.md"}`, -32002, -32602, "resource not found", `{"uri":"resource://docs/../readme.md"}`},
		{"resource encoded", "resources/read", `{"uri":"resource://docs/guide%2Fdeep/intro.md"}`, -32002, -32602, "resource not found", `{"uri":"resource://docs/guide%2Fdeep/intro.md"}`},
		{"resource template itself", "resources/read", `{"uri":"resource://docs/{+path}"}`, -32002, -32602, "resource not found", `{"uri":"resource://docs/{+path}"}`},
		{"resource of other case", "resources/read", `{"uri":"Resource://docs/readme.md"}`, -32002, -32602, "resource not found", `{"uri":"Resource://docs/readme.md"}`},
		{"resource uri absent", "resources/read", `{}`, -32602, -32602, "uri must be", ""},
		{"resource uri a number", "resources/read", `{"uri":3}`, -32602, -32602, "uri must be", ""},

		{"cursor empty", "prompts/list", `{"cursor":""}`, -32602, -32602, "the cursor is not one of prompts/list", ""},
		{"cursor a number", "resources/list", `{"cursor":1}`, -32602, -32602, "the cursor is not one of resources/list", ""},
		{"cursor of nobody", "resources/templates/list", `{"cursor":"ZGVwbG95"}`, -32602, -32602, "the cursor is not one of resources/templates/list", ""},
		{"cursor endless", "prompts/list", `{"cursor":"` + strings.Repeat("A", 5000) + `"}`, -32602, -32602, "the cursor", ""},
		{"cursor not base64", "prompts/list", `{"cursor":"=!="}`, -32602, -32602, "the cursor", ""},

		{"completion ref absent", "completion/complete", `{"argument":{"name":"a","value":""}}`, -32602, -32602, "ref must be", ""},
		{"completion ref unknown", "completion/complete", `{"ref":{"type":"ref/tool","name":"x"},"argument":{"name":"a","value":""}}`, -32602, -32602, "ref must be", ""},
		{"completion prompt unknown", "completion/complete", `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"a","value":""}}`, -32602, -32602, `no prompt has the name "nope"`, `{"prompt":"nope"}`},
		{"completion prompt absent", "completion/complete", `{"ref":{"type":"ref/prompt"},"argument":{"name":"a","value":""}}`, -32602, -32602, `ref.name must be`, ``},
		{"completion argument unknown", "completion/complete", `{"ref":{"type":"ref/prompt","name":"deploy-app"},"argument":{"name":"zone","value":""}}`, -32602, -32602, `unknown argument "zone"`, deploy(``, `"zone"`, ``)},
		{"completion argument absent", "completion/complete", `{"ref":{"type":"ref/prompt","name":"deploy-app"}}`, -32602, -32602, "argument must be", ""},
		{"completion value absent", "completion/complete", `{"ref":{"type":"ref/prompt","name":"deploy-app"},"argument":{"name":"environment"}}`, -32602, -32602, "argument must be", ""},
		{"completion template unknown", "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://x/{y}"},"argument":{"name":"y","value":""}}`, -32602, -32602, "ref.uri must be", ""},
		{"completion variable unknown", "completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://docs/{+path}"},"argument":{"name":"y","value":""}}`, -32602, -32602, `no variable "y"`, ""},

		{"own prompt unknown", "prompts/get", `{"name":"own/nope"}`, -32602, -32602, `no prompt has the name "own/nope"`, `{"prompt":"own/nope"}`},
		{"own arguments", "prompts/get", `{"name":"own/all","arguments":{"how":"so","zone":"z"}}`, -32602, -32602,
			`prompt "own/all": missing required argument "who"; unknown argument "zone"; argument "how" must be one of "well", "badly"`,
			`{"prompt":"own/all","missing":["who"],"unknown":["zone"],"invalid":[{"name":"how","allowed":["well","badly"]}]}`},
		{"own arguments null", "prompts/get", `{"name":"own/all","arguments":{"who":null}}`, -32602, -32602,
			`missing required argument "who"`, `{"prompt":"own/all","missing":["who"],"unknown":[],"invalid":[]}`},
		{"own arguments not strings", "prompts/get", `{"name":"own/all","arguments":{"who":1,"how":{}}}`, -32602, -32602,
			`argument "who" is not a string; argument "how" is not a string`,
			`{"prompt":"own/all","missing":[],"unknown":[],"invalid":[{"name":"who","reason":"is not a string"},{"name":"how","reason":"is not a string"}]}`},
		{"own argument twice", "prompts/get", `{"name":"own/all","arguments":{"who":"a","wh\u006f":"b"}}`, -32602, -32602,
			`argument "who" is given twice`, `{"prompt":"own/all","missing":[],"unknown":[],"invalid":[{"name":"who","reason":"is given twice"}]}`},
		{"own arguments an array", "prompts/get", `{"name":"own/all","arguments":["a"]}`, -32602, -32602,
			`arguments must be an object`, `{"prompt":"own/all","missing":[],"unknown":[],"invalid":[]}`},
		{"own prompt fails", "prompts/get", `{"name":"own/fails"}`, -32603, -32603, "internal error", ""},
		{"own prompt panics", "prompts/get", `{"name":"own/panics"}`, -32603, -32603, "internal error", ""},
		{"own prompt says nothing", "prompts/get", `{"name":"own/silent"}`, -32603, -32603, "internal error", ""},
		{"own prompt is of no role", "prompts/get", `{"name":"own/system"}`, -32603, -32603, "internal error", ""},
		{"own resource unknown", "resources/read", `{"uri":"own://item/none"}`, -32002, -32602, "resource not found", `{"uri":"own://item/none"}`},
		{"own resource elsewhere", "resources/read", `{"uri":"own://item/a/b"}`, -32002, -32602, "resource not found", `{"uri":"own://item/a/b"}`},
		{"own resource fails", "resources/read", `{"uri":"own://item/fails"}`, -32603, -32603, "internal error", ""},
		{"own completion unknown", "completion/complete", `{"ref":{"type":"ref/prompt","name":"own/nope"},"argument":{"name":"a","value":""}}`, -32602, -32602, `no prompt "own/nope" has an argument "a"`, ""},
		{"own completion argument", "completion/complete", `{"ref":{"type":"ref/prompt","name":"own/all"},"argument":{"name":"a","value":""}}`, -32602, -32602, `no prompt "own/all" has an argument "a"`, ""},
		{"own template variable", "completion/complete", `{"ref":{"type":"ref/resource","uri":"own://item/{id}"},"argument":{"name":"ID","value":""}}`, -32602, -32602, `no variable "ID"`, ""},

		{"skill unknown", "skills/get", `{"uri":"skill://nope/SKILL.md"}`, -32602, -32602, "no skill is served there", `{"uri":"skill://nope/SKILL.md"}`},
		{"skill by its directory", "skills/get", `{"uri":"skill://tests"}`, -32602, -32602, "no skill is served there", `{"uri":"skill://tests"}`},
		{"skill by another file", "skills/get", `{"uri":"skill://tests/references/marks.md"}`, -32602, -32602, "no skill is served there", `{"uri":"skill://tests/references/marks.md"}`},
		{"skill by its document", "skills/get", `{"uri":"resource://skills/tests/document"}`, -32602, -32602, "no skill is served there", `{"uri":"resource://skills/tests/document"}`},
		{"skill encoded", "skills/get", `{"uri":"skill://test%73/SKILL.md"}`, -32602, -32602, "no skill is served there", `{"uri":"skill://test%73/SKILL.md"}`},
		{"skill uri absent", "skills/get", `{}`, -32602, -32602, "uri must be", ""},
		{"skill cursor", "skills/list", `{"cursor":"AAAA"}`, -32602, -32602, "the cursor is not one of skills/list", ""},
		{"skill file unknown", "resources/read", `{"uri":"skill://tests/scripts/nope"}`, -32002, -32602, "resource not found", `{"uri":"skill://tests/scripts/nope"}`},
		{"skill directory read", "resources/read", `{"uri":"skill://tests"}`, -32002, -32602, "resource not found", `{"uri":"skill://tests"}`},
		{"directory unknown", "resources/directory/read", `{"uri":"skill://tests/nope"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://tests/nope"}`},
		{"directory of nobody", "resources/directory/read", `{"uri":"skill://nope"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://nope"}`},
		{"directory with a slash", "resources/directory/read", `{"uri":"skill://tests/"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://tests/"}`},
		{"directory above", "resources/directory/read", `{"uri":"skill://tests/assets/.."}`, -32602, -32602, "no directory is served there", `{"uri":"skill://tests/assets/.."}`},
		{"directory of the scheme", "resources/directory/read", `{"uri":"skill://"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://"}`},
		{"directory by half its name", "resources/directory/read", `{"uri":"skill://tests/asse"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://tests/asse"}`},
		{"directory that is a file", "resources/directory/read", `{"uri":"skill://tests/SKILL.md"}`, -32602, -32602, "no directory is served there", `{"uri":"skill://tests/SKILL.md"}`},
		{"directory uri absent", "resources/directory/read", `{}`, -32602, -32602, "uri must be", ""},
		{"directory cursor", "resources/directory/read", `{"uri":"skill://tests","cursor":"AAAA"}`, -32602, -32602, "the cursor is not one of resources/directory/read", ""},

		{"tool unknown", "tools/call", `{"name":"nope"}`, -32602, -32602, `no tool has the name "nope"`, ""},
		{"tool name absent", "tools/call", `{}`, -32602, -32602, "name must be", ""},
		{"tool arguments an array", "tools/call", `{"name":"list_skills","arguments":[]}`, -32602, -32602, "arguments must be an object", ""},

		{"initialize version a number", "initialize", `{"protocolVersion":3}`, -32602, -32601, "", ""},
		{"initialize version an array", "initialize", `{"protocolVersion":["2025-11-25"]}`, -32602, 0, "params.protocolVersion must be a text", ""},
		{"initialize version twice", "initialize", `{"protocolVersion":"2025-11-25","protocol\u0056ersion":"2024-11-05"}`, -32602, 0, "the member protocolVersion stands twice in params", ""},
		{"initialize version null and again", "initialize", `{"protocolVersion":null,"protocolVersion":"2024-11-05"}`, -32602, 0, "the member protocolVersion stands twice in params", ""},
		{"initialize capabilities a number", "initialize", `{"protocolVersion":"2025-11-25","capabilities":3}`, -32602, 0, "params.capabilities must be an object", ""},
		{"initialize client a number", "initialize", `{"protocolVersion":"2025-11-25","clientInfo":3}`, -32602, 0, "params.clientInfo must be an object", ""},
		{"initialize client name a number", "initialize", `{"protocolVersion":"2025-11-25","clientInfo":{"name":3}}`, -32602, 0, "params.clientInfo.name must be a text", ""},
		{"initialize client name twice", "initialize", `{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","name":"b"}}`, -32602, 0, "the member name stands twice in params.clientInfo", ""},
		{"listen without an object", "subscriptions/listen", `{"notifications":3}`, -32601, -32602, "", ""},
		{"listen to a text", "subscriptions/listen", `{"notifications":{"toolsListChanged":"yes"}}`, 0, -32602, "params.notifications.toolsListChanged must be true or false", ""},
		{"listen to resources of numbers", "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["a" , 1]}}`, 0, -32602, "params.notifications.resourceSubscriptions must be an array of texts", ""},
		{"listen twice", "subscriptions/listen", `{"notifications":{},"notifications":{}}`, 0, -32602, "the member notifications stands twice in params", ""},
		{"discover in the older revisions", "server/discover", `{}`, -32601, 0, "", ""},

		{"method of a family of ours", "prompts/put", `{}`, -32601, -32601, "", ""},
		{"method in other case", "prompts/List", `{}`, -32601, -32601, "", ""},
		{"resources/subscribe", "resources/subscribe", `{"uri":"resource://docs/readme.md"}`, -32601, -32601, "", ""},
		{"resources/subscribe of no text", "resources/subscribe", `{"uri":[]}`, -32601, -32601, "", ""},
		{"resources/unsubscribe of no text", "resources/unsubscribe", `{"uri":[]}`, -32601, -32601, "", ""},
		{"tools", "tools/list", `{}`, -32601, -32601, "", ""},
		{"logging", "logging/setLevel", `{"level":"info"}`, -32601, -32601, "", ""},
		{"logging at a number", "logging/setLevel", `{"level":3}`, -32601, -32601, "", ""},
		{"_meta not an object", "prompts/get", `{"name":"plain","_meta":7}`, -32602, 0, "params._meta must be an object", ""},
	}
}

func TestErrors(t *testing.T) {
	bare := newMuxServer(t, Options{}, mountOwn)
	withTools := newMuxServer(t, Options{Tools: true}, mountOwn)
	for _, test := range errorCases() {
		for _, e := range []era{legacy, modern} {
			want := test.legacy
			if e == modern {
				want = test.modern
			}
			if want == 0 {
				continue
			}
			t.Run(test.name+"/"+e.String(), func(t *testing.T) {
				s := bare
				if test.method == "tools/call" {
					s = withTools
				}
				a, status := request(t, s, e, test.method, test.params)
				if a.Error == nil {
					t.Fatalf("no error, but %v", a.Result)
				}
				if strings.Contains(a.Error.Message, "json:") || strings.Contains(a.Error.Message, "Go ") {
					t.Errorf("speaks of Go: %s", a.Error.Message)
				}
				if a.Error.Code != want || !strings.Contains(a.Error.Message, test.message) {
					t.Errorf("got %d %s, want %d ... %s ...", a.Error.Code, a.Error.Message, want, test.message)
				}
				if test.data == "" {
					test.data = "null"
				}
				var data any
				if err := json.Unmarshal([]byte(test.data), &data); err != nil {
					t.Fatal(err)
				}
				if got := toJSON(a.Error.Data); got != toJSON(data) {
					t.Errorf("data is\n%s\nwant\n%s", got, toJSON(data))
				}
				wantStatus := 200
				if e == modern {
					wantStatus = map[int]int{-32601: 404, -32602: 400, -32603: 500}[want]
				}
				if status != wantStatus {
					t.Errorf("status %d, want %d", status, wantStatus)
				}
			})
		}
	}
}

func TestEnvelope(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	tests := []struct {
		name, message string
		id            string
		code          int
		part          string
	}{
		{"not JSON", `{"jsonrpc":"2.0",`, `null`, -32700, "ends too early"},
		{"text after", `{} {}`, `null`, -32700, "byte 4: more than one JSON value"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"plain\xff\"}}", `null`, -32700, "invalid UTF-8"},
		{"surrogate in UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xed\xa0\x80\"}", `null`, -32700, "invalid UTF-8"},
		{"lone high surrogate", `{"jsonrpc":"2.0","id":1,"method":"\ud800x"}`, `null`, -32700, "lone surrogate"},
		{"high surrogate twice", `{"jsonrpc":"2.0","id":1,"method":"\ud800\ud800"}`, `null`, -32700, "lone surrogate"},
		{"lone low surrogate", `{"jsonrpc":"2.0","id":1,"method":"\udc00"}`, `null`, -32700, "lone surrogate"},
		{"control character", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x01\"}", `null`, -32700, "must be escaped"},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, `null`, -32700, "nested deeper than 64"},
		{"bad number", `{"jsonrpc":"2.0","id":01,"method":"ping"}`, `null`, -32700, "comma"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, -32600, "batches"},
		{"empty batch", `[]`, `null`, -32600, "batches"},
		{"a number", `7`, `null`, -32600, "JSON object"},
		{"a text", `"ping"`, `null`, -32600, "JSON object"},
		{"empty object", `{}`, `null`, -32600, `jsonrpc must be "2.0"`},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, -32600, "id must be"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `null`, -32600, "id must be"},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, -32600, "id must be"},
		{"id exponent", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, `null`, -32600, "id must be"},
		{"id object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null`, -32600, "id must be"},
		{"id array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `null`, -32600, "id must be"},
		{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `null`, -32600, "id stands twice"},
		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"prompts/list"}`, `null`, -32600, "method stands twice"},
		{"no version", `{"id":1,"method":"ping"}`, `1`, -32600, `jsonrpc must be "2.0"`},
		{"version 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `1`, -32600, `jsonrpc must be "2.0"`},
		{"version a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `1`, -32600, `jsonrpc must be "2.0"`},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `1`, -32600, "method must be"},
		{"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`, `1`, -32600, "method must be"},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":7}`, `1`, -32600, "method must be"},
		{"members in other case", `{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`, `null`, -32600, `jsonrpc must be "2.0"`},
		{"params an array", `{"jsonrpc":"2.0","id":"a","method":"prompts/get","params":["plain"]}`, `"a"`, -32602, "params must be an object"},
		{"version of the future", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2999-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`, `5`, -32022, "unsupported protocol version"},
		{"version of nobody", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`, `5`, -32022, "unsupported protocol version"},
		{"version no text", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":7}}}`, `5`, -32602, "protocolVersion must be a text"},
		{"version twice", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}`, `5`, -32602, "stands twice"},
		{"capabilities absent", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `5`, -32602, "clientCapabilities must be an object"},
		{"capabilities null", `{"jsonrpc":"2.0","id":5,"method":"prompts/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}}`, `5`, -32602, "clientCapabilities must be an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := ask(t, s, test.message+"\n")
			if len(lines) != 1 {
				t.Fatalf("%d answers", len(lines))
			}
			a := decode(t, lines[0])
			if a.Error == nil || a.Error.Code != test.code || !strings.Contains(a.Error.Message, test.part) || string(a.ID) != test.id {
				t.Errorf("got %s\nwant %d ... %s ... for id %s", lines[0], test.code, test.part, test.id)
			}
		})
	}
}

// TestLifecycleMembers shows that members are known by their exact names, and that
// what has no part in an answer does no harm to it.
func TestLifecycleMembers(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	for _, test := range []struct {
		e              era
		method, params string
		version        any
	}{
		{legacy, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{"roots":3,"sampling":[]},"clientInfo":{"name":"t","version":"1","icons":3}}`, "2025-06-18"},
		{legacy, "initialize", `{"protocolVersion":"2025-06-18","PROTOCOLVERSION":"2024-11-05","Capabilities":3,"clientinfo":[]}`, "2025-06-18"},
		{legacy, "initialize", `{"ProtocolVersion":"2024-11-05"}`, "2025-03-26"},
		{legacy, "ping", `{"x":3,"X":4}`, nil},
		{modern, "server/discover", `{"x":3}`, nil},
		{modern, "subscriptions/listen", `{"notifications":{"ToolsListChanged":3,"promptsListChanged":true,"resourceSubscriptions":[ "a","]" ]},"Notifications":3}`, nil},
	} {
		lines := ask(t, s, test.e.request("7", test.method, test.params))
		if a := decode(t, lines[len(lines)-1]); a.Error != nil || a.Result["protocolVersion"] != test.version {
			t.Errorf("%s %s: %s", test.method, test.params, lines)
		}
	}
}

// TestEchoes shows that an error repeats of what a client made up no more than a
// little.
func TestEchoes(t *testing.T) {
	s := newMuxServer(t, Options{Tools: true}, mountAll)
	endless := strings.Repeat("x", 1<<20)
	var unknown, twice, numbers strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&unknown, `"u%05d":"",`, i)
		fmt.Fprint(&twice, `"who":"",`)
		fmt.Fprintf(&numbers, `"n%05d":1,`, i)
	}
	object := func(members string) string { return "{" + strings.TrimSuffix(members, ",") + "}" }
	for name, test := range map[string]struct {
		method, params string
		more           any
	}{
		"prompt":             {"prompts/get", `{"name":"` + endless + `"}`, nil},
		"prompt, escaped":    {"prompts/get", `{"name":"` + strings.Repeat(`\u0001`, 1<<18) + `"}`, nil},
		"prompt to complete": {"completion/complete", `{"ref":{"type":"ref/prompt","name":"` + endless + `"},"argument":{"name":"a","value":""}}`, nil},
		"live prompt":        {"prompts/get", `{"name":"live/` + endless + `"}`, nil},
		"resource":           {"resources/read", `{"uri":"` + endless + `"}`, nil},
		"skill":              {"skills/get", `{"uri":"skill://` + endless + `"}`, nil},
		"directory":          {"resources/directory/read", `{"uri":"skill://` + endless + `"}`, nil},
		"tool":               {"tools/call", `{"name":"` + endless + `"}`, nil},
		"method":             {endless, `{}`, nil},
		"version":            {"prompts/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + endless + `"}}`, nil},
		"argument":           {"prompts/get", `{"name":"own/all","arguments":{"who":"a","` + endless + `":""}}`, nil},
		"number":             {"prompts/get", `{"name":"own/all","arguments":{"who":"a","` + endless + `":1}}`, nil},
		"unknown arguments":  {"prompts/get", `{"name":"plain","arguments":` + object(unknown.String()) + `}`, 19900.0},
		"own arguments":      {"prompts/get", `{"name":"own/all","arguments":` + object(unknown.String()) + `}`, 19900.0},
		"numbers":            {"prompts/get", `{"name":"own/all","arguments":` + object(numbers.String()) + `}`, 19900.0},
		"one argument":       {"prompts/get", `{"name":"own/all","arguments":` + object(twice.String()) + `}`, 19899.0},
	} {
		line := ask(t, s, legacy.request("7", test.method, test.params))[0]
		if len(line) > 16<<10 {
			t.Errorf("%s: an answer of %d bytes", name, len(line))
		}
		a := decode(t, line)
		if a.Error == nil {
			t.Errorf("%s: %.200s", name, line)
			continue
		}
		if data, ok := a.Error.Data.(map[string]any); ok && test.more != nil && (data["more"] != test.more || !strings.HasSuffix(a.Error.Message, fmt.Sprintf("; and %v more", test.more))) {
			t.Errorf("%s: more is %v: %s", name, data["more"], a.Error.Message)
		}
	}
}

// TestIDs shows that an id comes back byte for byte, whoever answers.
func TestIDs(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	for _, id := range []string{`0`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `"a b"`, `"\u0041\/\"é"`, `""`, `"{id}"`, `"null"`} {
		for _, method := range []string{"prompts/list", "ping", "no/such", "prompts/get"} {
			for _, e := range []era{legacy, modern} {
				if a, _ := exchange(t, s, e, e.request(id, method, "")); string(a.ID) != id {
					t.Errorf("%s: %s came back as %s", method, id, a.ID)
				}
			}
		}
	}
}

// TestSilence shows what gets no answer.
func TestSilence(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	for _, message := range []string{
		"", "\n", " \t\r\n\n",
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"prompts/get","params":{"name":"nope"}}`,
		`{"jsonrpc":"2.0","method":"prompts/get","params":[]}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-1,"message":"no"}}`,
	} {
		if lines := ask(t, s, message); lines != nil {
			t.Errorf("%s was answered: %s", message, lines)
		}
	}
}

// TestGet compares prompts/get with the catalog's own renderer.
func TestGet(t *testing.T) {
	c := fixture()
	s := newServer(t, Options{}, c)
	mib := strings.Repeat("0123456789abcde\n", 1<<16)
	odd := "{{b}} $1 $& \\1 {{service}}<!-- role: assistant -->\"\\\u0000\u001f\u007f\u2028é\U0001f600</script>"
	tests := []struct {
		prompt string
		values map[string]string
	}{
		{"plain", nil},
		{"dialogue", nil},
		{"dialogue", map[string]string{"a": odd}},
		{"dialogue", map[string]string{"a": odd, "b": "choice 007", "c": mib}},
		{"deploy-app", map[string]string{"service": odd, "environment": `prod "2"`}},
		{"deploy-app", map[string]string{"service": mib, "environment": "staging", "version": mib}},
	}
	for _, test := range tests {
		p, _ := c.Prompt(test.prompt)
		messages, err := p.RenderNamed(test.values)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []era{legacy, modern} {
			a, status := request(t, s, e, "prompts/get", toJSON(map[string]any{"name": test.prompt, "arguments": test.values}))
			if status != 200 || a.Error != nil {
				t.Fatalf("%s: status %d, error %v", test.prompt, status, a.Error)
			}
			got := a.Result["messages"].([]any)
			if len(got) != len(messages) {
				t.Fatalf("%d messages, want %d", len(got), len(messages))
			}
			for i, want := range messages {
				m := got[i].(map[string]any)
				if content := m["content"].(map[string]any); m["role"] != string(want.Role) || content["type"] != "text" || content["text"] != want.Text {
					t.Errorf("%s, message %d: got %.80q, want %.80q", test.prompt, i, content["text"], want.Text)
				}
			}
			if a.Result["description"] != p.Description {
				t.Errorf("description is %q", a.Result["description"])
			}
			meta := a.Result["_meta"].(map[string]any)
			delete(meta, "io.modelcontextprotocol/serverInfo")
			if got, want := toJSON(meta), `{"promptc/category":"testing","promptc/digest":"`+p.Document.Digest+`","promptc/source":"built-in","promptc/tags":["a","b"],"promptc/version":"1.2.0"}`; got != want {
				t.Errorf("_meta is %s, want %s", got, want)
			}
			text := p.AppendResult(nil, messages)
			var rendered map[string]any
			if err := json.Unmarshal(text, &rendered); err != nil {
				t.Fatal(err)
			}
			delete(a.Result, "resultType")
			if toJSON(rendered) != toJSON(a.Result) {
				t.Errorf("AppendResult made %.200s", text)
			}
		}
	}
}

// TestModernMembers shows which answers carry what 2026-07-28 adds, and that
// earlier revisions get none of it.
func TestModernMembers(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	tests := []struct {
		method, params string
		cached         bool
	}{
		{"prompts/list", "", true},
		{"prompts/get", `{"name":"plain"}`, false},
		{"resources/list", "", true},
		{"resources/templates/list", "", true},
		{"resources/read", `{"uri":"resource://docs/readme.md"}`, true},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"dialogue"},"argument":{"name":"b","value":""}}`, false},
		{"server/discover", "", true},
	}
	for _, test := range tests {
		a, _ := request(t, s, modern, test.method, test.params)
		info, _ := a.Result["_meta"].(map[string]any)["io.modelcontextprotocol/serverInfo"].(map[string]any)
		if a.Result["resultType"] != "complete" || info["name"] != "fixture" || info["version"] != "3.1.4" {
			t.Errorf("%s: %s", test.method, toJSON(a.Result))
		}
		if a.Result["ttlMs"] != any(86400000.0) && test.cached || a.Result["cacheScope"] != "public" && test.cached {
			t.Errorf("%s has ttlMs %v, cacheScope %v", test.method, a.Result["ttlMs"], a.Result["cacheScope"])
		}
		if _, ok := a.Result["ttlMs"]; ok != test.cached {
			t.Errorf("%s has ttlMs: %v", test.method, ok)
		}
		if test.method == "server/discover" {
			continue
		}
		a, _ = request(t, s, legacy, test.method, test.params)
		for _, member := range []string{"resultType", "ttlMs", "cacheScope"} {
			if _, ok := a.Result[member]; ok {
				t.Errorf("legacy %s has %s", test.method, member)
			}
		}
		if meta, ok := a.Result["_meta"].(map[string]any); ok && slices.Contains(slices.Collect(maps.Keys(meta)), "io.modelcontextprotocol/serverInfo") {
			t.Errorf("legacy %s has serverInfo", test.method)
		}
	}
}

func TestComplete(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	tests := []struct {
		argument, value string
		values          int
		first           string
		total           float64
		more            bool
	}{
		{"b", "", 100, "choice 000", 150, true},
		{"b", "CHOICE 14", 10, "choice 140", 10, false},
		{"b", "hoice", 0, "", 0, false},
		{"a", "", 0, "", 0, false},
	}
	for _, test := range tests {
		for _, e := range []era{legacy, modern} {
			a, _ := request(t, s, e, "completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":"dialogue"},"argument":{"name":%q,"value":%q},"context":{"arguments":{"a":"x"}}}`, test.argument, test.value))
			c := a.Result["completion"].(map[string]any)
			values := c["values"].([]any)
			if len(values) != test.values || c["total"] != test.total || c["hasMore"] != test.more || test.values > 0 && values[0] != test.first {
				t.Errorf("%s=%q: %s", test.argument, test.value, toJSON(c))
			}
		}
	}
	for _, test := range []struct{ uri, variable, value, context, want string }{
		{"resource://catalog/skills/{skill_id}", "skill_id", "", "null", `["tests"]`},
		{"resource://skills/{skill_id}/document", "skill_id", "TE", "null", `["tests"]`},
		{"resource://skills/{skill_id}/document", "skill_id", "x", "null", `[]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "skill_id", "t", "null", `["tests"]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "", `{"arguments":{"skill_id":"tests"}}`, `["marks","more"]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "mo", `{"arguments":{"skill_\u0069d":"tests"}}`, `["more"]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "", `{"arguments":{"skill_id":"nope"}}`, `[]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "", `{"arguments":{"skill_id":7}}`, `[]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "", `{"arguments":[]}`, `[]`},
		{"resource://skills/{skill_id}/references/{ref_id}", "ref_id", "", "7", `[]`},
		{"resource://docs/{+path}", "path", "G", "null", `["guide/deep/intro.md"]`},
		{"resource://docs/{+path}", "path", "skills/tests/ref", "null", `["skills/tests/references/deep/more.md","skills/tests/references/marks.md","skills/tests/references/more.md"]`},
	} {
		a, _ := request(t, s, modern, "completion/complete", fmt.Sprintf(`{"ref":{"type":"ref/resource","uri":%q},"argument":{"name":%q,"value":%q},"context":%s}`, test.uri, test.variable, test.value, test.context))
		if a.Error != nil {
			t.Errorf("%s of %s: %v", test.variable, test.uri, a.Error)
		} else if got := toJSON(a.Result["completion"].(map[string]any)["values"]); got != test.want {
			t.Errorf("%s=%q of %s with %s: %s", test.variable, test.value, test.uri, test.context, got)
		}
	}
}

// TestRead reads every resource and every document and compares the bytes.
func TestRead(t *testing.T) {
	c := fixture()
	bytes := document("assets/raw", "Raw", "\xff\x00raw")
	bytes.MIMEType = "application/octet-stream"
	c = assemble("", c.Prompts, c.Skills, append(c.Documents, bytes))
	s := newServer(t, Options{}, c)
	uris := map[string]*catalog.Document{}
	for _, r := range c.Resources {
		uris[r.URI] = r.Document
	}
	for _, d := range c.Documents {
		uris[catalog.DocumentScheme+d.Path] = d
	}
	for uri, d := range uris {
		for _, e := range []era{legacy, modern} {
			a, _ := request(t, s, e, "resources/read", `{"uri":"`+uri+`"}`)
			if a.Error != nil {
				t.Fatalf("%s: %v", uri, a.Error)
			}
			want := map[string]any{"uri": uri, "mimeType": d.MIMEType, "text": d.String()}
			if d == bytes {
				delete(want, "text")
				want["blob"] = "/wByYXc="
			}
			if got := toJSON(a.Result["contents"]); got != toJSON([]any{want}) {
				t.Errorf("%s: %s", uri, got)
			}
		}
	}
}

// TestPages walks the lists page by page, and tries cursors where they do not
// belong.
func TestPages(t *testing.T) {
	c := numbered(7)
	walk := func(s *Server, method, key string) (sizes []int, names, cursors []string) {
		cursor := ""
		for {
			params := ""
			if cursor != "" {
				params = `{"cursor":"` + cursor + `"}`
			}
			a, _ := request(t, s, modern, method, params)
			if a.Error != nil {
				t.Fatal(a.Error.Message)
			}
			entries := a.Result[key].([]any)
			sizes = append(sizes, len(entries))
			for _, entry := range entries {
				names = append(names, entry.(map[string]any)["name"].(string))
			}
			next, ok := a.Result["nextCursor"].(string)
			if !ok {
				return sizes, names, cursors
			}
			cursor = next
			cursors = append(cursors, next)
		}
	}
	for _, test := range []struct {
		size  int
		pages string
	}{{1, "[1 1 1 1 1 1 1]"}, {3, "[3 3 1]"}, {7, "[7]"}, {8, "[7]"}, {-1, "[7]"}, {0, "[7]"}} {
		sizes, names, _ := walk(newServer(t, Options{PageSize: test.size}, c), "prompts/list", "prompts")
		if fmt.Sprint(sizes) != test.pages || !slices.IsSorted(names) || len(slices.Compact(names)) != 7 {
			t.Errorf("size %d: pages %v, names %v", test.size, sizes, names)
		}
	}
	a := newServer(t, Options{PageSize: 3}, c)
	_, _, cursors := walk(a, "prompts/list", "prompts")
	replica := newServer(t, Options{PageSize: 2}, numbered(7))
	if got, _ := request(t, replica, legacy, "prompts/list", `{"cursor":"`+cursors[0]+`"}`); got.Error != nil {
		t.Errorf("a replica refused the cursor: %v", got.Error)
	}
	for name, other := range map[string]*Server{
		"other content": newServer(t, Options{PageSize: 3}, numbered(8)),
		"other prefix":  newServer(t, Options{PageSize: 3}, assemble("x/", c.Prompts, nil, nil)),
	} {
		if got, _ := request(t, other, legacy, "prompts/list", `{"cursor":"`+cursors[0]+`"}`); got.Error == nil || got.Error.Code != -32602 {
			t.Errorf("%s: the cursor was taken", name)
		}
	}
	if got, _ := request(t, a, legacy, "resources/list", `{"cursor":"`+cursors[0]+`"}`); got.Error == nil {
		t.Error("another list took the cursor")
	}
	if got, _ := request(t, a, legacy, "prompts/list", `{"cursor":null}`); got.Error != nil {
		t.Errorf("null is not absent: %v", got.Error)
	}
	for i := range cursors[0] {
		broken := []byte(cursors[0])
		broken[i] ^= 1
		if got, _ := request(t, a, legacy, "prompts/list", toJSON(map[string]string{"cursor": string(broken)})); got.Error == nil {
			// The last bits say where; another place is another good cursor.
			if i < len(cursors[0])-2 {
				t.Errorf("a cursor broken at %d was taken", i)
			}
		}
	}
}

// TestMux serves two catalogs, one of them private and short-lived.
func TestMux(t *testing.T) {
	first := assemble("", numbered(2).Prompts, []*catalog.Skill{skill("b", nil)}, nil)
	second := assemble("team/", numbered(2).Prompts, []*catalog.Skill{skill("a", nil), skill("c", nil)}, nil)
	second.Cache = catalog.CacheHint{Scope: "private", TTL: 1500000000}
	s := newServer(t, Options{}, first, second)
	a, _ := request(t, s, modern, "prompts/list", "")
	var names []string
	for _, p := range a.Result["prompts"].([]any) {
		names = append(names, p.(map[string]any)["name"].(string))
	}
	if fmt.Sprint(names) != "[prompt-00000 prompt-00001 team/prompt-00000 team/prompt-00001]" {
		t.Errorf("names %v", names)
	}
	if a.Result["ttlMs"] != 1500.0 || a.Result["cacheScope"] != "private" {
		t.Errorf("ttlMs %v, cacheScope %v", a.Result["ttlMs"], a.Result["cacheScope"])
	}
	if a, _ := request(t, s, modern, "prompts/get", `{"name":"team/prompt-00001","arguments":{"code":"x","language":"go"}}`); a.Error != nil {
		t.Error(a.Error)
	}
	if a, _ := request(t, s, modern, "prompts/get", `{"name":"team/prompt-00001"}`); a.Error == nil || !strings.Contains(a.Error.Message, `"team/prompt-00001"`) {
		t.Error("the error does not name the prompt by its public name")
	}
	// The index is one of all skills.
	a, _ = request(t, s, legacy, "resources/read", `{"uri":"resource://catalog/skills_index"}`)
	index := a.Result["contents"].([]any)[0].(map[string]any)["text"].(string)
	if want := catalog.SkillsIndex([]*catalog.Skill{second.Skills[0], first.Skills[0], second.Skills[1]}); index != want {
		t.Errorf("the index is %s, want %s", index, want)
	}
	a, _ = request(t, s, legacy, "resources/list", "")
	found := 0
	for _, r := range a.Result["resources"].([]any) {
		if r := r.(map[string]any); r["uri"] == catalog.SkillsIndexURI {
			if found++; r["size"] != float64(len(index)) {
				t.Errorf("the index has %d bytes, and is listed with %v", len(index), r["size"])
			}
		}
	}
	if found != 1 {
		t.Errorf("the index is listed %d times", found)
	}
	if _, err := New(&catalog.Mux{}, Options{}); err == nil {
		t.Error("an empty mux was accepted")
	}
}
