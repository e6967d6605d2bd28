package terminal

import (
	"syscall"
	"unsafe"
)

const processQueryLimited = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION

// lookUp finds a process, without arguments, environment or session.
func lookUp(id int, _ bool) (process, error) {
	all, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return process{}, err
	}
	defer syscall.CloseHandle(all)
	entry := syscall.ProcessEntry32{Size: uint32(unsafe.Sizeof(syscall.ProcessEntry32{}))}
	for err = syscall.Process32First(all, &entry); err == nil; err = syscall.Process32Next(all, &entry) {
		if int(entry.ProcessID) == id {
			name := syscall.UTF16ToString(entry.ExeFile[:])
			return process{id: id, parent: int(entry.ParentProcessID), name: name, born: birthOf(id)}, nil
		}
	}
	return process{}, err
}

// birthOf returns when a process began, in Unix nanoseconds (0 if unknown).
func birthOf(id int) int64 {
	handle, err := syscall.OpenProcess(processQueryLimited, false, uint32(id))
	if err != nil {
		return 0
	}
	defer syscall.CloseHandle(handle)
	var begin, end, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(handle, &begin, &end, &kernel, &user) != nil {
		return 0
	}
	return begin.Nanoseconds()
}
