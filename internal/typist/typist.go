//go:build unix

// Package typist is a person at a terminal, for tests: it runs a program on a
// pseudo-terminal, reads the letters that are shown there and types.
package typist

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

var shown = regexp.MustCompile(`type ([a-z]+) and`)

// Types answers a question: what is typed at the n-th prompt, from 0, where these
// letters are shown.
type Types func(code string, n int) (keys string)

// Code types the letters.
func Code(code string, _ int) string { return code + "\n" }

// Run runs a command in a session of its own, which a pseudo-terminal controls, and
// returns what that shows and its name. Standard input, output and error are the
// command's own.
func Run(cmd *exec.Cmd, types Types) (screen, name string, err error) {
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
		for n := 0; ; {
			got, err := ptm.Read(buf)
			said.Write(buf[:got])
			if err != nil {
				done <- said.String()
				return
			}
			for code := shown.FindStringSubmatch(said.String()); code != nil && strings.Count(said.String(), "\n> ") > n; n++ {
				ptm.WriteString(types(code[1], n))
			}
		}
	}()
	err = cmd.Wait()
	pts.Close() // the last: the other side has read all, and ends
	screen = <-done
	ptm.Close()
	return screen, name, err
}
