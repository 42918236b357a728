// This file holds contestant, a server that is measured as a process of its own, and
// the client that measures it.

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"
)

const (
	// connections is how many of them there are over HTTP.
	connections = 4
	// patience is how long a contestant may take to start, and longer than the
	// slowest of them takes for what is asked of it in one turn.
	patience = time.Minute
)

// A contestant is a running server.
type contestant struct {
	name  string
	lanes []*lane
	// kill ends the process, so that nobody waits for it any more; stop does too, and
	// frees all that it took.
	kill, stop func()
	said       *said
}

// start starts a program as a contestant on stdio, or over HTTP where the program
// tells an address on stderr. The caller must stop it.
func start(ctx context.Context, name string, overHTTP bool, command ...string) (_ *contestant, err error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &contestant{name: name, kill: cancel, said: &said{address: make(chan string, 1)}}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = c.said
	cmd.WaitDelay = patience
	var files []io.Closer
	ended := make(chan struct{})
	close(ended)
	c.stop = func() {
		cancel()
		<-ended
		for _, f := range files {
			f.Close()
		}
	}
	defer func() {
		if err != nil {
			c.stop()
			err = c.failed(err)
		}
	}()
	if !overHTTP {
		inR, inW, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer inR.Close()
		outR, outW, err := os.Pipe()
		if err != nil {
			return nil, errors.Join(err, inW.Close())
		}
		defer outW.Close()
		files = append(files, inW, outR)
		cmd.Stdin, cmd.Stdout = inR, outW
		c.lanes = []*lane{newLane(inW, outR, readLine)}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended = make(chan struct{})
	go func() {
		cmd.Wait() // it is killed, or has told on stderr why it ends
		close(ended)
	}()
	if !overHTTP {
		return c, nil
	}
	var address string
	select {
	case address = <-c.said.address:
	case <-ended:
		return nil, errors.New("it ends")
	case <-time.After(patience):
		return nil, errors.New("it tells no address")
	}
	for range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return nil, err
		}
		files = append(files, conn)
		c.lanes = append(c.lanes, newLane(conn, conn, readResponse))
	}
	return c, nil
}

// failed tells whose error it is, and what the process said last.
func (c *contestant) failed(err error) error {
	c.said.mu.Lock()
	defer c.said.mu.Unlock()
	return fmt.Errorf("%s: %w\n%s", c.name, err, c.said.text)
}

// said is what a process writes on stderr: the beginning of it, and the address where
// it serves.
type said struct {
	mu      sync.Mutex
	text    []byte
	address chan string
}

var addressPattern = regexp.MustCompile(`address=(\S+)\s`)

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.text) < 16<<10 {
		s.text = append(s.text, p...)
		if m := addressPattern.FindSubmatch(s.text); m != nil {
			select {
			case s.address <- string(m[1]):
			default: // it was told
			}
		}
	}
	return len(p), nil
}

// A lane is a connection.
type lane struct {
	out io.Writer
	in  *bufio.Reader
	// read reads one answer, copies it and returns its size.
	read func(in *bufio.Reader, to io.Writer) (int64, error)
}

func newLane(out io.Writer, in io.Reader, read func(*bufio.Reader, io.Writer) (int64, error)) *lane {
	return &lane{out, bufio.NewReaderSize(in, 64<<10), read}
}

func readLine(in *bufio.Reader, to io.Writer) (size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		to.Write(part)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return size, err
		}
	}
}

func readResponse(in *bufio.Reader, to io.Writer) (int64, error) {
	response, err := http.ReadResponse(in, nil)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 300))
		return 0, fmt.Errorf("it answers %s: %s", response.Status, body)
	}
	return io.Copy(to, response.Body)
}

// ask sends the requests again and again, so many in flight at a time, until least
// has passed and each was sent equally often. It returns how many answers there
// were, and their bytes in all. The next request goes out when an answer came in, or
// the next requests together where several answers came at once; before the first one
// is sent again all are answered, for two with one id must not be in flight: go-sdk
// would answer one of them.
func (l *lane) ask(requests [][]byte, inFlight int, least time.Duration, to io.Writer) (answers int, size int64, err error) {
	var batch []byte
	sent, last := 0, false
	for begun := time.Now(); !last || answers < sent; {
		batch = batch[:0]
		for !last && sent-answers < inFlight && (sent == answers || sent%len(requests) > 0) {
			batch = append(batch, requests[sent%len(requests)]...)
			sent++
			last = sent%len(requests) == 0 && time.Since(begun) >= least
		}
		if len(batch) > 0 {
			if _, err := l.out.Write(batch); err != nil {
				return 0, 0, err
			}
		}
		for {
			n, err := l.read(l.in, to)
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				return 0, 0, err
			}
			answers++
			size += n
			if answers == sent || l.in.Buffered() == 0 {
				break
			}
		}
	}
	return answers, size, nil
}

// greet begins a conversation of the legacy era on stdio.
func (c *contestant) greet() error {
	defer time.AfterFunc(patience, c.kill).Stop()
	if _, _, err := c.lanes[0].ask([][]byte{[]byte(greeting)}, 1, 0, io.Discard); err != nil {
		return c.failed(err)
	}
	return nil
}

// asked is requests, and how many bytes each answer of one contestant has.
type asked struct {
	requests [][]byte
	sizes    []int64
}

// once asks each of the requests once, one after the other, and gives the answers to
// f.
func (c *contestant) once(requests [][]byte, f func(i int, answer []byte) error) (*asked, error) {
	defer time.AfterFunc(patience, c.kill).Stop()
	a := &asked{requests: requests, sizes: make([]int64, len(requests))}
	for i := range requests {
		var answer bytes.Buffer
		_, size, err := c.lanes[0].ask(requests[i:i+1], 1, 0, &answer)
		if err == nil {
			err = f(i, answer.Bytes())
		}
		if err != nil {
			return nil, c.failed(err)
		}
		a.sizes[i] = size
	}
	return a, nil
}

// timed asks the requests again and again on all connections, so many in flight on
// each, and returns how many nanoseconds went by for each answer. The answers must
// have the sizes that they had before.
func (c *contestant) timed(a *asked, inFlight int, least time.Duration) (float64, error) {
	defer time.AfterFunc(patience, c.kill).Stop()
	counts, errs := make([]int, len(c.lanes)), make([]error, len(c.lanes))
	var clients sync.WaitGroup
	begun := time.Now()
	for i, l := range c.lanes {
		// Each connection has its share of the requests, or all if they are few.
		first, last := i*len(a.requests)/len(c.lanes), (i+1)*len(a.requests)/len(c.lanes)
		if first == last || len(a.requests) < len(c.lanes) {
			first, last = 0, len(a.requests)
		}
		clients.Go(func() {
			count, size, err := l.ask(a.requests[first:last], inFlight, least, io.Discard)
			var want int64
			for _, n := range a.sizes[first:last] {
				want += n
			}
			if want *= int64(count / (last - first)); err == nil && size != want {
				err = fmt.Errorf("the answers have %d bytes, and had %d before", size, want)
			}
			counts[i], errs[i] = count, err
		})
	}
	clients.Wait()
	took := time.Since(begun)
	if err := errors.Join(errs...); err != nil {
		return 0, c.failed(err)
	}
	sum := 0
	for _, count := range counts {
		sum += count
	}
	return float64(took.Nanoseconds()) / float64(sum), nil
}
