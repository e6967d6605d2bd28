//go:build unix

package main

import "os"

// watchParent says from now on whether the process that started us is there: without
// it we are another process's child.
func watchParent() (alive func() bool) {
	first := os.Getppid()
	return func() bool { return os.Getppid() == first }
}
