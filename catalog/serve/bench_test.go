// This file holds the benchmarks. What counts is ratios, taken in one run: against
// a floor, which reads a message and writes an answer that was made before, and
// against plain mcp-go with the same content.
//
//	go test ./catalog/serve -run '^$' -bench . -benchtime 2s

package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

var sizes = []int{10, 1000, 10000}

func getMessage(n int) string {
	return legacy.request("7", "prompts/get", fmt.Sprintf(`{"name":"prompt-%05d","arguments":{"language":"go","code":"func main() {\n\tprintln(\"hello\")\n}\n"}}`, n/2))
}

// BenchmarkGet is prompts/get of a prompt of two kilobytes.
func BenchmarkGet(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) { transports(b, n, getMessage(n), []int{1, 32}) })
	}
}

// BenchmarkList is prompts/list on one page.
func BenchmarkList(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) { transports(b, n, legacy.request("7", "prompts/list", ""), []int{1}) })
	}
}

// transports measures one message on both transports, with several requests in
// flight on stdio.
func transports(b *testing.B, n int, message string, inFlight []int) {
	c := numbered(n)
	s, peer := newServer(b, Options{PageSize: -1}, c), plain(b, c)
	precomputed := []byte(ask(b, s, message)[0] + "\n")
	for _, many := range inFlight {
		b.Run(fmt.Sprintf("stdio-%d", many), func(b *testing.B) {
			compete(b,
				stdioClient(b, message, many, func(in io.Reader, out io.Writer) { s.ServeStdio(context.Background(), in, out) }),
				stdioClient(b, message, many, func(in io.Reader, out io.Writer) { floor(in, out, precomputed) }),
				stdioClient(b, message, many, func(in io.Reader, out io.Writer) {
					server.NewStdioServer(peer).Listen(context.Background(), in, out)
				}))
		})
	}
	b.Run("HTTP", func(b *testing.B) {
		compete(b,
			httpClient(b, message, s.Handler()),
			httpClient(b, message, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header()["Content-Type"] = typeJSON
				w.Header().Set("Content-Length", fmt.Sprint(len(precomputed)))
				w.Write(precomputed)
			})),
			httpClient(b, message, server.NewStreamableHTTPServer(peer, server.WithStateLess(true), server.WithDisableStreaming(true))))
	})
}

// floor is the least that a server does: read a line, write a line.
func floor(in io.Reader, out io.Writer, answer []byte) {
	lines := bufio.NewReaderSize(in, bufferSize)
	for {
		if _, err := lines.ReadSlice('\n'); err != nil {
			return
		}
		if _, err := out.Write(answer); err != nil {
			return
		}
	}
}

// compete runs ours, the floor and theirs by turns, and reports the ratios.
func compete(b *testing.B, clients ...func()) {
	var spent [3]time.Duration
	for b.Loop() {
		for i, ask := range clients {
			begun := time.Now()
			for range 4 {
				ask()
			}
			spent[i] += time.Since(begun)
		}
	}
	ours := float64(spent[0].Nanoseconds())
	b.ReportMetric(ours/float64(4*b.N), "ours-ns")
	b.ReportMetric(ours/float64(spent[1].Nanoseconds()), "x-floor")
	b.ReportMetric(float64(spent[2].Nanoseconds())/ours, "x-faster-than-mcp-go")
	b.ReportMetric(0, "ns/op")
}

// stdioClient starts a server on pipes of the operating system and returns what
// asks it the message many times at once.
func stdioClient(b *testing.B, message string, many int, serve func(io.Reader, io.Writer)) func() {
	b.Helper()
	pipe := func() (*os.File, *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	ended := make(chan struct{})
	go func() {
		serve(inR, outW)
		close(ended)
	}()
	b.Cleanup(func() {
		inW.Close()
		<-ended
		inR.Close()
		outR.Close()
		outW.Close()
	})
	lines := []byte(strings.Repeat(message+"\n", many))
	answers := bufio.NewReaderSize(outR, bufferSize)
	return func() {
		if _, err := inW.Write(lines); err != nil {
			b.Fatal(err)
		}
		for range many {
			_, err := answers.ReadSlice('\n')
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = answers.ReadSlice('\n')
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// httpClient starts a server on a socket and returns what posts the message on one
// connection.
func httpClient(b *testing.B, message string, h http.Handler) func() {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: h}
	go srv.Serve(ln)
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close(); srv.Close() })
	request := fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", ln.Addr(), len(message), message)
	answers := bufio.NewReaderSize(conn, bufferSize)
	return func() {
		if _, err := conn.Write(request); err != nil {
			b.Fatal(err)
		}
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			b.Fatal(err)
		}
		if resp.StatusCode != http.StatusOK {
			b.Fatal(resp.Status)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHandle is the dispatcher alone: a prompts/get from message to answer,
// beside a copy of the answer.
func BenchmarkHandle(b *testing.B) {
	for _, n := range sizes {
		s := newServer(b, Options{}, numbered(n))
		for _, e := range []era{legacy, modern} {
			message := []byte(getMessage(n))
			if e == modern {
				message = []byte(modern.request("7", "prompts/get", strings.TrimSuffix(strings.SplitAfterN(getMessage(n), `"params":`, 2)[1], "}")))
			}
			b.Run(fmt.Sprintf("%d/%v", n, e), func(b *testing.B) {
				b.ReportAllocs()
				var whole []byte
				handle := func() {
					r := newReply()
					s.handle(context.Background(), message, nil, r)
					whole = append(append(whole[:0], r.head...), r.tail...)
					r.free()
				}
				handle()
				if bytes.Contains(whole, []byte(`"error"`)) {
					b.Fatalf("%s", whole)
				}
				var ours, copying time.Duration
				into := make([]byte, len(whole))
				for b.Loop() {
					begun := time.Now()
					for range 64 {
						handle()
					}
					middle := time.Now()
					for range 64 {
						copy(into, whole)
					}
					ours += middle.Sub(begun)
					copying += time.Since(middle)
				}
				b.ReportMetric(float64(ours.Nanoseconds())/float64(64*b.N), "ours-ns")
				b.ReportMetric(float64(ours)/float64(copying), "x-memcpy")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// TestAllocations holds static answers to costing no memory.
func TestAllocations(t *testing.T) {
	s := newServer(t, Options{Tools: true}, fixture())
	r := newReply()
	for _, e := range []era{legacy, modern} {
		for _, message := range []string{
			e.request("7", "prompts/list", ""),
			e.request("7", "prompts/get", `{"name":"dialogue","arguments":{"a":"b","b":"choice 001"}}`),
			e.request("7", "resources/list", ""),
			e.request("7", "resources/templates/list", ""),
			e.request("7", "resources/read", `{"uri":"resource://docs/readme.md"}`),
			e.request("7", "skills/list", ""),
			e.request("7", "skills/get", `{"uri":"skill://tests/SKILL.md"}`),
			e.request("7", "tools/list", ""),
		} {
			data := []byte(message)
			allocations := testing.AllocsPerRun(100, func() {
				*r = reply{head: r.head[:0], values: r.values[:0], raws: r.raws[:0]}
				s.handle(context.Background(), data, nil, r)
			})
			if allocations != 0 || r.code != 0 {
				t.Errorf("%v allocations, code %d: %s", allocations, r.code, message)
			}
		}
	}
}

// BenchmarkAssemble is the answer put together from a stencil, beside a copy of it.
func BenchmarkAssemble(b *testing.B) {
	p := numbered(1).Prompts[0]
	st := newStencil(p)
	raws := []string{"go", strings.Repeat("x", 60), ""}
	answer := st.append(nil, raws)
	into := make([]byte, 0, len(answer))
	var ours, copying time.Duration
	for b.Loop() {
		begun := time.Now()
		for range 256 {
			into = st.append(into[:0], raws)
		}
		middle := time.Now()
		for range 256 {
			into = append(into[:0], answer...)
		}
		ours += middle.Sub(begun)
		copying += time.Since(middle)
	}
	b.ReportMetric(float64(ours)/float64(copying), "x-memcpy")
}

// BenchmarkNew is what a server costs before the first request: the same for every
// size of catalog.
func BenchmarkNew(b *testing.B) {
	for _, n := range sizes {
		c := numbered(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				newServer(b, Options{}, c)
			}
		})
	}
}

func TestMain(m *testing.M) {
	// mcp-go logs to the default logger, which would run into the figures.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
