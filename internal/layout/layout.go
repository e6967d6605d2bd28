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
	var lines []string
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && Width(line)+1+Width(word) > width {
			lines, line, empty = append(lines, line), rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
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

// Printer prints lines that keep to a width.
type Printer struct {
	W     io.Writer
	Width int
}

// Say prints a line as it is.
func (p Printer) Say(format string, args ...any) { fmt.Fprintf(p.W, format+"\n", args...) }

// Fold prints a text behind a title, in as many lines as it needs.
func (p Printer) Fold(title, format string, args ...any) {
	for _, line := range Hang(title, strings.Repeat(" ", Width(title)), fmt.Sprintf(format, args...), p.Width) {
		p.Say("%s", line)
	}
}

// Item prints a sentence below a title, on as many lines as it needs.
func (p Printer) Item(mark, text string) {
	for _, line := range Hang("  "+display.Line(mark), "    ", display.Line(text), p.Width) {
		p.Say("%s", line)
	}
}
