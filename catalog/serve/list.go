// This file holds the lists: pages that are made once and sent as they are, and
// the cursors between them.

package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A list is what one of the list methods answers from memory.
type list struct {
	method, key string
	// size is how many entries a page holds; all if it is negative.
	size int
	// entries are the JSON texts of the entries in their order.
	entries func() []string
	// mark tells the list's cursors from those of all others.
	mark func() []byte
	// pages are the pages that were asked for, as *page by the position of their
	// first entry.
	pages sync.Map
}

// A page is a part of a list: the members of the result that hold it.
type page struct {
	text []byte
	// size is how many entries there are, and next the position of the entry
	// after them, 0 if there is none.
	size, next int
}

// newList returns the list of a method as it is seen under limits.
func (s *stock) newList(method, key, limits string, entries func() []string) list {
	return list{
		method: method, key: key, size: s.server.pageSize,
		entries: sync.OnceValue(entries),
		mark:    sync.OnceValue(func() []byte { return s.mark(method, limits, "") }),
	}
}

func (s *stock) list(l *list, end *ending, m *message, r *reply) *fault {
	first, ok := l.position(m.cursor)
	if !ok {
		return l.badCursor()
	}
	r.start(m)
	r.body = l.page(first).text
	r.tail = end.of(m)
	return nil
}

func (l *list) badCursor() *fault {
	return faultf(mcp.INVALID_PARAMS, "the cursor is not one of %s for this content: start again without one", l.method)
}

// page returns the page that starts at the entry first.
func (l *list) page(first int) *page {
	if p, ok := l.pages.Load(first); ok {
		return p.(*page)
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
	text := append(make([]byte, 0, length), `"`+l.key+`":[`...)
	for i, entry := range entries[first:last] {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, entry...)
	}
	p := &page{text: append(text, ']'), size: last - first}
	if last < len(entries) {
		p.next = last
		p.text = appendNext(p.text, cursor(l.mark(), binary.AppendUvarint(nil, uint64(last))))
	}
	// A replica with another page size issues cursors to other places; keeping
	// those pages too would have no bound.
	if first == 0 || l.size > 0 && first%l.size == 0 {
		l.pages.Store(first, p)
	}
	return p
}

// appendNext appends the cursor of the page that follows.
func appendNext(dst []byte, cursor string) []byte {
	return append(append(append(dst, `,"nextCursor":"`...), cursor...), '"')
}

// A cursor is a mark and what goes on there: the position of an entry in a list, or
// the cursor of a repository.
const (
	markSize = 12
	// mostNext is how long the cursor of a repository may be.
	mostNext = 1024
)

// mark tells the lists of different content apart: by the method, the limits of who
// asks, what is mounted, and the prefix of the repository that goes on, if any. It
// is the same in every process that serves the same.
func (s *stock) mark(method, limits, mount string) []byte {
	var b []byte
	for _, part := range []string{method, limits, mount} {
		b = append(strconv.AppendQuote(b, part), '\n')
	}
	for _, c := range s.mux.Catalogs() {
		b = append(b, "\n"+c.Prefix+" "+c.Digest...)
	}
	for i := range s.mux.Resources() {
		b = strconv.AppendQuote(append(b, '\n'), s.mux.Resources()[i].URI)
	}
	sum := sha256.Sum256(b)
	return sum[:markSize]
}

func cursor(mark, rest []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(bytes.Clone(mark), rest...))
}

// readCursor takes a cursor apart that a client sent.
func readCursor(sent []byte) (mark, rest []byte, ok bool) {
	if !isString(sent) || len(sent) > base64.RawURLEncoding.EncodedLen(markSize+mostNext)+2 {
		return nil, nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text(sent))
	if err != nil || len(b) < markSize {
		return nil, nil, false
	}
	return b[:markSize], b[markSize:], true
}

// position reads the cursor of a request, if there is one. A position is good if
// there is an entry there that is not the first.
func (l *list) position(sent []byte) (int, bool) {
	if sent == nil {
		return 0, true
	}
	mark, rest, ok := readCursor(sent)
	if !ok || !bytes.Equal(mark, l.mark()) {
		return 0, false
	}
	position, n := binary.Uvarint(rest)
	if n != len(rest) || position == 0 || position >= uint64(len(l.entries())) {
		return 0, false
	}
	return int(position), true
}
