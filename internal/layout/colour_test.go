package layout

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/display"
)

func TestColours(t *testing.T) {
	c := NewColours()
	text := "- " + c.Style(display.Bad, "two words") + ", " + c.Style(display.Good, "é") + "\n"
	for _, to := range []struct {
		coloured bool
		want     string
	}{
		{true, "- \x1b[31mtwo\x1b[0m \x1b[31mwords\x1b[0m, \x1b[32mé\x1b[0m\n"},
		{false, "- two words, é\n"},
	} {
		var b bytes.Buffer
		w := c.Writer(&b, to.coloured)
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil || b.String() != to.want {
			t.Errorf("%q, %d, %v", b.String(), n, err)
		}
	}
	var none *Colours
	if none.Style(display.Bad, "x") != "x" {
		t.Error("no colours style")
	}
	if Width(text) != Width("- two words, é\n") || display.Line(text[:len(text)-1]) != text[:len(text)-1] {
		t.Error("a mark takes columns, or is no text")
	}
}

// A style whose end was cut off ends with its line.
func TestClippedStyleEnds(t *testing.T) {
	c := NewColours()
	var b bytes.Buffer
	for _, piece := range []string{Clip(c.Style(display.Warn, "abcdef"), 4), " x\n", "y\n"} {
		c.Writer(&b, true).Write([]byte(piece))
	}
	b.Reset()
	c.Writer(&b, true).Write([]byte(Clip(c.Style(display.Warn, "abcdef"), 4) + " x\ny\n"))
	if want := "\x1b[33mabc… x\x1b[0m\ny\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// Lines and columns are the same with marks as without.
func TestMarkedTextIsLaidOutAsPlain(t *testing.T) {
	c := NewColours()
	for _, width := range []int{10, 20, 40, 80} {
		var plain, marked, shown bytes.Buffer
		for out, style := range map[*bytes.Buffer]func(display.Style, string) string{&plain: func(_ display.Style, s string) string { return s }, &marked: c.Style} {
			p := Printer{W: out, Width: width, Wraps: true}
			p.Fold("  é ", "one %s four five", style(display.Bad, "two three"))
			p.Say("    a  b  %s", style(display.Strong, strings.Repeat("word ", 9)))
			p.Item("- ", style(display.Faint, "a b")+" c d e f g h i j")
			p.Table("  ", [][]string{{"x", style(display.Good, "continue"), "because of many words"}, {"longer", "stop", style(display.Warn, "y z")}})
		}
		c.Writer(&shown, false).Write(marked.Bytes())
		if shown.String() != plain.String() {
			t.Errorf("at %d:\n%s\nplain\n%s", width, shown.String(), plain.String())
		}
	}
}

// Whatever others wrote, and in whichever pieces it is written, no escape sequence comes
// out but those of the words that were styled; without these, what display writes.
func FuzzColours(f *testing.F) {
	f.Add("\x1b[31mred\u009b2J\ufe00\ufe01\ufe0f", uint8(1))
	f.Add("plain\nand \u202e more", uint8(3))
	f.Add(strings.Repeat("\ufe00", 60), uint8(5))
	f.Add(NewColours().Style(display.Bad, "of another run"), uint8(7))
	f.Fuzz(func(t *testing.T, text string, piece uint8) {
		c := NewColours()
		whole := text + c.Style(display.Good, "x") + text + "\n"
		var want, got, plain bytes.Buffer
		clean := display.Writer(&want)
		for _, part := range []string{text, "x", text + "\n"} {
			clean.Write([]byte(part))
		}
		for out, coloured := range map[*bytes.Buffer]bool{&got: true, &plain: false} {
			w := c.Writer(out, coloured)
			for part := range slices.Chunk([]byte(whole), int(piece)+1) {
				if _, err := w.Write(part); err != nil {
					t.Fatal(err)
				}
			}
		}
		if plain.String() != want.String() {
			t.Errorf("%q became %q, want %q", text, plain.String(), want.String())
		}
		if strings.Count(got.String(), "\x1b") != 2 || strings.NewReplacer("\x1b[32m", "", reset, "").Replace(got.String()) != want.String() {
			t.Errorf("%q became %q", text, got.String())
		}
	})
}
