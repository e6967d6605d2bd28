// Package terminal asks a person at the terminal that controls this process.
//
// Agents start their commands and hooks in a session without a controlling terminal, so
// a question here does not reach them. One that they make themselves is known by the
// parents of this process. It is no wall: a program with the user's rights can have
// another one start a terminal, or type into the user's own.
package terminal

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
)

// ErrNone says that no terminal controls this process.
var ErrNone = errors.New("this command has no controlling terminal")

// ErrCancelled says that the person did not agree: they said no, pressed Ctrl-C, or
// ended the input.
var ErrCancelled = errors.New("cancelled")

// maxLine bounds what is kept of a line, in bytes.
const maxLine = 64

// Terminal is the one that controls this process. Standard input, output and
// error have no say: anything can be put in their place.
type Terminal struct {
	Name   string   // like /dev/pts/3; /dev/tty or CONIN$ where the system does not tell
	Screen *os.File // where it shows questions
	in     *os.File
}

// Close gives the terminal back.
func (t *Terminal) Close() {
	t.in.Close()
	if t.Screen != t.in {
		t.Screen.Close()
	}
}

// TerminalName is the name of the controlling terminal, "" if there is none.
func TerminalName() string {
	t, err := openTerminal()
	if err != nil {
		return ""
	}
	defer t.Close()
	return t.Name
}

// Confirm shows a question on the terminal and returns nil once the person has
// answered yes there. Cancel ends the wait; nil never does.
func (t *Terminal) Confirm(question string, cancel <-chan struct{}) error {
	answer := make(chan error, 1)
	go func() { answer <- askToConfirm(t.in, t.Screen, display.PlainText(question)) }() // a read from a terminal does not end otherwise
	select {
	case err := <-answer:
		return err
	case <-cancel:
		io.WriteString(t.Screen, "\n")
		return ErrCancelled
	}
}

// askToConfirm asks once. A terminal that another program has left in raw mode hands over
// single keys, Ctrl-C and Ctrl-D among them.
func askToConfirm(in io.Reader, out io.Writer, question string) error {
	if _, err := io.WriteString(out, question+" [y/N] "); err != nil {
		return err
	}
	r := bufio.NewReader(in)
	var line []byte
	for {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF || b == 0x03 || b == 0x04 || b == 0x1a:
			io.WriteString(out, "\n")
			return ErrCancelled
		case err != nil:
			return err
		case b == '\n' || b == '\r':
			switch strings.ToLower(strings.TrimSpace(string(line))) {
			case "y", "yes":
				return nil
			}
			return ErrCancelled
		case len(line) < maxLine:
			line = append(line, b)
		}
	}
}
