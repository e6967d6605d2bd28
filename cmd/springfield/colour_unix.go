//go:build !windows

package main

import "os"

// takesColours reports whether a terminal shows colours.
func takesColours(*os.File) bool { return true }
