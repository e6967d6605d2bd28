package interview

import (
	"os"
	"regexp"
)

// keys is what the user types at a terminal, which also answers here where the cursor
// is. survey asks for that before it reads a line, and forgets what it has read together
// with the answer: so an answer is a read of its own, and no key gets lost.
type keys struct {
	*os.File
	left []byte
}

var cursorReply = regexp.MustCompile(`\x1b\[\d+;\d+R`)

func (k *keys) Read(p []byte) (int, error) {
	if len(k.left) == 0 {
		buffer := make([]byte, len(p))
		n, err := k.File.Read(buffer)
		if err != nil {
			return 0, err
		}
		k.left = buffer[:n]
	}
	end := len(k.left)
	switch reply := cursorReply.FindIndex(k.left); {
	case reply == nil:
	case reply[0] > 0:
		end = reply[0]
	default:
		end = reply[1]
	}
	n := copy(p, k.left[:end])
	k.left = k.left[n:]
	return n, nil
}
