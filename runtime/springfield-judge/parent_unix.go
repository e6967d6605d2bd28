//go:build unix

package main

import "os"

// watchParent returns a function that reports whether the parent is still running. Orphans get another parent.
func watchParent() (alive func() bool) {
	first := os.Getppid()
	return func() bool { return os.Getppid() == first }
}
