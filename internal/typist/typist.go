//go:build unix

// Package typist is a person at a terminal, for tests: it runs a program on a
// pseudo-terminal, reads the question that is shown there and types.
package typist

import (
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

// AgreeToAll agrees to what is asked.
func AgreeToAll() string { return "y\n" }

// RunTyping runs a command in a session of its own, which a pseudo-terminal controls, and
// returns what that shows and its name. What is typed where a question is shown is
// asked for at each. Standard input, output and error are the command's own.
func RunTyping(cmd *exec.Cmd, types func() (keys string)) (screen, name string, err error) {
	ptm, pts, err := pty.Open()
	if err != nil {
		return "", "", err
	}
	name = pts.Name()
	cmd.ExtraFiles = append(cmd.ExtraFiles, pts)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2 + len(cmd.ExtraFiles)}
	err = cmd.Start()
	if err != nil {
		pts.Close()
		ptm.Close()
		return "", name, err
	}
	done := make(chan string)
	go func() {
		var said strings.Builder
		buf := make([]byte, 4096)
		for answered := 0; ; {
			got, err := ptm.Read(buf)
			said.Write(buf[:got])
			if err != nil {
				done <- said.String()
				return
			}
			for ; answered < strings.Count(said.String(), "[y/N] "); answered++ {
				ptm.WriteString(types())
			}
		}
	}()
	err = cmd.Wait()
	pts.Close() // the last: the other side has read all, and ends
	screen = <-done
	ptm.Close()
	return screen, name, err
}
