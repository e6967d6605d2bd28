//go:build unix

package interview

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A key that arrives together with the terminal's reply about the cursor is not lost.
func TestKeysBehindTheTerminalsAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		replies []string // to one question after the other of where the cursor is
		want    string
	}{
		"behind the first":          {[]string{"\x1b[24;80Rlisa\r", "\x1b[5;1R"}, "lisa"},
		"behind the last":           {[]string{"\x1b[24;80R", "\x1b[5;1Rlisa\r"}, "lisa"},
		"before and behind":         {[]string{"l\x1b[24;80Ri", "s\x1b[5;1Ra\r"}, "lisa"},
		"a letter like the reply's": {[]string{"R\x1b[24;80R", "a\x1b[5;1Rlph\r"}, "Ralph"},
	} {
		t.Run(name, func(t *testing.T) {
			ptm, pts, err := pty.Open()
			scratch.Must(t, err)
			defer func() { _ = ptm.Close(); _ = pts.Close() }()
			go answerAsTerminal(ptm, test.replies)
			answer := make(chan string, 1)
			go func() {
				text, err := Terminal{In: pts, Screen: pts, Out: io.Discard}.NewAsker(t.Context()).Text("Who?", "", func(string) error { return nil })
				if err != nil {
					text = err.Error()
				}
				answer <- text
			}()
			select {
			case got := <-answer:
				scratch.Equal(t, got, test.want, name)
			case <-time.After(20 * time.Second):
				t.Error("keys are lost: the question waits for more")
			}
		})
	}
}

// answerAsTerminal writes a reply to each request for the cursor's position.
func answerAsTerminal(ptm *os.File, replies []string) {
	buffer := make([]byte, 4096)
	for {
		n, err := ptm.Read(buffer)
		if err != nil {
			return
		}
		for range bytes.Count(buffer[:n], []byte("\x1b[6n")) {
			if len(replies) == 0 {
				return
			}
			_, _ = io.WriteString(ptm, replies[0])
			replies = replies[1:]
		}
	}
}
