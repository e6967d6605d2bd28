//go:build unix && !linux

package terminal

import "os"

// terminalNameOf is the name of a terminal, which only Linux tells without more ado.
func terminalNameOf(f *os.File) (string, bool) { return f.Name(), true }
