// Package terminal asks a person at the controlling terminal of this process.
//
// Agents start commands and hooks without a terminal, so no question reaches them. A terminal that an agent
// makes is recognised by this process's ancestors. This is no security boundary: a program with the user's
// rights can type into the user's terminal.
package terminal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
)

var ErrNone = errors.New("this command has no controlling terminal")

// ErrCancelled means that the person refused, pressed Ctrl-C or ended the input.
var ErrCancelled = errors.New("cancelled")

const maxLine = 4096 // bytes, the most that a terminal passes on at once

// Terminal is the controlling terminal. The standard streams are not used, because anything can replace them.
type Terminal struct {
	Name   string // /dev/tty or CONIN$
	Screen *os.File
	in     *os.File
}

func (t *Terminal) Close() {
	t.in.Close()
	if t.Screen != t.in {
		t.Screen.Close()
	}
}

// TerminalName returns the controlling terminal's name, /dev/tty or CONIN$ ("" if none).
func TerminalName() string {
	t, err := openTerminal()
	if err != nil {
		return ""
	}
	defer t.Close()
	return t.Name
}

// Confirm asks the question with " [y/N] " and returns nil for yes, ErrCancelled for other answers or once cancel is
// closed. cancel can be nil.
func (t *Terminal) Confirm(question string, cancel <-chan struct{}) error {
	answer := make(chan error, 1)
	go func() { answer <- askToConfirm(t.in, t.Screen, display.DropInvisible(question)) }() // a read cannot be cancelled
	select {
	case err := <-answer:
		return err
	case <-cancel:
		io.WriteString(t.Screen, "\n")
		return ErrCancelled
	}
}

// askToConfirm asks the question with " [y/N] " once, and returns ErrCancelled unless answered yes.
func askToConfirm(in io.Reader, out io.Writer, question string) error {
	if _, err := io.WriteString(out, question+" [y/N] "); err != nil {
		return err
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxLine)).ReadString('\n')
	if err == io.EOF {
		io.WriteString(out, "\n")
		return ErrCancelled
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); err == nil && answer != "y" && answer != "yes" {
		return ErrCancelled
	}
	return err
}
