// This file holds the requests that servers are measured with, the same bytes for
// all of them, and what their answers have in common.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// An era is one of the two ways to speak the protocol.
type era struct{ name, version string }

var (
	legacy = era{"legacy", "2025-11-25"}
	modern = era{"modern", "2026-07-28"}
)

// cycle is how many requests for different prompts there are, spread over all of
// them. Their ids are firstID and the numbers after it, so that all have three
// digits.
const (
	cycle   = 100
	firstID = 100
)

// requestStart is what stands before a request's id.
const requestStart = `{"jsonrpc":"2.0","id":`

// A workload is requests of one method.
type workload struct {
	era    era
	method string
	// messages are JSON texts, and names the prompts that they ask for, empty for
	// a list.
	messages, names []string
}

// gets are requests for prompts of a tree, and lists one for a list of all of them.
func gets(e era, t tree) workload {
	w := workload{era: e, method: "prompts/get"}
	for i := range cycle {
		prompt := i * t.prompts / cycle
		w.add(promptID(prompt), arguments(prompt))
	}
	return w
}

func lists(e era) workload {
	w := workload{era: e, method: "prompts/list"}
	w.add("", "")
	return w
}

func (w *workload) add(name, arguments string) {
	var params []string
	if w.era == modern {
		params = append(params, fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":{}}`, w.era.version, clientInfo))
	}
	if name != "" {
		params = append(params, fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
	}
	w.messages = append(w.messages, fmt.Sprintf(`%s%d,"method":%q,"params":{%s}}`, requestStart, firstID+len(w.messages), w.method, strings.Join(params, ",")))
	w.names = append(w.names, name)
}

const clientInfo = `{"name":"promptbench","version":"1.0.0"}`

// greeting is what a client sends first on stdio, in the legacy era; one line is
// answered.
const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":` + clientInfo + `}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// lines returns the requests as they are on stdio.
func (w *workload) lines() [][]byte {
	all := make([][]byte, len(w.messages))
	for i, message := range w.messages {
		all[i] = []byte(message + "\n")
	}
	return all
}

// posts returns the requests as they are over HTTP.
func (w *workload) posts() [][]byte {
	all := make([][]byte, len(w.messages))
	for i, message := range w.messages {
		b := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: %s\r\n", w.era.version)
		if w.era == modern {
			b = fmt.Appendf(b, "Mcp-Method: %s\r\n", w.method)
			if name := w.names[i]; name != "" {
				b = fmt.Appendf(b, "Mcp-Name: %s\r\n", name)
			}
		}
		all[i] = fmt.Appendf(b, "Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	return all
}

// idOf returns the id of a request by its place alone.
func idOf(message []byte) (int, bool) {
	const first = len(requestStart)
	if len(message) < first+3 {
		return 0, false
	}
	id := 0
	for _, digit := range message[first : first+3] {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		id = 10*id + int(digit-'0')
	}
	return id, true
}

// content returns what an answer says of prompts, as JSON in a form of its own: the
// result without what each server tells of itself and of caching.
func content(answer []byte) (string, error) {
	var a struct {
		ID     int
		Result map[string]any
		Error  json.RawMessage
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	if err := d.Decode(&a); err != nil {
		return "", fmt.Errorf("it answers what is no JSON: %w", err)
	}
	if a.Result == nil {
		return "", fmt.Errorf("it answers %.300q", answer)
	}
	for _, member := range []string{"resultType", "ttlMs", "cacheScope"} {
		delete(a.Result, member)
	}
	if meta, ok := a.Result["_meta"].(map[string]any); ok {
		delete(meta, "io.modelcontextprotocol/serverInfo")
		if len(meta) == 0 {
			delete(a.Result, "_meta")
		}
	}
	text, err := json.Marshal(map[string]any{"id": a.ID, "result": a.Result})
	return string(text), err
}
