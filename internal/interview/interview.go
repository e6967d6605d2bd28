// Package interview asks a person: one question at a time, again while the answer is
// refused. On a terminal that can, by survey; else line by line. Questions go to standard
// error, results have standard output for themselves.
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

// ErrCancelled is Ctrl-C, the end of input, or a no to the last question.
var ErrCancelled = errors.New("cancelled")

// Option is something to choose: its value, a few words beside it, and sentences about
// it: on a terminal the key ? shows them.
type Option struct{ Value, Label, Help string }

// Asker asks one question at a time, again while check refuses the answer. Ctrl-C is
// ErrCancelled.
type Asker interface {
	// Note says something before a question.
	Note(text string)
	Many(question string, options []Option, chosen []string, check func([]string) error) ([]string, error)
	One(question string, options []Option, chosen string) (string, error)
	Text(question, preset string, check func(string) error) (string, error)
	Confirm(question string) (bool, error)
}

// Terminal is where a person is.
type Terminal struct {
	In     *os.File
	Screen *os.File  // for what moves the cursor
	Out    io.Writer // by package display: what others wrote can be printed as it is
	Color  bool
	Plain  bool // ask line by line, without moving the cursor
	// Hint is what to do about an error, "" if that is plain.
	Hint func(error) string
}

// NewAsker asks there.
func (t Terminal) NewAsker(ctx context.Context) Asker {
	if !t.Plain {
		return newSurvey(ctx, t)
	}
	lines := make(chan string)
	go func() { // because Ctrl-C does not end a read
		defer close(lines)
		for s := bufio.NewScanner(t.In); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return onLines{t, ctx, lines}
}

// widthOf is how many columns a line may take.
func (t Terminal) widthOf() int {
	if width, _, err := term.GetSize(int(t.Screen.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// Note says something, broken between words.
func (t Terminal) Note(text string) {
	for line := range strings.Lines(text) {
		for _, part := range layout.HangText("", "", line, t.widthOf()-1) {
			fmt.Fprintln(t.Out, part)
		}
	}
}

// problem is what is wrong with an answer, and what to do, on one line.
func (t Terminal) problem(err error) string {
	if hint := t.Hint(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}
