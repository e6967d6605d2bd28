package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// enableColours enables colours in a Windows console, and reports success.
func enableColours(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	return windows.GetConsoleMode(console, &mode) == nil && windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
