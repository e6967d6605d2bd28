package terminal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxEnviron bounds what is read of a process, in bytes.
const maxEnviron = 4 << 20

// lookUp asks /proc about a process.
func lookUp(id int) (process, error) {
	dir := filepath.Join("/proc", strconv.Itoa(id))
	stat, err := readProc(dir, "stat")
	if err != nil {
		return process{}, err
	}
	// 12 (a name (with anything)) S parent group session terminal
	begin, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if begin < 0 || end < begin {
		return process{}, errors.New("read " + dir + ": not what was expected")
	}
	fields := strings.Fields(stat[end+1:])
	if len(fields) < 5 {
		return process{}, errors.New("read " + dir + ": not what was expected")
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	device := uint32(number(4))
	major := device >> 8 & 0xfff
	p := process{
		id: id, parent: number(1), session: number(3), terminal: device != 0, pseudo: major >= 136 && major <= 143,
		name: stat[begin+1 : end],
	}
	if p.session == 0 { // of another namespace
		p.session = -1
	}
	p.program, _ = os.Readlink(filepath.Join(dir, "exe"))
	p.program = strings.TrimSuffix(p.program, " (deleted)") // by an update
	args, _ := readProc(dir, "cmdline")
	p.args = strings.Split(args, "\x00")
	environ, err := readProc(dir, "environ")
	p.environ, p.closed = strings.Split(environ, "\x00"), err != nil
	return p, nil
}

func readProc(dir, name string) (string, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	return string(b), err
}
