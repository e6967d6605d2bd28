//go:build unix && !linux

package terminal

import "os"

// terminalNameOf returns /dev/tty, because only Linux provides the real name easily.
func terminalNameOf(f *os.File) (string, bool) { return f.Name(), true }
