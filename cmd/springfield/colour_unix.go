//go:build !windows

package main

import "os"

// takesColours tells whether a terminal shows colours.
func takesColours(*os.File) bool { return true }
