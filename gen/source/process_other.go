//go:build !unix

// This file leaves the ending of git to the package os/exec, where there are no process
// groups as on Unix. What git started ends when its pipes close.

package source

import "os/exec"

func inGroup(*exec.Cmd) {}

func isQuota(error) bool { return false }
