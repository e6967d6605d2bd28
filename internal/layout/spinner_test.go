package layout

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

func TestSpinner(t *testing.T) {
	var b bytes.Buffer
	s := NewSpinner(&b, func() int { return 20 })
	done := s.Start("compiling \x1b[2J everything")
	begun := s.begun
	s.draw(begun.Add(patience - 1))
	if b.Len() > 0 {
		t.Errorf("drew at once: %q", b.String())
	}
	s.draw(begun.Add(2 * time.Second))
	if got, want := b.String(), "\r\x1b[K⠙ compiling […  2 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	io.WriteString(s.Over(&b), "said\n")
	io.WriteString(s.Over(&b), "more\n")
	if got, want := b.String(), wipe+"said\nmore\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Start("a step")() // of what runs already
	s.draw(begun.Add(3 * time.Second))
	done()
	done()
	if got := b.String(); !strings.Contains(got, "a step  3 s") || !strings.HasSuffix(got, wipe) {
		t.Errorf("%q", got)
	}
	var none *Spinner
	none.Step("x")
	none.Start("x")()
	if none.Over(&b) != io.Writer(&b) {
		t.Error("no spinner writes over")
	}
}
