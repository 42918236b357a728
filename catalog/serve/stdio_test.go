// This file holds the tests of the stdio transport.

package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
)

// slow makes every ping of s wait until release is closed, or the call is given up;
// started gets one value for each.
func slow(s *Server) (started chan struct{}, release chan struct{}) {
	started, release = make(chan struct{}, 1000), make(chan struct{})
	hooks := &server.Hooks{}
	hooks.AddBeforePing(func(ctx context.Context, _ any, _ *mcp.PingRequest) {
		started <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
	})
	s.stock.Load().lifecycle = server.NewMCPServer("slow", "1", server.WithHooks(hooks))
	return started, release
}

// A connection is a client's end of stdio.
type connection struct {
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
}

func connect(t *testing.T, ctx context.Context, s *Server) *connection {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &connection{in: inW, out: bufio.NewReader(outR), ended: make(chan error, 1)}
	go func() {
		c.ended <- s.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return c
}

func (c *connection) send(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *connection) line(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("%v after %q", err, line)
	}
	return strings.TrimSuffix(line, "\n")
}

// TestLines cuts the same input in all the ways that a pipe may.
func TestLines(t *testing.T) {
	s := newServer(t, Options{MaxRequest: 100}, fixture())
	long := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 100) + `"}`
	tooLong := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is longer than 100 bytes"}}`
	full := `{"jsonrpc":"2.0","id":1,"method":"ping"` + strings.Repeat(" ", 100-len(ping)) + `}`
	tests := []struct{ name, in, out string }{
		{"nothing", "", ""},
		{"newline", ping + "\n", pong + "\n"},
		{"no newline at the end", ping, pong + "\n"},
		{"carriage return", ping + "\r\n" + ping + "\r\n", pong + "\n" + pong + "\n"},
		{"blank lines", "\n\n \t\n" + ping + "\n\r\n\n", pong + "\n"},
		{"as long as may be", full + "\n" + full, pong + "\n" + pong + "\n"},
		{"one byte longer", " " + full + "\n" + ping, tooLong + "\n" + pong + "\n"},
		{"long", long + "\n" + ping + "\n", tooLong + "\n" + pong + "\n"},
		{"long at the end", ping + "\n" + long, pong + "\n" + tooLong + "\n"},
		{"very long", strings.Repeat("x", 3*bufferSize) + "\n" + ping, tooLong + "\n" + pong + "\n"},
		{"not JSON", "nope\n" + ping, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not valid JSON at byte 1: a JSON value must stand here"}}` + "\n" + pong + "\n"},
	}
	for _, test := range tests {
		for name, cut := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
			"halves": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
		} {
			var out bytes.Buffer
			if err := s.ServeStdio(context.Background(), cut(strings.NewReader(test.in)), &out); err != nil {
				t.Fatal(err)
			}
			// Pings are answered aside, in whatever order.
			if got, want := sortedLines(out.String()), sortedLines(test.out); got != want {
				t.Errorf("%s, %s:\n%s\nwant\n%s", test.name, name, got, want)
			}
		}
	}
}

func sortedLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i := range lines {
		for j := range lines[:i] {
			if lines[i] < lines[j] {
				lines[i], lines[j] = lines[j], lines[i]
			}
		}
	}
	return strings.Join(lines, "")
}

// TestLongLineIsNotKept feeds an endless line and watches the reader's buffer.
func TestLongLineIsNotKept(t *testing.T) {
	l := lineReader{in: io.LimitReader(endless{}, 100<<20), most: 1000, wait: func() bool { return true }}
	if _, err := l.next(); !errors.Is(err, errLongLine) {
		t.Fatal(err)
	}
	if _, err := l.next(); err != io.EOF {
		t.Fatal(err)
	}
	if cap(l.buf) > 2*bufferSize {
		t.Errorf("the buffer grew to %d bytes", cap(l.buf))
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

// TestOrder shows that an answer does not wait for one that was asked for before.
func TestOrder(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	started, release := slow(s)
	c := connect(t, context.Background(), s)
	c.send(t, `{"jsonrpc":"2.0","id":"slow","method":"ping"}`)
	<-started
	c.send(t, `{"jsonrpc":"2.0","id":"quick","method":"prompts/get","params":{"name":"plain"}}`)
	if line := c.line(t); !strings.Contains(line, `"id":"quick"`) {
		t.Errorf("first came %s", line)
	}
	close(release)
	if line := c.line(t); !strings.Contains(line, `"id":"slow"`) {
		t.Errorf("then came %s", line)
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestBackpressure sends more waiting requests than may be under way: the rest are
// not read.
func TestBackpressure(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	started, release := slow(s)
	c := connect(t, context.Background(), s)
	const all = 3 * mostWaiting
	sent := make(chan error, 1)
	go func() {
		for i := range all {
			// Each is bigger than what the reader reads ahead.
			if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"%s"}}`+"\n", i, strings.Repeat("x", 2*bufferSize)); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for range mostWaiting {
		<-started
	}
	select {
	case err := <-sent:
		t.Fatalf("everything was read: %v", err)
	default:
	}
	if n := len(started); n > 0 {
		t.Errorf("%d more requests are under way", n)
	}
	close(release)
	for range all {
		c.line(t)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestUnreadAnswers shows that a client that reads no answers is not read from.
func TestUnreadAnswers(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	c := connect(t, context.Background(), s)
	big := strings.Repeat("x", 2*bufferSize)
	message := `{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"dialogue","arguments":{"a":"` + big + `"}}}`
	c.send(t, message)
	blocked := make(chan struct{})
	go func() {
		defer close(blocked)
		for range 4 {
			if _, err := io.WriteString(c.in, message+"\n"); err != nil {
				return
			}
		}
	}()
	select {
	case <-blocked:
		t.Fatal("four more messages were read")
	default:
	}
	for range 5 {
		if line := c.line(t); !strings.Contains(line, big) {
			t.Fatalf("%.100s", line)
		}
	}
	<-blocked
}

// TestEndOfInput shows that what was taken up is answered before the end.
func TestEndOfInput(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	started, release := slow(s)
	c := connect(t, context.Background(), s)
	c.send(t, ping)
	<-started
	c.in.Close()
	close(release)
	if line := c.line(t); line != pong {
		t.Error(line)
	}
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestStop shows the same for the end of the context.
func TestStop(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	started, release := slow(s)
	ctx, cancel := context.WithCancel(context.Background())
	c := connect(t, ctx, s)
	c.send(t, ping)
	<-started
	cancel()
	close(release)
	if line := c.line(t); line != pong {
		t.Error(line)
	}
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

func TestFailures(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	broken := errors.New("broken")
	err := s.ServeStdio(context.Background(), iotest.ErrReader(broken), io.Discard)
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read a message: ") {
		t.Errorf("reading: %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	err = s.ServeStdio(context.Background(), strings.NewReader(strings.Repeat(ping+"\n", 3)), w)
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "write an answer: ") {
		t.Errorf("writing: %v", err)
	}
}

// TestBigAnswers sends what does not fit into a buffer, and little things between.
func TestBigAnswers(t *testing.T) {
	s := newServer(t, Options{PageSize: -1}, numbered(300))
	var in strings.Builder
	for i := range 20 {
		in.WriteString(legacy.request(fmt.Sprint(3*i), "prompts/list", "") + "\n" +
			legacy.request(fmt.Sprint(3*i+1), "resources/list", "") + "\n" +
			legacy.request(fmt.Sprint(3*i+2), "prompts/get", `{"name":"prompt-00001","arguments":{"language":"go","code":"`+strings.Repeat("x", 1<<i)+`"}}`) + "\n")
	}
	lines := ask(t, s, in.String())
	if len(lines) != 60 {
		t.Fatalf("%d answers", len(lines))
	}
	for i, line := range lines {
		if a := decode(t, line); a.Error != nil || string(a.ID) != fmt.Sprint(i) {
			t.Fatalf("answer %d: %.100s", i, line)
		}
	}
}

// TestPanic shows that a panic answers one request and harms nothing else.
func TestPanic(t *testing.T) {
	var log strings.Builder
	broken := fixture()
	broken.Prompts[0].Messages[0].Segments[1].Argument = 99
	s := newServer(t, Options{Logger: textLogger(&log)}, broken)
	message := legacy.request("1", "prompts/get", `{"name":"deploy-app","arguments":{"service":"secret","environment":"staging"}}`)
	for range 2 {
		a, _ := exchange(t, s, legacy, message)
		if a.Error == nil || a.Error.Code != -32603 || a.Error.Message != "internal error" || a.Error.Data != nil {
			t.Errorf("got %v", a.Error)
		}
	}
	if a, _ := request(t, s, legacy, "prompts/get", `{"name":"plain"}`); a.Error != nil {
		t.Error(a.Error)
	}
	if got := log.String(); !strings.Contains(got, "index out of range") || !strings.Contains(got, "getPrompt") || strings.Contains(got, "secret") {
		t.Errorf("the log says %s", got)
	}
}

// TestListenEnds shows that a subscription to nothing is acknowledged and ends.
func TestListenEnds(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	lines := ask(t, s, modern.request(`"sub"`, "subscriptions/listen", `{"notifications":{"promptsListChanged":true}}`))
	if len(lines) != 2 || !strings.Contains(lines[0], `"notifications/subscriptions/acknowledged"`) || !strings.Contains(lines[0], `"io.modelcontextprotocol/subscriptionId":"sub"`) || !strings.Contains(lines[1], `"id":"sub","result":`) {
		t.Errorf("got %s", lines)
	}
}

// TestDeaf shows that a client that takes nothing does not hold up the end for
// ever.
func TestDeaf(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	s.drain = time.Millisecond
	_, w := io.Pipe()
	err := s.ServeStdio(context.Background(), strings.NewReader(ping), w)
	if err == nil || err.Error() != "the client took no answer for 1ms" {
		t.Error(err)
	}
}

// TestDeafStop shows that a client that takes nothing does not make a stop fail.
func TestDeafStop(t *testing.T) {
	var log lockedBuffer
	s := newServer(t, Options{Logger: textLogger(&log)}, fixture())
	s.drain = time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	c := connect(t, ctx, s)
	c.send(t, legacy.request("1", "prompts/get", `{"name":"dialogue","arguments":{"a":"`+strings.Repeat("x", 2*bufferSize)+`"}}`))
	// This takes the beginning of the answer.
	if start, err := c.out.Peek(1); err != nil {
		t.Fatalf("%q, %v", start, err)
	}
	cancel()
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
	if got := strings.Join(log.lines(), "\n"); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "did not take the last answers") {
		t.Errorf("the log says %s", got)
	}
}

// TestGivenUp shows that a request that waits for nothing ends with the rest.
func TestGivenUp(t *testing.T) {
	s := newServer(t, Options{}, fixture())
	started, _ := slow(s)
	s.drain = 2 * time.Millisecond
	c := connect(t, context.Background(), s)
	c.send(t, ping)
	<-started
	c.in.Close()
	go io.Copy(io.Discard, c.out)
	// Its call is cancelled at half time. Whether the answer is written by the end
	// is a matter of luck, that the end comes is not.
	<-c.ended
}
