package terminal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const maxEnviron = 4 << 20 // bytes

// lookUp finds a process, with its environment if environ is set. If that cannot be read, it sets closed and returns no
// error.
func lookUp(id int, environ bool) (process, error) {
	dir := filepath.Join("/proc", strconv.Itoa(id))
	stat, err := readProc(dir, "stat")
	if err != nil {
		return process{}, err
	}
	// 12 (a name (with anything)) S parent group session terminal
	begin, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	fields := strings.Fields(stat[end+1:])
	if begin < 0 || end < begin || len(fields) < 5 {
		return process{}, errors.New("read " + dir + ": not what was expected")
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	device := uint32(number(4))
	major := device >> 8 & 0xfff
	p := process{
		id: id, parent: number(1), session: number(3), terminal: device != 0, pseudo: major >= 136 && major <= 143,
		name: stat[begin+1 : end],
	}
	if p.session == 0 { // in another namespace
		p.session = -1
	}
	p.program, _ = os.Readlink(filepath.Join(dir, "exe"))
	p.program = strings.TrimSuffix(p.program, " (deleted)") // after an update
	args, _ := readProc(dir, "cmdline")
	p.args = strings.Split(args, "\x00")
	if environ {
		all, err := readProc(dir, "environ")
		p.environ, p.closed = strings.Split(all, "\x00"), err != nil
	}
	return p, nil
}

// readProc reads a file in pidDir, up to about maxEnviron bytes.
func readProc(pidDir, name string) (string, error) {
	fd, err := syscall.Open(pidDir+"/"+name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	var room [2048]byte
	all := room[:0]
	for len(all) < maxEnviron {
		all = slices.Grow(all, 1024)
		n, err := syscall.Read(fd, all[len(all):cap(all)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return string(all), err
		}
		all = all[:len(all)+n]
	}
	return string(all), nil
}
