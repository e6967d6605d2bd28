package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/interview"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

// The width of text: the terminal's, from fewest to most, or columns if there is no terminal.
const (
	columns = 80
	fewest  = 40
	most    = 100
)

type streams struct {
	in       *os.File
	out, err io.Writer // made safe by package display
	stdout   *os.File  // of out, for its width, colours and cursor
	screen   *os.File  // of err
	terminal bool      // the user can be asked
	plain    bool      // ask nothing, and do not move the cursor
	progress bool      // shown on standard error
	colours  bool      // on terminals
	forced   bool      // colours elsewhere, too
	columns  int       // COLUMNS, 0 if not set
	tilde    string    // the home directory, printed as ~
}

// talk prints a line for the user on standard error.
func (s *streams) talk(format string, args ...any) { s.notePrinter().PrintText(format, args...) }

// say prints a line of the result on standard output.
func (s *streams) say(format string, args ...any) { s.resultPrinter().PrintText(format, args...) }

func (s *streams) resultPrinter() layout.Printer { return s.printer(s.out, s.stdout) }

func (s *streams) notePrinter() layout.Printer { return s.printer(s.err, s.screen) }

func (s *streams) printJSON(v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printer returns a printer to w. f is the file behind w.
func (s *streams) printer(w io.Writer, f *os.File) layout.Printer {
	width, wraps := s.columns, s.columns > 0
	if n := widthOf(f); n > 0 {
		width, wraps = n, true
	}
	if width <= 0 {
		width, wraps = columns, false
	}
	p := layout.Printer{W: w, Width: min(max(width, fewest), most), Wraps: wraps, Home: s.tilde}
	if runtime.GOOS == "windows" { // its shells do not expand ~
		p.Home = ""
	}
	if s.colours && (s.forced || isTerminal(f) && enableColours(f)) {
		p.Colours = f
	}
	return p
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// widthOf returns a terminal's width in columns, or 0 for other files.
func widthOf(f *os.File) (widthOr0 int) {
	width, _, _ := term.GetSize(int(f.Fd()))
	return width
}

// showWorking shows progress until done is called. Call done before you print or ask.
func (s *streams) showWorking(what string) (done func()) {
	s.showStep(what)
	return func() { s.showStep("") }
}

// showStep replaces the progress message ("" removes it). Without s.progress it does nothing.
func (s *streams) showStep(what string) {
	if s.progress {
		fmt.Fprint(s.screen, "\r\x1b[K", layout.ClipText(display.OneLine(what), widthOf(s.screen)-1))
	}
}

// newAsker returns an asker at the terminal. Check s.terminal first.
func (s *streams) newAsker(ctx context.Context) interview.Asker {
	return interview.Terminal{In: s.in, Screen: s.screen, Out: s.err, Color: s.colours, Hint: hintOf}.NewAsker(ctx)
}

func countOf(n int, thing string) string { return layout.CountOf(n, thing) }

func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// nonNil returns a copy of s that is never nil.
func nonNil[T any](s []T) []T { return append([]T{}, s...) }
