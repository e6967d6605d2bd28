package claude

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// Process is the file sessions/PID.json in the configuration directory of Claude Code 2.1.330. The file of a
// killed process remains.
type Process struct {
	ID      int
	Session string
	Cwd     string
	Kind    string // interactive, or another
	Begun   string // on Linux, the start time in /proc/PID/stat
	Domain  string
	Version string
	Status  string // busy, idle, waiting, shell: idle with a shell in the background, or on Linux stopped, as by Ctrl-Z
	Waits   string
	Since   int64 // of the status, Unix milliseconds
}

func (p *Process) Members(m *codec.Coder) {
	codec.Number(m, "pid", &p.ID)
	m.Text("sessionId", &p.Session)
	m.Text("cwd", &p.Cwd)
	m.Text("kind", &p.Kind)
	m.Text("procStart", &p.Begun)
	m.Text("pidDomain", &p.Domain)
	m.Text("version", &p.Version)
	m.Text("status", &p.Status)
	m.Text("waitingFor", &p.Waits)
	codec.Number(m, "statusUpdatedAt", &p.Since)
}

const (
	mostFiles      = 2000
	maxProcessFile = 64 << 10 // bytes
)

func RunningProcesses(configDir string) (all []Process) {
	dir, err := os.Open(filepath.Join(configDir, "sessions"))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(mostFiles)
	for _, name := range names {
		number, isFile := strings.CutSuffix(name, ".json")
		id, err := strconv.Atoi(number)
		if !isFile || err != nil {
			continue
		}
		if p, ok := FindProcess(configDir, id); ok {
			all = append(all, p)
		}
	}
	return all
}

// FindProcess returns this Claude Code process. ok is false unless it is running and has a session.
func FindProcess(configDir string, pid int) (p Process, ok bool) {
	data, err := file.ReadRegular(filepath.Join(configDir, "sessions", strconv.Itoa(pid)+".json"), maxProcessFile)
	return p, err == nil && pid > 0 && codec.ReadObject(data, &p) == nil && p.Session != "" && p.ID == pid && p.checkRunning()
}

// checkRunning reports whether this process exists. On Linux it detects reused IDs, returns false for a different
// container, and sets a stopped process's p.Status.
func (p *Process) checkRunning() bool {
	if runtime.GOOS != "linux" {
		return isFound(p.ID)
	}
	own, _ := os.Readlink("/proc/self/ns/pid")
	if p.Domain != "" && own != "" && !strings.HasSuffix(p.Domain, own) {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(p.ID) + "/stat") // its size is 0 to others
	if err != nil {
		return false
	}
	// The name is in brackets and can contain blanks. The start time is the 20th word after it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) > 0 && fields[0] == "T" {
		p.Status = "stopped"
	}
	return p.Begun == "" || len(fields) > 19 && fields[19] == p.Begun
}

func isFound(pid int) bool {
	found, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" {
		_ = found.Release()
		return true
	}
	err = found.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, fs.ErrPermission)
}
