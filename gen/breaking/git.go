// This file reads a directory as it was at a commit.

package breaking

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/seed33527553/promptc/gen"
)

// Commit returns a content directory of a git repository, and what was vendored beside
// it, as they were at a commit, which a tag, a branch or anything else names that git
// takes for one. The working tree and the index are left alone. Errors name the directory
// as shown. For the root of a repository there is nothing beside it, and beside is nil.
//
// Files that are larger than [gen.MaxFileBytes] have their size and no content, and
// submodules are not there.
func Commit(ctx context.Context, dir, shown, ref string) (content, beside fs.FS, err error) {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsFunc(ref, func(r rune) bool { return r < ' ' }) {
		return nil, nil, fmt.Errorf("%q is not the name of a commit", ref)
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, nil, errors.New("git is not installed, or not in PATH")
	}
	g := &git{ctx, program, dir}
	prefix, err := g.word("rev-parse", "--show-prefix")
	if err != nil {
		return nil, nil, g.explain(err, "there is no git repository around "+shown)
	}
	commit, err := g.word("rev-parse", "--verify", "--quiet", ref+"^{commit}")
	if err != nil {
		return nil, nil, g.explain(err, fmt.Sprintf("the git repository around %s has no commit %q; in a shallow clone, fetch it first", shown, ref))
	}
	list := []string{"ls-tree", "-r", "-l", "-z", "--full-tree"}
	prefix = strings.TrimSuffix(prefix, "/")
	name := path.Base(prefix)
	if prefix == "" {
		list = append(list, commit)
	} else {
		parent := strings.TrimSuffix(prefix[:len(prefix)-len(name)], "/")
		list = append(list, commit+":"+parent, "--", name, gen.LockFile, gen.VendorDir)
	}
	var blobs []blob
	err = g.run(nil, func(r io.Reader) error {
		blobs, err = readTree(r)
		return err
	}, list...)
	absent := fmt.Sprintf("at %s there is no directory %s; if it was elsewhere then, check that commit out with git worktree and name the directory", ref, shown)
	if err != nil {
		return nil, nil, g.explain(err, absent)
	}
	tree, err := g.read(blobs, ref)
	switch {
	case err != nil:
		return nil, nil, err
	case prefix == "":
		return tree, nil, nil
	case tree.nodes[name] == nil || !tree.nodes[name].IsDir():
		return nil, nil, errors.New(absent)
	}
	content, err = fs.Sub(tree, name)
	return content, tree, err
}

// read returns the tree of files whose content git has.
func (g *git) read(blobs []blob, ref string) (*memory, error) {
	tree := newMemory()
	var wanted []string
	for _, b := range blobs {
		if b.size <= gen.MaxFileBytes {
			wanted = append(wanted, b.object)
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	contents := map[string][]byte{}
	if len(wanted) > 0 {
		err := g.run(strings.NewReader(strings.Join(wanted, "\n")+"\n"), func(r io.Reader) error {
			return readBlobs(r, wanted, contents)
		}, "cat-file", "--batch")
		if err != nil {
			return nil, g.explain(err, fmt.Sprintf("git cannot read the files at %s", ref))
		}
	}
	for _, b := range blobs {
		content, ok := contents[b.object]
		if ok {
			b.size = int64(len(content))
		}
		if err := tree.add(b.path, b.mode, b.size, content); err != nil {
			return nil, fmt.Errorf("the tree at %s is not sound: %w", ref, err)
		}
	}
	return tree, nil
}

// A git runs commands of git in a directory.
type git struct {
	ctx          context.Context
	program, dir string
}

// overruled are the variables that would make git look elsewhere than around the
// directory, as they are set in a hook.
var overruled = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR",
	"GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"}

// run runs a command, whose output read reads to its end.
func (g *git) run(stdin io.Reader, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancel(g.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, g.program, args...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = g.dir, stdin, waitDelay
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(overruled, name)
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=")
	var said head
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	failure := read(out)
	if failure != nil {
		cancel()
	}
	err = cmd.Wait()
	switch {
	case g.ctx.Err() != nil:
		return g.ctx.Err()
	case failure != nil:
		return failure
	case err != nil:
		return &gitError{said.line()}
	}
	return nil
}

// word runs a command that prints one line.
func (g *git) word(args ...string) (string, error) {
	var text []byte
	err := g.run(nil, func(r io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(r, maxPath))
		return err
	}, args...)
	return strings.TrimSuffix(string(text), "\n"), err
}

// A gitError is that git failed, and the first line of what it said.
type gitError struct{ said string }

func (e *gitError) Error() string { return "git failed" }

// explain returns the error for a command of git that failed. What git says is not
// repeated, since it has paths of the machine; where the command can fail for one reason
// alone, that is usual.
func (g *git) explain(err error, usual string) error {
	var failed *gitError
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled):
		return errors.New("git took too long")
	case !errors.As(err, &failed):
		return err
	case strings.Contains(failed.said, "dubious ownership"):
		return errors.New("git refuses the repository, which belongs to another user; git help config tells of safe.directory")
	}
	return errors.New(usual)
}

// maxPath is how long a path may be, with what else stands in its line.
const maxPath = 16 << 10

// errOutput is for what git never prints.
var errOutput = errors.New("git printed what it should not; is another program named git in PATH?")

// A blob is a file of a tree in git.
type blob struct {
	path, object string
	mode         fs.FileMode
	size         int64
}

// readTree reads what git ls-tree -r -l -z prints: "<mode> <type> <object> <size>\t<path>",
// each with a NUL after it. Submodules, and what has a name that starts with a dot,
// are passed over as they are in a directory.
func readTree(r io.Reader) ([]blob, error) {
	var list []blob
	var total int64
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxPath)
	lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		if atEOF && len(data) > 0 {
			return 0, nil, errOutput
		}
		return 0, nil, nil
	})
	for lines.Scan() {
		head, path, found := strings.Cut(lines.Text(), "\t")
		fields := strings.Fields(head)
		if !found || len(fields) != 4 {
			return nil, errOutput
		}
		b := blob{path: path, object: fields[2], mode: 0o444}
		switch fields[0] {
		case "100644", "100755", "100664":
		case "120000":
			b.mode = fs.ModeSymlink | 0o777
		case "160000":
			continue
		default:
			return nil, errOutput
		}
		var err error
		if b.size, err = strconv.ParseInt(fields[3], 10, 64); err != nil || b.size < 0 || !isObject(b.object) {
			return nil, errOutput
		}
		if strings.HasPrefix(path, ".") || strings.Contains(path, "/.") {
			continue
		}
		if !validPath(path) {
			return nil, fmt.Errorf("git holds the path %q, which no directory can have", path)
		}
		if len(list) == gen.MaxEntries {
			return nil, fmt.Errorf("the tree has more than %d files", gen.MaxEntries)
		}
		if b.size <= gen.MaxFileBytes {
			if total += b.size; total > gen.MaxTreeBytes {
				return nil, fmt.Errorf("the tree's files have more than %d bytes", gen.MaxTreeBytes)
			}
		}
		list = append(list, b)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("git holds a path of more than %d bytes", maxPath)
	}
	return list, lines.Err()
}

// validPath is fs.ValidPath for names that may be other than UTF-8, which are faults
// of their own.
func validPath(p string) bool { return fs.ValidPath(strings.ToValidUTF8(p, "?")) }

// readBlobs reads what git cat-file --batch answers for the objects, which it was
// asked for in this order: "<object> blob <size>\n", the bytes and a line feed.
func readBlobs(r io.Reader, objects []string, contents map[string][]byte) error {
	b := bufio.NewReader(r)
	for _, object := range objects {
		line, err := b.ReadSlice('\n')
		if err != nil {
			return errOutput
		}
		if string(line) == object+" missing\n" {
			return errors.New("git does not have all files of that commit here; fetch them first")
		}
		text, found := strings.CutPrefix(strings.TrimSuffix(string(line), "\n"), object+" blob ")
		size, err := strconv.ParseInt(text, 10, 64)
		if !found || err != nil || size < 0 || size > gen.MaxFileBytes {
			return errOutput
		}
		content, err := io.ReadAll(io.LimitReader(b, size))
		if end, _ := b.ReadByte(); err != nil || int64(len(content)) != size || end != '\n' {
			return errOutput
		}
		contents[object] = content
	}
	return nil
}

// isObject tells whether a text is the name of an object, by SHA-1 or SHA-256.
func isObject(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}
