// Package claude is Claude Code as a host.
package claude

import (
	"github.com/cameronsjo/springfield/runtime/host"
)

// Name is the host's.
const Name = "claude"

// Host is Claude Code.
func Host() host.Host {
	return host.Host{
		Name: Name, Title: "Claude Code", Agent: "Claude", Default: true,
		Read: readEvent, Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
		Context: takesContext,
		Reminds: true,
		Log:     logFormat(),
		Cap:     8, CapVariable: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
		Command: func(plugin, word string) string { return "/" + plugin + ":" + word },
		Dir:     "~/.claude", DirVariable: "CLAUDE_CONFIG_DIR", Sessions: "projects/*/*.jsonl", Program: "claude", ProjectVariable: "CLAUDE_PROJECT_DIR",
		Inside: []string{"CLAUDECODE"}, SessionVariable: "CLAUDE_CODE_SESSION_ID",
	}
}
