package main

import (
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// columns is how wide text may get where the terminal is not asked; paths may be
// longer.
const columns = 80

// item prints a sentence below a title.
func (a *app) item(mark, text string) {
	for _, line := range layout.Hang("  "+display.Line(mark), "    ", display.Line(text), columns) {
		a.say("%s", line)
	}
}

// count is a number of things: "1 plugin", "2 plugins".
func count(n int, thing string) string { return layout.Count(n, thing) }
