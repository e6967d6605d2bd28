package process

import (
	"os"
	"syscall"
)

const searchPath = `C:\Windows\System32;C:\Windows`

// separateGroup keeps a window from opening.
func separateGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{HideWindow: true} }

const (
	processTerminate = 0x0001
	processSetQuota  = 0x0100
)

// groupEnder is how to end a program and what it started: a job holds them all.
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
