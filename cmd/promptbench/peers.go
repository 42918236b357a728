// This file holds the program in its third part: a server that promptd is measured
// against, with the same prompts and the same answers.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// peerArgument marks a command line of that part. It has the name of a server and a
// file after it, and "http" if the server should serve HTTP, at an address that it
// then tells on stderr.
const peerArgument = "as-peer"

// A peer is a server that serves stdio, or hands out what serves HTTP.
type peer interface {
	stdio() error
	http() http.Handler
}

// asPeer serves, if that is what the command line says, and returns the exit status.
func asPeer(args []string) (status int, ok bool) {
	if len(args) < 4 || args[1] != peerArgument {
		return 0, false
	}
	if err := servePeer(args[2], args[3], len(args) > 4); err != nil {
		fmt.Fprintln(os.Stderr, "promptbench:", err)
		return 1, true
	}
	return 0, true
}

func servePeer(name, file string, overHTTP bool) error {
	if name == reReading && overHTTP {
		return listen(&reReader{dir: file})
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // mcp-go's, which promptd has not
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var p peer
	switch name {
	case "floor":
		p, err = newFloor(data)
	case "mcp-go":
		p, err = newMCPGo(data)
	case "go-sdk":
		p, err = newGoSDK(data)
	default:
		err = fmt.Errorf("there is no peer %q", name)
	}
	if err != nil {
		return err
	}
	if !overHTTP {
		return p.stdio()
	}
	return listen(p.http())
}

// listen serves HTTP at an address that it tells.
func listen(h http.Handler) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "address=%s\n", ln.Addr())
	return http.Serve(ln, h)
}

// A floor does the least that a server does: it reads a message and writes an answer
// that was made before. Of the message it looks at three digits, of the id.
type floor struct {
	answers [cycle][]byte // with newlines
}

// newFloor takes the answers, a line each, in the order of their ids.
func newFloor(lines []byte) (*floor, error) {
	var f floor
	i := 0
	for line := range bytes.Lines(lines) {
		if i == len(f.answers) {
			return nil, errors.New("there are too many answers")
		}
		f.answers[i] = line
		i++
	}
	return &f, nil
}

func (f *floor) answer(message []byte) ([]byte, error) {
	id, ok := idOf(message)
	if !ok || id < firstID || id >= firstID+cycle || f.answers[id-firstID] == nil {
		return nil, errors.New("there is no answer for a message")
	}
	return f.answers[id-firstID], nil
}

// stdio writes answers together while more messages are at hand, which with 32 in
// flight takes little more than half of what one write for each takes. A larger buffer
// makes it no faster.
func (f *floor) stdio() error {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 16<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		answer, err := f.answer(line)
		if err != nil {
			return err
		}
		if _, err := out.Write(answer); err != nil {
			return err
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

func (f *floor) http() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		message := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, message); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := f.answer(message)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		h := w.Header()
		h["Content-Type"] = []string{"application/json"}
		h["Content-Length"] = []string{strconv.Itoa(len(answer))}
		w.Write(answer)
	})
}

// readPrompts reads what writePrompts wrote.
func readPrompts(data []byte) ([]*catalog.Prompt, error) {
	var prompts []*catalog.Prompt
	err := json.Unmarshal(data, &prompts)
	return prompts, err
}

// writePrompts writes prompts for the peers, with what they need of them.
func writePrompts(file string, prompts []*catalog.Prompt) error {
	bare := make([]catalog.Prompt, len(prompts))
	for i, p := range prompts {
		bare[i] = *p
		bare[i].Document = nil
	}
	data, err := json.Marshal(bare)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// mcpGo is a server of mcp-go's, with prompts registered as its manual says.
type mcpGo struct{ *mcpserver.MCPServer }

func newMCPGo(data []byte) (*mcpGo, error) {
	prompts, err := readPrompts(data)
	if err != nil {
		return nil, err
	}
	s := mcpserver.NewMCPServer("peer", "1.0.0", mcpserver.WithPromptCapabilities(false))
	for _, p := range prompts {
		var entry mcp.Prompt
		if err := json.Unmarshal([]byte(p.Entry), &entry); err != nil {
			return nil, err
		}
		s.AddPrompt(entry, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			rendered, err := p.RenderNamed(r.Params.Arguments)
			if err != nil {
				return nil, err
			}
			messages := make([]mcp.PromptMessage, len(rendered))
			for i, m := range rendered {
				messages[i] = mcp.NewPromptMessage(mcp.Role(m.Role), mcp.NewTextContent(m.Text))
			}
			result := mcp.NewGetPromptResult(p.Description, messages)
			// mcp-go writes into it.
			result.Meta = &mcp.Meta{AdditionalFields: maps.Clone(entry.Meta.AdditionalFields)}
			return result, nil
		})
	}
	return &mcpGo{s}, nil
}

func (m *mcpGo) stdio() error { return mcpserver.ServeStdio(m.MCPServer) }

func (m *mcpGo) http() http.Handler {
	return mcpserver.NewStreamableHTTPServer(m.MCPServer, mcpserver.WithStateLess(true), mcpserver.WithDisableStreaming(true))
}

// goSDK is a server of the official SDK's.
type goSDK struct{ *sdk.Server }

func newGoSDK(data []byte) (*goSDK, error) {
	prompts, err := readPrompts(data)
	if err != nil {
		return nil, err
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1.0.0"}, &sdk.ServerOptions{PageSize: max(len(prompts), 1)})
	for _, p := range prompts {
		var entry sdk.Prompt
		if err := json.Unmarshal([]byte(p.Entry), &entry); err != nil {
			return nil, err
		}
		s.AddPrompt(&entry, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			rendered, err := p.RenderNamed(r.Params.Arguments)
			if err != nil {
				return nil, err
			}
			messages := make([]*sdk.PromptMessage, len(rendered))
			for i, m := range rendered {
				messages[i] = &sdk.PromptMessage{Role: sdk.Role(m.Role), Content: &sdk.TextContent{Text: m.Text}}
			}
			return &sdk.GetPromptResult{Meta: maps.Clone(entry.Meta), Description: p.Description, Messages: messages}, nil
		})
	}
	return &goSDK{s}, nil
}

func (g *goSDK) stdio() error { return g.Run(context.Background(), &sdk.StdioTransport{}) }

func (g *goSDK) http() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return g.Server }, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}
