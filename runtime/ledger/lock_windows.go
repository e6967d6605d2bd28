package ledger

import (
	"os"
	"syscall"
	"unsafe"
)

const (
	lockfileFailImmediately = 1
	lockfileExclusiveLock   = 2
	errorLockViolation      = syscall.Errno(33)
	errorIOPending          = syscall.Errno(997)
)

// tryLock locks the file unless another process, or this one with the file opened again, has locked it.
func tryLock(f *os.File) (bool, error) {
	lockFileEx := syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")
	at := syscall.Overlapped{OffsetHigh: 0x7fffffff}
	ok, _, err := lockFileEx.Call(f.Fd(), lockfileExclusiveLock|lockfileFailImmediately, 0, 1, 0,
		uintptr(unsafe.Pointer(&at)))
	if ok != 0 {
		return true, nil
	}
	if err == errorLockViolation || err == errorIOPending {
		return false, nil
	}
	return false, err
}

const movefileReplaceExisting = 1

func renameOver(from, to string) error {
	a, err := syscall.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	b, err := syscall.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	moveFileEx := syscall.NewLazyDLL("kernel32.dll").NewProc("MoveFileExW")
	ok, _, err := moveFileEx.Call(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b)), movefileReplaceExisting)
	if ok != 0 {
		return nil
	}
	return err
}
