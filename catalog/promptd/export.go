// This file holds the command export, which writes skills and prompts where hosts look
// for them.

package promptd

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed33527553/promptc/catalog"
)

func exportCommand(c *catalog.Catalog) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export --to DIR",
		Short: "Write the skills and prompts where hosts without MCP look for them",
		Long: `Write the skills and prompts where hosts look for them that do not ask over MCP. DIR is
a project's directory or a person's home; the layout says where below it:

  agents   .agents/skills/ID/                               what many hosts read
  claude   .claude/skills/ID/   .claude/commands/ID.md      Claude Code
  codex    .agents/skills/ID/   .codex/prompts/ID.md        Codex, which reads prompts at home only
  copilot  .github/skills/ID/   .github/prompts/ID.prompt.md  Copilot in VS Code

Skills are the bytes that are served. Of a prompt's arguments those become the host's
own that are required and that it can fill in: one that is alone for Claude Code, names
in capitals for Codex, inputs for Copilot. The others stay {{name}}, and below the text
it says what stands for them, because hosts know neither defaults nor choices. A prompt
with several messages is one text with a line for each role. One whose text has what
the host would replace, such as $1, is left out with a warning.

A skill appears whole or not at all, whenever the command is interrupted, and so does a
prompt. What was written is on record in DIR/.promptc-export. Files that the command did
not write, or that were edited since, are left alone with a warning. A later export
updates what it wrote, and takes away what the program no longer holds.

--remove takes away what was written, for the layout that is given or for all, and every
trace of it. Two exports to one directory must not run at once.`,
		Args: noArguments,
	}
	e := &export{catalog: c}
	to := cmd.Flags().String("to", "", "the directory `DIR` below which to write")
	name := cmd.Flags().String("layout", "", "whose places to use: agents, claude, codex or copilot (default agents)")
	cmd.Flags().BoolVar(&e.dry, "dry-run", false, "tell what would be done, and do nothing")
	removing := cmd.Flags().Bool("remove", false, "take away what was written")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *to == "" {
			return usageError(cmd, "export needs a directory: give it with --to")
		}
		all := layouts()
		i := slices.IndexFunc(all, func(l layout) bool { return l.name == *name })
		switch {
		case i >= 0:
			e.layout = &all[i]
		case *name != "":
			return usageError(cmd, "--layout must be agents, claude, codex or copilot, not %q", *name)
		case !*removing:
			e.layout = &all[0]
		}
		t, err := openTarget(*to, c)
		if err != nil {
			return failed(err)
		}
		defer t.root.Close()
		e.target = t
		e.tell = func(s string) { fmt.Fprintln(cmd.OutOrStdout(), s) }
		e.warn = func(s string) { fmt.Fprintln(cmd.ErrOrStderr(), cmd.Root().Name()+": warning:", s) }
		if *removing {
			return failed(e.remove())
		}
		return failed(e.write())
	}
	return cmd
}

// An export is one run of the command.
type export struct {
	catalog *catalog.Catalog
	// layout is nil for the removal of all of them.
	layout     *layout
	target     *target
	dry        bool
	tell, warn func(string)
}

// did tells what is done, or would be.
func (e *export) did(past, infinitive, p string) {
	if e.dry {
		e.tell("would " + infinitive + " " + p)
	} else {
		e.tell(past + " " + p)
	}
}

// write brings the target to what the catalog holds.
func (e *export) write() error {
	units, warnings := e.layout.units(e.catalog)
	for _, w := range warnings {
		e.warn(w)
	}
	t := e.target
	if !e.dry {
		if err := t.clear(); err != nil {
			return err
		}
	}
	writing, changed, err := e.plan(units)
	if err != nil {
		return err
	}
	stale := e.stale(units)
	if e.dry {
		for _, u := range writing {
			e.did("", changed[u.Path], u.Path)
		}
		return e.takeAll(stale)
	}
	if len(writing)+len(stale) == 0 {
		e.tell(fmt.Sprintf("nothing to do: %s as exported before", things(len(t.record.Units), "item")))
		if len(t.record.Units) == 0 {
			return t.finish()
		}
		return t.save() // for the layouts
	}
	if err := t.save(); err != nil {
		return err
	}
	for _, u := range writing {
		if err := t.put(u); err != nil {
			return err
		}
		t.record.Units[u.Path].Files = digestsOf(u)
		e.did(map[string]string{"write": "wrote", "update": "updated"}[changed[u.Path]], "", u.Path)
	}
	if err := e.takeAll(stale); err != nil {
		return err
	}
	return t.finish()
}

// plan puts on record what is to be written, and returns it with what that does to what
// is there: write or update.
func (e *export) plan(units []unit) (writing []*unit, changed map[string]string, err error) {
	t := e.target
	changed = map[string]string{}
	for i := range units {
		u := &units[i]
		known := t.record.Units[u.Path]
		is, about, err := t.look(u.Path, known)
		switch {
		case err != nil:
			return nil, nil, err
		case known == nil && is != absent:
			e.warn(u.Path + " is left alone: it is there already, and not written by this command")
			continue
		case is == edited:
			e.warn(leftAlone(u.Path, about, "was changed since it was written"))
			continue
		case is == absent:
			changed[u.Path] = "write"
		default:
			same, err := t.holds(u)
			switch {
			case err != nil:
				return nil, nil, err
			case same:
			case is == joined:
				e.warn(leftAlone(u.Path, about, "was added since it was written"))
				continue
			default:
				changed[u.Path] = "update"
			}
		}
		next := &recorded{Files: digestsOf(u)}
		if known != nil {
			next.Layouts = known.Layouts
			for file, digests := range known.Files {
				next.Files[file] = slices.Compact(slices.Sorted(slices.Values(slices.Concat(next.Files[file], digests))))
			}
		}
		if !slices.Contains(next.Layouts, e.layout.name) {
			next.Layouts = slices.Sorted(slices.Values(append(slices.Clone(next.Layouts), e.layout.name)))
		}
		if changed[u.Path] == "" {
			next.Files = digestsOf(u)
		} else {
			writing = append(writing, u)
		}
		for _, dir := range t.missingDirs(u.Path) {
			if !slices.Contains(t.record.Directories, dir) {
				t.record.Directories = append(t.record.Directories, dir)
			}
		}
		t.record.Units[u.Path] = next
	}
	return writing, changed, nil
}

// leftAlone is the warning for a unit that is not touched.
func leftAlone(p, file, why string) string {
	if file == "" {
		return p + " is left alone: it " + why
	}
	return p + " is left alone: its " + file + " " + why
}

// stale returns the paths on record for the layout that the catalog has no units for.
func (e *export) stale(units []unit) []string {
	has := map[string]bool{}
	for _, u := range units {
		has[u.Path] = true
	}
	return slices.DeleteFunc(e.onRecord(), func(p string) bool { return has[p] })
}

// onRecord returns the paths on record for the layout, sorted.
func (e *export) onRecord() []string {
	paths := slices.Sorted(maps.Keys(e.target.record.Units))
	if e.layout == nil {
		return paths
	}
	return slices.DeleteFunc(paths, func(p string) bool {
		return !slices.Contains(e.target.record.Units[p].Layouts, e.layout.name)
	})
}

// remove takes away what was written.
func (e *export) remove() error {
	if !e.dry {
		if err := e.target.clear(); err != nil {
			return err
		}
	}
	paths := e.onRecord()
	if len(paths) == 0 {
		e.tell("nothing to remove")
	}
	if err := e.takeAll(paths); err != nil || e.dry {
		return err
	}
	return e.target.finish()
}

// takeAll takes units from their places and the record, save those that are there for
// another layout too, or were changed.
func (e *export) takeAll(paths []string) error {
	t := e.target
	for _, p := range paths {
		u := t.record.Units[p]
		if e.layout != nil && len(u.Layouts) > 1 {
			u.Layouts = slices.DeleteFunc(slices.Clone(u.Layouts), func(name string) bool { return name == e.layout.name })
			continue
		}
		is, about, err := t.look(p, u)
		if err != nil {
			return err
		}
		switch is {
		case absent:
		case edited:
			e.warn(leftAlone(p, about, "was changed since it was written"))
		case joined:
			e.warn(fmt.Sprintf("%s keeps %s, which was added since it was written", p, about))
			if !e.dry {
				err = t.takeFiles(p, u)
			}
			e.did("removed", "remove", p)
		case written:
			if !e.dry {
				err = t.take(p)
			}
			e.did("removed", "remove", p)
		}
		if err != nil {
			return err
		}
		delete(t.record.Units, p)
	}
	return nil
}
