// This file compares what came from other repositories with what was vendored of them,
// beside the content tree.

package promptd

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed33527553/promptc/catalog"
)

// vendorDir is the directory beside the content tree in which each source has one.
const vendorDir = "promptc.vendor"

// readVendored reads what was vendored of each source beside a content tree. A source
// that is not there has no entry.
func readVendored(dir string, sources []catalog.Source) (map[string]*tree, error) {
	vendored := map[string]*tree{}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		shown := path.Join(vendorDir, s.Name)
		root, err := openDirectory(filepath.Join(filepath.Dir(abs), vendorDir, s.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, cannotRead(shown, err)
		}
		t, err := readRoot(root, shown, func(p string) bool { return !isLicence(p) })
		root.Close()
		if err != nil {
			return nil, err
		}
		vendored[s.Name] = t
	}
	return vendored, nil
}

// isLicence tells whether a file of a vendored tree lies there for its terms and not
// for its content.
func isLicence(p string) bool {
	name := strings.ToLower(p)
	if path.Ext(name) == ".md" {
		return false
	}
	for _, start := range []string{"license", "licence", "copying", "notice"} {
		if rest, ok := strings.CutPrefix(name, start); ok && (rest == "" || rest[0] == '.' || rest[0] == '-') && !strings.Contains(rest, "/") {
			return true
		}
	}
	return false
}

// verifySource compares what the program holds of a source with what was vendored.
func verifySource(s *catalog.Source, held []*catalog.Document, v *tree) []finding {
	shown := path.Join(vendorDir, s.Name)
	if v == nil {
		return []finding{{Kind: "removed", Subject: shown}}
	}
	var findings []finding
	for _, f := range v.odd {
		f.Subject = path.Join(shown, f.Subject)
		findings = append(findings, f)
	}
	// What was compiled are the files that are held, as they are recorded, and those of
	// the others that are not new.
	compiled, others := maps.Clone(v.digests), maps.Clone(v.digests)
	for _, d := range held {
		at := origin(d)
		switch digest, ok := v.digests[at]; {
		case !ok:
			findings = append(findings, finding{Kind: "removed", Subject: place(d)})
		case digest != textDigest(d):
			findings = append(findings, finding{Kind: "changed", Subject: place(d)})
		}
		compiled[at] = d.Digest
		delete(others, at)
	}
	// Of files that are not held there is the digest of all together alone.
	without := func(new ...string) bool {
		list := maps.Clone(compiled)
		for _, p := range new {
			delete(list, p)
		}
		return digestOfFiles(list) == s.Digest
	}
	if without() || digestOfFiles(v.digests) == s.Digest {
		return findings
	}
	added := slices.Sorted(maps.Keys(others))
	if !without(added...) {
		one := slices.IndexFunc(added, func(p string) bool { return without(p) })
		if one < 0 {
			return append(findings, finding{Kind: "changed", Subject: shown, About: "files of which the program holds nothing are not those that were compiled"})
		}
		added = added[one : one+1]
	}
	for _, p := range added {
		findings = append(findings, finding{Kind: "added", Subject: path.Join(shown, p)})
	}
	return findings
}

// digestOfFiles is catalog.DigestOf for digests by path.
func digestOfFiles(digests map[string]string) string {
	var list []*catalog.Document
	for p, digest := range digests {
		list = append(list, &catalog.Document{Path: p, Digest: digest})
	}
	slices.SortFunc(list, func(a, b *catalog.Document) int { return cmp.Compare(a.Path, b.Path) })
	return catalog.DigestOf(list)
}
