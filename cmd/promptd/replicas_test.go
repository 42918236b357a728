// This file runs replicas of the program behind a balancer, and takes them away under
// load.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/catalog/baked"
)

// A message is a request as it goes over HTTP.
type message struct {
	method, body string
	header       http.Header
}

// versions are the protocol versions of both eras.
var versions = []string{mcp.ProtocolVersion20251125, mcp.ProtocolVersion20260728}

// newMessage returns a request of the era that a version is of. The params are a
// JSON object, or empty.
func newMessage(version, method, params string) message {
	m := message{method: method, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		http.CanonicalHeaderKey(mcp.HeaderProtocolVersion): {version},
	}}
	params = strings.TrimSpace(params)
	if mcp.IsModernProtocol(version) {
		meta := `"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + version + `","` + mcp.MetaKeyClientCapabilities + `":{}}`
		if params = strings.TrimPrefix(strings.TrimSuffix(params, "}"), "{"); params != "" {
			params += ","
		}
		params = "{" + params + meta + "}"
		for name, value := range mcp.StandardHeaders(version, mcp.MCPMethod(method), json.RawMessage(params)) {
			if value != "" {
				m.header.Set(name, value)
			}
		}
	}
	if params != "" {
		params = `,"params":` + params
	}
	m.body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `"` + params + `}`
	return m
}

// everyMessage returns requests of both eras for all that a catalog has, by every
// method, and some that are wrong.
func everyMessage(c *catalog.Catalog) []message {
	var all []message
	add := func(method, format string, args ...any) {
		for i, a := range args {
			text, err := json.Marshal(a)
			if err != nil {
				panic(err) // there are texts and maps of texts only
			}
			args[i] = text
		}
		for _, version := range versions {
			all = append(all, newMessage(version, method, fmt.Sprintf(format, args...)))
		}
	}
	for _, method := range []string{
		"ping", "server/discover", "prompts/list", "resources/list", "resources/templates/list", "skills/list", "tools/list",
		"no/such/method", "prompts/get", "resources/read", "completion/complete",
	} {
		add(method, "")
	}
	add("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	add("subscriptions/listen", `{"notifications":{"promptsListChanged":true}}`)
	add("prompts/list", `{"cursor":"AAAA"}`)
	add("prompts/get", `{"name":"no-such-prompt"}`)
	add("prompts/get", `{"name":%s,"arguments":{"no_such_argument":1}}`, c.Prompts[0].ID)
	add("resources/read", `{"uri":"resource://docs/no/such/file.md"}`)
	add("completion/complete", `{"ref":{"type":"ref/resource","uri":"resource://skills/{skill_id}/document"},"argument":{"name":"skill_id","value":""}}`)
	add("tools/call", `{"name":"list_prompts"}`)
	add("tools/call", `{"name":"list_skills"}`)
	for _, p := range c.Prompts {
		values := map[string]string{}
		for _, a := range p.Arguments {
			values[a.Name] = "the \"value\" of " + a.Name + "\n"
			if len(a.Choices) > 0 {
				values[a.Name] = a.Choices[0]
				add("completion/complete", `{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":""}}`, c.Prefix+p.ID, a.Name)
			}
		}
		add("prompts/get", `{"name":%s,"arguments":%s}`, c.Prefix+p.ID, values)
		add("tools/call", `{"name":"get_prompt","arguments":{"name":%s,"arguments":%s}}`, c.Prefix+p.ID, values)
	}
	for _, r := range c.Resources {
		add("resources/read", `{"uri":%s}`, r.URI)
	}
	for _, d := range c.Documents {
		add("resources/read", `{"uri":%s}`, catalog.DocumentScheme+d.Path)
	}
	for _, s := range c.Skills {
		add("skills/get", `{"uri":%s}`, catalog.SkillURI(c.Prefix, s.ID, "SKILL.md"))
		add("resources/directory/read", `{"uri":%s}`, catalog.SkillScheme+c.Prefix+s.ID)
		add("tools/call", `{"name":"read_skill","arguments":{"skill_id":%s}}`, s.ID)
		for _, d := range s.Files {
			uri := catalog.SkillURI(c.Prefix, s.ID, strings.TrimPrefix(d.Path, "skills/"+s.ID+"/"))
			add("resources/read", `{"uri":%s}`, uri)
			add("tools/call", `{"name":"read_document","arguments":{"uri":%s}}`, uri)
		}
	}
	return all
}

// A reply is what came back over HTTP.
type reply struct {
	status int
	body   string
	// replicas are the addresses that the balancer tried, the last of which
	// answered; empty without a balancer.
	replicas []string
}

func (r reply) same(other reply) bool { return r.status == other.status && r.body == other.body }

// errCut is the error of an answer that began and did not end.
var errCut = errors.New("the answer was cut off")

// send sends a message to /mcp.
func (m message) send(client *http.Client, base string) (reply, error) {
	req, err := http.NewRequest(http.MethodPost, base+"/mcp", strings.NewReader(m.body))
	if err != nil {
		return reply{}, err
	}
	req.Header = m.header.Clone()
	resp, err := client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errCut, err)
	}
	r := reply{status: resp.StatusCode, body: string(body)}
	if tried := resp.Header.Get("X-Replicas"); tried != "" {
		r.replicas = strings.Split(tried, ", ")
	}
	return r, nil
}

// buildProgram builds promptd with what content/ compiles to.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "promptd")
	build := exec.Command("go", "build", "-trimpath", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// eventually polls until something is so, for half a minute at most.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so after half a minute: %s", what)
		}
	}
}

// A replica is the program while it serves HTTP.
type replica struct {
	cmd *exec.Cmd
	// address is where it listens; empty if it ended before.
	address string
	// ended is closed when the process has ended, with err and what it logged.
	ended chan struct{}
	err   error
	log   bytes.Buffer
}

// startReplica starts the program and waits until it is ready. The process ends with
// the test, if it did not before.
func startReplica(t *testing.T, program, address string) *replica {
	t.Helper()
	r := &replica{cmd: exec.Command(program, "--http", address, "--page-size", "3", "--tools"), ended: make(chan struct{})}
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.cmd.Process.Kill() // no more than an error if it has ended
		<-r.ended
	})
	serving := make(chan string, 1)
	go func() {
		defer close(r.ended)
		defer func() { r.err = r.cmd.Wait() }()
		defer close(serving)
		for lines := bufio.NewScanner(io.TeeReader(stderr, &r.log)); lines.Scan(); {
			if _, after, ok := strings.Cut(lines.Text(), "msg=serving address="); ok {
				address, _, _ := strings.Cut(after, " ")
				serving <- address
			}
		}
	}()
	if r.address = <-serving; r.address == "" {
		<-r.ended
		t.Fatalf("%v: %s", r.err, r.log.String())
	}
	eventually(t, "the replica is ready", func() bool { return isReady(http.DefaultClient, "http://"+r.address) })
	return r
}

func isReady(client *http.Client, base string) bool {
	resp, err := client.Get(base + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// balancerBase is where a client of startBalancer finds the server.
const balancerBase = "http://localhost"

// nginxConf is a configuration for any user, in a folder of its own. One process does
// the work, so that all requests take turns, and tells which replicas it tried.
const nginxConf = `%s
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log warn;
events { worker_connections 256; }
http {
access_log off;
client_body_temp_path body;
proxy_temp_path proxy;
fastcgi_temp_path fastcgi;
uwsgi_temp_path uwsgi;
scgi_temp_path scgi;
add_header X-Replicas $upstream_addr always;
%s}
`

// startBalancer starts nginx before the replicas, and returns a client of it. nginx
// ends with the test.
func startBalancer(t *testing.T, replicas []*replica) *http.Client {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		// The path of users who are not root need not lead to it.
		if nginx, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			t.Skip("nginx is not installed")
		}
	}
	site, err := os.ReadFile("deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"listen 80;", "listen unix:nginx.sock;"}
	for i, r := range replicas {
		values = append(values, fmt.Sprintf("server 10.0.0.%d:8080", i+1), "server "+r.address)
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root root;" // any other could not enter the folder
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "nginx.conf"), fmt.Sprintf(nginxConf, user, strings.NewReplacer(values...).Replace(string(site))))

	cmd := exec.Command(nginx, "-e", "stderr", "-p", dir, "-c", "nginx.conf")
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr // nginx takes the socket from the working folder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	socket := filepath.Join(dir, "nginx.sock")
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		if err := cmd.Process.Signal(syscall.SIGQUIT); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("nginx: %v: %s", err, stderr.String())
		}
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
			t.Logf("the end of nginx's log: %s", log[max(0, len(log)-4096):])
		}
	})
	eventually(t, "nginx serves", func() bool {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v: %s", err, stderr.String())
		default:
		}
		return isReady(client, balancerBase)
	})
	return client
}

// TestReplicas pages over three replicas, compares all that they answer, and takes
// two of them away while clients ask for it.
//
// The balancer may ask another replica until an answer has begun to come: such
// requests must all be answered. One whose answer was cut off by the death of the
// replica that wrote it is for the client to send again, which sees it from
// Content-Length; each client has one request under way, so there can be no more of
// them than clients.
func TestReplicas(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := buildProgram(t)
	var replicas []*replica
	for range 3 {
		replicas = append(replicas, startReplica(t, program, "127.0.0.1:0"))
	}
	client := startBalancer(t, replicas)

	messages := everyMessage(baked.Catalog)
	for _, version := range versions {
		for method, key := range map[string]string{"prompts/list": "prompts", "resources/list": "resources", "skills/list": "skills"} {
			messages = append(messages, comparePaging(t, client, replicas, version, method, key)...)
		}
	}
	want := make([]reply, len(messages))
	for i, m := range messages {
		want[i] = compareReplicas(t, client, replicas, m)
	}
	if t.Failed() {
		return
	}
	takeAway(t, client, program, replicas, messages, want)
}

// comparePaging reads all pages of a list over the balancer, and the same from one
// replica. It returns the requests for the pages.
func comparePaging(t *testing.T, client *http.Client, replicas []*replica, version, method, key string) []message {
	t.Helper()
	walk := func(client *http.Client, base string) (entries []string, messages []message, answered []string) {
		cursor := ""
		for {
			params := ""
			if cursor != "" {
				params = `{"cursor":"` + cursor + `"}`
			}
			m := newMessage(version, method, params)
			got, err := m.send(client, base)
			if err != nil || got.status != http.StatusOK || len(messages) > 1000 {
				t.Fatalf("page %d of %s: status %d, %v: %s", len(messages)+1, method, got.status, err, got.body)
			}
			var answer struct{ Result map[string]json.RawMessage }
			var page []json.RawMessage
			if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
				t.Fatalf("%v in %s", err, got.body)
			}
			if err := json.Unmarshal(answer.Result[key], &page); err != nil {
				t.Fatalf("%v in %s", err, got.body)
			}
			for _, entry := range page {
				entries = append(entries, string(entry))
			}
			messages = append(messages, m)
			answered = append(answered, strings.Join(got.replicas, " then "))
			if answer.Result["nextCursor"] == nil {
				return entries, messages, answered
			}
			if err := json.Unmarshal(answer.Result["nextCursor"], &cursor); err != nil || len(page) != 3 {
				t.Fatalf("%d entries, %v: %s", len(page), err, got.body)
			}
		}
	}
	entries, messages, answered := walk(client, balancerBase)
	alone, _, _ := walk(http.DefaultClient, "http://"+replicas[0].address)
	if !slices.Equal(entries, alone) {
		t.Errorf("%s differs:\nfrom all replicas %s\nfrom one %s", method, entries, alone)
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(entries))); len(unique) != len(entries) {
		t.Errorf("%s: %d entries are there twice", method, len(entries)-len(unique))
	}
	all := map[string]int{"prompts/list": len(baked.Catalog.Prompts), "resources/list": len(baked.Catalog.Resources), "skills/list": len(baked.Catalog.Skills)}[method]
	if len(entries) != all {
		t.Errorf("%s has %d entries, not %d", method, len(entries), all)
	}
	for i := 1; i < len(answered); i++ {
		if answered[i] == answered[i-1] {
			t.Errorf("%s: pages %d and %d are both from %s", method, i, i+1, answered[i])
		}
	}
	if len(messages) < 2 {
		t.Errorf("%s has one page only", method)
	}
	return messages
}

// compareReplicas returns the answer to a message, which is the same from each replica,
// and by the balancer.
func compareReplicas(t *testing.T, client *http.Client, replicas []*replica, m message) reply {
	t.Helper()
	want, err := m.send(client, balancerBase)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid([]byte(want.body)) && m.method != "subscriptions/listen" {
		t.Errorf("the answer to %s is %s", m.body, want.body)
	}
	for _, r := range replicas {
		got, err := m.send(http.DefaultClient, "http://"+r.address)
		if err != nil {
			t.Fatal(err)
		}
		if !got.same(want) {
			t.Errorf("the answers to %s differ: status %d\n%s\nand %d\n%s", m.body, got.status, got.body, want.status, want.body)
		}
	}
	return want
}

// takeAway has clients send the messages, kills one replica and starts another anew
// while they do, and prints figures.
func takeAway(t *testing.T, client *http.Client, program string, replicas []*replica, messages []message, want []reply) {
	const (
		clients = 8
		least   = 6000
		most    = 50 * least // no more if a replica does not come back
	)
	var (
		sent, retried, cut, lost, wrong atomic.Int64
		killing, stopping               = make(chan struct{}), make(chan struct{})
		restarted, back                 atomic.Bool
		mu                              sync.Mutex
		took                            []time.Duration
		work                            sync.WaitGroup
	)
	again := replicas[1].address
	// ask sends one message until it has an answer, and compares that.
	ask := func(i int) {
		m, began := messages[i], time.Now()
		for {
			wasRestarted := restarted.Load()
			got, err := m.send(client, balancerBase)
			switch {
			case errors.Is(err, errCut):
				cut.Add(1)
				continue
			case err != nil || got.status == http.StatusBadGateway || got.status == http.StatusGatewayTimeout:
				if lost.Add(1) < 5 {
					t.Errorf("lost: %s: status %d, %v, tried %s", m.body, got.status, err, got.replicas)
				}
			case !got.same(want[i]):
				if wrong.Add(1) < 5 {
					t.Errorf("wrong: %s: status %d\n%s", m.body, got.status, got.body)
				}
			}
			if len(got.replicas) > 1 {
				retried.Add(1)
			}
			if wasRestarted && len(got.replicas) > 0 && got.replicas[len(got.replicas)-1] == again {
				back.Store(true)
			}
			break
		}
		mu.Lock()
		took = append(took, time.Since(began))
		mu.Unlock()
	}
	for c := range clients {
		work.Go(func() {
			// Each client goes its own way through the messages.
			for i := c * len(messages) / clients; ; i += 2*c + 1 {
				n := sent.Add(1)
				switch n { // the counts at which replicas go
				case least / 4:
					close(killing)
				case least / 2:
					close(stopping)
				}
				if n > least && back.Load() || n > most {
					return
				}
				ask(i % len(messages))
			}
		})
	}
	// What follows happens while the clients go on: they stop only once the replica
	// that was restarted has answered.
	<-killing
	if err := replicas[0].cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	<-stopping
	if err := replicas[1].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	<-replicas[1].ended
	if log := replicas[1].log.String(); replicas[1].err != nil || !strings.Contains(log, "msg=stopped") {
		t.Errorf("after SIGTERM: %v: %s", replicas[1].err, log)
	}
	startReplica(t, program, again)
	restarted.Store(true)
	work.Wait()

	slices.Sort(took)
	t.Logf("%d requests by %d clients, errors: %d lost, %d wrong, %d cut off and sent again; %d answered by another replica than the first that was tried; p50 %v, p99 %v, longest %v",
		len(took), clients, lost.Load(), wrong.Load(), cut.Load(), retried.Load(), took[len(took)/2], took[len(took)*99/100], took[len(took)-1])
	if !back.Load() {
		t.Errorf("the replica that was restarted answered none of %d requests", len(took))
	}
	if retried.Load() == 0 {
		t.Error("the balancer never had to try another replica")
	}
	if cut.Load() > clients {
		t.Errorf("%d answers were cut off, of %d clients", cut.Load(), clients)
	}
}
