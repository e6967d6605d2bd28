//go:build unix

package hostile

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// springfield runs the CLI in a directory, with a home and a PATH of go and the
// system's own; vars come over that.
func springfield(home, work string, vars []string, args ...string) (string, error) {
	program, err := cli()
	if err != nil {
		return "", err
	}
	tool, err := goTool()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*watchdog)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = work
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(tool.Root, "bin") + ":/usr/bin:/bin", "HOME=" + home, "GOCACHE=" + tool.Cache,
		"XDG_CACHE_HOME=" + filepath.Join(runDir, "cache"), "TERM=dumb",
	}, vars...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if ctx.Err() != nil {
		err = os.ErrDeadlineExceeded
	}
	return out.String(), err
}
