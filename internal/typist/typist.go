//go:build unix

// Package typist runs programs on a pseudo-terminal for tests and answers their questions.
package typist

import (
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

func AgreeToAll() string { return "y\n" }

// RunTyping runs a command in a new terminal, and returns the terminal's output. It types the result of types at each
// "[y/N] ". Standard streams are unchanged.
func RunTyping(cmd *exec.Cmd, types func() (keys string)) (screen string, err error) {
	ptm, pts, err := pty.Open()
	if err != nil {
		return "", err
	}
	cmd.ExtraFiles = append(cmd.ExtraFiles, pts)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 2 + len(cmd.ExtraFiles)}
	err = cmd.Start()
	if err != nil {
		pts.Close()
		ptm.Close()
		return "", err
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
	pts.Close() // ends the reader
	screen = <-done
	ptm.Close()
	return screen, err
}
