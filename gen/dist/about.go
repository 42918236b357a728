// This file holds what About may say.

package dist

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/semver"
)

// The form of a server's name (server.json, schema 2025-12-11, "name").
var serverName = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

const maxServerName = 200

// check says what is wrong with what a release says of itself, in the words of the
// command line.
func (a *About) check() error {
	switch {
	case a.Version == "":
		return errors.New("the catalog has no version: add one to catalog.yaml, or say --version")
	case !semver.IsValid("v" + a.Version):
		return fmt.Errorf("the version %q is no Semantic Version, such as 1.2.0", a.Version)
	case a.Name != "" && (!serverName.MatchString(a.Name) || len(a.Name) > maxServerName):
		return fmt.Errorf("--name: %q is no name of the MCP registry, such as io.github.owner/name", a.Name)
	case a.Name == "" && (a.DownloadURL != "" || a.Image != ""):
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
	if a.Image != "" {
		if _, err := name.NewRepository(a.Image); err != nil {
			return fmt.Errorf("--image: %q is no image without a tag, such as ghcr.io/owner/name", a.Image)
		}
	}
	return nil
}

// tag returns the version as a tag of an image, which holds no plus sign.
func (a *About) tag() string { return strings.ReplaceAll(a.Version, "+", "_") }
