// This file reads locks that anybody may have written.

package gen

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed33527553/promptc/catalog"
)

// FuzzLock reads any bytes as a lock. What it takes for one leads to no place but a
// directory of VendorDir, and is read again from what is written of it.
func FuzzLock(f *testing.F) {
	sound := (&Lock{Sources: []Locked{
		{Name: "team", Repository: "https://example.com/team", Layout: "flat", Commit: strings.Repeat("a", 40), Digest: strings.Repeat("b", 64)},
		{Name: "other", Repository: "file:///other", Branch: "x", Path: "y", Layout: "contract", Given: true, Commit: strings.Repeat("a", 64), Digest: strings.Repeat("b", 64)},
	}}).bytes()
	for _, seed := range []string{"", "{}", "null", "[]", "{} }", `{"sources":null}`, `{"sources":[{}]}`, `{"sources":[{"name":"../x"}]}`} {
		f.Add([]byte(seed))
	}
	f.Add(sound)
	f.Add(bytes.ReplaceAll(sound, []byte(`"team"`), []byte(`"other"`)))
	f.Add(bytes.ReplaceAll(sound, []byte("\n"), []byte("\r\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		read := func(data []byte) (*Lock, error) {
			return readLock(fstest.MapFS{LockFile: {Data: data}})
		}
		lock, err := read(data)
		if err != nil {
			if text := err.Error(); !strings.HasPrefix(text, LockFile+" ") || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' }) || len(text) > 1000 {
				t.Errorf("the error is %q", text)
			}
			return
		}
		for _, l := range lock.Sources {
			if !catalog.IsID(l.Name) {
				t.Errorf("a source is named %q", l.Name)
			}
		}
		again, err := read(lock.bytes())
		if err != nil || len(again.Sources) != len(lock.Sources) || len(lock.Sources) > 0 && !reflect.DeepEqual(again, lock) {
			t.Errorf("%+v is read again as %+v, %v", lock, again, err)
		}
	})
}
