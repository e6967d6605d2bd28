//go:build faults

package journal

// SPRINGFIELD_FAULT is the fault to inject: "7:kill" kills the process before the seventh step, "7:ENOSPC" and "7:EIO"
// let that step fail, "7+:EIO" all from the seventh on. SPRINGFIELD_STEPS names a file that gets a line for each step.

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

var (
	atStep fault = injectFault
	steps  atomic.Int64
)

func injectFault(label string) error {
	n := steps.Add(1)
	if list := os.Getenv("SPRINGFIELD_STEPS"); list != "" {
		f, err := os.OpenFile(list, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(f, "%d %s\n", n, label)
		_ = f.Close()
	}
	at, fault, _ := strings.Cut(os.Getenv("SPRINGFIELD_FAULT"), ":")
	at, stays := strings.CutSuffix(at, "+")
	first, err := strconv.ParseInt(at, 10, 64)
	if err != nil || n < first || n > first && !stays {
		return nil
	}
	switch fault {
	case "kill":
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(err)
		}
		select {}
	case "ENOSPC":
		return syscall.ENOSPC
	case "EIO":
		return syscall.EIO
	}
	panic("no such fault: " + fault)
}
