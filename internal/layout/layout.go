// Package layout formats text for a terminal. Widths are in columns: 日 takes two.
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

func TextWidth(text string) int { return runewidth.StringWidth(text) }

// HangText wraps text to width. Lines after the first begin with blanks as wide as indent. White space becomes one
// blank. If width is 0, first and text are returned unchanged.
func HangText(first, indent, text string, width int) []string {
	if width <= 0 {
		return []string{first + text}
	}
	return wrapText(first, indent, strings.Join(strings.Fields(text), " "), width)
}

// BreakLine wraps a line to width (0 for none), preserves blanks and indents following lines by indent columns.
func BreakLine(line string, indent, width int) []string {
	if width <= 0 || TextWidth(line) <= width {
		return []string{line}
	}
	text := strings.TrimLeft(line, " ")
	return wrapText(line[:len(line)-len(text)], strings.Repeat(" ", indent), text, width)
}

// wrapText wraps text on blanks. width can't be 0.
func wrapText(first, indent, text string, width int) (lines []string) {
	line, empty := first, true
	for text != "" {
		word := strings.TrimLeft(text, " ")
		gap := text[:len(text)-len(word)]
		word, _, _ = strings.Cut(word, " ")
		text = text[len(gap)+len(word):]
		if word == "" {
			break
		}
		if TextWidth(line+gap+word) > width && (!empty || TextWidth(word) <= width && strings.TrimSpace(first) != "") {
			lines, gap = append(lines, strings.TrimRight(line, " ")), ""
			line = strings.Repeat(" ", max(0, min(TextWidth(indent), width-TextWidth(word)))) // a terminal would break a path
		}
		line, empty = line+gap+word, false
	}
	return append(lines, line)
}

// LayOutTable returns rows as lines with aligned columns, two blanks apart.
func LayOutTable(rows [][]string) (lines []string) {
	var widths []int
	for _, row := range rows {
		for n, cell := range row {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], TextWidth(cell))
		}
	}
	for _, row := range rows {
		line := ""
		for n, cell := range row {
			line += PadText(cell, widths[n]+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

func ClipText(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// EndThatFits returns text, or the end that fits into width columns after "…".
func EndThatFits(text string, width int) string {
	if over := TextWidth(text) - width; over > 0 {
		return runewidth.TruncateLeft(text, over+1, "…")
	}
	return text
}

func PadText(text string, width int) string { return runewidth.FillRight(text, width) }

// CountOf returns text like "1 stop" or "2 stops".
func CountOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Printer prints text for people, with ~ for the home directory. A style, as in p.InRed().PrintText(…),
// applies to whole lines. If there is a title, it applies only to the title.
type Printer struct {
	W       io.Writer // of package display, which makes untrusted text safe
	Width   int       // columns, 0 for no limit
	Wraps   bool      // wrap long lines, which a terminal would break in mid-word
	Home    string
	Colours io.Writer // the terminal of W, only for escape sequences; nil for no colour
	style   display.Style
}

func (p Printer) InGreen() Printer  { p.style = display.Good; return p }
func (p Printer) InYellow() Printer { p.style = display.Warn; return p }
func (p Printer) InRed() Printer    { p.style = display.Bad; return p }
func (p Printer) InBold() Printer   { p.style = display.Strong; return p }

// Paint begins style s (0 ends a style). Without colours it writes nothing.
func (p Printer) Paint(s display.Style) {
	sequences := map[display.Style]string{
		0: "\x1b[0m", display.Good: "\x1b[32m", display.Warn: "\x1b[33m", display.Bad: "\x1b[31m", display.Strong: "\x1b[1m",
	}
	if p.Colours != nil {
		io.WriteString(p.Colours, sequences[s])
	}
}

// PrintText prints text line by line, and adds the last newline. If p.Wraps is set, it wraps and indents continuations
// by two more columns.
func (p Printer) PrintText(format string, args ...any) { p.PrintLead("", format, args...) }

// PrintLead prints a styled title followed by text, as PrintText. The title includes blanks, as in "note: ".
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

// PrintNext prints a command after "next: ", on one line.
func (p Printer) PrintNext(format string, args ...any) {
	p.PrintUnbroken("next: " + fmt.Sprintf(format, args...))
}

// PrintUnbroken prints a text on one line, unwrapped, for copying.
func (p Printer) PrintUnbroken(text string) { p.printLines("", p.ShortPath(display.OneLine(text))) }

// PrintFolded prints a title followed by text, wrapped to p.Width and aligned. The title includes blanks.
func (p Printer) PrintFolded(title, format string, args ...any) {
	p.printLines(title, HangText(title, strings.Repeat(" ", TextWidth(title)), p.ShortPath(fmt.Sprintf(format, args...)), p.Width)...)
}

// PrintField prints a title followed by text, wrapped if p.Wraps is set. Titles include their blanks.
func (p Printer) PrintField(paddedTitle, text string) {
	if !p.Wraps {
		p.Width = 0
	}
	p.PrintFolded(paddedTitle, "%s", display.OneLine(text))
}

// PrintItem prints a mark followed by text, indented and wrapped to p.Width. Marks include their blanks.
func (p Printer) PrintItem(mark, text string) {
	mark = "  " + p.ShortPath(display.OneLine(mark))
	p.printLines(mark, HangText(mark, "    ", p.ShortPath(display.OneLine(text)), p.Width)...)
}

// PrintTable prints indented rows in columns. Each row needs a cell. If p.Wraps is set, the last column wraps.
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

// PrintDiff prints a unified diff in colours, with short file names. From the fourth on, binary files are only counted.
func (p Printer) PrintDiff(text string) {
	const most = 3
	lines, binary := strings.SplitAfter(text, "\n"), 0
	for n, line := range lines {
		p := p
		begins := func(n int, mark string) bool { return n >= 0 && n < len(lines) && strings.HasPrefix(lines[n], mark) }
		switch {
		case begins(n, "--- ") && begins(n+1, "+++ "), begins(n, "+++ ") && begins(n-1, "--- "):
			line, p = p.ShortPath(line), p.InBold()
		case begins(n, "Binary files "):
			if line, binary = p.ShortPath(line), binary+1; binary > most {
				line = ""
			}
		case begins(n, "+"):
			p = p.InGreen()
		case begins(n, "-"):
			p = p.InRed()
		}
		if line != "" {
			p.printLines("", strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
	}
	if binary > most {
		p.PrintText("and %s", CountOf(binary-most, "more binary file"))
	}
}

// printLines prints lines without wrapping, styling startOrAll at the start, or all lines for "".
func (p Printer) printLines(startOrAll string, lines ...string) {
	startOrAll = display.UnglueBlanks(startOrAll)
	for n, line := range lines {
		line = display.UnglueBlanks(line)
		styled := line
		if startOrAll != "" {
			styled = ""
			if n == 0 && strings.HasPrefix(line, startOrAll) {
				styled = startOrAll
			}
		}
		if p.style != 0 && styled != "" {
			p.Paint(p.style)
			io.WriteString(p.W, styled)
			p.Paint(0)
			line = line[len(styled):]
		}
		io.WriteString(p.W, line+"\n")
	}
}

// ShortPath replaces the home directory in text with ~, but not inside a longer path, or directly following = or a
// quote.
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
		case b.Len() > 0 && (isNameRune(last) || strings.ContainsRune(`/\='"`, last)), after != "" && isNameRune(next):
			b.WriteString(p.Home)
		default:
			b.WriteString("~")
		}
		text = after
	}
}

func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-~", r)
}
