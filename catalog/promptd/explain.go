// This file holds the command explain, which tells what is served under a name and
// where it comes from.

package promptd

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func explainCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID|URI",
		Short: "Tell what is served under an id or URI, and where it comes from",
		Long: `Tell what is served under the id of a prompt or skill, or under a URI: its version,
file, digest, arguments and URIs, and the commit that it comes from. That is the
commit of its source where it comes from another repository, and the file's path is the
one in that repository. Else it is the commit that the program was built at, if the build
knows, and the path is the one in the content tree.

A prompt and a skill may have one id; both are told then.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, "explain takes one id or URI, not %d", len(args))
			}
			return nil
		},
	}
	asJSON := cmd.Flags().Bool("json", false, "print a JSON array, with an object for each thing of that name")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		list := explain(c, args[0])
		if list == nil {
			return unknownName(c, args[0], cmd.Root().Name())
		}
		out := cmd.OutOrStdout()
		if *asJSON {
			return failed(printJSON(out, list))
		}
		for i := range list {
			if i > 0 {
				fmt.Fprintln(out)
			}
			if err := list[i].print(out); err != nil {
				return failed(err)
			}
		}
		return nil
	}
	return cmd
}

// An explanation is what there is to know of a thing that is served.
type explanation struct {
	// Kind is prompt, skill, document or record. A document is a file that makes
	// no prompt or skill, a record a JSON text that the compiler made of skills.
	Kind string `json:"kind"`
	// ID is that of a prompt or skill; a skill's documents and record have its.
	ID string `json:"id,omitempty"`
	// Name is the prompt's public name, with the catalog's prefix.
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
	Source      string `json:"source"`
	Repository  string `json:"repository,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Modified    bool   `json:"modified,omitempty"`
	// Path is the file's in the content tree, or in the repository at the commit; so
	// are Files.
	Path      string              `json:"path,omitempty"`
	MIMEType  string              `json:"mimeType"`
	Digest    string              `json:"digest"`
	Size      int                 `json:"size"`
	Arguments []explainedArgument `json:"arguments,omitempty"`
	DependsOn []string            `json:"dependsOn,omitempty"`
	Files     []string            `json:"files,omitempty"`
	URIs      []string            `json:"uris"`
}

// An explainedArgument is an argument of a prompt.
type explainedArgument struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Choices     []string `json:"choices,omitempty"`
	Default     string   `json:"default,omitempty"`
}

// explain returns what is served under an id or URI.
func explain(c *catalog.Catalog, name string) []explanation {
	if strings.Contains(name, "://") {
		d, ok := c.Resource(name)
		if !ok {
			return nil
		}
		return []explanation{explainDocument(c, d)}
	}
	var list []explanation
	id := strings.TrimPrefix(name, c.Prefix)
	if p, ok := c.Prompt(id); ok {
		list = append(list, explainPrompt(c, p))
	}
	if s, ok := c.Skill(id); ok {
		list = append(list, explainSkill(c, s))
	}
	return list
}

func explainPrompt(c *catalog.Catalog, p *catalog.Prompt) explanation {
	e := newExplanation(c, "prompt", p.Source, p.Document)
	e.ID, e.Name, e.Title, e.Description, e.Version = p.ID, c.Prefix+p.ID, p.Title, p.Description, p.Version
	for _, a := range p.Arguments {
		e.Arguments = append(e.Arguments, explainedArgument(a))
	}
	return e
}

func explainSkill(c *catalog.Catalog, s *catalog.Skill) explanation {
	e := newExplanation(c, "skill", s.Source, s.Document)
	e.ID, e.Title, e.Description, e.Version = s.ID, s.Document.Title, s.Description, s.Version
	e.Digest, e.Size, e.DependsOn = s.Digest, 0, s.DependsOn
	for _, d := range s.Files {
		e.Size += d.Size
		e.Files = append(e.Files, inRepository(c, d))
	}
	e.URIs = append(e.URIs, s.RecordURI())
	slices.Sort(e.URIs)
	return e
}

// explainDocument explains a document, or the prompt or skill that it makes.
func explainDocument(c *catalog.Catalog, d *catalog.Document) explanation {
	for _, p := range c.Prompts {
		if p.Document == d {
			return explainPrompt(c, p)
		}
	}
	kind := "document"
	if d.Path == "" {
		kind = "record"
	}
	for _, s := range c.Skills {
		if s.Document == d {
			return explainSkill(c, s)
		}
		if slices.Contains(s.Files, d) || kind == "record" && slices.Contains(uris(c, d), s.RecordURI()) {
			e := newExplanation(c, kind, s.Source, d)
			e.ID, e.Title, e.Version = s.ID, d.Title, s.Version
			return e
		}
	}
	e := newExplanation(c, kind, d.Source, d)
	e.Title = d.Title
	return e
}

// newExplanation returns what is to be told of a thing whose file is d.
func newExplanation(c *catalog.Catalog, kind, source string, d *catalog.Document) explanation {
	e := explanation{Kind: kind, Source: catalog.BuiltIn, Path: inRepository(c, d), MIMEType: d.MIMEType, Digest: d.Digest, Size: d.Size}
	if source == "" {
		b := thisBuild()
		e.Commit, e.Modified = b.Revision, b.Modified
	} else {
		e.Source = source
		for _, s := range c.Sources {
			if s.Name == source {
				e.Repository, e.Commit = s.Repository, s.Commit
			}
		}
	}
	e.URIs = uris(c, d)
	return e
}

// inRepository returns the path of a file in the repository of its source, and in the
// content tree if it comes from that. It is empty for a record.
func inRepository(c *catalog.Catalog, d *catalog.Document) string {
	for _, s := range c.Sources {
		if d.Source == s.Name {
			return path.Join(s.Path, origin(d))
		}
	}
	return d.Path
}

// uris returns where a document is read, sorted.
func uris(c *catalog.Catalog, d *catalog.Document) []string {
	list := []string{}
	for _, r := range c.Resources {
		if r.Document == d {
			list = append(list, r.URI)
		}
	}
	if slices.Contains(c.Documents, d) {
		list = append(list, catalog.DocumentScheme+d.Path)
	}
	for _, s := range c.Skills {
		if slices.Contains(s.Files, d) {
			list = append(list, catalog.SkillURI(c.Prefix, s.ID, strings.TrimPrefix(d.Path, "skills/"+s.ID+"/")))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// print prints the explanation for people, in two columns.
func (e *explanation) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s:\t%s\n", name, strings.Join(strings.Fields(value), " "))
		}
	}
	row("kind", e.Kind)
	row("id", e.ID)
	if e.Name != e.ID {
		row("name", e.Name)
	}
	row("title", e.Title)
	row("description", e.Description)
	row("version", e.Version)
	row("source", e.Source)
	row("repository", e.Repository)
	switch {
	case e.Commit == "":
		row("commit", "unknown: the build recorded none")
	case e.Modified:
		row("commit", e.Commit+", with changes that are in no commit")
	default:
		row("commit", e.Commit)
	}
	row("file", e.Path)
	row("type", e.MIMEType)
	row("digest", "sha256:"+e.Digest)
	row("size", things(e.Size, "byte"))
	row("depends on", strings.Join(e.DependsOn, ", "))
	for _, part := range []struct {
		name string
		list []string
	}{{"files", e.Files}, {"URIs", e.URIs}} {
		for i, s := range part.list {
			if i == 0 {
				row(part.name, s)
			} else {
				fmt.Fprintf(w, "\t%s\n", s)
			}
		}
	}
	if len(e.Arguments) > 0 {
		fmt.Fprintln(w, "arguments:")
	}
	for _, a := range e.Arguments {
		kind := "optional"
		if a.Required {
			kind = "required"
		}
		about := strings.Join(strings.Fields(a.Description), " ")
		if len(a.Choices) > 0 {
			about += " [" + strings.Join(a.Choices, " | ") + "]"
		}
		if a.Default != "" {
			about += " (default " + strconv.Quote(a.Default) + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", a.Name, kind, about)
	}
	return w.Flush()
}

// unknownName returns the error for an id or URI that nothing has.
func unknownName(c *catalog.Catalog, name, program string) error {
	var known []string
	if strings.Contains(name, "://") {
		for _, r := range c.Resources {
			known = append(known, r.URI)
		}
		for _, d := range files(c) {
			known = append(known, uris(c, d)...)
		}
	} else {
		for _, p := range c.Prompts {
			known = append(known, p.ID)
		}
		for _, s := range c.Skills {
			known = append(known, s.ID)
		}
	}
	help := program + " list shows the ids"
	if s := nearest(name, known); s != "" {
		help = fmt.Sprintf("did you mean %q?", s)
	}
	return fmt.Errorf("nothing here has the name %q; %s", name, help)
}

// nearest returns the known name that shares most of a word at its start and its end,
// if that is more than half of it.
func nearest(word string, known []string) string {
	best, most := "", max(len(word)/2, 1)
	for _, k := range known {
		n, short := 0, min(len(word), len(k))
		for n < short && word[n] == k[n] {
			n++
		}
		for end := 1; n < short && word[len(word)-end] == k[len(k)-end]; end++ {
			n++
		}
		if n > most && n > len(k)/2 {
			best, most = k, n
		}
	}
	return best
}
