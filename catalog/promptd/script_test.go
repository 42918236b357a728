// This file runs the command lines of testdata/script, each on a small catalog.

package promptd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/seed33527553/promptc/catalog"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"promptd": func() { os.Exit(Run("promptd", os.Args[1:], fixture(), os.Stdin, os.Stdout, os.Stderr)) },
		"promptd-large": func() {
			os.Exit(Run("promptd", os.Args[1:], large(os.Getenv("RELEASE")), os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// fixture is a catalog of two prompts and one document.
func fixture() *catalog.Catalog {
	text := "Deploy to {{environment}}.\n"
	document := func(path, text string) *catalog.Document {
		return &catalog.Document{Path: path, Title: "Title", MIMEType: catalog.Markdown, Size: len(text), Digest: strings.Repeat("1", 64), Text: []string{text}}
	}
	deploy := &catalog.Prompt{
		ID: "deploy", Version: "1.0.0", Description: "Deploy,\nand watch.", Document: document("prompts/deploy/PROMPT.md", text),
		Arguments: []catalog.Argument{{Name: "environment", Description: "Where to.", Required: true, Choices: []string{"staging", "production"}}},
		Messages:  []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{{Text: "Deploy to "}, {Argument: 1}, {Text: ".\n"}}}},
	}
	talk := &catalog.Prompt{
		ID: "talk", Version: "1.0.1", Description: strings.Repeat("Talk ", 30), Document: document("prompts/talk/PROMPT.md", "Hello."),
		Messages: []catalog.Template{{Role: catalog.User, Segments: []catalog.Segment{{Text: "Hello."}}}, {Role: catalog.Assistant, Segments: []catalog.Segment{{Text: "Hi."}}}},
	}
	c := &catalog.Catalog{
		Name: "example", Version: "2.0.0", Digest: strings.Repeat("ab", 32),
		Prompts: []*catalog.Prompt{deploy, talk}, PromptTable: catalog.NewTable([]string{"deploy", "talk"}),
		Documents: []*catalog.Document{deploy.Document, talk.Document},
	}
	for _, p := range c.Prompts {
		p.Entry = catalog.PromptEntry(p, "")
	}
	guide := document("guide.md", "# Guide\n")
	c.Documents = append(c.Documents, guide)
	r := catalog.Resource{URI: catalog.DocumentScheme + "guide.md", Name: "guide.md", Title: "Guide", Description: "How to.", Document: guide}
	r.Entry = catalog.ResourceEntry(&r)
	c.Resources = []catalog.Resource{r}
	c.ResourceTable = catalog.NewTable([]string{r.URI})
	c.DocumentTable = catalog.NewTable([]string{"prompts/deploy/PROMPT.md", "prompts/talk/PROMPT.md", "guide.md"})
	return c
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status,
		},
	})
}

// status runs a command and compares its exit status: status N command arguments.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [arguments]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(*exec.ExitError)
		if !ok {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// TestHTTP starts the program, uses it as clients of both eras do, and stops it as
// an operator does.
func TestHTTP(t *testing.T) {
	cmd := exec.Command("promptd", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var said bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(stderr, &said))
	url := ""
	for lines.Scan() && !strings.Contains(lines.Text(), "msg=serving") {
		if _, after, ok := strings.Cut(lines.Text(), `"url": "`); ok {
			url = strings.TrimSuffix(after, `"`)
		}
	}
	if url == "" || !strings.HasPrefix(said.String(), "example 2.0.0: 2 prompts, 0 skills, 3 documents, 41 bytes\ndigest abab") {
		t.Fatalf("on stderr: %s", said.String())
	}
	for _, options := range [][]client.ClientOption{nil, {client.WithProtocolVersion(mcp.ProtocolVersion20251125)}} {
		tr, err := transport.NewStreamableHTTP(url)
		if err != nil {
			t.Fatal(err)
		}
		use(t, client.NewClient(tr, options...), len(options) == 0)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 404} {
		resp, err := http.Get(strings.TrimSuffix(url, "/mcp") + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s has status %d", path, resp.StatusCode)
		}
	}
	// A second program cannot have the address.
	second := exec.Command("promptd", "--http", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp"))
	text, err := second.CombinedOutput()
	if second.ProcessState.ExitCode() != 1 || !strings.Contains(string(text), "address already in use") || strings.Count(string(text), "\n") != 1 {
		t.Errorf("second server: %v: %s", err, text)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v: %s", err, said.String())
	}
}

// TestStdio uses the program over stdio as clients of both eras do; their Close
// ends its stdin.
func TestStdio(t *testing.T) {
	for _, options := range [][]client.ClientOption{nil, {client.WithProtocolVersion(mcp.ProtocolVersion20251125)}} {
		tr := transport.NewStdio("promptd", nil)
		use(t, client.NewClient(tr, options...), len(options) == 0)
	}
}

// use lists, gets and reads with mcp-go's client.
func use(t *testing.T, c *client.Client, modern bool) {
	t.Helper()
	ctx := context.Background()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatal(err)
	}
	if mcp.IsModernProtocol(c.ProtocolVersion()) != modern {
		t.Errorf("the client speaks %s", c.ProtocolVersion())
	}
	list, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	if err != nil || len(list.Prompts) != 2 || list.Prompts[0].Name != "deploy" {
		t.Fatalf("prompts/list: %v, %v", list, err)
	}
	var get mcp.GetPromptRequest
	get.Params.Name = "deploy"
	get.Params.Arguments = map[string]string{"environment": "staging"}
	got, err := c.GetPrompt(ctx, get)
	if err != nil || len(got.Messages) != 1 || got.Messages[0].Content.(mcp.TextContent).Text != "Deploy to staging.\n" {
		t.Fatalf("prompts/get: %v, %v", got, err)
	}
	get.Params.Arguments = map[string]string{"environment": "nowhere"}
	if _, err := c.GetPrompt(ctx, get); err == nil || !strings.Contains(err.Error(), `must be one of "staging", "production"`) {
		t.Errorf("a bad choice: %v", err)
	}
	var read mcp.ReadResourceRequest
	read.Params.URI = "resource://docs/guide.md"
	if text, err := c.ReadResource(ctx, read); err != nil || text.Contents[0].(mcp.TextResourceContents).Text != "# Guide\n" {
		t.Errorf("resources/read: %v, %v", text, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestStdioStops ends the program by a signal while it waits for a message. A hangup
// does not end it: there is nothing to read again.
func TestStdioStops(t *testing.T) {
	cmd := exec.Command("promptd")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewReader(out)
	for range 2 {
		// The answer tells that the signal will not come too soon.
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if line, err := lines.ReadString('\n'); err != nil || line != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
