//go:build unix

package hostile

// The meter: this test binary again, as the small parent of one process. A process that the test itself starts shows
// the memory of the test, which the kernel counts for it until it has become another program.

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
)

const (
	meterJob = "SPRINGFIELD_HOSTILE_JOB"

	// steps is how many seconds a processor may work on a decision. The dearest of
	// them, the first look at a log of a gigabyte, takes one.
	steps = 20

	nobody = 65534
)

type job struct {
	Path  string
	Args  [][]byte // with the program's own name
	Env   [][]byte
	Dir   string
	Stdin string // a file, "" for nothing
	Out   string // standard output goes to Out.1, standard error to Out.2
	User  int    // 0: as we are
}

type outcome struct {
	Code   int // -1: ended by Signal
	Signal string
	Peak   int64 // bytes of memory at most; never less than the meter's own
	Left   bool  // something that it started is still there
	Stdout string
	Stderr string
}

func meter(file string) int {
	var j job
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &j)
	}
	failed := func(err error) int {
		fmt.Fprintln(os.Stderr, "meter:", err)
		return 1
	}
	if err != nil {
		return failed(err)
	}
	cpu := syscall.Rlimit{Cur: steps, Max: steps + 1}
	core := syscall.Rlimit{}
	cmd := &exec.Cmd{Path: j.Path, Dir: j.Dir, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, Env: []string{}}
	for _, a := range j.Args {
		cmd.Args = append(cmd.Args, string(a))
	}
	for _, e := range j.Env {
		cmd.Env = append(cmd.Env, string(e))
	}
	if j.User != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(j.User), Gid: uint32(j.User)}
	}
	if j.Stdin != "" {
		stdin, err := os.OpenFile(j.Stdin, os.O_RDONLY, 0)
		if err != nil {
			return failed(err)
		}
		cmd.Stdin = stdin
	}
	stdout, err1 := os.Create(j.Out + ".1")
	stderr, err2 := os.Create(j.Out + ".2")
	err = errors.Join(err1, err2, syscall.Setrlimit(syscall.RLIMIT_CPU, &cpu), syscall.Setrlimit(syscall.RLIMIT_CORE, &core))
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return failed(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		return failed(err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	o := outcome{Code: cmd.ProcessState.ExitCode(), Peak: usage.Maxrss}
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		o.Signal = status.Signal().String()
	}
	if runtime.GOOS == "linux" {
		o.Peak *= 1024
	}
	o.Left = syscall.Kill(-cmd.Process.Pid, 0) == nil
	if o.Left {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		return 1
	}
	return 0
}

var jobs atomic.Int64

func run(t testing.TB, j job) outcome {
	t.Helper()
	name := filepath.Join(runDir, fmt.Sprintf("job-%d", jobs.Add(1)))
	j.Out = name
	data, err := json.Marshal(j)
	must(t, err)
	must(t, os.WriteFile(name, data, 0o600))
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = []string{meterJob + "=" + name}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the meter: %v, %s %q", err, j.Path, j.Args)
	}
	var o outcome
	must(t, json.Unmarshal(out, &o))
	for file, to := range map[string]*string{".1": &o.Stdout, ".2": &o.Stderr} {
		data, err := os.ReadFile(name + file)
		must(t, err)
		*to = string(data)
		os.Remove(name + file)
	}
	os.Remove(name)
	return o
}

// unprivileged is the user that hooks run as: root may do what an attack must be seen to be refused.
func unprivileged() int {
	if os.Getuid() == 0 {
		return nobody
	}
	return 0
}
