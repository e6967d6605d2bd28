//go:build unix

package backend

import "syscall"

const nonblock = syscall.O_NONBLOCK // a named pipe in the file's place must not hold anybody up
