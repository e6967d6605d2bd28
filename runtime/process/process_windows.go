package process

import (
	"os"
	"syscall"
)

const searchPath = `C:\Windows\System32;C:\Windows`

// separateGroup returns the attributes of a program without a window.
func separateGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{HideWindow: true} }

const (
	processTerminate = 0x0001
	processSetQuota  = 0x0100
)

// groupEnder returns a function that kills a program, and, if it could be added to a job, children started after this
// call.
func groupEnder(p *os.Process) (end func()) {
	kernel := syscall.NewLazyDLL("kernel32.dll")
	job, _, _ := kernel.NewProc("CreateJobObjectW").Call(0, 0)
	process, err := syscall.OpenProcess(processTerminate|processSetQuota, false, uint32(p.Pid))
	if job == 0 || err != nil {
		return func() { _ = p.Kill() }
	}
	in, _, _ := kernel.NewProc("AssignProcessToJobObject").Call(job, uintptr(process))
	_ = syscall.CloseHandle(process)
	if in == 0 {
		return func() { _ = p.Kill() }
	}
	return func() { kernel.NewProc("TerminateJobObject").Call(job, 1) }
}
