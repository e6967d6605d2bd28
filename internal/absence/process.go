package absence

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/cameronsjo/springfield/runtime/file"
)

// process is Claude Code's file about a process: sessions/PID.json in its configuration directory, as of
// 2.1.330. A killed process leaves its file.
type process struct {
	PID      int    `json:"pid"`
	Session  string `json:"sessionId"`
	Cwd      string `json:"cwd"`
	Begun    string `json:"procStart"` // on Linux, the start time in /proc/PID/stat
	Domain   string `json:"pidDomain"`
	Version  string `json:"version"`
	Status   string `json:"status"` // busy, idle, waiting, or shell: idle with a shell in the background
	Waits    string `json:"waitingFor"`
	StatusAt int64  `json:"statusUpdatedAt"`
}

const mostProcesses = 500

// runningProcesses returns the running processes of Claude Code, by session.
func runningProcesses(config string) map[string]process {
	all := map[string]process{}
	names, _ := filepath.Glob(filepath.Join(config, "sessions", "*.json"))
	for _, name := range names[:min(len(names), mostProcesses)] {
		var p process
		data, err := file.ReadRegular(name, 64<<10)
		if err != nil || json.Unmarshal(data, &p) != nil || p.Session == "" || p.PID <= 0 || !p.isRunning() {
			continue
		}
		if p.StatusAt >= all[p.Session].StatusAt {
			all[p.Session] = p
		}
	}
	return all
}

// isRunning reports whether the process runs, false for one in another container.
func (p process) isRunning() bool {
	running, err := os.FindProcess(p.PID)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" {
		_ = running.Release()
		return true
	}
	if err := running.Signal(syscall.Signal(0)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return false
	}
	if runtime.GOOS != "linux" {
		return true
	}
	own, _ := os.Readlink("/proc/self/ns/pid")
	if p.Domain != "" && own != "" && !strings.HasSuffix(p.Domain, own) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/stat")
	if err != nil {
		return false
	}
	// The program's name, in brackets, may have blanks. The 20th word after it is the start time.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return p.Begun == "" || len(fields) > 19 && fields[19] == p.Begun
}

// sleepNote returns a warning if the machine may go to sleep. supplies is Linux's directory of power supplies,
// settings the output of macOS's pmset.
func sleepNote(supplies, settings string) string {
	const because = ": while it sleeps, no agent works"
	online, battery := false, false
	names, _ := filepath.Glob(filepath.Join(supplies, "*", "type"))
	for _, name := range names {
		kind, _ := file.ReadBeginning(name, 0, 64)
		on, _ := file.ReadBeginning(filepath.Join(filepath.Dir(name), "online"), 0, 8)
		battery = battery || strings.TrimSpace(string(kind)) == "Battery"
		online = online || strings.TrimSpace(string(on)) == "1"
	}
	if battery && !online {
		return "the machine is on battery and may go to sleep" + because
	}
	for line := range strings.Lines(settings) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "sleep" {
			if minutes, err := strconv.Atoi(words[1]); err == nil && minutes > 0 && !strings.Contains(line, "prevented") {
				return "the machine goes to sleep after " + words[1] + " min without use" + because + "; caffeinate -i keeps it awake"
			}
		}
	}
	return ""
}
