// This file tests the reading of what git prints.

package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

const object = "0123456789abcdef0123456789abcdef01234567"

func TestReadEntries(t *testing.T) {
	good := "100644 blob " + object + "      12\ta\x00100755 blob " + object + " 1234567890\tb c\td\x00120000 blob " + object + "       3\tl\x00160000 commit " + object + "       -\ts\x00040000 tree " + object + "       -\tt\x00"
	var paths []string
	if err := readEntries(strings.NewReader(good), func(e entry) error {
		paths = append(paths, e.path)
		return nil
	}); err != nil || strings.Join(paths, "|") != "a|b c\td|l|s|t" {
		t.Errorf("%q, %v", paths, err)
	}
	for _, bad := range []string{
		"\x00", "100644 blob " + object + " 1\ta", "100644 blob " + object + " 1 a\x00", "100644 blob " + object + " 1\t\x00",
		"100644 blob " + object + " -\ta\x00", "100644 blob " + object + " -1\ta\x00", "100644 blob " + object + " 99999999999999999999\ta\x00",
		"100644 tree " + object + " 1\ta\x00", "100000 blob " + object + " 1\ta\x00", "100644 blob " + object[1:] + " 1\ta\x00",
		"100644 blob " + strings.ToUpper(object) + " 1\ta\x00", "100644 blob " + object + "\ta\x00", "160000 blob " + object + " -\ta\x00",
	} {
		if err := readEntries(strings.NewReader(bad), func(entry) error { return nil }); !errors.Is(err, errOutput) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	stop := errors.New("stop")
	if err := readEntries(strings.NewReader(good), func(entry) error { return stop }); err != stop {
		t.Errorf("the error is %v", err)
	}
}

func TestReadReferences(t *testing.T) {
	references, err := readReferences(strings.NewReader("ref: refs/heads/main\tHEAD\n" + object + "\tHEAD\n" + object + "\trefs/heads/main\n"))
	if err != nil || len(references) != 2 || references["HEAD"] != object || references["refs/heads/main"] != object {
		t.Errorf("%v, %v", references, err)
	}
	for _, bad := range []string{"x", object + " HEAD\n", object[1:] + "\tHEAD\n", "\n", strings.Repeat(object+"\tHEAD\n", 1<<15)} {
		if _, err := readReferences(strings.NewReader(bad)); err == nil {
			t.Errorf("%.100q is read", bad)
		}
	}
}

// Whatever git prints, what is read of it is well formed, and prints as what was read.
func FuzzOutput(f *testing.F) {
	f.Add([]byte("100644 blob " + object + "      12\ta\x00040000 tree " + object + "       -\tt\x00"))
	f.Add([]byte("ref: refs/heads/main\tHEAD\n" + object + "\tHEAD\n"))
	f.Add([]byte(object + " blob 3\nabc\n"))
	f.Add([]byte(object + " missing\n"))
	f.Add([]byte("120000 blob " + object + " 1\t../../x\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := readEntries(bytes.NewReader(data), func(e entry) error {
			if !isObject(e.object) || e.size < 0 || e.path == "" || strings.Contains(e.path, "\x00") {
				t.Errorf("read %+v", e)
			}
			if isLocal(e.path) && (e.path[0] == '/' || strings.Contains(e.path, "\\") || strings.Contains("/"+e.path+"/", "/../")) {
				t.Errorf("%q would be written", e.path)
			}
			return nil
		})
		if err == nil && len(data) > 0 && data[len(data)-1] != 0 {
			t.Errorf("%q is read to its end", data)
		}
		if references, err := readReferences(bytes.NewReader(data)); err == nil {
			for name, commit := range references {
				if !isObject(commit) || !bytes.Contains(data, []byte(commit+"\t"+name)) {
					t.Errorf("read %q %q", commit, name)
				}
			}
		}
		b := bufio.NewReader(bytes.NewReader(data))
		if readBlob(b, entry{object: object, size: 3}) == nil {
			rest, _ := io.ReadAll(b)
			if string(data) != object+" blob 3\n"+string(rest) {
				t.Errorf("%q is read as a blob", data)
			}
		}
	})
}
