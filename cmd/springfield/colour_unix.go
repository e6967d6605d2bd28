//go:build !windows

package main

import "os"

// enableColours returns true, because a Unix terminal needs no preparation. The caller has checked that the file is a
// terminal.
func enableColours(*os.File) bool { return true }
