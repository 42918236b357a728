// This file holds the peer that keeps nothing: for each request it reads and parses
// every prompt's file, and so always answers with what the files hold.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// reReading is the peer's name. Its file is a content directory.
const reReading = "re-reading"

// A reReader serves the prompts of a content directory over HTTP.
type reReader struct{ dir string }

// A readPrompt is a file as it was read. It is an entry of prompts/list, too.
type readPrompt struct {
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description"`
	Arguments   []readArgument `json:"arguments,omitempty"`
	Meta        map[string]any `json:"_meta"`
	body        string
}

type readArgument struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"required,omitempty"`
	Default     string `json:"-"`
}

type readMessage struct {
	Role    string            `json:"role"`
	Content map[string]string `json:"content"`
}

func (r *reReader) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	answer, err := r.answer(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	w.Write(answer)
}

func (r *reReader) answer(req *http.Request) ([]byte, error) {
	var m struct {
		ID     int
		Method string
		Params struct {
			Name      string
			Arguments map[string]string
		}
	}
	if err := json.NewDecoder(req.Body).Decode(&m); err != nil {
		return nil, err
	}
	prompts, err := r.read()
	if err != nil {
		return nil, err
	}
	var result any
	switch m.Method {
	case "prompts/list":
		result = map[string]any{"prompts": prompts}
	case "prompts/get":
		for _, p := range prompts {
			if p.Name == m.Params.Name {
				result = map[string]any{"description": p.Description, "messages": p.render(m.Params.Arguments), "_meta": p.Meta}
			}
		}
	}
	if result == nil {
		return nil, fmt.Errorf("there is no %s %q", m.Method, m.Params.Name)
	}
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

// read reads all prompts, sorted by name.
func (r *reReader) read() ([]*readPrompt, error) {
	dir := filepath.Join(r.dir, "prompts")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var prompts []*readPrompt
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name(), "PROMPT.md"))
		if err != nil {
			return nil, err
		}
		p, err := parsePrompt(e.Name(), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		prompts = append(prompts, p)
	}
	return prompts, nil
}

func parsePrompt(name string, text []byte) (*readPrompt, error) {
	block, body, ok := bytes.Cut(bytes.TrimPrefix(text, []byte("---\n")), []byte("\n---\n"))
	if !ok {
		return nil, errors.New("there is no frontmatter")
	}
	var front struct {
		Prompt struct {
			Version, Title, Description, Category string
			Tags                                  []string
			Arguments                             []readArgument
		}
	}
	if err := yaml.Unmarshal(block, &front); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	f := &front.Prompt
	return &readPrompt{
		Name: name, Title: f.Title, Description: f.Description, Arguments: f.Arguments,
		Meta: map[string]any{
			"promptc/version": f.Version, "promptc/category": f.Category, "promptc/tags": f.Tags,
			"promptc/source": "built-in", "promptc/digest": hex.EncodeToString(sum[:]),
		},
		body: string(body),
	}, nil
}

// render returns the prompt's messages with values for its arguments.
func (p *readPrompt) render(values map[string]string) []readMessage {
	var pairs []string
	for _, a := range p.Arguments {
		value := values[a.Name]
		if value == "" {
			value = a.Default
		}
		if value == "" {
			value = "Not provided"
		}
		pairs = append(pairs, "{{"+a.Name+"}}", value)
	}
	insert := strings.NewReplacer(pairs...)
	var messages []readMessage
	role := "user"
	var text strings.Builder
	end := func() {
		if s := strings.TrimSpace(text.String()); s != "" {
			messages = append(messages, readMessage{role, map[string]string{"type": "text", "text": insert.Replace(s)}})
		}
		text.Reset()
	}
	for line := range strings.Lines(p.body) {
		if next, ok := strings.CutPrefix(line, "<!-- role: "); ok {
			end()
			role = strings.TrimSuffix(next, " -->\n")
			continue
		}
		text.WriteString(line)
	}
	end()
	return messages
}
