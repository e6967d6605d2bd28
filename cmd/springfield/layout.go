// How results are laid out on a terminal: lines broken at blanks, and columns.
// Widths are those that a terminal gives characters, so 日 counts as two.

package main

import (
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/cameronsjo/springfield/runtime/display"
)

// columns is how wide text may get where the terminal is not asked; paths may be
// longer.
const columns = 80

// hang breaks a text at blanks into lines of at most a number of columns, the first
// one behind a prefix, the others behind another. A longer word has a line of its
// own. Without a number it is one line.
func hang(first, rest, text string, width int) []string {
	if width <= 0 {
		return []string{first + text}
	}
	var lines []string
	line, empty := first, true
	for _, word := range strings.Fields(text) {
		if !empty && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) > width {
			lines, line, empty = append(lines, line), rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}

// wrap is hang without prefixes.
func wrap(text string, width int) []string { return hang("", "", text, width) }

// item prints a sentence below a title.
func (a *app) item(mark, text string) {
	for _, line := range hang("  "+display.Line(mark), "    ", display.Line(text), columns) {
		a.say("%s", line)
	}
}

// table lays rows out in columns with two blanks between them.
func table(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for n, cell := range row {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			widths[n] = max(widths[n], runewidth.StringWidth(cell))
		}
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for n, cell := range row {
			line += runewidth.FillRight(cell, widths[n]+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// clip is the beginning of a text that fits.
func clip(s string, width int) string { return runewidth.Truncate(s, width, "…") }
