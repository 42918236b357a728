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
	"regexp"
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

// stamped is the package whose variables tell a program of which release it is; programs
// without it do not know.
const stamped = "github.com/seed33527553/promptc/catalog/promptd"

// stamp returns what the linker is told for a program to know its release.
func (a *About) stamp() string {
	flags := ""
	for _, v := range [...][2]string{{"releaseVersion", a.Version}, {"releaseRevision", a.Revision}} {
		if plain.MatchString(v[1]) {
			flags += " -X " + stamped + "." + v[0] + "=" + v[1]
		}
	}
	return flags
}

// plain is what the linker's flags can hold as it is.
var plain = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]*$`)

// build builds the program of a release into a directory of the given one.
func (p *Program) build(ctx context.Context, t Target, about *About, dir string) (*built, error) {
	b := &built{target: t, file: p.Name}
	if t.OS == "windows" {
		b.file += ".exe"
	}
	b.path = filepath.Join(dir, t.OS+"-"+t.Arch, b.file)
	// The state of the version control would be another without one, and so would the
	// build's id with other paths.
	_, err := goCommand(ctx, withTarget(p.environment, t),
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="+about.stamp(), "-o", b.path, p.Path)
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
