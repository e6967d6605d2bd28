package guard

import "strings"

// Answer looks at the prompt: after a slash command of the plugin that only asks
// for something, what Claude says is the answer, and work that remains elsewhere
// waits. A loop is not asked: it goes on until it is told otherwise.
func Answer(plugin, prompt string, calls int) Veto {
	if calls > 0 || !strings.Contains(prompt, "<command-name>") {
		return Veto{}
	}
	for _, word := range []string{"why", "log", "state", "hold", "page"} {
		command := "/" + plugin + ":" + word
		if strings.Contains(prompt, "<command-name>"+command+"</command-name>") {
			return Veto{Rule: "answer", Evidence: "you asked " + command + ", and this is the answer"}
		}
	}
	return Veto{}
}
