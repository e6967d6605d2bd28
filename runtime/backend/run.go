package backend

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	maxStdout = 1 << 20
	maxStderr = 16 << 10
	// grace is the time between the request to end and the kill, and for grandchildren to close our pipes.
	grace = 500 * time.Millisecond
)

// run runs a program in an empty directory, with only these vars, and returns the reply that read parses. It calls read
// even if the program fails. When ctx is done, it ends the process group (on Windows, the program). explained means
// that the reply has a failure's reason. argv[0] is absolute.
func (e Env) run(ctx context.Context, argv, vars []string, stdin string, read func(printed []byte) (reply judge.Reply, explained bool)) judge.Reply {
	// Claude Code reads CLAUDE.md and settings from the working directory upwards, so it gets an empty one.
	dir, err := os.MkdirTemp(e.Temp, "springfield-judge-")
	if err != nil {
		return failedReply(judge.Crashed, "no temporary directory: "+err.Error())
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stdout, stderr := &bounded{limit: maxStdout, full: cancel}, &bounded{limit: maxStderr, full: func() {}}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, vars
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return termGroup(cmd.Process) }
	cmd.WaitDelay = grace
	runtime.LockOSThread() // Linux kills the program when this thread ends
	err = cmd.Run()
	runtime.UnlockOSThread()
	name := filepath.Base(argv[0])
	if cmd.Process == nil {
		return failedReply(judge.Crashed, "cannot start "+name+": "+err.Error())
	}
	killGroup(cmd.Process)

	printed, over := stdout.written()
	if over {
		return failedReply(judge.Junk, name+" printed more than 1 MB")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // only a grandchild was still running
	}
	reply, explained := read(printed)
	if err == nil && reply.Failed == "" || explained {
		return reply
	}
	complaint, _ := stderr.written()
	line, _, _ := strings.Cut(strings.TrimSpace(string(complaint)), "\n")
	return withoutAnswer(ctx, reply, name, err, line)
}

// withoutAnswer makes reply a failure, keeping the cost. complaint is the program's error message. If err is nil,
// reply's own failure is kept.
func withoutAnswer(ctx context.Context, reply judge.Reply, name string, err error, complaint string) judge.Reply {
	reply.Continue, reply.Why = false, ""
	if complaint = judge.OneLine(complaint, 200); err == nil {
		reply.Detail = strings.TrimSuffix(reply.Detail+"; it says: "+complaint, "; it says: ")
		return reply
	}
	reply.Failed, reply.Detail = judge.Crashed, name+" ended with "+err.Error()+": "+cmp.Or(complaint, "it says nothing")
	if ctx.Err() != nil {
		reply.Failed, reply.Detail = judge.TimedOut, "ended before the answer came"
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		reply.Detail = "no answer before the deadline"
	}
	return reply
}

// bounded keeps the first limit bytes written. If there are more, it calls full and drops them.
type bounded struct {
	limit int
	full  func()

	mu   sync.Mutex // grandchildren might still write when the program has ended
	data []byte
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.limit - len(b.data)
	if b.over = b.over || len(p) > room; b.over {
		b.full()
	}
	b.data = append(b.data, p[:min(len(p), room)]...)
	return len(p), nil
}

func (b *bounded) written() (data []byte, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data, b.over
}
