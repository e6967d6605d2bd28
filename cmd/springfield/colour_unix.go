//go:build !windows

package main

import "os"

func takesColours(*os.File) bool { return true }
