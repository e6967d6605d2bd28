// How results, and what is said besides, are shown.

package main

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// How wide text is: as the terminal, within bounds, and where none is, columns.
// Paths may be longer.
const (
	columns = 80
	fewest  = 40
	most    = 100
)

// screen is what is known of the terminal that standard output and standard error go
// to, if they do.
type screen struct {
	colours bool // where a terminal shows them, or forced
	shows   bool // on standard error, that something takes time
	columns int  // from COLUMNS, 0 if it is not set
	forced  bool // colours also where no terminal is
}

// printer prints for people, through a writer to a file.
func (s screen) printer(w io.Writer, f *os.File, home string) layout.Printer {
	width, wraps := s.columns, s.columns > 0
	if n := widthOf(f); n > 0 {
		width, wraps = n, true
	}
	if width <= 0 {
		width, wraps = columns, false
	}
	if runtime.GOOS == "windows" { // no shell there knows ~
		home = ""
	}
	p := layout.Printer{W: w, Width: min(max(width, fewest), most), Wraps: wraps, Home: home}
	if s.colours && (s.forced || isTerminal(f) && takesColours(f)) {
		p.Colours = f
	}
	return p
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// widthOf is how many columns a terminal has, 0 for what is none.
func widthOf(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// resultPrinter prints results: a.resultPrinter().InGreen(), PrintFolded, PrintItem, PrintTable; a.say is its PrintText.
func (a *app) resultPrinter() layout.Printer { return a.shown.printer(a.out, os.Stdout, a.home) }

// notePrinter prints what is said besides; a.talk is its PrintText.
func (a *app) notePrinter() layout.Printer { return a.shown.printer(a.err, os.Stderr, a.home) }

// showWorking shows on a terminal, until done is called, that something takes time;
// a.step says what is done now. Call done before anything is asked.
func (a *app) showWorking(what string) (done func()) {
	a.showStep(what)
	return func() { a.showStep("") }
}

// showStep says what is done now, while working, in place of what was said before.
func (a *app) showStep(what string) {
	if a.shown.shows {
		fmt.Fprint(a.screen, "\r\x1b[K", layout.ClipText(display.OneLine(what), widthOf(a.screen)-1))
	}
}

// countOf is a number of things: "1 plugin", "2 plugins".
func countOf(n int, thing string) string { return layout.CountOf(n, thing) }
