// This file holds message, a JSON-RPC message taken apart, and what can be wrong
// with one.

package serve

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// A message is what a client sent: a request, or a notification where id is nil.
// Its slices share the memory of the text that it was parsed from.
type message struct {
	id     []byte // as the client wrote it
	method string
	params []byte // the object, nil if absent or null
	// response is a client's answer to a request of the server's.
	response bool
	// modern says that the request carries its own protocol version, 2026-07-28
	// or later, and is answered by the rules of that revision.
	modern bool

	// The members of params that this server reads, as they stand in the text;
	// nil if absent or null.
	name, uri, cursor, arguments, ref, argument, meta []byte
	// The members of params._meta that it reads.
	version, capabilities []byte
}

// A fault is why a message is not served: a JSON-RPC error.
type fault struct {
	code    int
	message string
	data    []byte // JSON; nil for none
}

func faultf(code int, format string, args ...any) *fault {
	return &fault{code: code, message: fmt.Sprintf(format, args...)}
}

// parse takes a message apart. Names of members are compared exactly, letter
// case included, and none that is read may stand twice: two readers of one
// message must not see two different messages.
//
// Where there is a fault, the message's id is set if it could be read.
func parse(data []byte) (m message, f *fault) {
	if s, ok := scan(data); !ok {
		return m, faultf(mcp.PARSE_ERROR, "not valid JSON at byte %d: %s", s.pos+1, s.fault)
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if data[0] == '[' {
		return m, faultf(mcp.INVALID_REQUEST, "batches are not supported: send each message by itself")
	}
	if data[0] != '{' {
		return m, faultf(mcp.INVALID_REQUEST, "a message must be a JSON object")
	}
	var id, version, method, params, outcome []byte
	for walk := object(data); ; {
		name, value, ok := walk.next()
		if !ok {
			break
		}
		var into *[]byte
		switch text(name) {
		case "jsonrpc":
			into = &version
		case "id":
			into = &id
		case "method":
			into = &method
		case "params":
			into = &params
		case "result", "error":
			into = &outcome
		default:
			continue
		}
		if *into != nil {
			return message{}, faultf(mcp.INVALID_REQUEST, "the member %s stands twice", clip(text(name)))
		}
		*into = value
	}
	switch {
	case id == nil:
	case isID(id):
		m.id = id
	default:
		return m, faultf(mcp.INVALID_REQUEST, "id must be a string or an integer")
	}
	if !isString(version) || text(version) != mcp.JSONRPC_VERSION {
		return m, faultf(mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	}
	if method == nil && id != nil && outcome != nil {
		m.response = true
		return m, nil
	}
	if !isString(method) || len(method) == 2 {
		return m, faultf(mcp.INVALID_REQUEST, "method must be a text that is not empty")
	}
	m.method = text(method)
	if params == nil || isNull(params) {
		return m, nil
	}
	if !isObject(params) {
		return m, faultf(mcp.INVALID_PARAMS, "params must be an object")
	}
	m.params = params
	return m, m.parseParams()
}

func (m *message) parseParams() *fault {
	for walk := object(m.params); ; {
		name, value, ok := walk.next()
		if !ok {
			break
		}
		var into *[]byte
		switch text(name) {
		case "name":
			into = &m.name
		case "uri":
			into = &m.uri
		case "cursor":
			into = &m.cursor
		case "arguments":
			into = &m.arguments
		case "ref":
			into = &m.ref
		case "argument":
			into = &m.argument
		case "_meta":
			into = &m.meta
		default:
			continue
		}
		if *into != nil {
			return faultf(mcp.INVALID_PARAMS, "the member %s of params stands twice", clip(text(name)))
		}
		*into = value
	}
	for _, value := range []*[]byte{&m.name, &m.uri, &m.cursor, &m.arguments, &m.ref, &m.argument, &m.meta} {
		if isNull(*value) {
			*value = nil
		}
	}
	if m.meta == nil {
		return nil
	}
	if !isObject(m.meta) {
		return faultf(mcp.INVALID_PARAMS, "params._meta must be an object")
	}
	for walk := object(m.meta); ; {
		name, value, ok := walk.next()
		if !ok {
			return nil
		}
		var into *[]byte
		switch text(name) {
		case mcp.MetaKeyProtocolVersion:
			into = &m.version
		case mcp.MetaKeyClientCapabilities:
			into = &m.capabilities
		default:
			continue
		}
		if *into != nil {
			return faultf(mcp.INVALID_PARAMS, "the member %s of params._meta stands twice", clip(text(name)))
		}
		*into = value
	}
}

// settle finds out which revision a request is made by, and refuses one that
// this server does not speak or that lacks what its revision requires
// (specification 2026-07-28, "Overview", section "_meta").
func (m *message) settle() *fault {
	if m.version == nil {
		return nil
	}
	if !isString(m.version) {
		return faultf(mcp.INVALID_PARAMS, "params._meta: %s must be a text", mcp.MetaKeyProtocolVersion)
	}
	version := text(m.version)
	m.modern = mcp.IsModernProtocol(version)
	if !mcp.IsValidProtocolVersion(version) {
		return unsupported(version)
	}
	if m.modern && !isObject(m.capabilities) {
		return faultf(mcp.INVALID_PARAMS, "params._meta: %s must be an object", mcp.MetaKeyClientCapabilities)
	}
	return nil
}

// unsupported is the answer to a protocol version that this server does not
// speak (specification 2026-07-28, "Versioning").
func unsupported(version string) *fault {
	data := []byte(`{"supported":[`)
	for i, v := range mcp.ValidProtocolVersions {
		if i > 0 {
			data = append(data, ',')
		}
		data = catalog.AppendJSON(data, v)
	}
	data = append(data, `],"requested":`...)
	data = catalog.AppendJSON(data, version)
	return &fault{mcp.UNSUPPORTED_PROTOCOL_VERSION, "unsupported protocol version", append(data, '}')}
}

// isID tells whether a value can be the id of a request: a text or an integer
// (specification 2026-07-28, "Overview", section "Requests").
func isID(value []byte) bool {
	if isString(value) {
		return true
	}
	return (value[0] == '-' || '0' <= value[0] && value[0] <= '9') && !bytes.ContainsAny(value, ".eE")
}

// clip cuts short, for an error, a name that a client made up, and makes it safe
// to keep after the message's buffer is gone.
func clip(name string) string {
	const most = 64
	runes := 0
	for i := range name {
		if runes++; runes > most {
			return name[:i] + "…"
		}
	}
	return string(slices.Clone([]byte(name)))
}
