// This file makes the image: an OCI layout (image-spec 1.1), built without a daemon.

package dist

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageUser is nobody that a system knows.
const imageUser = "65532:65532"

// makeImage makes one image for the targets on linux, as a directory and as a tar of
// that.
func (r *release) makeImage() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	some := false
	for _, b := range r.built {
		if b.target.OS != "linux" {
			continue
		}
		some = true
		image, err := r.platformImage(b)
		if err != nil {
			return fmt.Errorf("cannot make the image for %s: %w", b.target, withoutPath(err))
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.target.OS, Architecture: b.target.Arch}},
		})
	}
	if !some {
		return nil
	}
	index = mutate.Annotations(index, r.labels()).(v1.ImageIndex)
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	r.image = digest.String()
	dir := filepath.Join(r.out.dir, imageName)
	if err := writeLayout(dir, index, r.About.tag()); err != nil {
		return fmt.Errorf("cannot write %s: %w", imageName, withoutPath(err))
	}
	entries, err := layoutEntries(dir)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", imageName, withoutPath(err))
	}
	_, err = r.out.write(r.name(imageName)+".tar", func(w io.Writer) error { return writeTar(w, entries, r.time()) })
	return err
}

// labels are what the image says of itself (image-spec 1.1, "Annotations").
func (r *release) labels() map[string]string {
	const opencontainers = "org.opencontainers.image."
	labels := map[string]string{
		opencontainers + "title":       r.About.Title,
		opencontainers + "description": r.About.Description,
		opencontainers + "version":     r.About.Version,
		opencontainers + "authors":     r.About.Author,
		opencontainers + "licenses":    r.About.License,
		opencontainers + "source":      r.About.Repository,
		opencontainers + "revision":    r.About.Revision,
		reverseDNS + ".catalog.digest": r.Catalog.Digest,
		// By this the MCP registry knows that the image is the server's.
		"io.modelcontextprotocol.server.name": r.About.Name,
	}
	if !r.Time.IsZero() {
		labels[opencontainers+"created"] = r.time().Format(time.RFC3339)
	}
	for name, value := range labels {
		if value == "" {
			delete(labels, name)
		}
	}
	return labels
}

// platformImage returns the image of one program: it alone, which serves over stdio
// unless it gets arguments.
func (r *release) platformImage(b *built) (v1.Image, error) {
	program, err := b.read()
	if err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if err := writeTar(&content, []entry{{b.file, 0o755, program}}, r.time()); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil }
	layer, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: r.time()}
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: b.target.OS, Architecture: b.target.Arch, Created: created,
		Config: v1.Config{
			User: imageUser, WorkingDir: "/", Entrypoint: []string{"/" + b.file}, Labels: r.labels(),
		},
		RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: created, CreatedBy: "promptc package"}})
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(image, r.labels()).(v1.Image), nil
}

// writeLayout writes an image layout that holds the index under a tag, with modes that
// do not depend on the umask.
func writeLayout(dir string, index v1.ImageIndex, tag string) error {
	l, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	err = l.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": tag}))
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

// layoutEntries returns the files of a layout.
func layoutEntries(dir string) ([]entry, error) {
	var entries []entry
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, path)
		entries = append(entries, entry{path, 0o644, data})
		return err
	})
	return entries, err
}
