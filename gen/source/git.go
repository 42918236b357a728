// This file runs git, in an environment that holds nothing but what is named here.

package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// inherited are the environment variables that git gets from ours.
var inherited = []string{
	"PATH", "http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO",
}

// inheritedWindows are those without which nothing runs on Windows.
var inheritedWindows = []string{"SystemRoot", "TEMP", "TMP", "PATHEXT"}

// How long git may be silent after it was killed, and how often the size of what it
// downloads is looked at.
const (
	waitDelay = 5 * time.Second
	sizePoll  = 50 * time.Millisecond
)

// repository is the directory, in the temporary one, of the bare repository into which
// git downloads.
const repository = "repository.git"

// A git runs commands in one temporary directory.
type git struct {
	program string
	dir     string
	env     []string
	// limit is how large the repository may become, in bytes.
	limit int64
}

// A gitError is git's own word on why it failed.
type gitError struct {
	// stderr is the end of what git said, unscrubbed.
	stderr string
	status error
}

func (e *gitError) Error() string { return "git failed" }

// newGit returns a git that runs in an empty temporary directory.
func newGit(dir string, a *access, limit int64, getenv func(string) string) (*git, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, problem("git is not installed, or not in PATH; install it")
	}
	g := &git{program: program, dir: dir, limit: limit}
	names := inherited
	if runtime.GOOS == "windows" {
		names = append(names[:len(names):len(names)], inheritedWindows...)
	}
	for _, name := range names {
		if value := getenv(name); value != "" {
			g.env = append(g.env, name+"="+value)
		}
	}
	g.env = append(g.env,
		"LC_ALL=C",
		// Neither the user's configuration nor the system's nor that of a repository
		// around the cache, and no .netrc.
		"HOME="+dir,
		"GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		// Nobody is there to be asked.
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ASKPASS=",
		"GIT_ALLOW_PROTOCOL=https:file",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_LITERAL_PATHSPECS=1",
	)
	config := [][2]string{
		{"core.hooksPath", os.DevNull},
		{"init.templateDir", ""},
		{"fetch.fsckObjects", "true"},
		{"submodule.recurse", "false"},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"credential.helper", ""},
		// Packs are written as they come, so that their size can be watched, and large
		// files in them are not held in memory.
		{"fetch.unpackLimit", "1"},
		{"core.bigFileThreshold", "1m"},
		{"http.lowSpeedLimit", "1"},
		{"http.lowSpeedTime", "30"},
	}
	if a.header != "" {
		config = append(config,
			[2]string{"http." + a.origin + ".extraHeader", a.header},
			// A redirect to another host would take the header along.
			[2]string{"http.followRedirects", "false"},
		)
	}
	g.env = append(g.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)))
	for i, c := range config {
		g.env = append(g.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, c[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, c[1]))
	}
	return g, nil
}

// run runs a command, with read reading its output to the end. It is killed, with all
// that it started, where the context ends, read fails, or the repository becomes too
// large.
func (g *git) run(ctx context.Context, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, g.program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = g.dir, g.env, stdin, waitDelay
	inGroup(cmd)
	var stderr tail
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watch(ctx, cancel)
	}()
	if read == nil {
		read = func(r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		}
	}
	if err := read(out); err != nil {
		cancel(err)
	}
	status := cmd.Wait()
	cause := context.Cause(ctx)
	cancel(nil)
	<-watched
	if status == nil || cause == nil {
		if status != nil {
			return &gitError{stderr.String(), status}
		}
		return cause
	}
	// What git said tells more than that its output is not whole, but less than why
	// it was killed.
	if errors.Is(cause, errOutput) && stderr.String() != "" {
		return &gitError{stderr.String(), status}
	}
	return cause
}

// watch cancels where the repository becomes too large, until the context ends.
func (g *git) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(sizePoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if sizeOf(filepath.Join(g.dir, repository)) > g.limit {
				cancel(problem("the repository is too large: the download of its newest commit exceeds " + megabytes(g.limit) + "; keep content in a repository of its own"))
				return
			}
		}
	}
}

// sizeOf returns how many bytes the files of a directory have, as far as can be told
// while they come and go.
func sizeOf(dir string) (total int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			total += info.Size()
		}
		return nil
	})
	return total
}

// A tail keeps the last 16 KiB that are written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 16 << 10
	t.kept = append(t.kept, p[max(0, len(p)-most):]...)
	t.kept = t.kept[max(0, len(t.kept)-most):]
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.ToValidUTF8(t.kept, nil)) }

// megabytes prints a limit.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/(1<<20)), ".0") + " MiB"
}
