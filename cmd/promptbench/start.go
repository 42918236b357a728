// This file measures the start of servers: how long it takes to the first answer,
// and what memory they hold then.

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A server is a program whose start is measured.
type server struct {
	program string
	// empty tells that it has no prompts, and answers that there is none.
	empty bool
}

// A started is what starts of one program came to, one element each.
type started struct {
	milliseconds []float64
	// resident is the memory that is resident, in MB, own what of it is the
	// process's own. The rest are pages of the program's file, which the kernel
	// shares, maps by the dozen and can drop.
	resident, own []float64
}

// starts starts each server that many times, in turns, and asks it for a prompt.
func starts(ctx context.Context, servers []server, times int) ([]started, error) {
	all := make([]started, len(servers))
	// The first turn fetches the programs from the disk and is not counted.
	for turn := range times + 1 {
		for i, s := range servers {
			took, status, err := s.start(ctx)
			if err != nil {
				return nil, fmt.Errorf("start %s: %w", s.program, err)
			}
			if turn > 0 {
				all[i].milliseconds = append(all[i].milliseconds, float64(took.Nanoseconds())/1e6)
				all[i].resident = append(all[i].resident, megabytes(status, "VmRSS"))
				all[i].own = append(all[i].own, megabytes(status, "RssAnon"))
			}
		}
	}
	return all, nil
}

// start starts a server on stdio, sends initialize and prompts/get, and returns how
// long it took until both were answered, and what /proc tells of the process then.
func (s server) start(ctx context.Context) (took time.Duration, status string, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, "", err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, "", err
	}
	requests := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"promptbench","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"` + promptID(0) + `","arguments":` + arguments(0) + `}}
`
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	defer func() {
		stdin.Close()
		cancelled := time.AfterFunc(10*time.Second, cancel)
		defer cancelled.Stop()
		if waited := cmd.Wait(); err == nil {
			err = waited
		}
	}()
	if _, err := stdin.Write([]byte(requests)); err != nil {
		return 0, "", err
	}
	answers := bufio.NewReader(stdout)
	for range 2 {
		answer, err := answers.ReadBytes('\n')
		if err != nil {
			return 0, "", err
		}
		if took = time.Since(begin); !s.empty && !bytes.Contains(answer, []byte(`"result":`)) {
			return 0, "", fmt.Errorf("it answers %s", answer)
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	return took, string(text), err
}

// megabytes returns a size from the status of a process, NaN where it is not there.
func megabytes(status, name string) float64 {
	_, after, _ := strings.Cut(status, "\n"+name+":")
	line, _, _ := strings.Cut(after, "\n")
	kilobytes, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(line), " kB"))
	if err != nil {
		return math.NaN()
	}
	return float64(kilobytes) * 1024 / 1e6
}
