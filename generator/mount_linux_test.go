package generator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of the machine's own mounts, those with noexec start no program; the directory need not exist yet.
func TestCheckMount(t *testing.T) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	must(t, err)
	seen := 0
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line) // device, directory, type, options
		if len(fields) < 4 || fields[1] != "/proc" && fields[1] != "/sys" {
			continue
		}
		seen++
		noexec := strings.Contains(","+fields[3]+",", ",noexec,")
		if err := CheckMount(filepath.Join(fields[1], "no", "such")); errors.Is(err, ErrNoExec) != noexec {
			t.Errorf("%s: %v", strings.TrimSpace(line), err)
		}
	}
	if seen == 0 {
		t.Error("neither /proc nor /sys is mounted")
	}
	if hint := HowToStart(ErrNoExec, ""); !strings.Contains(hint, "XDG_DATA_HOME") {
		t.Error(hint)
	}
}
