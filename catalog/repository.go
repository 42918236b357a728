// This file holds Repository, by which a program serves prompts of its own.

package catalog

import "context"

// A Repository is a group of prompts that a program makes while it runs, under a
// prefix that all their names start with. It is mounted on a Mux beside compiled
// catalogs. Its methods are called by several goroutines at once.
//
// Request tells a repository who asks. What it lists may depend on the principal,
// and on nothing else that differs between clients or connections (MCP 2026-07-28,
// "Prompts", section "Listing prompts").
type Repository interface {
	// Prefix is what every name starts with; see IsPrefix. It must not change.
	Prefix() string
	// List returns a page of the prompts. The cursor is empty for the first page,
	// else the Next of the page before. Clients can send cursors of their own
	// making, so a repository reads it as it would any input: for one that is not
	// its own it returns an error that wraps ErrCursor. A page may be empty, and
	// there is no empty page after the last one.
	List(ctx context.Context, cursor string) (Page, error)
	// Get renders the prompt with the given name, prefix included. An argument
	// that the client left out, or sent as null, is not in the map. An error that
	// wraps ErrNotFound, and an *ArgumentError, are told to the client; of any
	// other it learns only that something went wrong.
	Get(ctx context.Context, name string, arguments map[string]string) (Result, error)
}

// A CacheHinter is a Repository that says how its pages may be kept. Without it
// they are not.
type CacheHinter interface {
	CacheHint() CacheHint
}

// A Completer is a Repository that offers values for the arguments of its prompts.
type Completer interface {
	// Complete returns values for an argument of the prompt with the given name,
	// for which the client has the start of one. It may return values that do not
	// start with it: the server picks those that do, in their order, without regard
	// to case. For a prompt or an argument that does not exist the error wraps
	// ErrNotFound.
	Complete(ctx context.Context, name, argument, value string) ([]string, error)
}

// A Page is a part of a list.
type Page struct {
	Prompts []Listing
	// Next is the cursor of the page that follows, empty after the last one. It
	// may have at most 1,024 bytes.
	Next string
}

// A Listing is what prompts/list says of a prompt.
type Listing struct {
	// Name is the public name, prefix included.
	Name               string
	Title, Description string
	// Arguments' Choices and Default are not on the wire.
	Arguments []Argument
}

// AppendJSON appends the entry of prompts/list.
func (l *Listing) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = AppendJSON(dst, l.Name)
	dst = appendOptional(dst, "title", l.Title)
	dst = appendOptional(dst, "description", l.Description)
	dst = appendArguments(dst, l.Arguments)
	return append(dst, '}')
}

// A Result is a prompt as it was rendered.
type Result struct {
	Description string // may be empty
	Messages    []Message
}
