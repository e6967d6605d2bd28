package terminal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"syscall"
	"unsafe"
)

// Names of sysctl, and offsets in struct kinfo_proc of <sys/sysctl.h>.
const (
	ctlKern      = 1
	kernProc     = 14
	kernProcPID  = 1
	kernProcArgs = 49 // KERN_PROCARGS2

	sizeOfInfo = 648
	atName     = 243
	atParent   = 560
	atDevice   = 572

	maxArgs = 1 << 20 // ARG_MAX
)

// lookUp finds a process and always reads the environment. If the environment cannot be read, it sets closed and
// returns no error.
func lookUp(id int, _ bool) (process, error) {
	info, err := askKernel(make([]byte, sizeOfInfo), ctlKern, kernProc, kernProcPID, int32(id))
	if err != nil {
		return process{}, err
	}
	if len(info) < sizeOfInfo {
		return process{}, syscall.ESRCH
	}
	number := func(at int) int { return int(int32(binary.LittleEndian.Uint32(info[at:]))) }
	name, _, _ := bytes.Cut(info[atName:atName+17], []byte{0})
	p := process{id: id, parent: number(atParent), terminal: number(atDevice) != -1, name: string(name)}
	p.pseudo = p.terminal
	if p.session, err = syscall.Getsid(id); err != nil || p.session == 0 {
		p.session = -1
	}
	words, err := askKernel(make([]byte, maxArgs), ctlKern, kernProcArgs, int32(id))
	if p.closed = err != nil || len(words) < 4; p.closed {
		return p, nil
	}
	// The count of arguments, the program, zeros, the arguments, the variables.
	count := int(binary.LittleEndian.Uint32(words))
	program, rest, _ := strings.Cut(string(words[4:]), "\x00")
	all := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	count = min(max(count, 0), len(all))
	p.program, p.args, p.environ = program, all[:count], all[count:]
	return p, nil
}

func askKernel(into []byte, mib ...int32) ([]byte, error) {
	size := uintptr(len(into))
	_, _, failed := syscall.Syscall6(syscall.SYS___SYSCTL, uintptr(unsafe.Pointer(&mib[0])), uintptr(len(mib)),
		uintptr(unsafe.Pointer(&into[0])), uintptr(unsafe.Pointer(&size)), 0, 0)
	if failed != 0 {
		return nil, failed
	}
	if size > uintptr(len(into)) {
		return nil, errors.New("too long")
	}
	return into[:size], nil
}
