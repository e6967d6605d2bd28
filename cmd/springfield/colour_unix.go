//go:build !windows

package main

import "os"

func enableColours(*os.File) bool { return true }
