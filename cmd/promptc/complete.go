// This file holds shell completion of what the content defines.

package main

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

// completionPatience is how long a completion may read the content before it
// answers with nothing: somebody is waiting at a key.
const completionPatience = 2 * time.Second

// completeContent completes the content directory.
func completeContent(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// liveCatalog compiles what --content names. It returns nil, and prints nothing,
// where that has faults or takes too long.
func liveCatalog(cmd *cobra.Command) *catalog.Catalog {
	dir, err := cmd.Flags().GetString("content")
	if err != nil {
		return nil
	}
	compiled := make(chan *catalog.Catalog, 1)
	go func() {
		release, err := compileQuietly(dir, nil)
		if err != nil || release.Program == nil {
			compiled <- nil
			return
		}
		compiled <- release.Program.Catalog
	}()
	select {
	case c := <-compiled:
		return c
	case <-time.After(completionPatience):
		return nil
	}
}

// An idKind lists things that have ids, with their descriptions.
type idKind func(c *catalog.Catalog, each func(id, description string))

func promptIDs(c *catalog.Catalog, each func(id, description string)) {
	for _, p := range c.Prompts {
		each(p.ID, p.Description)
	}
}

func skillIDs(c *catalog.Catalog, each func(id, description string)) {
	for _, s := range c.Skills {
		each(s.ID, s.Description)
	}
}

func ids(c *catalog.Catalog, kind idKind) []string {
	var list []string
	kind(c, func(id, _ string) { list = append(list, id) })
	return list
}

// completeIDs completes the one argument that is an id.
func completeIDs(kinds ...idKind) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c := liveCatalog(cmd)
		if c == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var list []cobra.Completion
		for _, kind := range kinds {
			kind(c, func(id, description string) {
				if strings.HasPrefix(id, word) {
					list = append(list, describedCompletion(id, description))
				}
			})
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeArgument completes what stands after -a: the names of arguments that
// have no value yet, and after the equals sign the choices.
func completeArgument(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c := liveCatalog(cmd)
	if c == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	prompt, ok := c.Prompt(args[0])
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []cobra.Completion
	if name, _, ok := strings.Cut(word, "="); ok {
		if i, ok := prompt.Argument(name); ok {
			for _, choice := range prompt.Arguments[i].Choices {
				// The shell's protocol has a line a completion.
				if full := name + "=" + choice; strings.HasPrefix(full, word) && !strings.ContainsFunc(choice, unicode.IsControl) {
					list = append(list, full)
				}
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	given, err := cmd.Flags().GetStringArray("arg")
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for i := range prompt.Arguments {
		a := &prompt.Arguments[i]
		hasValue := func(s string) bool { return strings.HasPrefix(s, a.Name+"=") }
		if strings.HasPrefix(a.Name, word) && !slices.ContainsFunc(given, hasValue) {
			list = append(list, describedCompletion(a.Name+"=", a.Description))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

func describedCompletion(word, description string) cobra.Completion {
	return cobra.CompletionWithDesc(word, oneLine(description, 60))
}
