package terminal

import "os"

// openTerminal opens the controlling terminal, even an agent's. Its only error is ErrNone.
func openTerminal() (*Terminal, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, ErrNone
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		in.Close()
		return nil, ErrNone
	}
	return &Terminal{Name: "CONIN$", in: in, Screen: out}, nil
}
