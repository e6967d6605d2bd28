package main

import (
	"github.com/cameronsjo/springfield/internal/layout"
)

// columns is how wide text may get where the terminal is not asked; paths may be
// longer.
const columns = 80

// item prints a sentence below a title.
func (a *app) item(mark, text string) { layout.Printer{W: a.out, Width: columns}.Item(mark, text) }

// count is a number of things: "1 plugin", "2 plugins".
func count(n int, thing string) string { return layout.Count(n, thing) }
