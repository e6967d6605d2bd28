package terminal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestConfirm(t *testing.T) {
	for typed, want := range map[string]error{
		"y\n":                             nil,
		" YES \r\n":                       nil,
		"n\n":                             ErrCancelled,
		"\ny\n":                           ErrCancelled, // Enter is no
		"yy\n":                            ErrCancelled,
		"":                                ErrCancelled,
		"y":                               ErrCancelled, // no Enter
		"\x1a\r\n":                        ErrCancelled, // Ctrl-Z of Windows
		strings.Repeat("y", 1<<20) + "\n": ErrCancelled,
	} {
		var out bytes.Buffer
		scratch.ErrorIs(t, askToConfirm(strings.NewReader(typed), &out, "Really?"), want, typed)
		scratch.Equal(t, strings.Count(out.String(), "Really? [y/N] "), 1, typed, "asked", "times")
	}
	broken := errors.New("gone")
	scratch.Equal(t, askToConfirm(io.MultiReader(strings.NewReader("x"), failing{broken}), io.Discard, ""), broken,
		"a terminal that is gone")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
