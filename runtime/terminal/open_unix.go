//go:build unix

package terminal

import "os"

func openTerminal() (*Terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, ErrNone
	}
	name, ok := terminalNameOf(f)
	if !ok {
		f.Close()
		return nil, ErrNone
	}
	return &Terminal{Name: name, in: f, Screen: f}, nil
}
