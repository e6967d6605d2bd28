// Package interview asks a person: one question at a time, again while the answer is
// refused. On a terminal that can, by survey; else line by line. Questions go to standard
// error, results have standard output for themselves.
package interview

import (
	"context"
	"errors"
	"io"
	"os"
)

// ErrCancelled is Ctrl-C, the end of input, or a no to the last question.
var ErrCancelled = errors.New("cancelled")

// Option is something to choose, with a line about it.
type Option struct{ Value, Help string }

// Asker asks one question at a time, again while check refuses the answer. Ctrl-C is
// ErrCancelled.
type Asker interface {
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

// Asker asks there.
func (t Terminal) Asker(ctx context.Context) Asker {
	if t.Plain {
		return newLines(ctx, t)
	}
	return newSurvey(t)
}

// problem is what is wrong with an answer, and what to do, on one line.
func (t Terminal) problem(err error) string {
	if hint := t.Hint(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}
