// Package layout lays text out on a terminal: lines broken at blanks, and columns.
// Widths are those that a terminal gives characters, so 日 counts as two.
package layout

import (
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/cameronsjo/springfield/runtime/display"
)

// Width is how many columns a text takes.
func Width(text string) int { return runewidth.StringWidth(text) }

// Hang breaks a text at blanks into lines of at most a number of columns, the first
// one behind a prefix, the others behind another. A longer word has a line of its
// own. Without a number it is one line.
func Hang(first, rest, text string, width int) []string {
	if width <= 0 {
		return []string{first + text}
	}
	return wrap(first, rest, strings.Join(strings.Fields(text), " "), width)
}

// Break breaks a line that is too long, and keeps the blanks in it. The lines below are
// indented.
func Break(line string, indent, width int) []string {
	if width <= 0 || Width(line) <= width {
		return []string{line}
	}
	text := strings.TrimLeft(line, " ")
	return wrap(line[:len(line)-len(text)], strings.Repeat(" ", indent), text, width)
}

// wrap breaks a text at blanks.
func wrap(first, rest, text string, width int) []string {
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
		if !empty && Width(line+gap+word) > width {
			lines, line, gap = append(lines, strings.TrimRight(line, " ")), rest, ""
		}
		line, empty = line+gap+word, false
	}
	return append(lines, line)
}

// Table lays rows out in columns with two blanks between them.
func Table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for n, cell := range row {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], Width(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for n, cell := range row {
			line += Pad(cell, widths[n]+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// Clip is the beginning of a text that fits.
func Clip(text string, width int) string { return runewidth.Truncate(text, width, "…") }

// End is the end of a text that fits.
func End(text string, width int) string {
	if over := Width(text) - width; over > 0 {
		return runewidth.TruncateLeft(text, over+1, "…")
	}
	return text
}

// Pad fills a text up with blanks.
func Pad(text string, width int) string { return runewidth.FillRight(text, width) }

// Count is a number of things: "1 stop", "2 stops".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Printer prints text for people: in lines that keep to a width, with ~ for the home
// directory, and in colour where the terminal shows it. JSON and pages of HTML are not
// printed by it.
//
// Whatever text is printed, Say, Fold, Item and Table write ~ for the home directory in
// it. Style a text where it is put in: p.Say("%s: %s", name, p.Bad("failed")). Pad with
// Pad or Table, not with %-9s, which counts the marks of a style.
type Printer struct {
	W       io.Writer
	Width   int  // columns, 0 for no end of a line
	Wraps   bool // Say breaks long lines too, because a terminal would break them in mid-word
	Home    string
	Colours *Colours // nil: no colour
}

func (p Printer) Good(text string) string   { return p.style(display.Good, text) }
func (p Printer) Warn(text string) string   { return p.style(display.Warn, text) }
func (p Printer) Bad(text string) string    { return p.style(display.Bad, text) }
func (p Printer) Strong(text string) string { return p.style(display.Strong, text) }
func (p Printer) Faint(text string) string  { return p.style(display.Faint, text) }

// style marks each word of a text, so a home with a blank in its name has to be found before.
func (p Printer) style(s display.Style, text string) string { return p.Colours.Style(s, p.Path(text)) }

// Path writes ~ for the home directory. Only who does not print by this printer needs it.
func (p Printer) Path(path string) string { return Tilde(path, p.Home) }

// Say prints lines as they are. On a terminal, long ones are broken at blanks and go on
// two columns further in.
func (p Printer) Say(format string, args ...any) {
	text := p.Path(fmt.Sprintf(format, args...))
	if p.Wraps {
		var lines []string
		for _, line := range strings.Split(text, "\n") {
			lines = append(lines, Break(line, len(line)-len(strings.TrimLeft(line, " "))+2, p.Width)...)
		}
		text = strings.Join(lines, "\n")
	}
	io.WriteString(p.W, text+"\n")
}

// Next prints a command to call next. It can be copied: where it goes on below, a
// backslash ends the line.
func (p Printer) Next(format string, args ...any) {
	const title = "next: "
	command := p.Path(fmt.Sprintf(format, args...))
	if !p.Wraps || Width(title+command) <= p.Width {
		p.print([]string{title + command})
		return
	}
	quoted := false
	command = strings.Map(func(r rune) rune {
		quoted = quoted != (r == '\'')
		if r == ' ' && quoted {
			return 0 // an argument in quotes stays whole
		}
		return r
	}, command)
	lines := wrap(title, strings.Repeat(" ", len(title)+2), command, p.Width-2)
	for n := range lines {
		lines[n] = strings.ReplaceAll(lines[n], "\x00", " ")
		if n < len(lines)-1 {
			lines[n] += ` \`
		}
	}
	p.print(lines)
}

// Fold prints a text behind a title, in as many lines as it needs.
func (p Printer) Fold(title, format string, args ...any) {
	p.print(Hang(title, strings.Repeat(" ", Width(title)), p.Path(fmt.Sprintf(format, args...)), p.Width))
}

// Field prints a text behind its title: in one line, or on a terminal in as many as it
// needs.
func (p Printer) Field(title, text string) {
	if !p.Wraps {
		p.Width = 0
	}
	p.print(Hang(title, strings.Repeat(" ", Width(title)), p.Path(display.Line(text)), p.Width))
}

// Item prints a sentence below a title, on as many lines as it needs.
func (p Printer) Item(mark, text string) {
	p.print(Hang("  "+p.Path(display.Line(mark)), "    ", p.Path(display.Line(text)), p.Width))
}

// Table prints rows behind an indent in columns. On a terminal, what is too wide is broken
// in the last column; where there is no room for one, it stands below.
func (p Printer) Table(indent string, rows [][]string) {
	const least = 24
	var short [][]string
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, p.Path(display.Line(cell)))
		}
		short = append(short, cells)
	}
	for n, line := range Table(short) {
		row := short[n]
		last := row[len(row)-1]
		if !p.Wraps || p.Width <= 0 || len(row) == 1 || last == "" || Width(indent+line) <= p.Width {
			p.print([]string{indent + line})
			continue
		}
		front := indent + strings.TrimSuffix(line, strings.TrimRight(last, " "))
		if p.Width-Width(front) >= least {
			p.print(Hang(front, strings.Repeat(" ", Width(front)), last, p.Width))
			continue
		}
		p.print(Break(strings.TrimRight(front, " "), len(indent)+4, p.Width))
		p.print(Hang(indent+"    ", indent+"    ", last, p.Width))
	}
}

// Diff prints a unified diff. Only the names of its files are shortened. Where every line
// ends with a carriage return, none is shown.
func (p Printer) Diff(text string) {
	lines := strings.SplitAfter(text, "\n")
	returns := carriage(lines)
	for n, line := range lines {
		if returns {
			line = strings.Replace(line, "\r\n", "\n", 1)
		}
		begins := func(n int, mark string) bool { return n >= 0 && n < len(lines) && strings.HasPrefix(lines[n], mark) }
		switch {
		case begins(n, "--- ") && begins(n+1, "+++ "), begins(n, "+++ ") && begins(n-1, "--- "):
			line = p.Strong(line)
		case begins(n, "Binary files "):
			line = p.Path(line)
		case begins(n, "@@"):
			line = p.Faint(line)
		case begins(n, "+"):
			line = p.Good(line)
		case begins(n, "-"):
			line = p.Bad(line)
		}
		io.WriteString(p.W, line)
	}
}

// carriage tells whether all lines of a diff that come from files end as on Windows, but
// for one before a note that a file ends without a line break.
func carriage(lines []string) bool {
	any := false
	for n, line := range lines {
		switch {
		case line == "", strings.HasPrefix(line, "@@"), strings.HasPrefix(line, `\`), strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.HasSuffix(line, "\r\n"):
			any = true
		case n+1 < len(lines) && strings.HasPrefix(lines[n+1], `\`):
		default:
			return false
		}
	}
	return any
}

func (p Printer) print(lines []string) {
	for _, line := range lines {
		io.WriteString(p.W, line+"\n")
	}
}
