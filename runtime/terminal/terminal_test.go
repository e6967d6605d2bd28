package terminal

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestConfirm(t *testing.T) {
	for typed, want := range map[string]error{
		"kwrt\n":                            nil,
		" KWRT \r\n":                        nil,
		"\n\r\n\nkwrt\n":                    nil,
		"kwrx\nkwr\nkwrt\n":                 nil,
		"a\nb\nc\nkwrt\n":                   ErrMistyped,
		"k w r t\nkwrtkwrt\nxkwrt\n":        ErrMistyped,
		"":                                  ErrCancelled,
		"kwrt":                              ErrCancelled, // no Enter
		"\x03kwrt\n":                        ErrCancelled, // raw: Ctrl-C, Ctrl-D, and Ctrl-Z of Windows
		"kw\x04rt\n":                        ErrCancelled,
		"\x1a\r\n":                          ErrCancelled,
		strings.Repeat("x", 1<<20) + "\n":   ErrCancelled, // one try, and the end
		strings.Repeat("\n", 1<<16):         ErrCancelled,
		strings.Repeat("kwrt", 9999) + "\n": ErrCancelled,
	} {
		var out bytes.Buffer
		if err := confirm(strings.NewReader(typed), &out, "Really?", "kwrt"); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, want %v", typed, err, want)
		}
		if n := strings.Count(out.String(), "\n> "); n < 1 || n > tries {
			t.Errorf("%.40q: asked %d times", typed, n)
		}
	}
	broken := errors.New("gone")
	if err := confirm(io.MultiReader(strings.NewReader("x\n"), failing{broken}), io.Discard, "", "kwrt"); err != broken {
		t.Errorf("a terminal that is gone: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Codes differ, and nothing in them can be read as something else.
func TestCodes(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		code := newCode()
		seen[code] = true
		if len(code) != codeLength || strings.Trim(code, letters) != "" {
			t.Fatalf("code %q", code)
		}
	}
	if len(seen) < 900 { // of 65536
		t.Errorf("%d codes of 1000 differ", len(seen))
	}
	if strings.ContainsAny(letters, "ilouvqgaen015") {
		t.Errorf("letters %s", letters)
	}
}
