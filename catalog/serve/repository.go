// This file holds what is answered by a program's own code: the lists that go on
// in repositories, the prompts that they render, and resources that are functions.

package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/seed33527553/promptc/catalog"
)

// A repository is a mounted one, and how its pages end.
type repository struct {
	*catalog.Mount
	end ending
	ttl time.Duration
}

const (
	// mostEmpty is how many empty pages of one repository in a row are passed over
	// for one request, and mostListed how many prompts one page may hold.
	mostEmpty  = 16
	mostListed = 10_000
	// glance is how long the look at what follows a page may take.
	glance = 2 * time.Second
)

// within returns the context in which a program's own code serves a request, and
// what ends it. The code may keep what it finds in there.
func (s *stock) within(ctx context.Context, m *message) (context.Context, context.CancelFunc) {
	asks := *catalog.RequestOf(ctx)
	if isObject(m.client) {
		asks.ClientName, asks.ClientVersion = clientOf(m.client)
	}
	asks.Meta = bytes.Clone(m.meta)
	ctx, cancel := context.WithTimeout(ctx, s.server.patience)
	return catalog.WithRequest(ctx, &asks), cancel
}

// clientOf reads what a client calls itself.
func clientOf(info []byte) (name, version string) {
	for walk := object(info); ; {
		member, value, ok := walk.next()
		switch {
		case !ok:
			return name, version
		case !isString(value):
		case string(member) == `"name"`:
			name = strings.Clone(text(value))
		case string(member) == `"version"`:
			version = strings.Clone(text(value))
		}
	}
}

// A crash is a panic of a program's own code.
type crash struct {
	cause any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprintf("panic: %v", c.cause) }

// guarded calls a program's own code, and makes an error of a panic.
func guarded[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &crash{cause, debug.Stack()}
		}
	}()
	return f()
}

// broken is the answer where a program's own code failed. Why is for the log.
func (s *Server) broken(what, name string, err error) *fault {
	attributes := []any{"name", clip(name), "error", err.Error()}
	if c := (*crash)(nil); errors.As(err, &c) {
		attributes = append(attributes, "stack", string(c.stack))
	}
	level := slog.LevelError
	if errors.Is(err, context.Canceled) {
		level = slog.LevelInfo // the client went away
	}
	s.log.Log(context.Background(), level, what+" failed", attributes...)
	return faultf(mcp.INTERNAL_ERROR, "internal error")
}

// A spot is where the list of prompts goes on: in the catalogs, whose list is
// first, or in a repository.
type spot struct {
	repository int // its position among the mounted ones, -1 for the catalogs
	entry      int // of the catalogs' list
	cursor     string
}

// spot reads the cursor of a prompts/list, if there is one.
func (s *stock) spot(v *view, sent []byte) (spot, bool) {
	if entry, ok := v.prompts.position(sent); ok {
		return spot{repository: -1, entry: entry}, true
	}
	mark, rest, ok := readCursor(sent)
	if !ok {
		return spot{}, false
	}
	for i := range s.repositories {
		if bytes.Equal(mark, s.markOf(v, i)) {
			return spot{repository: i, cursor: string(rest)}, true
		}
	}
	return spot{}, false
}

// markOf marks the cursors that lead into a repository.
func (s *stock) markOf(v *view, repository int) []byte {
	return s.mark(v.prompts.method, v.limits, "repository "+s.repositories[repository].Prefix)
}

// cursorAt returns the cursor that leads to a spot in a repository.
func (s *stock) cursorAt(v *view, at spot) string {
	return cursor(s.markOf(v, at.repository), []byte(at.cursor))
}

// listPrompts answers prompts/list. What is all in the catalogs needs no waiting;
// before their last page is sent, the repositories are asked whether anything
// follows.
func (s *stock) listPrompts(m *message, r *reply) (call, *fault) {
	v := s.view(m.principal)
	if len(s.repositories) == 0 {
		return nil, s.list(&v.prompts, &s.content, m, r)
	}
	at, ok := s.spot(v, m.cursor)
	if !ok {
		return nil, v.prompts.badCursor()
	}
	if at.repository < 0 && v.prompts.page(at.entry).next > 0 {
		return nil, s.list(&v.prompts, &s.content, m, r)
	}
	return s.listRepositories, nil
}

// listRepositories answers a prompts/list that has to ask repositories.
func (s *stock) listRepositories(ctx context.Context, m *message, r *reply) *fault {
	members, end, f := s.pageOfPrompts(ctx, m)
	if f != nil {
		return f
	}
	r.start(m)
	r.head = append(r.head, members...)
	r.tail = end.of(m)
	return nil
}

// pageOfPrompts returns the members of the result of a prompts/list, whatever they
// are made of, and how the result ends.
func (s *stock) pageOfPrompts(ctx context.Context, m *message) ([]byte, *ending, *fault) {
	v := s.view(m.principal)
	at, ok := s.spot(v, m.cursor)
	if !ok {
		return nil, nil, v.prompts.badCursor()
	}
	ctx, cancel := s.within(ctx, m)
	defer cancel()
	w := walk{stock: s, principal: m.principal}
	var members []byte
	last := repository{end: s.content, ttl: s.contentTTL}
	if at.repository < 0 {
		p := v.prompts.page(at.entry)
		if p.next > 0 || len(s.repositories) == 0 {
			return p.text, &s.content, nil
		}
		if at = (spot{}); p.size > 0 {
			members = bytes.Clone(p.text)
		}
	}
	if members == nil {
		found, f := w.next(ctx, at)
		if f != nil {
			return nil, nil, f
		}
		members = append(members, `"prompts":[`...)
		for i := range found.prompts {
			if i > 0 {
				members = append(members, ',')
			}
			members = found.prompts[i].AppendJSON(members)
		}
		members = append(members, ']')
		if found.paused {
			return appendNext(members, s.cursorAt(v, found.next)), &s.passing, nil
		}
		if at = found.next; found.prompts != nil {
			last = s.repositories[found.at.repository]
		}
	}
	// A repository that cannot tell now what follows is asked again when the client
	// goes on; what was found does not suffer for it.
	ctx, stop := context.WithTimeout(ctx, min(glance, s.server.patience))
	defer stop()
	w.ahead = true
	switch follows, f := w.next(ctx, at); {
	case f != nil:
		members = appendNext(members, s.cursorAt(v, w.at))
	case follows.paused:
		members = appendNext(members, s.cursorAt(v, follows.next))
	case follows.prompts != nil:
		members = appendNext(members, s.cursorAt(v, follows.at))
	default:
		// That nothing follows holds for as long as it does for each of the rest.
		for i := range s.repositories {
			if i >= at.repository && s.repositories[i].ttl < last.ttl {
				last = s.repositories[i]
			}
		}
	}
	return members, &last.end, nil
}

// A walk goes through the pages of the repositories.
type walk struct {
	stock     *stock
	principal *catalog.Principal
	// ahead says that the walk only looks at what follows, which is not logged: it
	// will be when it is asked for.
	ahead bool
	// at is where the walk is.
	at spot
}

// findings are the prompts of one page, where it is, and where the list goes on.
type findings struct {
	prompts  []catalog.Listing // nil: there is nothing more, unless paused
	at, next spot
	// paused tells that what was found so far is not for the one who asks.
	paused bool
}

// next returns the first page from a spot on that is not empty.
func (w *walk) next(ctx context.Context, from spot) (findings, *fault) {
	s := w.stock
	w.at = from
	empty, hidden := 0, false
	for w.at.repository < len(s.repositories) {
		if !w.mayShow(s.repositories[w.at.repository].Prefix) {
			w.at = spot{repository: w.at.repository + 1}
			continue
		}
		page, err := s.page(ctx, w.at)
		if errors.Is(err, catalog.ErrCursor) && w.at == from && from.cursor != "" {
			return findings{}, s.everything.prompts.badCursor()
		}
		if err != nil {
			return findings{}, w.broken(err)
		}
		next := spot{repository: w.at.repository, cursor: page.Next}
		if page.Next == "" {
			next = spot{repository: w.at.repository + 1}
		}
		good := w.sift(page.Prompts)
		if shown := w.shown(good); len(shown) > 0 {
			return findings{prompts: shown, at: w.at, next: next}, nil
		}
		empty, hidden = empty+1, hidden || len(good) > 0
		if next.repository != w.at.repository {
			empty, hidden = 0, false
		}
		if empty == mostEmpty && hidden {
			return findings{next: next, paused: true}, nil
		}
		if empty == mostEmpty {
			err := w.broken(fmt.Errorf("%d pages in a row are empty", empty))
			w.at = next
			return findings{}, err
		}
		w.at = next
	}
	return findings{}, nil
}

// mayShow tells whether names with a prefix can be among what the principal sees.
func (w *walk) mayShow(prefix string) bool {
	return !limited(w.principal) || slices.ContainsFunc(w.principal.Prefixes, func(p string) bool {
		return strings.HasPrefix(prefix, p) || strings.HasPrefix(p, prefix)
	})
}

// shown returns the prompts that the principal sees.
func (w *walk) shown(prompts []catalog.Listing) []catalog.Listing {
	if !limited(w.principal) {
		return prompts
	}
	return slices.DeleteFunc(slices.Clone(prompts), func(p catalog.Listing) bool { return !w.principal.Sees(p.Name, nil) })
}

func (w *walk) broken(err error) *fault {
	if w.ahead {
		return faultf(mcp.INTERNAL_ERROR, "internal error")
	}
	return w.stock.server.broken("listing a repository", w.stock.repositories[w.at.repository].Prefix, err)
}

// page asks a repository for a page, and refuses one that cannot be served.
func (s *stock) page(ctx context.Context, at spot) (catalog.Page, error) {
	if err := ctx.Err(); err != nil {
		return catalog.Page{}, err
	}
	page, err := guarded(func() (catalog.Page, error) {
		return s.repositories[at.repository].Repository.List(ctx, at.cursor)
	})
	switch {
	case err != nil:
	case len(page.Prompts) > mostListed:
		err = fmt.Errorf("a page holds %d prompts; at most %d are allowed", len(page.Prompts), mostListed)
	case len(page.Next) > mostNext:
		err = fmt.Errorf("a cursor has %d bytes; at most %d are allowed", len(page.Next), mostNext)
	case page.Next != "" && page.Next == at.cursor:
		err = errors.New("a page is followed by itself")
	}
	return page, err
}

// sift returns the prompts of a page that can be served, and logs that others were
// not.
func (w *walk) sift(prompts []catalog.Listing) []catalog.Listing {
	mount := w.stock.repositories[w.at.repository].Mount
	seen := make(map[string]bool, len(prompts))
	kept := make([]catalog.Listing, 0, len(prompts))
	name, reason := "", ""
	for _, prompt := range prompts {
		why := ""
		switch {
		case !strings.HasPrefix(prompt.Name, mount.Prefix):
			why = "it does not start with the repository's prefix"
		case prompt.Name == mount.Prefix || !utf8.ValidString(prompt.Name):
			why = "it is empty or not valid UTF-8"
		case w.stock.mux.Route(prompt.Name).Prefix != mount.Prefix:
			why = "another mount answers for it"
		case seen[prompt.Name]:
			why = "it stands twice on one page"
		default:
			seen[prompt.Name] = true
			kept = append(kept, prompt)
			continue
		}
		if reason == "" {
			name, reason = prompt.Name, why
		}
	}
	if reason != "" && !w.ahead {
		w.stock.server.log.Warn("listed prompts were left out", "repository", mount.Prefix, "count", len(prompts)-len(kept), "first", clip(name), "reason", reason)
	}
	return kept
}

// getOwn answers a prompts/get of a repository.
func (s *stock) getOwn(ctx context.Context, m *message, r *reply) *fault {
	result, f := s.get(ctx, m)
	if f != nil {
		return f
	}
	r.start(m)
	if result.Description != "" {
		r.head = append(r.head, `"description":`...)
		r.head = catalog.AppendJSON(r.head, result.Description)
		r.head = append(r.head, ',')
	}
	r.head = append(r.head, `"messages":[`...)
	for i := range result.Messages {
		if i > 0 {
			r.head = append(r.head, ',')
		}
		r.head = result.Messages[i].AppendJSON(r.head)
	}
	r.tail = "]}}"
	if m.modern {
		r.tail = `],"_meta":{` + s.identity + "}}}"
	}
	return nil
}

// get renders the prompt that a message names to messages, whoever has it. The
// observer is told.
func (s *stock) get(ctx context.Context, m *message) (catalog.Result, *fault) {
	began := time.Now()
	mount, p, f := s.find(m.principal, m.name, "name")
	var result catalog.Result
	outcome := NotFound
	switch {
	case f != nil:
	case p != nil:
		result.Description, outcome = p.Description, Rendered
		if result.Messages, f = renderCompiled(p, m); f != nil {
			outcome = BadArguments
		}
	default:
		result, outcome, f = s.renderOwn(ctx, mount, m)
	}
	s.server.observe(ctx, began, m, mount, outcome)
	return result, f
}

// renderOwn has a repository render a prompt.
func (s *stock) renderOwn(ctx context.Context, mount *catalog.Mount, m *message) (catalog.Result, Outcome, *fault) {
	ctx, cancel := s.within(ctx, m)
	defer cancel()
	arguments, invalid, ok := argumentsOf(m.arguments)
	if !ok || invalid != nil {
		f := refusal(nil, m.name, &catalog.ArgumentError{Invalid: invalid})
		if !ok {
			f.message = notArguments
		}
		return catalog.Result{}, BadArguments, f
	}
	name := strings.Clone(text(m.name))
	result, err := guarded(func() (catalog.Result, error) { return mount.Repository.Get(ctx, name, arguments) })
	if err == nil {
		err = catalog.CheckMessages(result.Messages)
	}
	var bad *catalog.ArgumentError
	switch {
	case err == nil:
		return result, Rendered, nil
	case errors.As(err, &bad):
		e := *bad
		return catalog.Result{}, BadArguments, refusal(nil, m.name, &e)
	case errors.Is(err, catalog.ErrNotFound):
		return catalog.Result{}, NotFound, noPrompt(m.name)
	}
	return catalog.Result{}, Failed, s.server.broken("rendering a prompt", name, err)
}

// argumentsOf reads the arguments of a prompts/get without knowing which there are.
// The texts are copies. It reports false where there is something else.
func argumentsOf(value []byte) (arguments map[string]string, invalid []catalog.InvalidArgument, ok bool) {
	arguments = map[string]string{}
	if value == nil {
		return arguments, nil, true
	}
	if !isObject(value) {
		return nil, nil, false
	}
	given := map[string]bool{}
	for walk := object(value); ; {
		member, value, ok := walk.next()
		if !ok {
			return arguments, invalid, true
		}
		name := strings.Clone(text(member))
		switch {
		case given[name]:
			invalid = append(invalid, catalog.InvalidArgument{Name: clip(name), Reason: "is given twice"})
		case isNull(value):
		case !isString(value):
			invalid = append(invalid, catalog.InvalidArgument{Name: clip(name), Reason: "is not a string"})
		default:
			arguments[name] = strings.Clone(text(value))
		}
		given[name] = true
	}
}

// completeOwn answers a completion/complete of a repository.
func (s *stock) completeOwn(ctx context.Context, m *message, r *reply) *fault {
	ref, f := readRef(m.ref)
	if f != nil {
		return f
	}
	argument, value, f := argument(m.argument)
	if f != nil {
		return f
	}
	mount, _, f := s.find(m.principal, ref.name, "ref.name")
	if f != nil {
		return f
	}
	ctx, cancel := s.within(ctx, m)
	defer cancel()
	name, argument, value := strings.Clone(text(ref.name)), strings.Clone(argument), strings.Clone(value)
	values, err := guarded(func() ([]string, error) {
		return mount.Repository.(catalog.Completer).Complete(ctx, name, argument, value)
	})
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return faultf(mcp.INVALID_PARAMS, "no prompt %q has an argument %q: see prompts/list", clip(name), clip(argument))
	case err != nil:
		return s.server.broken("completing an argument of a prompt", name, err)
	}
	s.offer(m, r, values, value)
	return nil
}

// readOwn answers a resources/read of a function.
func (s *stock) readOwn(ctx context.Context, m *message, r *reply) *fault {
	uri := strings.Clone(text(m.uri))
	contents, f := s.contents(ctx, m, uri)
	if f != nil {
		return f
	}
	r.start(m)
	r.head = contents.AppendContents(append(r.head, `"contents":[`...))
	r.head = append(r.head, ']')
	r.tail = s.passing.of(m)
	return nil
}

// contents has a function read a resource.
func (s *stock) contents(ctx context.Context, m *message, uri string) (catalog.Embedded, *fault) {
	resource, variables, ok := s.mux.ResourceFunc(uri)
	if !ok {
		return catalog.Embedded{}, noResource(m, uri)
	}
	ctx, cancel := s.within(ctx, m)
	defer cancel()
	contents, err := guarded(func() (catalog.Embedded, error) { return resource.Contents(ctx, uri, variables) })
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return catalog.Embedded{}, noResource(m, uri)
	case err != nil:
		return catalog.Embedded{}, s.server.broken("reading a resource", uri, err)
	}
	return contents, nil
}
