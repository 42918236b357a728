// This file holds reply, the answer to one message, in bytes.

package serve

import (
	"strconv"
	"sync"

	"github.com/seed33527553/promptc/catalog"
)

// A reply is the answer to one message. head, body and tail together are one
// JSON text without a newline; only body may be shared with other replies, and
// nobody changes it.
type reply struct {
	head []byte
	body []byte
	tail string
	// events are the notifications that go before the answer, each a JSON text.
	events [][]byte
	// code is the JSON-RPC error code, 0 for a result.
	code int

	// request is the message that is answered, here to be reused with the rest.
	request message
	// values and raws are the arguments of a prompt, by position; see getPrompt.
	values, raws []string
}

// replies are kept for reuse, so that a request costs no allocation.
var replies sync.Pool

func newReply() *reply {
	if r, ok := replies.Get().(*reply); ok {
		return r
	}
	return &reply{head: make([]byte, 0, 4096)}
}

// free gives the reply back once it was written. A buffer that one big answer
// blew up is left to the garbage collector.
func (r *reply) free() {
	const most = 1 << 20
	if cap(r.head) > most {
		return
	}
	clear(r.values[:cap(r.values)])
	clear(r.raws[:cap(r.raws)])
	*r = reply{head: r.head[:0], values: r.values[:0], raws: r.raws[:0]}
	replies.Put(r)
}

// empty tells whether there is nothing to send: notifications get no answer.
func (r *reply) empty() bool { return len(r.head) == 0 }

// size is the length in bytes of the answer.
func (r *reply) size() int { return len(r.head) + len(r.body) + len(r.tail) }

// start begins a reply to a request with a result, up to and including the
// result's opening brace.
func (r *reply) start(m *message) {
	r.head = append(r.head[:0], `{"jsonrpc":"2.0","id":`...)
	r.head = append(r.head, m.id...)
	r.head = append(r.head, `,"result":{`...)
	if m.modern {
		r.head = append(r.head, `"resultType":"complete",`...)
	}
}

// fail makes the reply an error. A message whose id could not be read is
// answered with the id null (JSON-RPC 2.0, section 5).
func (r *reply) fail(id []byte, f *fault) {
	r.body, r.tail, r.events, r.code = nil, "", nil, f.code
	r.head = append(r.head[:0], `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		r.head = append(r.head, "null"...)
	}
	r.head = append(r.head, id...)
	r.head = append(r.head, `,"error":{"code":`...)
	r.head = strconv.AppendInt(r.head, int64(f.code), 10)
	r.head = append(r.head, `,"message":`...)
	r.head = catalog.AppendJSON(r.head, f.message)
	if f.data != nil {
		r.head = append(r.head, `,"data":`...)
		r.head = append(r.head, f.data...)
	}
	r.head = append(r.head, "}}"...)
}
