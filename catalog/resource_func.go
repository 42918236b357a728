// This file holds ResourceFunc, a resource written in Go.

package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A ResourceFunc is a resource, or a family of them, that a program makes while it
// runs. It is mounted on a Mux beside compiled catalogs.
type ResourceFunc struct {
	// URI is the resource's, or a template of RFC 6570 whose expressions are plain
	// names, such as "jobs://{id}/log". A variable stands for one or more
	// characters other than a slash, taken as they are, without decoding.
	URI string
	// Name is required, Title and Description may be empty.
	Name, Title, Description string
	// MIMEType is what Read returns; it may be empty.
	MIMEType string
	// Read returns the contents; their URI and MIME type may be left out. The map
	// has the values of the template's variables. An error that wraps ErrNotFound is told to the client; of any
	// other it learns only that something went wrong.
	Read func(ctx context.Context, uri string, variables map[string]string) (Embedded, error)
}

// IsTemplate tells whether the URI is a template.
func (r *ResourceFunc) IsTemplate() bool { return strings.Contains(r.URI, "{") }

func (r *ResourceFunc) check() error {
	switch {
	case !strings.Contains(r.URI, ":"):
		return errors.New("the URI has no scheme")
	case r.Name == "":
		return errors.New("it has no name")
	case r.Read == nil:
		return errors.New("it has no function to read it")
	}
	rest := r.URI
	for first := true; ; first = false {
		before, after, ok := strings.Cut(rest, "{")
		if strings.Contains(before, "}") || ok && !first && before == "" {
			return errors.New("the URI's braces do not pair, or two variables touch")
		}
		if !ok {
			return checkTexts(r.URI, r.Name, r.Title, r.Description, r.MIMEType)
		}
		name, following, ok := strings.Cut(after, "}")
		if !ok || !IsArgumentName(name) {
			return fmt.Errorf("{%s} is not an expression that is matched: write a plain name", name)
		}
		rest = following
	}
}

// match returns the values of the variables for a URI that the template makes.
func (r *ResourceFunc) match(uri string) (map[string]string, bool) {
	if !r.IsTemplate() {
		return nil, uri == r.URI
	}
	literal, template, _ := strings.Cut(r.URI, "{")
	uri, ok := strings.CutPrefix(uri, literal)
	if !ok {
		return nil, false
	}
	variables := map[string]string{}
	for {
		name, rest, _ := strings.Cut(template, "}")
		literal, next, more := strings.Cut(rest, "{")
		end := strings.IndexByte(uri, '/')
		if end < 0 {
			end = len(uri)
		}
		switch {
		case !more:
			// The last literal must end the URI.
			end = len(uri) - len(literal)
		case literal != "" && literal[0] != '/':
			end = strings.Index(uri[:end], literal)
		}
		if end <= 0 || !strings.HasPrefix(uri[end:], literal) || strings.Contains(uri[:end], "/") {
			return nil, false
		}
		variables[name] = uri[:end]
		if uri, template = uri[end+len(literal):], next; !more {
			return variables, uri == ""
		}
	}
}

// Variables returns the names of the template's variables in their order, none where
// the URI is no template.
func (r *ResourceFunc) Variables() []string {
	var names []string
	for rest := r.URI; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return names
		}
		name, following, _ := strings.Cut(after, "}")
		names, rest = append(names, name), following
	}
}

// Contents calls Read, fills in the URI and the MIME type where it left them out, and
// refuses contents that MCP does not know.
func (r *ResourceFunc) Contents(ctx context.Context, uri string, variables map[string]string) (Embedded, error) {
	contents, err := r.Read(ctx, uri, variables)
	if err != nil {
		return Embedded{}, err
	}
	if contents.URI == "" {
		contents.URI = uri
	}
	if contents.MIMEType == "" {
		contents.MIMEType = r.MIMEType
	}
	return contents, contents.check()
}

// AppendJSON appends the entry of resources/list, or of resources/templates/list
// where the URI is a template.
func (r *ResourceFunc) AppendJSON(dst []byte) []byte {
	if r.IsTemplate() {
		dst = append(dst, `{"uriTemplate":`...)
	} else {
		dst = append(dst, `{"uri":`...)
	}
	dst = AppendJSON(dst, r.URI)
	dst = append(dst, `,"name":`...)
	dst = AppendJSON(dst, r.Name)
	dst = appendOptional(dst, "title", r.Title)
	dst = appendOptional(dst, "description", r.Description)
	dst = appendOptional(dst, "mimeType", r.MIMEType)
	return append(dst, '}')
}
