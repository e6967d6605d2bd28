// Package layout lays text out on a terminal: lines broken at blanks, and columns.
// Widths are those that a terminal gives characters, so 日 counts as two.
package layout

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/cameronsjo/springfield/runtime/display"
)

// TextWidth is how many columns a text takes.
func TextWidth(text string) int { return runewidth.StringWidth(text) }

// HangText breaks a text at blanks into lines of at most a number of columns, the first
// one behind a prefix, the others behind another. A longer word has a line of its
// own. Without a number it is one line.
func HangText(first, rest, text string, width int) []string {
	if width <= 0 {
		return []string{first + text}
	}
	return wrapText(first, rest, strings.Join(strings.Fields(text), " "), width)
}

// BreakLine breaks a line that is too long, and keeps the blanks in it. The lines below are
// indented.
func BreakLine(line string, indent, width int) []string {
	if width <= 0 || TextWidth(line) <= width {
		return []string{line}
	}
	text := strings.TrimLeft(line, " ")
	return wrapText(line[:len(line)-len(text)], strings.Repeat(" ", indent), text, width)
}

func wrapText(first, rest, text string, width int) []string {
	var lines []string
	line, empty := first, true
	for text != "" {
		word := strings.TrimLeft(text, " ")
		gap := text[:len(text)-len(word)]
		word, _, _ = strings.Cut(word, " ")
		text = text[len(gap)+len(word):]
		if word == "" {
			break
		}
		if !empty && TextWidth(line+gap+word) > width {
			lines, line, gap = append(lines, strings.TrimRight(line, " ")), rest, ""
		}
		line, empty = line+gap+word, false
	}
	return append(lines, line)
}

// LayOutTable lays rows out in columns with two blanks between them.
func LayOutTable(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for n, cell := range row {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], TextWidth(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for n, cell := range row {
			line += PadText(cell, widths[n]+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// ClipText is the beginning of a text that fits.
func ClipText(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// EndThatFits is the end of a text that fits.
func EndThatFits(text string, width int) string {
	if over := TextWidth(text) - width; over > 0 {
		return runewidth.TruncateLeft(text, over+1, "…")
	}
	return text
}

// PadText fills a text up with blanks.
func PadText(text string, width int) string { return runewidth.FillRight(text, width) }

// CountOf is a number of things: "1 stop", "2 stops".
func CountOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Printer prints text for people: in lines that keep to a width, with ~ for the home
// directory, and in colour where the terminal shows it. JSON and pages of HTML are not
// printed by it.
//
// Whatever is printed has ~ for the home directory. p.InRed().PrintText(…) prints lines in
// a style, p.InRed().PrintFolded(title, …) a title.
type Printer struct {
	W     io.Writer // by package display: what others wrote can be printed as it is
	Width int       // columns, 0 for no end of a line
	Wraps bool      // PrintText breaks long lines too, because a terminal would break them in mid-word
	Home  string
	// Colours is the terminal behind W, for the escape sequences of styles and nothing
	// else; nil: no colour.
	Colours io.Writer
	style   display.Style
}

func (p Printer) InGreen() Printer  { p.style = display.Good; return p }
func (p Printer) InYellow() Printer { p.style = display.Warn; return p }
func (p Printer) InRed() Printer    { p.style = display.Bad; return p }
func (p Printer) InBold() Printer   { p.style = display.Strong; return p }

// Paint begins a style, or with none ends it. What is printed in it goes through W as
// always, so no text can begin or end one.
func (p Printer) Paint(s display.Style) {
	sequences := map[display.Style]string{
		0: "\x1b[0m", display.Good: "\x1b[32m", display.Warn: "\x1b[33m", display.Bad: "\x1b[31m", display.Strong: "\x1b[1m",
	}
	if p.Colours != nil {
		io.WriteString(p.Colours, sequences[s])
	}
}

// PrintText prints lines as they are. On a terminal, long ones are broken at blanks and go on
// two columns further in.
func (p Printer) PrintText(format string, args ...any) { p.PrintLead("", format, args...) }

// PrintLead is PrintText with a title in front, which alone is in the style.
func (p Printer) PrintLead(title, format string, args ...any) {
	title = p.ShortPath(title)
	for _, line := range strings.Split(title+p.ShortPath(fmt.Sprintf(format, args...)), "\n") {
		lines := []string{line}
		if p.Wraps {
			lines = BreakLine(line, len(line)-len(strings.TrimLeft(line, " "))+2, p.Width)
		}
		p.printLines(title, lines...)
	}
}

func (p Printer) PrintCommand(format string, args ...any) {
	p.PrintUnbroken("next: " + fmt.Sprintf(format, args...))
}

// PrintUnbroken prints what is there to be copied, on one line: a terminal may break it, which a copy does not have.
func (p Printer) PrintUnbroken(text string) { p.printLines("", p.ShortPath(display.OneLine(text))) }

// PrintFolded prints a text behind a title, in as many lines as it needs.
func (p Printer) PrintFolded(title, format string, args ...any) {
	p.printLines(title, HangText(title, strings.Repeat(" ", TextWidth(title)), p.ShortPath(fmt.Sprintf(format, args...)), p.Width)...)
}

// PrintField prints a text behind its title: in one line, or on a terminal in as many as it
// needs.
func (p Printer) PrintField(title, text string) {
	if !p.Wraps {
		p.Width = 0
	}
	p.PrintFolded(title, "%s", display.OneLine(text))
}

// PrintItem prints a sentence below a title, on as many lines as it needs.
func (p Printer) PrintItem(mark, text string) {
	mark = "  " + p.ShortPath(display.OneLine(mark))
	p.printLines(mark, HangText(mark, "    ", p.ShortPath(display.OneLine(text)), p.Width)...)
}

// PrintTable prints rows behind an indent in columns. On a terminal, what is too wide is broken
// in the last column; where there is no room for one, it stands below.
func (p Printer) PrintTable(indent string, rows [][]string) {
	const least = 24
	var short [][]string
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, p.ShortPath(display.OneLine(cell)))
		}
		short = append(short, cells)
	}
	for n, line := range LayOutTable(short) {
		row := short[n]
		last := row[len(row)-1]
		if !p.Wraps || p.Width <= 0 || len(row) == 1 || last == "" || TextWidth(indent+line) <= p.Width {
			p.printLines("", indent+line)
			continue
		}
		front := indent + strings.TrimSuffix(line, strings.TrimRight(last, " "))
		if p.Width-TextWidth(front) >= least {
			p.printLines("", HangText(front, strings.Repeat(" ", TextWidth(front)), last, p.Width)...)
			continue
		}
		p.printLines("", BreakLine(strings.TrimRight(front, " "), len(indent)+4, p.Width)...)
		p.printLines("", HangText(indent+"    ", indent+"    ", last, p.Width)...)
	}
}

// PrintDiff prints a unified diff. Only the names of its files are shortened. How lines end on
// Windows is not shown: no edit changes it.
func (p Printer) PrintDiff(text string) {
	lines := strings.SplitAfter(text, "\n")
	for n, line := range lines {
		p := p
		begins := func(n int, mark string) bool { return n >= 0 && n < len(lines) && strings.HasPrefix(lines[n], mark) }
		switch {
		case begins(n, "--- ") && begins(n+1, "+++ "), begins(n, "+++ ") && begins(n-1, "--- "):
			line, p = p.ShortPath(line), p.InBold()
		case begins(n, "Binary files "):
			line = p.ShortPath(line)
		case begins(n, "+"):
			p = p.InGreen()
		case begins(n, "-"):
			p = p.InRed()
		}
		if line != "" {
			p.printLines("", strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
	}
}

// printLines prints lines: in the style all of them, or the title that the first one begins with.
func (p Printer) printLines(title string, lines ...string) {
	title = display.PartWords(title)
	for n, line := range lines {
		line = display.PartWords(line)
		styled := line
		if title != "" {
			styled = ""
			if n == 0 && strings.HasPrefix(line, title) {
				styled = title
			}
		}
		if p.style == 0 || styled == "" {
			io.WriteString(p.W, line+"\n")
			continue
		}
		p.Paint(p.style)
		io.WriteString(p.W, styled)
		p.Paint(0)
		io.WriteString(p.W, line[len(styled):]+"\n")
	}
}

// ShortPath writes ~ for the home directory, in a path or in a text that has paths in it: only who
// does not print by this printer needs it. Behind = and in quotes the path stays whole, because
// a shell knows no ~ there.
func (p Printer) ShortPath(text string) string {
	if len(p.Home) < 2 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, p.Home)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(b.String())
		next, _ := utf8.DecodeRuneInString(after)
		switch {
		case b.Len() > 0 && (isNameRune(last) || strings.ContainsRune(`/\='`, last)), after != "" && isNameRune(next):
			b.WriteString(p.Home)
		default:
			b.WriteString("~")
		}
		text = after
	}
}

// isNameRune tells the characters that names of files are made of.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-~", r)
}
