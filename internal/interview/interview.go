// Package interview asks a person questions. It prints to standard error, because standard output is for results.
package interview

import (
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

type Terminal struct {
	In     *os.File
	Screen *os.File  // for cursor movements
	Out    io.Writer // of package display, safe for foreign text
	Color  bool
	// Hint returns the hint of an error, or "".
	Hint func(error) string
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

func (t Terminal) errorWithHint(err error) string {
	if hint := t.Hint(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}
