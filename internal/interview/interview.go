// Package interview asks a person questions, with survey or line by line. It prints to standard error,
// because standard output is for results.
package interview

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/layout"
)

// ErrCancelled is returned after Ctrl-C, the end of input, or a no to the last question.
var ErrCancelled = errors.New("cancelled")

// Option is an answer to choose. The key ? shows Help on a terminal.
type Option struct{ Value, Label, Help string }

// Asker asks a question, and asks again if check returns an error. It returns ErrCancelled on Ctrl-C.
type Asker interface {
	Note(text string)
	Many(question string, options []Option, chosen []string, check func([]string) error) ([]string, error)
	One(question string, options []Option, chosen string) (string, error)
	Text(question, preset string, check func(string) error) (string, error)
	Confirm(question string) (bool, error)
}

type Terminal struct {
	In     *os.File
	Screen *os.File  // for cursor movements
	Out    io.Writer // of package display, safe for foreign text
	Color  bool
	Plain  bool // ask line by line, without cursor movements
	// Hint returns the hint of an error, or "".
	Hint func(error) string
}

func (t Terminal) NewAsker(ctx context.Context) Asker {
	if !t.Plain {
		return newSurvey(ctx, t)
	}
	lines := make(chan string)
	go func() { // Ctrl-C does not interrupt a read
		defer close(lines)
		for s := bufio.NewScanner(t.In); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return onLines{t, ctx, lines}
}

func (t Terminal) widthOf() int {
	if width, _, err := term.GetSize(int(t.Screen.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

func (t Terminal) Note(text string) {
	for line := range strings.Lines(text) {
		for _, part := range layout.HangText("", "", line, t.widthOf()-1) {
			fmt.Fprintln(t.Out, part)
		}
	}
}

func (t Terminal) problem(err error) string {
	if hint := t.Hint(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}
