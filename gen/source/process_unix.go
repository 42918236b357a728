//go:build unix

// This file ends git together with the programs that it started, on Unix.

package source

import (
	"errors"
	"os/exec"
	"syscall"
)

// isQuota tells whether the user, and not the disk, has no space left.
func isQuota(err error) bool { return errors.Is(err, syscall.EDQUOT) }

// inGroup puts a command that has not started into a process group of its own, all of
// which is killed where its context ends.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
