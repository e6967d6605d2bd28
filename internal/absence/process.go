package absence

// Claude Code says of each of its processes which session it has and what that does now:
// sessions/PID.json in its configuration directory, seen on 2.1.330. A process that was
// killed leaves its file behind, so the system is asked whether it is there.

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

// process is what such a file says.
type process struct {
	PID      int    `json:"pid"`
	Session  string `json:"sessionId"`
	Cwd      string `json:"cwd"`
	Begun    string `json:"procStart"` // of the process, as Linux counts
	Domain   string `json:"pidDomain"`
	Version  string `json:"version"`
	Status   string `json:"status"` // busy, idle or waiting
	Waits    string `json:"waitingFor"`
	StatusAt int64  `json:"statusUpdatedAt"`
}

// mostProcesses bounds how many files are read.
const mostProcesses = 500

// processesIn are the processes of Claude Code that are there, by session. config is its
// configuration directory.
func processesIn(config string) map[string]process {
	all := map[string]process{}
	names, _ := filepath.Glob(filepath.Join(config, "sessions", "*.json"))
	for _, name := range names[:min(len(names), mostProcesses)] {
		var p process
		data, err := file.ReadRegular(name, 64<<10)
		if err != nil || json.Unmarshal(data, &p) != nil || p.Session == "" || p.PID <= 0 || !p.isThere() {
			continue
		}
		if p.StatusAt >= all[p.Session].StatusAt {
			all[p.Session] = p
		}
	}
	return all
}

// isThere tells whether the process runs. That of another container cannot be seen from here.
func (p process) isThere() bool {
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
	// The name of the program, in brackets, may have blanks; the 20th word behind it is the start.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return p.Begun == "" || len(fields) > 19 && fields[19] == p.Begun
}

// sleepNote says what is known of the machine going to sleep, "" for nothing. supplies is where
// Linux lists what feeds it; battery answers for macOS.
func sleepNote(supplies string, settings string) string {
	const what = ": while it sleeps, no agent works"
	online, battery := false, false
	names, _ := filepath.Glob(filepath.Join(supplies, "*", "type"))
	for _, name := range names {
		kind, _ := file.ReadBeginning(name, 0, 64)
		on, _ := file.ReadBeginning(filepath.Join(filepath.Dir(name), "online"), 0, 8)
		battery = battery || strings.TrimSpace(string(kind)) == "Battery"
		online = online || strings.TrimSpace(string(on)) == "1"
	}
	if battery && !online {
		return "the machine is on battery and may go to sleep" + what
	}
	for line := range strings.Lines(settings) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "sleep" {
			if minutes, err := strconv.Atoi(words[1]); err == nil && minutes > 0 && !strings.Contains(line, "prevented") {
				return "the machine goes to sleep after " + words[1] + " min without use" + what + "; caffeinate -i keeps it awake"
			}
		}
	}
	return ""
}
