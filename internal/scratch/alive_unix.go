//go:build unix

package scratch

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// WaitOrKill waits for a process to end. After patience it kills it and fails the test.
func WaitOrKill(t testing.TB, pid int, what string, patience time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(patience); IsAlive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%s is still there", what)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

// IsAlive reports whether a process runs that we may signal.
func IsAlive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(state, "Z")
}
