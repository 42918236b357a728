// This file compares what came from other repositories with what was vendored of them,
// beside the content tree.

package promptd

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
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
		root, err := os.OpenRoot(filepath.Join(filepath.Dir(abs), vendorDir, s.Name))
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

// owners returns the source of each file that came from one, by path: those of its
// prompts and skills, and the documents that only it has.
func owners(c *catalog.Catalog, t *tree) map[string]string {
	owners := map[string]string{}
	for _, p := range c.Prompts {
		if p.Source != "" {
			owners[p.Document.Path] = p.Source
		}
	}
	for _, s := range c.Skills {
		for _, d := range s.Files {
			if s.Source != "" {
				owners[d.Path] = s.Source
			}
		}
	}
	for _, d := range c.Documents {
		if top, _, _ := strings.Cut(d.Path, "/"); top == "prompts" || top == "skills" {
			if strings.Count(d.Path, "/") > 1 {
				continue
			}
		}
		if _, ok := t.digests[d.Path]; ok {
			continue
		}
		for _, s := range c.Sources {
			if v := t.vendored[s.Name]; v != nil && v.digests[d.Path] != "" {
				owners[d.Path] = s.Name
				break
			}
		}
	}
	return owners
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
	if digestOfFiles(v.digests) == s.Digest {
		// The files are those that were compiled; what the program holds of them must
		// be among them.
		known := map[string]bool{}
		for _, digest := range v.digests {
			known[digest] = true
		}
		for _, d := range held {
			if !known[textDigest(d)] {
				findings = append(findings, finding{Kind: "changed", Subject: path.Join(shown, vendoredPath(d, v)), About: "the program holds other text as " + d.Path})
			}
		}
		return findings
	}
	// Find what was done to the files, by what the program holds of them. Files of
	// which it holds nothing may have been left out, or be new.
	before := maps.Clone(v.digests)
	loose := maps.Clone(v.digests)
	for _, d := range held {
		at, digest := vendoredPath(d, v), textDigest(d)
		delete(loose, at)
		switch was, ok := v.digests[at]; {
		case !ok:
			// Where it lay is known if the digest says so.
			f := finding{Kind: "removed", Subject: shown, About: "what the program holds as " + d.Path}
			for _, at = range []string{at, d.Path} {
				tried := maps.Clone(before)
				tried[at] = digest
				if digestOfFiles(tried) == s.Digest {
					f = finding{Kind: "removed", Subject: path.Join(shown, at)}
					break
				}
			}
			findings = append(findings, f)
		case was != digest:
			findings = append(findings, finding{Kind: "changed", Subject: path.Join(shown, at)})
		}
		before[at] = digest
	}
	added := func(paths ...string) bool {
		without := maps.Clone(before)
		for _, p := range paths {
			delete(without, p)
		}
		if digestOfFiles(without) != s.Digest {
			return false
		}
		for _, p := range paths {
			findings = append(findings, finding{Kind: "added", Subject: path.Join(shown, p)})
		}
		return true
	}
	all := slices.Sorted(maps.Keys(loose))
	if added() || added(all...) || slices.ContainsFunc(all, func(p string) bool { return added(p) }) || len(findings) > 0 {
		return findings
	}
	return []finding{{Kind: "changed", Subject: shown, About: "its files are not those that were compiled"}}
}

// vendoredPath returns where in a vendored tree a file of the catalog lies: at its own
// path, or at that of another layout, by its content if the path does not tell.
func vendoredPath(d *catalog.Document, v *tree) string {
	at := d.Path
	if id, ok := strings.CutSuffix(strings.TrimPrefix(d.Path, "prompts/"), "/PROMPT.md"); ok {
		at = id + ".md"
	} else if rest, ok := strings.CutPrefix(d.Path, "skills/"); ok {
		at = rest
	}
	digest := textDigest(d)
	places := []string{d.Path, at}
	for _, p := range slices.Sorted(maps.Keys(v.digests)) {
		if v.digests[p] == digest {
			places = append(places, p)
		}
	}
	for _, p := range places {
		if v.digests[p] == digest {
			return p
		}
	}
	for _, p := range places {
		if _, ok := v.digests[p]; ok {
			return p
		}
	}
	return at
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
