//go:build unix

package file

import "syscall"

const (
	Nonblock = syscall.O_NONBLOCK // an open does not wait for the other end of a pipe
	Nofollow = syscall.O_NOFOLLOW // a link in the file's place is an error
)
