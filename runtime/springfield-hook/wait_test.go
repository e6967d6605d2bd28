//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// waitsForInput tells whether a started hook has come to reading its event.
// Where the system does not say, half a second has to do.
func waitsForInput(pid int) bool {
	if runtime.GOOS != "linux" {
		time.Sleep(500 * time.Millisecond)
		return true
	}
	call := map[string]string{"amd64": "0 0x0 ", "arm64": "63 0x0 "}[runtime.GOARCH] // read(0, …
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, task := range tasks {
		current, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/syscall", pid, task.Name()))
		if call != "" && strings.HasPrefix(string(current), call) {
			return true
		}
	}
	return false
}
