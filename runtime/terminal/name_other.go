//go:build unix && !linux

package terminal

import "os"

// terminalNameOf returns /dev/tty: only Linux easily returns more.
func terminalNameOf(f *os.File) (string, bool) { return f.Name(), true }
