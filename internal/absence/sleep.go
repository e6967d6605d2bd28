package absence

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
)

// sleepNote returns a warning if the machine might go to sleep, otherwise "". supplies is Linux's directory
// of power supplies, settings the output of macOS's pmset.
func sleepNote(supplies, settings string) string {
	const because = ", and no agent works while it sleeps"
	online, battery := false, false
	names, _ := filepath.Glob(filepath.Join(supplies, "*", "type"))
	for _, name := range names {
		kind, _ := file.ReadBeginning(name, 0, 64)
		on, _ := file.ReadBeginning(filepath.Join(filepath.Dir(name), "online"), 0, 8)
		battery = battery || strings.TrimSpace(string(kind)) == "Battery"
		online = online || strings.TrimSpace(string(on)) == "1"
	}
	if battery && !online {
		return "the machine is on battery and may go to sleep" + because
	}
	for line := range strings.Lines(settings) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "sleep" {
			if minutes, err := strconv.Atoi(words[1]); err == nil && minutes > 0 && !strings.Contains(line, "prevented") {
				return "the machine goes to sleep after " + words[1] + " min without use" + because + "; run caffeinate -i to keep it awake"
			}
		}
	}
	return ""
}
