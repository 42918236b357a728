// This file holds the lists: pages that are made once and sent as they are, and
// the cursors between them.

package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A list is what one of the list methods answers.
type list struct {
	method, key string
	// size is how many entries a page holds; all if it is negative.
	size int
	// entries are the JSON texts of the entries in their order.
	entries func() []string
	// pages are the pages that were asked for, by the position of their first
	// entry.
	pages sync.Map
}

func (s *Server) list(l *list, m *message, r *reply) *fault {
	first := 0
	if m.cursor != nil {
		var ok bool
		if first, ok = s.position(l, m.cursor); !ok {
			return faultf(mcp.INVALID_PARAMS, "the cursor is not one of %s for this content: start again without one", l.method)
		}
	}
	page := s.page(l, first)
	r.start(m)
	r.body = page
	r.tail = "}}"
	if m.modern {
		r.tail = "," + s.hints + `,"_meta":{` + s.identity + "}}}"
	}
	return nil
}

// page returns the page that starts at the entry first.
func (s *Server) page(l *list, first int) []byte {
	if page, ok := l.pages.Load(first); ok {
		return page.([]byte)
	}
	entries := l.entries()
	last := len(entries)
	if l.size > 0 && last-first > l.size {
		last = first + l.size
	}
	length := 64
	for _, entry := range entries[first:last] {
		length += len(entry) + 1
	}
	page := append(make([]byte, 0, length), `"`+l.key+`":[`...)
	for i, entry := range entries[first:last] {
		if i > 0 {
			page = append(page, ',')
		}
		page = append(page, entry...)
	}
	page = append(page, ']')
	if last < len(entries) {
		page = append(page, `,"nextCursor":"`+s.cursor(l, last)+`"`...)
	}
	// A replica with another page size issues cursors to other places; keeping
	// those pages too would have no bound.
	if first == 0 || l.size > 0 && first%l.size == 0 {
		l.pages.Store(first, page)
	}
	return page
}

// A cursor is a mark of the list and its content, and the position of the entry
// that comes next.
const markSize = 12

// mark tells the lists of different content apart. It is the same in every
// process that serves the same catalogs.
func (s *Server) mark(l *list) []byte {
	h := sha256.New()
	h.Write([]byte(l.method))
	for _, c := range s.mux.Catalogs() {
		h.Write([]byte("\n" + c.Prefix + " " + c.Digest))
	}
	return h.Sum(nil)[:markSize]
}

func (s *Server) cursor(l *list, position int) string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(s.mark(l), uint64(position)))
}

// position reads a cursor. A position is good if there is an entry there that is
// not the first.
func (s *Server) position(l *list, cursor []byte) (int, bool) {
	const longest = markSize + binary.MaxVarintLen64
	if !isString(cursor) || len(cursor) > 2*longest {
		return 0, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text(cursor))
	if err != nil || len(b) <= markSize || !bytes.Equal(b[:markSize], s.mark(l)) {
		return 0, false
	}
	position, n := binary.Uvarint(b[markSize:])
	if n != len(b)-markSize || position == 0 || position >= uint64(len(l.entries())) {
		return 0, false
	}
	return int(position), true
}

func (s *Server) promptEntries() []string {
	var entries []string
	for _, c := range s.mux.Catalogs() {
		for _, p := range c.Prompts {
			entries = append(entries, p.Entry)
		}
	}
	return entries
}

func (s *Server) resourceEntries() []string {
	var entries []string
	for _, c := range s.mux.Catalogs() {
		for i := range c.Resources {
			entries = append(entries, c.Resources[i].Entry)
		}
	}
	return entries
}
