// ralph-loop: another plugin's loop, armed by a file in the project. Stop hooks
// run in parallel and any block wins, so while it drives this session we stand
// aside. The file is only looked at, never followed.

package guard

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
)

// maxRalph bounds what is read of the state file: its frontmatter is short.
const maxRalph = 16 << 10

// RalphArmed tells whether ralph-loop drives this session in this directory. A
// file that names another session is another session's loop; one that names
// none is any session's, as ralph-loop has it.
func RalphArmed(dir, session string) bool {
	if dir == "" {
		return false
	}
	f, size, err := file.Open(filepath.Join(dir, ".claude", "ralph-loop.local.md"), 0)
	if err != nil {
		return false
	}
	defer f.Close()
	data := make([]byte, min(size, maxRalph))
	if _, err := io.ReadFull(f, data); err != nil {
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
