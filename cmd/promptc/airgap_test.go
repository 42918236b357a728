// This file builds, tests and runs everything from an archive of vendored source, where
// there is no network.

//go:build linux

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// airgapCommands are what is done with the source, in order.
var airgapCommands = [][]string{
	{"go", "run", "./cmd/promptc", "check"},
	{"go", "generate", "."},
	{"go", "build", "-trimpath", "-o", "bin/", "./cmd/promptc", "./cmd/promptd"},
	{"go", "test", "-short", "./..."},
	{"./bin/promptd", "verify", "content"},
	{"./bin/promptd", "render", "code-review", "-a", "language=Go", "-a", "code=package a"},
	{"./bin/promptc", "list"},
}

// TestAirgap is run by make airgap, for it takes minutes.
//
// The commands have nothing but the archive, the toolchain and what it has built
// before: no module cache, and where this user may make one a network namespace in which
// there is a loopback device and nothing else.
func TestAirgap(t *testing.T) {
	if os.Getenv("AIRGAP") == "" {
		t.Skip("make airgap runs this")
	}
	source := vendoredSource(t)
	// The thread is given up with the test, and its namespace with it.
	runtime.LockOSThread()
	if err := leaveNetwork(); err != nil {
		t.Logf("there are no network namespaces for this user (%v): settings keep the go command from the network", err)
	} else if conn, err := net.Dial("udp", "192.0.2.1:9"); err == nil {
		conn.Close()
		t.Fatal("there is a way out of the network namespace")
	}
	environment := append(os.Environ(), "AIRGAP=", "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=vendor", "GOTOOLCHAIN=local", "GOWORK=off",
		"GOMODCACHE="+filepath.Join(t.TempDir(), "empty"))
	before := stamps(t, source)
	for _, command := range airgapCommands {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = source, environment
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
		t.Logf("%s\n%s", strings.Join(command, " "), out)
		if command[1] == "generate" && stamps(t, source) != before {
			t.Error("generating again changed files")
		}
	}
}

// vendoredSource returns a directory with the content of a source archive: the files of
// this commit, as they are in the working tree, and the modules that they need.
func vendoredSource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run := func(in string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	packed, source := filepath.Join(dir, "packed"), filepath.Join(dir, "source")
	for _, d := range []string{packed, source} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run("../..", "sh", "-c", `git ls-files -z | tar -cf - --null -T - | tar -xf - -C "$0"`, packed)
	run(packed, "go", "mod", "vendor")
	run(packed, "tar", "-czf", filepath.Join(dir, "source.tar.gz"), ".")
	run(source, "tar", "-xzf", filepath.Join(dir, "source.tar.gz"))
	return source
}

// stamps returns the names and times of the files of catalog/baked.
func stamps(t *testing.T, source string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(source, "catalog", "baked"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(info.Name() + " " + info.ModTime().String() + "\n")
	}
	return b.String()
}

// leaveNetwork moves the thread to a network namespace of its own, and sets up its
// loopback device.
func leaveNetwork() error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
