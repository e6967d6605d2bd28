package display_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/scratch"
	. "github.com/cameronsjo/springfield/runtime/display"
)

// IsShown agrees with Unicode: control, format and ignorable characters are not shown.
func TestShowsAgreesWithUnicode(t *testing.T) {
	// Format characters that have a shape, as Arabic numbers are written with.
	shaped := []rune{0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x890, 0x891, 0x8e2, 0x110bd, 0x110cd}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		format := unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
		scratch.ErrorIf(t, format && !slices.Contains(shaped, r) && IsShown(r), "U+%04X is shown", r)
		if !format && unicode.IsGraphic(r) && !IsShown(r) && !(unicode.Is(unicode.Variation_Selector, r) && !(r >= 0xfe00 && r <= 0xfe0f)) {
			t.Errorf("U+%04X is not shown", r)
		}
	}
}

func TestLineAndText(t *testing.T) {
	for in, want := range map[string]struct{ line, text string }{
		"plain é 日本 ⚠️ 👍":                 {"plain é 日本 ⚠️ 👍", "plain é 日本 ⚠️ 👍"},
		"two\nlines\tand a tab\r\n":       {"two lines and a tab  ", "two\nlines\tand a tab\n"},
		"\x1b[31mred\x1b[0m\x07\u009b2J":  {"[31mred[0m2J", "[31mred[0m2J"},
		"\u202etxt\u2066\u200f\u061c":     {"txt", "txt"},
		"a\u2028b\u2029c\u0085d":          {"a b c d", "a b c d"},
		"a\u200b\u2060\ufeff\u00adb":      {"ab", "ab"},
		"tag\U000e0041\U000e007f\u3164":   {"tag", "tag"},
		"می\u200cخواهم 👨\u200d👧":          {"میخواهم 👨👧", "می\u200cخواهم 👨\u200d👧"},
		"not UTF-8: \xff\x9b2J":           {"not UTF-8: ��2J", "not UTF-8: ��2J"},
		"a signature of a number: \u06dd": {"a signature of a number: \u06dd", "a signature of a number: \u06dd"},
	} {
		scratch.Equal(t, OneLine(in), want.line, "Line", in)
		scratch.Equal(t, DropInvisible(in), want.text, "Text", in)
	}
}

func TestWriterEscapes(t *testing.T) {
	var b bytes.Buffer
	if _, err := (&SafeWriter{To: &b}).Write([]byte("a\n\tb\r\n\x1b[2J\u202e\u009b\U000e0041\x7f \xff é")); err != nil {
		t.Fatal(err)
	}
	if want := "a\n\tb\\u000d\n\\u001b[2J\\u202e\\u009b\\udb40\\udc41\\u007f � é"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriterTellsThatNothingWasWritten(t *testing.T) {
	if n, err := (&SafeWriter{To: full{}}).Write([]byte("a")); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A terminal shows all that a Writer writes, in whichever pieces, and JSON keeps its value.
func FuzzWriter(f *testing.F) {
	f.Add("plain", uint8(3))
	f.Add("\u202e\u009b\U000e0041\\\u2028\"\x1b[2J\xff\xe2\x80", uint8(1))
	f.Add("\\u202e\\\\\u202e\r\n\x00\x7f\ufeff", uint8(2))
	f.Fuzz(func(t *testing.T, text string, piece uint8) {
		encoded, err := json.Marshal([]string{text})
		scratch.Must(t, err)
		var value []string
		if err := json.Unmarshal(written(t, string(encoded), int(piece)), &value); err != nil || value[0] != strings.ToValidUTF8(text, "�") && utf8.ValidString(text) {
			t.Errorf("%q became %q, %v", text, value, err)
		}
		if out := written(t, text, int(piece)); !bytes.Equal(out, written(t, text, len(text))) {
			t.Errorf("%q in pieces of %d is %q", text, piece, out)
		}
		for _, s := range []string{OneLine(text), strings.NewReplacer("\n", "", "\t", "", "\u200c", "", "\u200d", "").Replace(DropInvisible(text))} {
			if strings.ContainsFunc(s, hidden) || !utf8.ValidString(s) {
				t.Errorf("%q is left of %q", s, text)
			}
		}
	})
}

func hidden(r rune) bool { return !IsShown(r) }

// written is the output of a Writer that gets a text in pieces of n bytes.
func written(t *testing.T, text string, n int) []byte {
	var b bytes.Buffer
	w := &SafeWriter{To: &b}
	for piece := range slices.Chunk([]byte(text), max(n, 1)) {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if s := strings.NewReplacer("\n", "", "\t", "").Replace(b.String()); strings.ContainsFunc(s, hidden) || !utf8.ValidString(s) {
		t.Errorf("%q was written of %q", s, text)
	}
	return b.Bytes()
}
