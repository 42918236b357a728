// This file tests what of the settings of the go command is heard.

package dist

import (
	"strings"
	"testing"
)

func TestModuleFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"": "",
		"-mod=vendor -race -tags=x -ldflags=-X=a.b=c -buildvcs=true": "-mod=vendor",
		"--mod=mod -modfile=other.mod -modcacherw -trimpath=false":   "--mod=mod -modfile=other.mod -modcacherw",
		"-modinfo=x -overlay=x -gcflags=-N -toolexec=x -pgo=off":     "",
	} {
		if got := moduleFlags(flags); got != want {
			t.Errorf("of %q there is left %q, want %q", flags, got, want)
		}
	}
}

// What the user sets for the machine does not count, and where modules are does.
func TestSettings(t *testing.T) {
	for name, value := range map[string]string{
		"GOAMD64": "v3", "GOEXPERIMENT": "arenas", "CGO_ENABLED": "1", "GOOS": "plan9",
		"GOPROXY": "https://proxy.example", "GOPRIVATE": "example.com/x", "GOFLAGS": "-mod=mod -race",
	} {
		t.Setenv(name, value)
	}
	environment, err := settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	effective := map[string]string{}
	for _, v := range withTarget(environment, Target{"linux", "arm64"}) {
		name, value, _ := strings.Cut(v, "=")
		effective[name] = value
	}
	for name, want := range map[string]string{
		"GOAMD64": "v1", "GOARM64": "v8.0", "GOEXPERIMENT": "", "CGO_ENABLED": "0", "GOOS": "linux", "GOARCH": "arm64", "GOWORK": "off", "GOENV": "off",
		"GOPROXY": "https://proxy.example", "GOPRIVATE": "example.com/x", "GOFLAGS": "-mod=mod",
	} {
		if effective[name] != want {
			t.Errorf("%s is %q, want %q", name, effective[name], want)
		}
	}
}
