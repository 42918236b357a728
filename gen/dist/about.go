// This file holds what About may say.

package dist

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// The form of a server's name (server.json, schema 2025-12-11, "name").
var serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

const (
	maxServerName = 200
	// maxListed is how many characters a title and a description may have in the MCP
	// registry.
	maxListed = 100
)

// check says what is wrong with what a release says of itself, in the words of the
// command line.
func (a *About) check(targets []Target) error {
	switch {
	case a.Version == "":
		return errors.New("the catalog has no version: add one to catalog.yaml, or say --version")
	case !semver.IsValid("v" + a.Version):
		return fmt.Errorf("the version %q is no Semantic Version, such as 1.2.0", a.Version)
	case a.Name != "" && (!serverName.MatchString(a.Name) || len(a.Name) > maxServerName):
		return fmt.Errorf("--name: %q is no name of the MCP registry, such as io.github.owner/name", a.Name)
	case a.Name == "" && a.listed():
		return errors.New("--download-url and --image are for the MCP registry, where the server needs a name: say --name")
	}
	for flag, text := range map[string]string{
		"title": a.Title, "description": a.Description, "author": a.Author, "license": a.License, "revision": a.Revision,
	} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
			return fmt.Errorf("--%s is not one line of text", flag)
		}
	}
	for flag, text := range map[string]string{"repository": a.Repository, "download-url": a.DownloadURL} {
		if text == "" {
			continue
		}
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("--%s is not the URL of a place on the web: it starts with https:// and holds no user, query or fragment", flag)
		}
	}
	if a.listed() {
		for flag, text := range map[string]string{"title": a.Title, "description": a.Description} {
			if n := utf8.RuneCountInString(text); n > maxListed {
				return fmt.Errorf("the %s has %d characters, and the MCP registry takes %d: say a shorter one with --%s", flag, n, maxListed, flag)
			}
		}
	}
	if a.Image != "" {
		if !slices.ContainsFunc(targets, func(t Target) bool { return t.OS == "linux" }) {
			return errors.New("--image: there is no image without a target on linux")
		}
		if _, err := name.NewRepository(a.Image); err != nil {
			return fmt.Errorf("--image: %q is no image without a tag, such as ghcr.io/owner/name", a.Image)
		}
	}
	return nil
}

// listed tells whether the release has an entry for the MCP registry.
func (a *About) listed() bool { return a.DownloadURL != "" || a.Image != "" }

// tag returns the version as a tag of an image, which holds no plus sign.
func (a *About) tag() string { return strings.ReplaceAll(a.Version, "+", "_") }
