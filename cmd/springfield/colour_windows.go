package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// takesColours tells whether a terminal shows colours: a console of Windows does when
// it is told to.
func takesColours(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	return windows.GetConsoleMode(console, &mode) == nil && windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
