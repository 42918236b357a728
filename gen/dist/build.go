// This file builds programs, and asks them which catalog is in them.

package dist

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"time"
)

// A built program is one for a target.
type built struct {
	target Target
	// file is the name of the binary, path where it is.
	file, path string
	// info is what the go command recorded in it.
	info *debug.BuildInfo
}

// build builds the program into a directory of the given one.
func (p *Program) build(ctx context.Context, t Target, dir string) (*built, error) {
	b := &built{target: t, file: p.Name}
	if t.OS == "windows" {
		b.file += ".exe"
	}
	b.path = filepath.Join(dir, t.OS+"-"+t.Arch, b.file)
	// The state of the version control would be another without one, and so would the
	// build's id with other paths.
	_, err := goCommand(ctx, withTarget(p.environment, t),
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", b.path, p.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot build for %s: %w", t, err)
	}
	if b.info, err = buildinfo.ReadFile(b.path); err != nil {
		return nil, fmt.Errorf("the program for %s does not say what it was built of", t)
	}
	return b, nil
}

// read returns the binary.
func (b *built) read() ([]byte, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the program for %s: %w", b.target, withoutPath(err))
	}
	return program, nil
}

// holds fails if the digest of the catalog is not in the program.
func (b *built) holds(program []byte, digest string) error {
	if bytes.Contains(program, []byte(digest)) {
		return nil
	}
	return fmt.Errorf("the program for %s does not have the catalog of the content, which has the digest %s; let it serve the generated package, or name the content with --content", b.target, digest)
}

const (
	// answerTime is how long a program may take to say which catalog is in it.
	answerTime = time.Minute
	// maxAnswer is how long what it says may be, in bytes; it lists each item.
	maxAnswer = 64 << 20
)

// says fails if the program does not answer that the catalog in it has the digest.
func (b *built) says(ctx context.Context, digest string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.path, "version", "--json")
	cmd.WaitDelay = waitDelay
	out := bounded{limit: maxAnswer}
	cmd.Stdout = &out
	err := cmd.Run()
	var report struct{ Catalog struct{ Digest string } }
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &report)
	}
	switch {
	case err != nil || report.Catalog.Digest == "":
		return fmt.Errorf("the program does not say which catalog it has when it is asked with %s version --json; let main call promptd.Main", b.file)
	case report.Catalog.Digest != digest:
		return fmt.Errorf("the program says that its catalog has the digest %.64q, and that of the content has %s; let it serve the generated package, or name the content with --content", report.Catalog.Digest, digest)
	}
	return nil
}
