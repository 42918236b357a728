// This file holds what the program knows of how it was built.

package promptd

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// A build is what the go command recorded of the program's.
type build struct {
	// Version is the module's.
	Version string `json:"version"`
	// Revision is the commit that the program was built at, and Modified whether
	// files were changed since. It is empty where the build had no version control.
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// What promptc package has the linker say of a release, since the go command records
// nothing of version control in a build that is to be the same everywhere.
var releaseVersion, releaseRevision string

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version()}
	if releaseVersion != "" {
		b.Version = releaseVersion
		b.Revision, b.Modified = strings.CutSuffix(releaseRevision, "-dirty")
		return b
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
