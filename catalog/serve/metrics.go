// This file holds Exchange, by which a program measures what is served.

package serve

import "github.com/mark3labs/mcp-go/mcp"

// An Exchange is one message and its answer, without anything that either says.
type Exchange struct {
	// Transport is http or stdio.
	Transport string
	// Method is the message's method where it is one of the protocol's, other where
	// a client made it up, and empty where there is no message: what came was
	// refused before, or is none.
	Method string
	// Modern tells that the message was made by the rules of 2026-07-28.
	Modern bool
	// Code is the JSON-RPC error code, 0 for a result and for what gets no answer.
	Code int
	// Status is the HTTP status, 0 on stdio.
	Status int
}

// begin tells whoever watches that a message comes in, and returns what to call
// once it is answered.
func (s *Server) begin() func(Exchange) {
	if s.watch == nil {
		return func(Exchange) {}
	}
	return s.watch()
}

// about notes which message there was, while its memory is still its own.
func (e *Exchange) about(m *message) {
	e.Modern = m.modern
	if m.method != "" {
		e.Method = known(m.method)
	}
}

// known returns the method if the protocol has it: clients can make up methods
// without end. The text is the program's own, so it may be kept.
func known(method string) string {
	for _, m := range [...]mcp.MCPMethod{
		mcp.MethodPromptsGet, mcp.MethodPromptsList, mcp.MethodResourcesRead, mcp.MethodResourcesList,
		mcp.MethodResourcesTemplatesList, mcp.MethodCompletionComplete, mcp.MethodInitialize, mcp.MethodPing,
		mcp.MethodToolsList, mcp.MethodToolsCall, "server/discover", "subscriptions/listen",
		"skills/list", "skills/get", "resources/directory/read",
		"notifications/initialized", "notifications/cancelled",
	} {
		if string(m) == method {
			return string(m)
		}
	}
	return "other"
}
