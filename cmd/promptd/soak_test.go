// This file serves clients of all kinds at full speed for as long as it is told to,
// and looks for what grows.

package main

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
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
	"github.com/seed33527553/promptc/catalog/serve"
	"github.com/seed33527553/promptc/catalog/serve/metrics"
)

// TestSoak runs for as long as SOAK says, such as 10m. Without it, two seconds show
// that all is answered as it should be, and that what clients used is given back.
//
// Growth is the difference between the medians of the second quarter of the samples
// and of the last. The first quarter is for what grows once, and a median does not
// mind the samples that a machine with other work spoils. A leak of a bytes at each
// of n visits grows the heap by a*n/2 between the two.
func TestSoak(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory and files are counted in /proc")
	}
	period := 2 * time.Second
	if text := os.Getenv("SOAK"); text != "" {
		var err error
		if period, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SOAK: %v", err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	before := measure()
	s := newSoak(t)
	visitors := s.visitors()
	// Each visitor comes a few times first, so that what is made once is there.
	for _, v := range visitors {
		for n := range 8 {
			if err := v.visit(n); err != nil {
				t.Fatalf("a visit %s, number %d: %v", v.name, n, err)
			}
		}
	}
	s.depart(t, before)
	idle := measure()

	s.end = time.Now().Add(period)
	var running sync.WaitGroup
	for _, v := range visitors {
		running.Go(func() { s.repeat(t, v) })
	}
	samples := s.sample(t, max(period/50, 200*time.Millisecond), footprint{
		// Besides what listens there are the visitors, who wait, and the connections that
		// a client keeps: each is two goroutines of the client and one of the server.
		goroutines: before.goroutines + 2 + len(visitors) + 3*keptConnections,
		files:      before.files + 1 + 2*keptConnections,
	})
	running.Wait()
	if t.Failed() {
		return
	}
	loaded := measure()
	s.depart(t, before)
	left := measure()

	visits := 0
	for _, v := range visitors {
		visits += v.visits
		t.Logf("%8d visits %s", v.visits, v.name)
	}
	second, last := medians(samples[len(samples)/4:len(samples)/2]), medians(samples[len(samples)*3/4:])
	t.Logf("over %v, %d visits, %d samples:", period, visits, len(samples))
	for _, m := range []struct {
		when string
		footprint
	}{
		{"idle before", idle}, {"second quarter", second}, {"last quarter", last}, {"right after", loaded}, {"idle after", left},
	} {
		t.Logf("%-15s heap %7.2f MiB, held %7.2f MiB, resident %7.2f MiB, %3d goroutines, %3d files", m.when, mebi(m.heap), mebi(m.held), mebi(m.resident), m.goroutines, m.files)
	}
	// New series of metrics, and pages that nobody had asked for, are there to stay.
	if left.heap > idle.heap+512<<10 {
		t.Errorf("%.2f MiB of the heap were not given back", mebi(left.heap-idle.heap))
	}
	if period < 30*time.Second {
		return // the quarters are too short to tell growth from a start
	}
	// Between two quarters without a leak the heap differs by some 10 KiB. Its margin
	// is less than a byte a visit in ten minutes. Resident memory is coarser: it has the
	// heap's holes, and under the race detector, whose shadow grows with every address
	// that was ever used, it tells nothing: what the runtime holds takes its place.
	// Goroutines and files have the most that each sample allows, and no margin beyond a
	// connection kept or not.
	for _, g := range []struct {
		what                 string
		second, last, margin int
	}{
		{"the heap", second.heap, last.heap, 128 << 10},
		{"the memory of the runtime", second.held, last.held, 4 << 20},
		{"the resident memory", second.resident, last.resident, 4<<20 + second.resident/8},
		{"the number of goroutines", second.goroutines, last.goroutines, 3 * keptConnections},
		{"the number of open files", second.files, last.files, 2 * keptConnections},
	} {
		if underRace && g.what == "the resident memory" {
			continue
		}
		if g.last-g.second > g.margin {
			t.Errorf("%s grew from %d to %d", g.what, g.second, g.last)
		}
	}
}

// A footprint is what a process uses. held is what Go's runtime has from the system and
// did not give back: heap, stacks and its own.
type footprint struct{ heap, held, resident, goroutines, files int }

// measure takes a footprint, after collections that leave nothing in pools.
func measure() footprint {
	runtime.GC()
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	f := footprint{heap: int(memory.HeapAlloc), held: int(memory.Sys - memory.HeapReleased), goroutines: runtime.NumGoroutine()}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
		f.resident = pages * os.Getpagesize()
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		f.files = len(files)
	}
	return f
}

func medians(samples []footprint) footprint {
	median := func(figure func(footprint) int) int {
		var all []int
		for _, f := range samples {
			all = append(all, figure(f))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	return footprint{
		median(func(f footprint) int { return f.heap }), median(func(f footprint) int { return f.held }),
		median(func(f footprint) int { return f.resident }),
		median(func(f footprint) int { return f.goroutines }), median(func(f footprint) int { return f.files }),
	}
}

func mebi(bytes int) float64 { return float64(bytes) / (1 << 20) }

// A soak is a server with something of everything, and what its clients share.
type soak struct {
	server  *serve.Server
	address string
	// overHTTP and overStdio are messages and their answers.
	overHTTP, overStdio []exchange
	// keeping is a client that keeps its connections, closing one that does not.
	keeping, closing *http.Client
	// tooLong is a text longer than a message may be.
	tooLong string
	// waiting is sent to by the prompt soak/wait once it waits.
	waiting chan struct{}
	// turn is held for reading during a visit and for writing during a sample, so
	// that nobody is served while a sample is taken.
	turn sync.RWMutex
	end  time.Time
}

type exchange struct {
	message
	want reply
}

// anID stands for the id of a message over stdio.
const anID = `"an id"`

// A visitor is a client that comes to the server again and again, each time with a larger n.
type visitor struct {
	name   string
	visit  func(n int) error
	visits int
}

func (s *soak) visitors() []*visitor {
	return []*visitor{
		{name: "over a connection that is kept", visit: func(n int) error { return s.ask(s.keeping, n) }},
		{name: "over a connection that is kept, another", visit: func(n int) error { return s.ask(s.keeping, 7*n+3) }},
		{name: "over a connection each", visit: func(n int) error {
			if n%100 == 99 {
				return s.scrape()
			}
			return s.ask(s.closing, 5*n+1)
		}},
		{name: "with what is wrong", visit: s.offend},
		{name: "that break off", visit: s.breakOff},
		{name: "with long arguments, read slowly", visit: s.dawdle},
		{name: "that are cancelled", visit: s.cancel},
		{name: "over stdio", visit: s.pipe},
		{name: "over stdio, another", visit: func(n int) error { return s.pipe(3*n + 1) }},
	}
}

// repeat has a visitor come until the end, or until something has failed.
func (s *soak) repeat(t *testing.T, v *visitor) {
	for n := 0; ; n++ {
		s.turn.RLock()
		if t.Failed() || time.Now().After(s.end) {
			s.turn.RUnlock()
			return
		}
		err := v.visit(n)
		s.turn.RUnlock()
		if v.visits++; err != nil {
			t.Errorf("a visit %s, number %d: %v", v.name, n, err)
		}
	}
}

// sample takes footprints at an interval, until the end, or until something has
// failed; four of them at least, one a quarter. Nobody is served then, and in each of
// them there are at most as many goroutines and files as most has.
//
// It waits for that. Where a request ends with some of its body unread, net/http
// closes half of the connection, and the rest half a second later, so that the client
// gets the answer and no reset: the more such requests a second, the more connections
// there are at any time.
func (s *soak) sample(t *testing.T, interval time.Duration, most footprint) []footprint {
	var samples []footprint
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for now := range tick.C {
		if t.Failed() || now.After(s.end) && len(samples) >= 4 {
			break
		}
		s.turn.Lock()
		samples = append(samples, settled(t, most))
		s.turn.Unlock()
	}
	return samples
}

// depart closes the connections that clients kept, and waits until the process has
// no more than before, but for what listens: two goroutines and one file.
func (s *soak) depart(t *testing.T, before footprint) {
	t.Helper()
	s.keeping.CloseIdleConnections()
	settled(t, footprint{goroutines: before.goroutines + 2, files: before.files + 1})
}

// settled returns the footprint once there are no more goroutines and files than most
// has. After half a minute that fails the test.
func settled(t *testing.T, most footprint) footprint {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	now := measure()
	for ; now.goroutines > most.goroutines || now.files > most.files; now = measure() {
		if time.Now().After(deadline) {
			var stacks strings.Builder
			pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			t.Errorf("half a minute after the last visit there are %d goroutines and %d files, and should be at most %d and %d:\n%s",
				now.goroutines, now.files, most.goroutines, most.files, stacks.String())
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return now
}

// keptConnections is how many connections a client keeps that keeps any.
const keptConnections = 2

// maxRequest is how long a message may be.
const maxRequest = 2 << 20

// newSoak starts a server of what is compiled in, of functions, tools and a
// repository. It stops with the test.
func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{waiting: make(chan struct{}, 1), tooLong: strings.Repeat(" ", maxRequest+1)}
	var mux catalog.Mux
	argument := catalog.Argument{Name: "text", Description: "The text.", Required: true}
	say := func(text string) []catalog.Message { return []catalog.Message{{Role: catalog.User, Text: text}} }
	err := errors.Join(
		mux.Mount(baked.Catalog),
		mux.MountFuncs("soak/",
			catalog.PromptFunc{Name: "soak/echo", Description: "Says it again.", Arguments: []catalog.Argument{argument},
				Render: func(_ context.Context, arguments map[string]string) ([]catalog.Message, error) {
					return say(arguments["text"]), nil
				}},
			catalog.PromptFunc{Name: "soak/fails", Description: "Fails.",
				Render: func(context.Context, map[string]string) ([]catalog.Message, error) { return nil, errors.New("no") }},
			catalog.PromptFunc{Name: "soak/panics", Description: "Panics.",
				Render: func(context.Context, map[string]string) ([]catalog.Message, error) { panic("no") }},
			catalog.PromptFunc{Name: "soak/wait", Description: "Waits.",
				Render: func(ctx context.Context, _ map[string]string) ([]catalog.Message, error) {
					select {
					case s.waiting <- struct{}{}:
					default:
					}
					select {
					case <-ctx.Done():
						return nil, ctx.Err()
					case <-time.After(20 * time.Millisecond):
						return say("waited"), nil
					}
				}},
		),
		mux.MountRepository(endless{}),
		mux.MountResource(catalog.ResourceFunc{URI: "soak://{name}", Name: "name",
			Read: func(_ context.Context, _ string, variables map[string]string) (catalog.Embedded, error) {
				return catalog.Embedded{Text: variables["name"]}, nil
			}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	tokens := filepath.Join(t.TempDir(), "tokens")
	holders := []string{"", " tags=review", " prefixes=soak/,no/"}
	text := ""
	for i, limits := range holders {
		text += strings.TrimSuffix(tokenLine("holder", fmt.Sprint("token", i)), "\n") + limits + "\n"
	}
	write(t, tokens, text)
	loaded, err := serve.LoadTokens(tokens)
	if err != nil {
		t.Fatal(err)
	}
	figures := metrics.New(baked.Catalog, "test")
	s.server, err = serve.New(&mux, serve.Options{
		PageSize: 7, MaxRequest: maxRequest, Tools: true, Observer: figures, Watch: figures.Watch,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		// A connection that did not give back its place would be missed soon.
		HTTP: serve.HTTPOptions{MaxConnections: 32, Tokens: loaded, Metrics: figures.Handler()},
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = ln.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			reset(conn)
		}
		return conn, err
	}
	s.keeping = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: keptConnections}}
	s.closing = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	s.learn(t, len(holders))
	return s
}

// reset has a connection closed without the wait of TCP, during which its port would
// be taken: a soak uses more of them than there are.
func reset(conn net.Conn) { conn.(*net.TCPConn).SetLinger(0) }

// endless is a repository of prompts without end, of which it lists ten.
type endless struct{}

func (endless) Prefix() string { return "endless/" }

func (endless) List(_ context.Context, cursor string) (catalog.Page, error) {
	if cursor != "" && cursor != "more" {
		return catalog.Page{}, catalog.ErrCursor
	}
	var page catalog.Page
	for i := range 5 {
		page.Prompts = append(page.Prompts, catalog.Listing{Name: fmt.Sprint("endless/p", cursor, i), Description: "One of many."})
	}
	if cursor == "" {
		page.Next = "more"
	}
	return page, nil
}

func (endless) Get(_ context.Context, name string, _ map[string]string) (catalog.Result, error) {
	return catalog.Result{Messages: []catalog.Message{{Role: catalog.User, Text: name}}}, nil
}

// learn asks for everything once, as each holder of a token and over stdio. The
// answers are what later ones must be.
func (s *soak) learn(t *testing.T, holders int) {
	t.Helper()
	messages := everyMessage(baked.Catalog)
	for _, version := range versions {
		for _, name := range []string{"soak/echo", "soak/fails", "soak/panics", "endless/anything"} {
			messages = append(messages, newMessage(version, "prompts/get", `{"name":"`+name+`","arguments":{"text":"\u0041\\\ud83d\ude00"}}`))
		}
		messages = append(messages, newMessage(version, "resources/read", `{"uri":"soak://name"}`))
	}
	for holder := range holders {
		for _, m := range messages {
			m.header = m.header.Clone()
			m.header.Set("Authorization", fmt.Sprint("Bearer token", holder))
			// Lists are read to their end.
			for cursor, first := "", true; cursor != "" || first; first = false {
				if cursor != "" {
					next := newMessage(m.header.Get(mcp.HeaderProtocolVersion), m.method, `{"cursor":`+cursor+`}`)
					next.header.Set("Authorization", m.header.Get("Authorization"))
					m = next
				}
				want, err := m.send(s.keeping, "http://"+s.address)
				if err != nil {
					t.Fatal(err)
				}
				s.overHTTP = append(s.overHTTP, exchange{m, want})
				_, after, _ := strings.Cut(want.body, `"nextCursor":`)
				cursor, _, _ = strings.Cut(after, ",")
				cursor = strings.TrimRight(cursor, "}")
			}
		}
	}
	for _, m := range messages {
		m.body = strings.Replace(m.body, `"id":1`, `"id":`+anID, 1)
		var out bytes.Buffer
		if err := s.server.ServeStdio(context.Background(), strings.NewReader(m.body), &out); err != nil {
			t.Fatal(err)
		}
		// What is announced before an answer may come anywhere among other answers.
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		s.overStdio = append(s.overStdio, exchange{m, reply{body: lines[len(lines)-1]}})
	}
}

// ask has one message answered.
func (s *soak) ask(client *http.Client, n int) error {
	e := s.overHTTP[n%len(s.overHTTP)]
	got, err := e.send(client, "http://"+s.address)
	if err == nil && !got.same(e.want) {
		err = fmt.Errorf("the answer to %s is %d %s", e.body, got.status, got.body)
	}
	return err
}

// post returns a request to the server, of the first holder of a token.
func (s *soak) post(body io.Reader) *http.Request {
	req, err := http.NewRequest(http.MethodPost, "http://"+s.address+"/mcp", body)
	if err != nil {
		panic(err) // its parts are right
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer token0")
	return req
}

// offend sends something that is wrong, different each time.
func (s *soak) offend(n int) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"method/%d"}`, n)
	req := s.post(strings.NewReader(body))
	want := http.StatusOK
	with := func(text string) { req = s.post(strings.NewReader(text)) }
	switch n % 16 {
	case 0: // a method that there is none of
	case 1:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"endless/%d"}}`, n))
	case 2:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"none-%d","arguments":{"a%d":null}}}`, n, n))
	case 3:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"prompts/list","params":{"cursor":"%d"}}`, n, n))
	case 4:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"v%d","capabilities":{},"clientInfo":{"name":"client %d","version":"1"}}}`, n, n, n))
	case 5:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"soak://%d"}}`, n))
	case 6:
		with(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n))
		want = http.StatusAccepted
	case 7:
		with(body[:n%len(body)])
		want = http.StatusBadRequest
	case 8:
		with(strings.Repeat("[", 1000+n%100))
		want = http.StatusBadRequest
	case 9:
		req.Header.Set("Authorization", fmt.Sprint("Bearer ", n))
		want = http.StatusUnauthorized
	case 10:
		req.Host = fmt.Sprintf("host%d.example", n)
		want = http.StatusForbidden
	case 11:
		req.Header.Set("Origin", fmt.Sprintf("https://origin%d.example", n))
		want = http.StatusForbidden
	case 12:
		req.Header.Set(mcp.HeaderProtocolVersion, fmt.Sprint("2099-", n))
		want = http.StatusBadRequest
	case 13:
		req.URL.Path = fmt.Sprint("/path/", n)
		want = http.StatusNotFound
	case 14:
		req.Method = fmt.Sprint("METHOD", n)
		want = http.StatusMethodNotAllowed
	case 15: // longer than it may be, and it does not say so
		req = s.post(io.MultiReader(strings.NewReader(s.tooLong)))
		want = http.StatusRequestEntityTooLarge
	}
	resp, err := s.keeping.Do(req)
	if err != nil {
		return fmt.Errorf("offence %d: %w", n%16, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		return fmt.Errorf("offence %d: status %d, %v: %s", n%16, resp.StatusCode, err, text)
	}
	return nil
}

// breakOff closes a connection somewhere in a request, or before the answer.
func (s *soak) breakOff(n int) error {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reset(conn)
	var text bytes.Buffer
	e := s.overHTTP[n%len(s.overHTTP)]
	req := s.post(strings.NewReader(e.body))
	req.Header = e.header
	if err := req.Write(&text); err != nil {
		return err
	}
	cut := text.Len()
	if n%3 > 0 {
		cut = n * 31 % text.Len()
	}
	_, err = conn.Write(text.Bytes()[:cut])
	if n%9 == 0 && err == nil {
		_, err = conn.Read(make([]byte, 1)) // the answer has begun
	}
	return err
}

// dawdle has a long text said again, and takes it a piece at a time.
func (s *soak) dawdle(n int) error {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reset(conn)
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	size := 64 << 10
	if n%16 == 0 {
		size = maxRequest - 4096
	}
	long := strings.Repeat("long \u00e9 ", size/8)
	req := s.post(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"soak/echo","arguments":{"text":"` + long + `"}}}`))
	if err := req.Write(conn); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(slowly{conn}), req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), long) {
		return fmt.Errorf("status %d, %d bytes, %v", resp.StatusCode, len(text), err)
	}
	return nil
}

// slowly reads little, and then nothing for a millisecond.
type slowly struct{ from io.Reader }

func (s slowly) Read(b []byte) (int, error) {
	time.Sleep(time.Millisecond)
	return s.from.Read(b[:min(len(b), 32<<10)])
}

// cancel gives up a request once it waits.
func (s *soak) cancel(n int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-s.waiting:
			cancel()
		case <-ctx.Done():
		}
	}()
	m := newMessage(versions[n%2], "prompts/get", `{"name":"soak/wait"}`)
	req := s.post(strings.NewReader(m.body)).WithContext(ctx)
	m.header.Set("Authorization", "Bearer token0")
	req.Header = m.header
	resp, err := s.closing.Do(req)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
	return resp.Body.Close()
}

// pipe is a client over stdio: it sends messages and what is none, and ends in one of
// several ways.
func (s *soak) pipe(n int) error {
	serverIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer serverIn.Close()
	defer in.Close()
	out, serverOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- s.server.ServeStdio(ctx, serverIn, serverOut)
		serverOut.Close()
	}()

	const messages = 50
	want := map[string]bool{}
	var lines []string
	for i := range messages {
		e := s.overStdio[(n*messages+i)%len(s.overStdio)]
		id := fmt.Sprintf(`"%d"`, i)
		lines = append(lines, strings.ReplaceAll(e.body, anID, id))
		want[strings.ReplaceAll(e.want.body, anID, id)] = true
	}
	lines = append(lines, "", "{", "\xff", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if n%32 == 0 {
		lines = append(lines, s.tooLong)
	}
	text := strings.Join(lines, "\n") + "\n"
	wrote := make(chan error, 1)
	go func() {
		_, err := io.WriteString(in, text)
		if n%4 == 0 {
			in.Close()
		}
		wrote <- err
	}()
	defer func() { in.Close(); <-wrote }() // closing ends a write that nobody reads

	answers := bufio.NewReader(out)
	switch n % 4 {
	case 0: // reads all, after the end of the input
	case 1: // reads some, and is cancelled
		for range messages / 2 {
			if _, err := answers.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
				return err
			}
		}
		cancel()
	case 2: // goes away and reads nothing
		out.Close()
		in.Close()
		if err := <-served; err != nil && !errors.Is(err, os.ErrClosed) && !strings.Contains(err.Error(), "broken pipe") {
			return err
		}
		return nil
	case 3: // is cancelled while a request waits
		go io.Copy(io.Discard, out)
		if _, err := io.WriteString(in, newMessage(versions[0], "prompts/get", `{"name":"soak/wait"}`).body+"\n"); err != nil {
			return err
		}
		cancel()
		return <-served
	}
	for {
		line, err := answers.ReadString('\n')
		if err != nil {
			break
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case want[line]:
			delete(want, line)
		case strings.HasPrefix(line, `{"jsonrpc":"2.0","method"`), strings.HasPrefix(line, `{"jsonrpc":"2.0","id":null,`):
		case n%4 == 0:
			return fmt.Errorf("an answer is %s", line)
		}
	}
	if n%4 == 0 && len(want) > 0 {
		return fmt.Errorf("%d answers did not come", len(want))
	}
	return <-served
}

// scrape reads the metrics.
func (s *soak) scrape() error {
	req := s.post(nil)
	req.Method, req.URL.Path = http.MethodGet, "/metrics"
	resp, err := s.keeping.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("promptd_build_info")) {
		return fmt.Errorf("status %d, %d bytes, %v", resp.StatusCode, len(text), err)
	}
	return nil
}
