// This file checks catalog.yaml.

package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed33527553/promptc/catalog"
	"github.com/seed33527553/promptc/gen/diag"
	"github.com/seed33527553/promptc/gen/parse"
)

// A settings is what becomes of a catalog.yaml.
type settings struct {
	faults diag.List
	// catalog has the settings of the catalog that have no faults, and nothing else.
	catalog catalog.Catalog
	// sources are those that have no faults.
	sources []Source
}

// checkSettings checks a catalog.yaml.
func checkSettings(file *parse.File) *settings {
	c := &settings{faults: slices.Clone(file.Diagnostics)}
	if file.Front != nil {
		c.check(file)
	}
	return c
}

func (c *settings) check(file *parse.File) {
	top := fields{faults: &c.faults, value: file.Front, rule: "catalog-block", what: SettingsFile}
	names := []string{"name", "title", "version", "description", "instructions", "prefix", "cache"}
	before := len(c.faults)
	top.known("catalog", "sources")
	for i := before; i < len(c.faults); i++ {
		if key := c.faults[i].Span.Text(); slices.Contains(names, key) {
			c.faults[i].Help = "write it below \"catalog:\", indented"
		}
	}
	c.checkSources(top)
	block := file.Front.Get("catalog")
	if block == nil {
		if len(file.Front.Entries) == 0 {
			c.faults.Add(file.Source.Top(), "catalog-block", SettingsFile+" has no mapping \"catalog\"", "write the settings below a key \"catalog:\", or remove the file")
		}
		return
	}
	if block.Kind != parse.Mapping {
		wrongType(&c.faults, "catalog must be a mapping", "catalog", block, parse.Mapping)
		return
	}
	f := fields{faults: &c.faults, value: block, rule: "catalog-block", what: "the catalog block"}
	before = len(c.faults)
	f.known(names...)
	for i := before; i < len(c.faults); i++ {
		if c.faults[i].Span.Text() == "sources" {
			c.faults[i].Help = "write it beside \"catalog:\", not indented"
		}
	}
	cat := &c.catalog
	c.sound(func() {
		if name, v := f.text("name"); v != nil {
			cat.Name = strings.TrimSpace(name)
			f.sized("name", "catalog-block", v, catalog.MaxTitle)
		}
	})
	c.sound(func() { cat.Title = f.line("title", catalog.MaxTitle) })
	c.sound(func() { cat.Description = f.line("description", catalog.MaxDescription) })
	c.sound(func() { cat.Version = f.optionalVersion() })
	c.sound(func() {
		if s, v := f.text("instructions"); v != nil {
			cat.Instructions = strings.TrimSpace(s)
		}
	})
	c.sound(func() {
		if s, v := f.text("prefix"); v != nil {
			if cat.Prefix = s; s == "" || !catalog.IsPrefix(s) {
				help := "write ids, each followed by a slash, such as support/; at most 64 characters in all"
				if catalog.IsPrefix(s + "/") {
					help = "end it with a slash: " + s + "/"
				}
				c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("%q is not a prefix", s), help)
			}
		}
	})
	c.sound(func() { c.cache(f) })
}

// sound calls set, and takes back what it set if it found a fault.
func (c *settings) sound(set func()) {
	before, faults := c.catalog, len(c.faults)
	if set(); len(c.faults) > faults {
		c.catalog = before
	}
}

// cache checks the cache hint.
func (c *settings) cache(f fields) {
	block := f.typed("cache", parse.Mapping)
	if block == nil {
		return
	}
	cf := fields{faults: f.faults, value: block, rule: "catalog-block", what: "cache"}
	cf.known("scope", "ttl")
	if s, v := cf.text("scope"); v != nil {
		if c.catalog.Cache.Scope = s; s != "public" && s != "private" {
			c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("the scope %q is neither public nor private", s), didYouMean(s, []string{"public", "private"}, "write public or private"))
		}
	}
	if v := block.Get("ttl"); v != nil && v.Kind != parse.Text {
		c.faults.Add(v.Span, "yaml-type", "ttl must be a duration; YAML reads "+v.Kind.String(), "write a number with its unit, such as 24h, 30m or 90s")
	} else if v != nil {
		ttl, err := time.ParseDuration(v.Text)
		if err != nil || ttl < 0 {
			c.faults.Add(v.Span, "catalog-block", fmt.Sprintf("%q is not a duration", v.Text), "write a number with its unit, such as 24h, 30m or 90s")
		}
		c.catalog.Cache.TTL = ttl
	}
}
