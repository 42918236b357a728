// This file holds what command lines read and show of prompts.

package catalog

import (
	"errors"
	"fmt"
	"strings"
)

// ParseValues takes arguments as a command line has them, each as NAME=VALUE, and
// returns the values by name, as RenderNamed wants them. Its errors name arguments
// and hold no values.
func ParseValues(pairs []string) (map[string]string, error) {
	values := make(map[string]string, len(pairs))
	for _, s := range pairs {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, errors.New("an argument must be NAME=VALUE, and one has no equals sign")
		}
		if _, ok := values[name]; ok {
			return nil, fmt.Errorf("argument %q is given twice", name)
		}
		values[name] = value
	}
	return values, nil
}

// AppendTranscript appends messages for people to read: one alone as its text, and
// several each under a line with its role. Every text ends its line;
// other content is described.
func AppendTranscript(dst []byte, messages []Message) []byte {
	for i, m := range messages {
		if len(messages) > 1 {
			if i > 0 {
				dst = append(dst, '\n')
			}
			dst = append(append(dst, m.Role...), ":\n"...)
		}
		text := m.Text
		if m.Content != nil {
			text = "(" + m.Content.String() + ")"
		}
		dst = append(dst, text...)
		if !strings.HasSuffix(text, "\n") {
			dst = append(dst, '\n')
		}
	}
	return dst
}
