package terminal

import (
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const tiocgdev = 0x80045432 // returns the device of /dev/tty

// terminalNameOf returns the path of the terminal f, such as /dev/pts/3 even if f is /dev/tty. It returns false if f is
// not a terminal.
func terminalNameOf(f *os.File) (string, bool) {
	var device uint32
	if _, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), tiocgdev, uintptr(unsafe.Pointer(&device))); failed != 0 {
		return "", false
	}
	major, minor := device>>8&0xfff, device&0xff|device>>12&0xfff00
	if major >= 136 && major <= 143 {
		return "/dev/pts/" + strconv.Itoa(int(major-136)<<8|int(minor)), true
	}
	if major == 4 && minor < 64 {
		return "/dev/tty" + strconv.Itoa(int(minor)), true
	}
	return f.Name(), true
}
