// Package terminal asks a person at the terminal that controls this process.
//
// Claude Code starts the commands of Claude, and its hooks, in a session without
// a controlling terminal, so a question here does not reach them. It is no wall:
// a program with the user's rights can make a pseudo-terminal of its own and
// read what is shown there.
package terminal

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// ErrNone says that no terminal controls this process.
var ErrNone = errors.New("no controlling terminal")

// ErrCancelled says that the person has cancelled: Ctrl-C, or the end of input.
var ErrCancelled = errors.New("cancelled")

// ErrMistyped says that the code was not typed.
var ErrMistyped = errors.New("the letters were not typed")

const (
	// letters has 16, none that looks like another, and no vowels, so that no code
	// is a word.
	letters    = "bcdfhjkmprstwxyz"
	codeLength = 4
	tries      = 3
	// maxLine bounds what is kept of a line, in bytes.
	maxLine = 64
)

// Terminal is the one that controls this process. Standard input, output and
// error have no say: anything can be put in their place.
type Terminal struct {
	Name    string // like /dev/pts/3; /dev/tty or CONIN$ where the system does not tell
	in, out *os.File
}

// Close gives the terminal back.
func (t *Terminal) Close() {
	t.in.Close()
	if t.out != t.in {
		t.out.Close()
	}
}

// Name is the name of the controlling terminal, "" if there is none.
func Name() string {
	t, err := Open()
	if err != nil {
		return ""
	}
	defer t.Close()
	return t.Name
}

// Confirm shows a question with a code, on the terminal alone, and returns nil
// once the person has typed the code. Cancel ends the wait; nil never does.
func (t *Terminal) Confirm(question string, cancel <-chan struct{}) error {
	answer := make(chan error, 1)
	go func() { answer <- confirm(t.in, t.out, question, newCode()) }() // a read from a terminal does not end otherwise
	select {
	case err := <-answer:
		return err
	case <-cancel:
		io.WriteString(t.out, "\n")
		return ErrCancelled
	}
}

func newCode() string {
	var code [codeLength]byte
	for i := range code {
		code[i] = letters[rand.IntN(len(letters))]
	}
	return string(code[:])
}

func confirm(in io.Reader, out io.Writer, question, code string) error {
	if _, err := io.WriteString(out, question+"\nTo do it, type "+code+" and Enter; Ctrl-C leaves it as it is.\n> "); err != nil {
		return err
	}
	r := bufio.NewReader(in)
	for left := tries - 1; ; left-- {
		line, err := readLine(r)
		if err != nil {
			io.WriteString(out, "\n")
			return err
		}
		if strings.EqualFold(line, code) {
			return nil
		}
		if left == 0 {
			return ErrMistyped
		}
		io.WriteString(out, "These letters do not match. Tries left: "+strconv.Itoa(left)+"\n> ")
	}
}

// readLine reads a line that has something on it. A terminal that another program
// has left in raw mode hands over single keys, Ctrl-C and Ctrl-D among them.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		b, err := r.ReadByte()
		switch {
		case err == io.EOF || b == 0x03 || b == 0x04 || b == 0x1a:
			return "", ErrCancelled
		case err != nil:
			return "", err
		case b == '\n' || b == '\r':
			if text := strings.TrimSpace(string(line)); text != "" {
				return text, nil
			}
			line = line[:0]
		case len(line) < maxLine:
			line = append(line, b)
		}
	}
}
