// Command springfield-hook is the Stop hook of a springfield plugin. Claude
// Code starts it with one event on standard input.
package main

import (
	"os"
	"time"

	"github.com/cameronsjo/springfield/runtime/hook"
)

func main() {
	hook.Armour()
	executable, _ := os.Executable() // "" falls back to CLAUDE_PLUGIN_ROOT
	home, _ := os.UserHomeDir()      // "" matters only without a transcript
	os.Exit(hook.Host{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Executable: executable,
		PluginRoot: os.Getenv("CLAUDE_PLUGIN_ROOT"),
		Home:       home,
		Off:        os.Getenv("SPRINGFIELD") == "off",
		Now:        time.Now(),
	}.Run())
}
