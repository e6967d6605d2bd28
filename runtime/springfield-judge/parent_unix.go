//go:build unix

package main

import "os"

func watchParent() (alive func() bool) {
	first := os.Getppid()
	return func() bool { return os.Getppid() == first }
}
