// This file holds message, a JSON-RPC message taken apart, and what can be wrong
// with one.

package serve

import (
	"bytes"
	"fmt"

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
	// principal is who asks, nil where nobody was authenticated.
	principal *catalog.Principal
	// refresh asks that live content be looked at at once.
	refresh bool

	// The members of params that this server reads, as they stand in the text;
	// nil if absent or null.
	name, uri, cursor, arguments, ref, argument, context, clientInfo, meta []byte
	// The members of params._meta that it reads.
	version, capabilities, client []byte
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

// A parser takes a message apart while its text is checked.
type parser struct {
	scanner
	m *message
	// The members of the message itself, as they stand in the text.
	id, version, method, params, outcome []byte
	// twice is a member that stood twice, and place where that was; the message's
	// own members go first.
	twice string
	place place
}

// A place is where a member stands, by how deep that is.
type place int

const (
	inMessage place = 1 + iota
	inParams
	inMeta
)

func (p place) String() string {
	return [...]string{inMessage: "the message", inParams: "params", inMeta: "params._meta"}[p]
}

// parse takes a message apart into m. Names of members are compared exactly,
// letter case included, and none that is read may stand twice: two readers of one
// message must not see two different messages.
//
// Where there is a fault, the message's id is set if it could be read.
func (m *message) parse(data []byte) *fault {
	p := parser{scanner: scanner{data: data}, m: m}
	if !p.whole(p.member) {
		*m = message{}
		return faultf(mcp.PARSE_ERROR, "not valid JSON at byte %d: %s", p.pos+1, p.fault)
	}
	switch data = bytes.TrimLeft(data, " \t\r\n"); data[0] {
	case '{':
	case '[':
		return faultf(mcp.INVALID_REQUEST, "batches are not supported: send each message by itself")
	default:
		return faultf(mcp.INVALID_REQUEST, "a message must be a JSON object")
	}
	if p.twice != "" && p.place == inMessage {
		return p.repeated(mcp.INVALID_REQUEST)
	}
	if p.id != nil {
		if !isID(p.id) {
			return faultf(mcp.INVALID_REQUEST, "id must be a string or an integer")
		}
		m.id = p.id
	}
	if !isString(p.version) || text(p.version) != mcp.JSONRPC_VERSION {
		return faultf(mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	}
	if p.method == nil && p.id != nil && p.outcome != nil {
		m.response = true
		return nil
	}
	if !isString(p.method) || len(p.method) == 2 {
		return faultf(mcp.INVALID_REQUEST, "method must be a text that is not empty")
	}
	m.method = text(p.method)
	switch {
	case p.params == nil || isNull(p.params):
		return nil
	case !isObject(p.params):
		return faultf(mcp.INVALID_PARAMS, "params must be an object")
	case p.twice != "":
		return p.repeated(mcp.INVALID_PARAMS)
	case m.meta != nil && !isObject(m.meta) && !isNull(m.meta):
		return faultf(mcp.INVALID_PARAMS, "params._meta must be an object")
	}
	m.params = p.params
	for _, value := range [...]*[]byte{&m.name, &m.uri, &m.cursor, &m.arguments, &m.ref, &m.argument, &m.context, &m.clientInfo, &m.meta} {
		if isNull(*value) {
			*value = nil
		}
	}
	return nil
}

// own gives a message that was parsed from data memory of its own.
func (m *message) own(data []byte) {
	who := m.principal
	*m = message{}
	m.parse(bytes.Clone(data))
	m.settle()
	m.principal = who
}

func (p *parser) repeated(code int) *fault {
	return faultf(code, "the member %s stands twice in %s", clip(p.twice), p.place)
}

// member visits a member of the message.
func (p *parser) member(name []byte) bool {
	switch text(name) {
	case "jsonrpc":
		return p.keep(&p.version, name, inMessage, nil)
	case "id":
		return p.keep(&p.id, name, inMessage, nil)
	case "method":
		return p.keep(&p.method, name, inMessage, nil)
	case "params":
		return p.keep(&p.params, name, inMessage, p.param)
	case "result", "error":
		return p.keep(&p.outcome, name, inMessage, nil)
	}
	return p.value(int(inMessage))
}

// param visits a member of params.
func (p *parser) param(name []byte) bool {
	switch text(name) {
	case "name":
		return p.keep(&p.m.name, name, inParams, nil)
	case "uri":
		return p.keep(&p.m.uri, name, inParams, nil)
	case "cursor":
		return p.keep(&p.m.cursor, name, inParams, nil)
	case "arguments":
		return p.keep(&p.m.arguments, name, inParams, nil)
	case "ref":
		return p.keep(&p.m.ref, name, inParams, nil)
	case "argument":
		return p.keep(&p.m.argument, name, inParams, nil)
	case "context":
		return p.keep(&p.m.context, name, inParams, nil)
	case "clientInfo":
		return p.keep(&p.m.clientInfo, name, inParams, nil)
	case "_meta":
		return p.keep(&p.m.meta, name, inParams, p.metadatum)
	}
	return p.value(int(inParams))
}

// metadatum visits a member of params._meta.
func (p *parser) metadatum(name []byte) bool {
	switch text(name) {
	case mcp.MetaKeyProtocolVersion:
		return p.keep(&p.m.version, name, inMeta, nil)
	case mcp.MetaKeyClientCapabilities:
		return p.keep(&p.m.capabilities, name, inMeta, nil)
	case mcp.MetaKeyClientInfo:
		return p.keep(&p.m.client, name, inMeta, nil)
	}
	return p.value(int(inMeta))
}

// keep scans the value of a member and keeps it. Where visit is given and the
// value is an object, visit sees its members.
func (p *parser) keep(into *[]byte, name []byte, at place, visit visitor) bool {
	if *into != nil && (p.twice == "" || at == inMessage) {
		p.twice, p.place = text(name), at
	}
	start := p.pos
	if visit != nil && start < len(p.data) && p.data[start] == '{' {
		if !p.container(true, int(at)+1, visit) {
			return false
		}
	} else if !p.value(int(at)) {
		return false
	}
	*into = p.data[start:p.pos]
	return true
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
	data = catalog.AppendJSON(data, clip(version))
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

// clip cuts short, for the text of an error, a name that a client made up, and
// makes it safe to keep after the message's buffer is gone.
func clip(name string) string { return clipTo(64, name) }

// echo is clip for the data of an error, by which a program finds what it asked
// for: there is room for every name and URI that is in use.
func echo(name string) string { return clipTo(1024, name) }

func clipTo(most int, name string) string {
	runes := 0
	for i := range name {
		if runes++; runes > most {
			return string([]byte(name[:i])) + "…"
		}
	}
	return string([]byte(name))
}
