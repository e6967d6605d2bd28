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

// AwaitEnd waits for a process to end, and fails the test and kills it where it does not in time.
func AwaitEnd(t testing.TB, pid int, what string, patience time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(patience); IsAlive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%s is still there", what)
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
	}
}

// IsAlive tells whether a process runs: one that is dead and not yet buried does not. Where the system does not say
// that, its burial counts.
func IsAlive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err != nil || !strings.HasPrefix(state, "Z")
}
