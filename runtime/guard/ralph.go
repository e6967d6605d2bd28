// ralph-loop: another plugin's loop, armed by a file in the project. Stop hooks
// run in parallel and any block wins, so while it drives this session we stand
// aside. The file is only looked at, never followed.

package guard

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxRalph bounds what is read of the state file: its frontmatter is short.
const maxRalph = 16 << 10

// RalphArmed tells whether ralph-loop drives this session in this directory. A
// file that names another session is another session's loop; one that names
// none is everybody's, as ralph-loop has it.
func RalphArmed(dir, session string) bool {
	if dir == "" {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, ".claude", "ralph-loop.local.md"), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := f.Seek(0, io.SeekCurrent); err != nil {
		return false // a pipe or a terminal, which would hold Claude up
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRalph))
	if err != nil {
		return false
	}
	owner := frontmatter(data, "session_id")
	return owner == "" || owner == session
}

// frontmatter is the value of a key between the first two lines "---".
func frontmatter(data []byte, key string) string {
	lines := bytes.Split(data, []byte{'\n'})
	if len(lines) == 0 || strings.TrimSpace(string(lines[0])) != "---" {
		return ""
	}
	for _, line := range lines[1:] {
		text := strings.TrimSpace(string(line))
		if text == "---" {
			return ""
		}
		if value, ok := strings.CutPrefix(text, key+":"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}
