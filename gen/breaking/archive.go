// This file reads what promptd's command tree writes.

package breaking

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/seed33527553/promptc/gen"
)

// waitDelay is how long a program that was killed may hold on to its output.
const waitDelay = 5 * time.Second

// maxFill is how many bytes a server may write after its archive.
const maxFill = 1 << 20

// Program returns the content directory that is compiled into a server, promptd or one
// made like it, and what was vendored beside it: it runs the executable file with the
// argument tree, and reads the archive that this writes. The program gets none of the
// caller's environment but PATH. Catalog.yaml is not in the directory. Errors do not name
// the file.
func Program(ctx context.Context, file string) (content, beside fs.FS, err error) {
	tree, err := runTree(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	if info, err := fs.Stat(tree, contentDir); err != nil || !info.IsDir() {
		return nil, nil, errors.New("its archive has no directory " + contentDir)
	}
	content, err = fs.Sub(tree, contentDir)
	return content, tree, err
}

// contentDir is the content directory in the archive of a server.
const contentDir = "content"

// runTree returns what is in the archive that a server writes.
func runTree(ctx context.Context, file string) (fs.FS, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, file, "tree")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = waitDelay
	var said head
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.New("it cannot be run here")
	}
	tree, failure := Archive(out)
	if failure == nil { // zeros may follow that fill a record
		if n, _ := io.CopyN(io.Discard, out, maxFill); n == maxFill {
			failure = errors.New("it wrote more than an archive")
		}
	}
	timeout := ctx.Err()
	if failure != nil {
		cancel()
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case timeout != nil || ctx.Err() != nil && failure == nil:
		return nil, errors.New("its command tree took too long")
	case errors.As(err, &exit) && exit.ExitCode() > 0 && said.line() != "": // by itself
		return nil, fmt.Errorf("its command tree failed, and said %q", said.line())
	case failure != nil:
		return nil, failure
	case err != nil:
		return nil, fmt.Errorf("its command tree failed: %w", err)
	}
	return tree, nil
}

// A head keeps the start of what is written to it.
type head struct{ kept []byte }

func (h *head) Write(p []byte) (int, error) {
	const most = 1 << 10
	h.kept = append(h.kept, p[:min(len(p), most-len(h.kept))]...)
	return len(p), nil
}

// line returns the first line, or as much of it as a message can hold.
func (h *head) line() string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(h.kept), []byte("\n"))
	return string(line[:min(len(line), 200)])
}

// Archive reads files from a tar archive of regular files and directories, up to the
// limits that [gen.Compile] has.
func Archive(r io.Reader) (fs.FS, error) {
	input := &ending{r: r}
	archive := tar.NewReader(input)
	tree := newMemory()
	for {
		header, err := archive.Next()
		switch {
		case err == io.EOF && len(input.last) == 0:
			return nil, errors.New("it wrote no archive")
		case err == io.EOF && !input.closed():
			return nil, errors.New("its archive is not whole")
		case err == io.EOF:
			return tree, nil
		case err != nil:
			return nil, errors.New("it wrote what is no tar archive, or not a whole one")
		case len(tree.nodes) > gen.MaxEntries:
			return nil, fmt.Errorf("its tree has more than %d files and directories", gen.MaxEntries)
		}
		name, mode := strings.TrimSuffix(header.Name, "/"), fs.FileMode(0o444)
		var content []byte
		switch {
		case !fs.ValidPath(name) || name == ".":
			return nil, fmt.Errorf("its archive has the path %q", header.Name)
		case header.Typeflag == tar.TypeDir:
			mode = fs.ModeDir | 0o555
		case header.Typeflag != tar.TypeReg:
			return nil, fmt.Errorf("its archive has %q, which is neither file nor directory", name)
		case header.Size > gen.MaxFileBytes:
			return nil, fmt.Errorf("its file %q has more than %d bytes", name, gen.MaxFileBytes)
		case tree.bytes+header.Size > gen.MaxTreeBytes:
			return nil, fmt.Errorf("its files have more than %d bytes", gen.MaxTreeBytes)
		default:
			if content, err = io.ReadAll(archive); err != nil {
				return nil, errors.New("its archive is not whole")
			}
		}
		if err := tree.add(name, mode, int64(len(content)), content); err != nil {
			return nil, err
		}
	}
}

// An ending keeps the last bytes that are read, as many as end an archive.
type ending struct {
	r    io.Reader
	last []byte
}

// endOfArchive is how many zero bytes an archive ends with (POSIX pax, "ustar Interchange
// Format"). Package tar takes one that was cut off between files for a whole one.
const endOfArchive = 1024

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.last = append(e.last, p[max(0, n-endOfArchive):n]...)
	e.last = e.last[max(0, len(e.last)-endOfArchive):]
	return n, err
}

// closed tells whether the end of an archive was read.
func (e *ending) closed() bool { return bytes.Equal(e.last, make([]byte, endOfArchive)) }
