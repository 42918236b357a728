// This file holds the stdio transport: lines in, lines out.

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

const (
	// mostWaiting is how many requests that may have to wait are under way at
	// once on one connection.
	mostWaiting = 16
	// bufferSize is how much is read at once, and batch how much of the answers is
	// gathered before it is written: enough to save most of the writes, little
	// enough that the client has something to do meanwhile.
	bufferSize = 64 << 10
	batch      = 16 << 10
)

// ServeStdio serves one client: a message a line from in, an answer a line to
// out. It returns nil at the end of in, or once ctx is done, after the requests
// that it had taken up were answered; and an error if in or out fails. A client that
// takes no answers is waited for ten seconds after that: once ctx is done a line in
// the log tells of it, and otherwise it is an error.
//
// Answers that come from memory are made where the line is read, and are written
// together while more lines are at hand; others are made aside, and each request
// is answered as soon as its answer is there, in whatever order. A client that
// does not read its answers is not read from either.
//
// A read of in that is under way when ctx is done cannot be ended, and takes no
// further message.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	p := &pipe{server: s, ctx: calls, slots: make(chan struct{}, mostWaiting), out: out}
	ended := make(chan error, 1)
	go func() { ended <- p.read(in) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	// What still waits at half time waits for something that does not come.
	defer time.AfterFunc(s.drain/2, cancel).Stop()
	drained := make(chan error, 1)
	go func() { drained <- p.drain() }()
	select {
	case late := <-drained:
		return errors.Join(err, late)
	case <-time.After(s.drain):
		if err == nil && ctx.Err() != nil {
			s.log.Warn("the client did not take the last answers")
			return nil
		}
		return errors.Join(err, fmt.Errorf("the client took no answer for %v", s.drain))
	}
}

// A pipe is the connection to one client.
type pipe struct {
	server *Server
	slots  chan struct{}
	calls  sync.WaitGroup

	// turn is held while a line is taken up; stopped ends that. ctx is that of the
	// requests; once initialize came, it tells what the client calls itself.
	turn    sync.Mutex
	stopped bool
	ctx     context.Context

	// mu guards what follows: the writer, what is not written yet, and the error
	// that made writing senseless.
	mu  sync.Mutex
	out io.Writer
	buf []byte
	err error
}

// read takes up lines until in ends, out fails or the pipe is stopped.
func (p *pipe) read(in io.Reader) error {
	lines := lineReader{in: in, most: p.server.maxRequest, wait: p.flush}
	for {
		line, err := lines.next()
		switch {
		case errors.Is(err, errLongLine):
			r, end := newReply(), p.server.begin()
			r.fail(nil, faultf(mcp.INVALID_REQUEST, "the message is longer than %d bytes", p.server.maxRequest))
			end(exchanged(r))
			p.send(r)
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read a message: %w", err)
		case !p.take(line):
			return nil
		}
	}
}

// take answers one line, or has it answered aside. It reports false when no more
// lines should be taken.
func (p *pipe) take(line []byte) bool {
	if len(bytes.TrimSpace(line)) == 0 {
		return true
	}
	p.turn.Lock()
	defer p.turn.Unlock()
	if p.stopped {
		return false
	}
	r, end := newReply(), p.server.begin()
	later := p.server.open(p.ctx, line, nil, r)
	if later == nil {
		end(exchanged(r))
		return p.send(r)
	}
	if !p.flush() {
		return false
	}
	m := &r.request
	m.own(line) // the line's memory is the next one's
	if m.method == string(mcp.MethodInitialize) && isObject(m.clientInfo) {
		asks := *catalog.RequestOf(p.ctx)
		asks.ClientName, asks.ClientVersion = clientOf(m.clientInfo)
		p.ctx = catalog.WithRequest(p.ctx, &asks)
	}
	ctx := p.ctx
	p.slots <- struct{}{}
	p.calls.Go(func() {
		p.server.finish(ctx, later, r)
		end(exchanged(r))
		p.send(r)
		p.flush()
		<-p.slots
	})
	return true
}

// exchanged is what is told of a message that r answers.
func exchanged(r *reply) Exchange {
	e := Exchange{Transport: "stdio"}
	e.about(&r.request)
	e.Code = r.code
	return e
}

// send queues a reply, which it frees, and reports whether writing makes sense.
func (p *pipe) send(r *reply) bool {
	defer r.free()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, event := range r.events {
		p.buf = append(append(p.buf, event...), '\n')
	}
	if r.empty() {
		return p.err == nil
	}
	p.buf = append(p.buf, r.head...)
	if len(r.body) > bufferSize {
		p.write()
		if p.err == nil {
			_, p.err = p.out.Write(r.body)
		}
	} else {
		p.buf = append(p.buf, r.body...)
	}
	p.buf = append(append(p.buf, r.tail...), '\n')
	if len(p.buf) >= batch {
		p.write()
	}
	return p.err == nil
}

// flush writes what was queued.
func (p *pipe) flush() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write()
	return p.err == nil
}

func (p *pipe) write() {
	if len(p.buf) > 0 && p.err == nil {
		_, p.err = p.out.Write(p.buf)
	}
	if p.buf = p.buf[:0]; cap(p.buf) > 16*bufferSize {
		p.buf = nil
	}
}

// drain stops the taking of lines and waits for what is under way.
func (p *pipe) drain() error {
	p.turn.Lock()
	p.stopped = true
	p.turn.Unlock()
	p.calls.Wait()
	p.flush()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return fmt.Errorf("write an answer: %w", p.err)
	}
	return nil
}

// errLongLine is what a line longer than the reader's limit gives.
var errLongLine = errors.New("line too long")

// A lineReader reads lines of limited length, without their newline.
type lineReader struct {
	in   io.Reader
	most int
	// wait is called before each read, which may block.
	wait func() bool

	buf         []byte
	first, last int // what of buf was read and not returned
	seen        int // how much of that holds no newline
	skipping    bool
	err         error
}

// next returns the next line, which is good until the next call. A line without
// a newline before the end is a line too. A line that is too long gives
// errLongLine as soon as that is known, and the rest of it is passed over.
func (l *lineReader) next() ([]byte, error) {
	for {
		at := bytes.IndexByte(l.buf[l.first+l.seen:l.last], '\n')
		if at < 0 {
			l.seen = l.last - l.first
		}
		switch {
		case l.skipping && at < 0:
			l.first, l.seen = l.last, 0
		case l.skipping:
			l.skipping = false
			l.first, l.seen = l.first+at+1, 0
			continue
		case at >= 0 && l.seen+at <= l.most:
			line := l.buf[l.first : l.first+l.seen+at]
			l.first, l.seen = l.first+len(line)+1, 0
			return line, nil
		case at >= 0 || l.seen > l.most:
			l.skipping = true
			return nil, errLongLine
		case l.err != nil && l.seen > 0:
			line := l.buf[l.first:l.last]
			l.first, l.seen = l.last, 0
			return line, nil
		}
		if l.err != nil {
			return nil, l.err
		}
		l.fill()
	}
}

// fill reads more. The buffer grows as a line needs it, and shrinks after.
func (l *lineReader) fill() {
	held := l.last - l.first
	switch {
	case held == 0 && len(l.buf) != bufferSize:
		l.buf = make([]byte, bufferSize)
	case held > len(l.buf)/2:
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf[l.first:l.last])
		l.buf = grown
	default:
		copy(l.buf, l.buf[l.first:l.last])
	}
	l.first, l.last = 0, held
	l.wait()
	n, err := l.in.Read(l.buf[held:])
	l.last += n
	l.err = err
}
