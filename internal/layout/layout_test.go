package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	got := Table([][]string{{"名前", "n", "says"}, {"ned", "10", ""}, {"é", "7", "x"}})
	if want := []string{"名前  n   says", "ned   10", "é     7   x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestHang(t *testing.T) {
	if got, want := Hang("- ", "  ", "日本 日本 日本 x", 9), []string{"- 日本", "  日本", "  日本 x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got, want := Hang("- ", "  ", "one line, however  long", 0), []string{"- one line, however  long"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := Clip("日本日本", 5); got != "日本…" {
		t.Errorf("%q", got)
	}
}

func TestEnd(t *testing.T) {
	for text, want := range map[string]string{"abc": "abc", "abcdef": "…cdef", "日本日本": "…日本", "": ""} {
		if got := End(text, 5); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPrinter(t *testing.T) {
	var b strings.Builder
	p := Printer{W: &b, Width: 12}
	p.Fold("  日 ", "a %s cc ddd", "bb")
	p.Say("%s, %s", Count(1, "stop"), Count(2, "stop"))
	if want := "  日 a bb cc\n     ddd\n1 stop, 2 stops\n"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

func TestItem(t *testing.T) {
	for text, want := range map[string]string{
		"short":                     "  - short\n",
		"a \x1b[31mred\nb":          "  - a [31mred b\n",
		strings.Repeat("word ", 20): "  - " + strings.TrimSpace(strings.Repeat("word ", 15)) + "\n    word word word word word\n",
		strings.Repeat("x", 100):    "  - " + strings.Repeat("x", 100) + "\n",
	} {
		var out strings.Builder
		Printer{W: &out, Width: 80}.Item("- ", text)
		if out.String() != want {
			t.Errorf("%q: %q", text, out.String())
		}
	}
	var out strings.Builder
	Printer{W: &out, Home: "/home/ned"}.Item("/home/ned/hooks is a suite: ", "rm -r /home/ned/hooks")
	if out.String() != "  ~/hooks is a suite: rm -r ~/hooks\n" {
		t.Errorf("%q", out.String())
	}
}

func TestNext(t *testing.T) {
	const command = "springfield replay --list wrong '/home/ned/my own logs' --since 90d"
	for _, test := range []struct {
		wraps bool
		want  string
	}{
		{false, "next: springfield replay --list wrong ~/'my own logs' --since 90d\n"},
		{true, "next: springfield replay --list \\\n        wrong ~/'my own logs' \\\n        --since 90d\n"},
	} {
		var b strings.Builder
		Printer{W: &b, Width: 34, Wraps: test.wraps, Home: "/home/ned"}.Next("%s", command)
		if b.String() != test.want {
			t.Errorf("%q", b.String())
		}
	}
}

// A table is broken in its last column, on a terminal alone.
func TestPrinterTable(t *testing.T) {
	rows := [][]string{{"ned", "/home/ned/x", "goes on while work obviously remains"}, {"bart", "y", "marks"}}
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, "  ned   ~/x  goes on while work obviously remains\n  bart  y    marks\n"},
		{40, "  ned   ~/x  goes on while work\n             obviously remains\n  bart  y    marks\n"},
		{30, "  ned   ~/x\n      goes on while work\n      obviously remains\n  bart  y    marks\n"},
	} {
		var b strings.Builder
		Printer{W: &b, Width: test.width, Wraps: test.width > 0, Home: "/home/ned"}.Table("  ", rows)
		if b.String() != test.want {
			t.Errorf("at %d:\n%s", test.width, b.String())
		}
	}
}

func TestDiff(t *testing.T) {
	const head = "--- /h/a b/s.json\n+++ /h/a b/s.json\n@@ -1 +1 @@\n"
	for text, want := range map[string]string{
		head + " {\r\n-old\r\n+new\r\n":                             strings.ReplaceAll(head, "/h/a b", "~") + " {\n-old\n+new\n",
		head + "-old\r\n+new\r\n-}\n\\ No newline at end of file\n": strings.ReplaceAll(head, "/h/a b", "~") + "-old\n+new\n-}\n\\ No newline at end of file\n",
		head + "-old\r\n+old\n":                                     strings.ReplaceAll(head, "/h/a b", "~") + "-old\r\n+old\n",
		"Binary files /dev/null and /h/a b/hook differ\n":           "Binary files /dev/null and ~/hook differ\n",
	} {
		var b strings.Builder
		Printer{W: &b, Home: "/h/a b"}.Diff(text)
		if b.String() != want {
			t.Errorf("%q: %q, want %q", text, b.String(), want)
		}
	}
}

func TestStyledHome(t *testing.T) {
	var b strings.Builder
	p := Printer{W: &b, Home: "/h/a b", Colours: NewColours()}
	p.W = p.Colours.Writer(&b, false)
	p.Say("%s %s", p.Strong("in /h/a b"), p.Faint("= springfield build '/h/a b/hooks'"))
	p.Item("/h/a b/hooks: ", "rm -r '/h/a b/hooks'")
	if want := "in ~ = springfield build ~/hooks\n  ~/hooks: rm -r ~/hooks\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
