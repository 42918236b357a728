// This file writes archives that depend on nothing but what is in them.

package dist

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// An entry is a file in an archive.
type entry struct {
	name string // its path, with slashes
	mode fs.FileMode
	data []byte
}

// archive makes the archive of a program: a ZIP for Windows, else a tar that gzip
// compressed. All is in a directory of the archive's name.
func (r *release) archive(b *built, program []byte, files []entry) error {
	name := r.name(b.target.OS, b.target.Arch)
	entries := []entry{{path.Join(name, b.file), 0o755, program}}
	for _, f := range files {
		f.name = path.Join(name, f.name)
		entries = append(entries, f)
	}
	extension, write := ".tar.gz", writeTarGzip
	if b.target.OS == "windows" {
		extension, write = ".zip", writeZip
	}
	_, err := r.out.write(name+extension, func(w io.Writer) error { return write(w, entries, r.time()) })
	return err
}

func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// writeTarGzip writes a tar, which gzip compresses.
func writeTarGzip(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, entries, at); err != nil {
		return err
	}
	return z.Close()
}

// writeTar writes the entries, sorted, as files of the user 0 and the group 0.
func writeTar(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range sorted(entries) {
		err := t.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: at,
		})
		if err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}

// writeZip writes the entries, sorted, as a ZIP.
func writeZip(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range sorted(entries) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}
