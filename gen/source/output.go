// This file reads what git prints. A repository is somebody else's, so every piece is
// checked and has a limit.

package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Limits of what git prints, in bytes: an entry of a tree, of which a path is the
// longest part, and all of what ls-remote lists.
const (
	maxEntry  = 4096 + 256
	maxListed = 1 << 20
)

// errOutput is for what git never prints.
var errOutput = errors.New("git printed what it should not; is another program named git in PATH?")

// An entry is one of a tree, as git ls-tree -l -z prints it.
type entry struct {
	mode   string
	object string
	size   int64 // of a blob
	path   string
}

// The modes of entries, by gitformat-index(5) and git-fast-import(1).
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeOldFile    = "100664" // as some old repositories have it
	modeLink       = "120000"
	modeSubmodule  = "160000"
	modeDirectory  = "040000"
)

// readEntries calls each with every entry of git ls-tree -l -z, as they come.
func readEntries(r io.Reader, each func(entry) error) error {
	b := bufio.NewReaderSize(r, maxEntry)
	for {
		line, err := b.ReadSlice(0)
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err == bufio.ErrBufferFull:
			return problem("the repository holds a path of more than 4,096 bytes")
		case err == io.EOF:
			return errOutput
		case err != nil:
			return err
		}
		e, err := parseEntry(line[:len(line)-1])
		if err != nil {
			return err
		}
		if err := each(e); err != nil {
			return err
		}
	}
}

// parseEntry reads "<mode> <type> <object> <size>\t<path>", where any number of
// spaces may stand before the size, and a hyphen for one that there is not.
func parseEntry(line []byte) (entry, error) {
	head, path, found := strings.Cut(string(line), "\t")
	fields := strings.Fields(head)
	if !found || path == "" || len(fields) != 4 || !isObject(fields[2]) {
		return entry{}, errOutput
	}
	e := entry{mode: fields[0], object: fields[2], path: path}
	kind := "blob"
	switch e.mode {
	case modeFile, modeExecutable, modeOldFile, modeLink:
	case modeSubmodule:
		kind = "commit"
	case modeDirectory:
		kind = "tree"
	default:
		return entry{}, errOutput
	}
	if fields[1] != kind {
		return entry{}, errOutput
	}
	if kind == "blob" {
		var err error
		if e.size, err = strconv.ParseInt(fields[3], 10, 64); err != nil || e.size < 0 {
			return entry{}, errOutput
		}
	}
	return e, nil
}

// readBlob reads the head of the next answer of git cat-file --batch, which must be
// the blob that was asked for. Its bytes and a line feed follow.
func readBlob(b *bufio.Reader, e entry) error {
	line, err := b.ReadSlice('\n')
	if err == io.EOF || err == bufio.ErrBufferFull {
		return errOutput
	}
	if err != nil {
		return err
	}
	if string(line) != e.object+" blob "+strconv.FormatInt(e.size, 10)+"\n" {
		return errOutput
	}
	return nil
}

// readReferences reads git ls-remote: "<object>\t<name>" lines, among which those
// that start with "ref: " are passed over.
func readReferences(r io.Reader) (map[string]string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxListed+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxListed {
		return nil, errOutput
	}
	references := map[string]string{}
	for line := range bytes.Lines(text) {
		object, name, found := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
		switch {
		case !found:
			return nil, errOutput
		case strings.HasPrefix(object, "ref: "):
		case !isObject(object):
			return nil, errOutput
		default:
			references[name] = object
		}
	}
	return references, nil
}

// isObject tells whether a text is the name of an object, by SHA-1 or SHA-256.
func isObject(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 40 || len(text) == 64
}
