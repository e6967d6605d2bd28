package layout

import (
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
)

func TestHang(t *testing.T) {
	broken, whole := HangText("- ", "  ", "日本 日本 日本 x", 9), HangText("- ", "  ", "one line, however  long", 0)
	scratch.Equal(t, strings.Join(broken, "\n"), "- 日本\n  日本\n  日本 x", "in nine columns")
	scratch.Equal(t, strings.Join(whole, "\n"), "- one line, however  long", "however long")
	path := strings.Join(HangText("title  ", "       ", "see /a/b/c.json now", 12), "\n")
	scratch.Equal(t, path, "title  see\n /a/b/c.json\n       now", "a path wider than the column")
	scratch.Equal(t, strings.Join(HangText("title  ", "       ", "/a/b/c.json", 12), "\n"), "title\n /a/b/c.json", "a path after a title")
	if clipped, end := ClipText("日本日本", 5), EndThatFits("日本日本", 5); clipped != "日本…" || end != "…日本" {
		t.Errorf("%q, %q", clipped, end)
	}
}

// A table wraps in its last column, on a terminal alone.
func TestPrinterTable(t *testing.T) {
	rows := [][]string{{"néd", "/home/ned/x", "goes on while work obviously remains"}, {"bart", "y", "marks"}}
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, "  néd   ~/x  goes on while work obviously remains\n  bart  y    marks\n"},
		{40, "  néd   ~/x  goes on while work\n             obviously remains\n  bart  y    marks\n"},
		{30, "  néd   ~/x\n      goes on while work\n      obviously remains\n  bart  y    marks\n"},
	} {
		var b strings.Builder
		Printer{W: &b, Width: test.width, Wraps: test.width > 0, Home: "/home/ned"}.PrintTable("  ", rows)
		scratch.Equal(t, b.String(), test.want, test.width)
	}
}

func TestDiff(t *testing.T) {
	const head = "--- /h/a b/s.json\n+++ /h/a b/s.json\n@@ -1 +1 @@\n"
	for text, want := range map[string]string{
		head + " {\r\n-old\r\n+new\r\n":                             strings.ReplaceAll(head, "/h/a b", "~") + " {\n-old\n+new\n",
		head + "-old\r\n+new\r\n-}\n\\ No newline at end of file\n": strings.ReplaceAll(head, "/h/a b", "~") + "-old\n+new\n-}\n\\ No newline at end of file\n",
		"Binary files /dev/null and /h/a b/hook differ\n":           "Binary files /dev/null and ~/hook differ\n",
		strings.Repeat("Binary files a and b differ\n", 5):          strings.Repeat("Binary files a and b differ\n", 3) + "and 2 more binary files\n",
	} {
		var b strings.Builder
		Printer{W: &b, Home: "/h/a b"}.PrintDiff(text)
		scratch.Equal(t, b.String(), want, text)
	}
}

// A style surrounds whole lines or a title, on a terminal alone.
func TestStyles(t *testing.T) {
	for coloured, want := range map[bool]string{
		true:  "\x1b[1min ~\x1b[0m\n\x1b[31merror: \x1b[0mno\n\x1b[32m~/x  \x1b[0mtwo\n     words\n",
		false: "in ~\nerror: no\n~/x  two\n     words\n",
	} {
		var b strings.Builder
		p := Printer{W: &display.SafeWriter{To: &b}, Home: "/h/a b", Width: 10}
		if coloured {
			p.Colours = &b
		}
		p.InBold().PrintText("in %s", p.Home)
		p.InRed().PrintLead("error: ", "no")
		p.InGreen().PrintFolded(p.ShortPath("/h/a b/x  "), "two words")
		scratch.Equal(t, b.String(), want, coloured)
	}
}

// Only springfield's own escape sequences are printed, around styled text.
func FuzzColours(f *testing.F) {
	f.Add("\x1b[31mred\u009b2J\x1b[0m", "\x1b[0m")
	f.Add("plain\nand \u202e more", "\r\n\n")
	f.Add("\xe2\x80", "\xa8")
	f.Fuzz(func(t *testing.T, title, text string) {
		var got, plain strings.Builder
		for out, colours := range map[*strings.Builder]io.Writer{&got: &got, &plain: nil} {
			p := Printer{W: &display.SafeWriter{To: out}, Width: 20, Wraps: true, Colours: colours}
			p.InRed().PrintText("%s", text)
			p.InGreen().PrintLead(title, "%s", text)
			p.InBold().PrintFolded(title, "%s", text)
			p.InYellow().PrintItem(title, text)
			p.PrintDiff(text)
		}
		scratch.Lacks(t, "without colours", plain.String(), "\x1b")
		clean := strings.NewReplacer("\x1b[32m", "", "\x1b[31m", "", "\x1b[33m", "", "\x1b[1m", "", "\x1b[0m", "").Replace(got.String())
		if utf8.ValidString(title) && utf8.ValidString(text) && clean != plain.String() || strings.Contains(clean, "\x1b") {
			t.Errorf("%q became %q, want %q", title+text, clean, plain.String())
		}
	})
}

func TestTilde(t *testing.T) {
	for text, want := range map[string]string{
		"read /home/ned/x: in /home/ned, “/home/ned”": "read ~/x: in ~, “~”",
		"/home/nedward /home/ned.bak /home/ned-x":     "/home/nedward /home/ned.bak /home/ned-x",
		"/mnt/home/ned ./home/ned file:///home/ned":   "/mnt/home/ned ./home/ned file:///home/ned",
		"go to '/home/ned/my hooks'":                  "go to '/home/ned/my hooks'",
		"--suite=/home/ned/x":                         "--suite=/home/ned/x",
		`"/home/ned/x/springfield-hook" loop`:         `"/home/ned/x/springfield-hook" loop`,
		"/home/ned/home/ned/home/ned":                 "~/home/ned/home/ned",
	} {
		scratch.Equal(t, Printer{Home: "/home/ned"}.ShortPath(text), want, text)
	}
	for _, home := range []string{"", "/"} {
		scratch.Equal(t, Printer{Home: home}.ShortPath("/home/ned/x"), "/home/ned/x", "with home "+home)
	}
}
