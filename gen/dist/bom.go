// This file makes the bill of materials (CycloneDX 1.6).

package dist

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/seed33527553/promptc/catalog"
)

// property starts the names of what the format has no place for.
const property = "promptc:"

// catalogRef is how components refer to the catalog.
const catalogRef = "catalog"

// billOfMaterials makes the bill: the program, what it is built of, and what was
// compiled into it.
func (r *release) billOfMaterials() error {
	program := r.programComponent()
	modules := r.modules()
	content := r.content()
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: program}
	if !r.Time.IsZero() {
		bom.Metadata.Timestamp = r.time().Format(time.RFC3339)
	}
	components := slices.Concat(modules, content)
	bom.Components = &components
	bom.Dependencies = r.dependencies(program, modules, content)
	// The serial number is that of this text, and so the same whenever it is made.
	unnumbered, err := encoded(bom)
	if err != nil {
		return err
	}
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, unnumbered).URN()
	text, err := encoded(bom)
	if err != nil {
		return err
	}
	_, err = r.out.write(r.name()+".cdx.json", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}

func encoded(bom *cyclonedx.BOM) ([]byte, error) {
	var b bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return b.Bytes(), err
}

func (r *release) programComponent() *cyclonedx.Component {
	c := &cyclonedx.Component{
		BOMRef: "program", Type: cyclonedx.ComponentTypeApplication,
		Name: r.Program.Name, Version: r.About.Version, Description: r.About.Description,
		PackageURL: packageURL(r.Program.Module, "v"+r.About.Version, strings.TrimPrefix(strings.TrimPrefix(r.Program.Path, r.Program.Module), "/")),
		Properties: properties("catalog:name", r.Catalog.Name, "catalog:version", r.Catalog.Version,
			"catalog:digest", r.Catalog.Digest, "catalog:seal", r.Catalog.Seal),
	}
	if r.About.Author != "" {
		c.Authors = &[]cyclonedx.OrganizationalContact{{Name: r.About.Author}}
	}
	if r.About.License != "" {
		c.Licenses = &cyclonedx.Licenses{{Expression: r.About.License}}
	}
	if r.About.Repository != "" {
		c.ExternalReferences = &[]cyclonedx.ExternalReference{{Type: cyclonedx.ERTypeVCS, URL: r.About.Repository}}
	}
	if r.About.Revision != "" {
		c.Pedigree = &cyclonedx.Pedigree{Commits: &[]cyclonedx.Commit{{UID: r.About.Revision}}}
	}
	return c
}

// properties returns the properties of names and values, without those that are empty.
func properties(pairs ...string) *[]cyclonedx.Property {
	var all []cyclonedx.Property
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			all = append(all, cyclonedx.Property{Name: property + pairs[i], Value: pairs[i+1]})
		}
	}
	if all == nil {
		return nil
	}
	return &all
}

// packageURL returns the package URL of a Go module, or of a package in it.
func packageURL(name, version, below string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	address := "pkg:golang/" + strings.Join(segments, "/")
	if version != "" {
		address += "@" + url.PathEscape(version)
	}
	if below != "" {
		address += "#" + below
	}
	return address
}

// modules returns what the programs are built of, sorted: Go's library, and the modules
// that one of them at least has in it.
func (r *release) modules() []cyclonedx.Component {
	sums := r.Program.sums()
	found := map[string]cyclonedx.Component{}
	for _, b := range r.built {
		version := strings.TrimPrefix(b.info.GoVersion, "go")
		c := cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, Name: "std", Version: version, PackageURL: packageURL("std", version, ""),
		}
		c.BOMRef = c.PackageURL
		found[c.BOMRef] = c
		for _, m := range b.info.Deps {
			c := moduleComponent(m, sums)
			found[c.BOMRef] = c
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b cyclonedx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
}

// moduleComponent returns a module. Its hash is that of the module's files that go.sum
// holds as "h1:".
func moduleComponent(m *debug.Module, sums map[module.Version]string) cyclonedx.Component {
	c := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary}
	switch {
	case m.Replace == nil:
	case modfile.IsDirectoryPath(m.Replace.Path):
		// The path is this machine's.
		c.Properties = properties("replaced-by", "a directory")
	default:
		c.Properties = properties("replaces", m.Path)
		m = m.Replace
	}
	c.Name, c.Version = m.Path, m.Version
	c.PackageURL = packageURL(m.Path, m.Version, "")
	c.BOMRef = c.PackageURL
	// A program that was built of vendored modules does not know their sums.
	sum := cmp.Or(m.Sum, sums[module.Version{Path: m.Path, Version: m.Version}])
	if encoded, ok := strings.CutPrefix(sum, "h1:"); ok {
		if sum, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			c.Hashes = hashes(hex.EncodeToString(sum))
		}
	}
	return c
}

func hashes(digest string) *[]cyclonedx.Hash {
	return &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: digest}}
}

// content returns the catalog and what is in it: the sources, the prompts and the skills
// with their files, and the other documents.
func (r *release) content() []cyclonedx.Component {
	c := r.Catalog
	components := []cyclonedx.Component{{
		BOMRef: catalogRef, Type: cyclonedx.ComponentTypeData,
		Name: cmp.Or(c.Name, "catalog"), Version: c.Version, Description: c.Description,
		Hashes: hashes(c.Digest), Properties: properties("kind", "catalog", "seal", c.Seal),
	}}
	for i := range c.Sources {
		components = append(components, sourceComponent(&c.Sources[i]))
	}
	for _, p := range c.Prompts {
		components = append(components, cyclonedx.Component{
			BOMRef: promptRef(p.ID), Type: cyclonedx.ComponentTypeData,
			Name: p.ID, Version: p.Version, Description: p.Description,
			Hashes:     hashes(p.Document.Digest),
			Properties: properties("kind", "prompt", "path", p.Document.Path, "source", p.Source),
		})
	}
	parts := map[*catalog.Document]bool{} // of what has a component already
	for _, p := range c.Prompts {
		parts[p.Document] = true
	}
	for _, s := range c.Skills {
		components = append(components, skillComponent(s))
		for _, d := range s.Files {
			parts[d] = true
		}
	}
	for _, d := range c.Documents {
		if !parts[d] {
			components = append(components, fileComponent(d))
		}
	}
	return components
}

func promptRef(id string) string { return "prompt:" + id }
func skillRef(id string) string  { return "skill:" + id }
func sourceRef(id string) string { return "source:" + id }

// sourceComponent returns a source: its repository, and the commit that was compiled.
func sourceComponent(s *catalog.Source) cyclonedx.Component {
	c := cyclonedx.Component{
		BOMRef: sourceRef(s.Name), Type: cyclonedx.ComponentTypeData,
		Name: s.Name, Version: s.Commit, Hashes: hashes(s.Digest),
		Pedigree:   &cyclonedx.Pedigree{Commits: &[]cyclonedx.Commit{{UID: s.Commit}}},
		Properties: properties("kind", "source", "repository", s.Repository, "branch", s.Branch, "path", s.Path),
	}
	// An address such as git@host:path is none of the format's.
	if _, err := url.Parse(s.Repository); err == nil {
		c.ExternalReferences = &[]cyclonedx.ExternalReference{{Type: cyclonedx.ERTypeVCS, URL: s.Repository}}
	}
	return c
}

// skillComponent returns a skill with its files.
func skillComponent(s *catalog.Skill) cyclonedx.Component {
	c := cyclonedx.Component{
		BOMRef: skillRef(s.ID), Type: cyclonedx.ComponentTypeData,
		Name: s.ID, Version: s.Version, Description: s.Description,
		Hashes:     hashes(s.Digest),
		Properties: properties("kind", "skill", "path", strings.TrimSuffix(s.Document.Path, "/SKILL.md"), "source", s.Source),
	}
	if licence := skillLicence(s); licence != "" {
		c.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{Name: licence}}}
	}
	files := make([]cyclonedx.Component, len(s.Files))
	for i, d := range s.Files {
		files[i] = fileComponent(d)
	}
	c.Components = &files
	return c
}

// skillLicence returns what the frontmatter of a skill says of its licence.
func skillLicence(s *catalog.Skill) string {
	var entry struct{ Frontmatter map[string]any }
	if json.Unmarshal([]byte(s.Entry), &entry) != nil {
		return ""
	}
	licence, _ := entry.Frontmatter["license"].(string)
	return strings.Join(strings.Fields(licence), " ")
}

func fileComponent(d *catalog.Document) cyclonedx.Component {
	return cyclonedx.Component{
		BOMRef: "file:" + d.Path, Type: cyclonedx.ComponentTypeFile,
		Name: d.Path, MIMEType: d.MIMEType, Hashes: hashes(d.Digest),
	}
}

// dependencies tells what is made of what.
func (r *release) dependencies(program *cyclonedx.Component, modules, content []cyclonedx.Component) *[]cyclonedx.Dependency {
	of := func(ref string, on []string) cyclonedx.Dependency {
		d := cyclonedx.Dependency{Ref: ref}
		if len(on) > 0 {
			d.Dependencies = &on
		}
		return d
	}
	refs := func(components []cyclonedx.Component) []string {
		var refs []string
		for _, c := range components {
			refs = append(refs, c.BOMRef)
		}
		return refs
	}
	all := []cyclonedx.Dependency{
		of(program.BOMRef, append(refs(modules), catalogRef)),
		of(catalogRef, refs(content[1:])),
	}
	for _, p := range r.Catalog.Prompts {
		if p.Source != "" {
			all = append(all, of(promptRef(p.ID), []string{sourceRef(p.Source)}))
		}
	}
	for _, s := range r.Catalog.Skills {
		var on []string
		for _, id := range s.DependsOn {
			on = append(on, skillRef(id))
		}
		if s.Source != "" {
			on = append(on, sourceRef(s.Source))
		}
		if len(on) > 0 {
			all = append(all, of(skillRef(s.ID), on))
		}
	}
	return &all
}
