// Package claude is Claude Code as a host.
package claude

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// takesContext reports whether the event is certainly from Claude Code 2.1.196 or later.
func takesContext(e host.Event) bool {
	const digits = "0123456789abcdefABCDEF"
	anyDigit := func(r rune) rune {
		if strings.ContainsRune(digits, r) {
			return '0'
		}
		return r
	}
	return e.Scheduled && strings.Map(anyDigit, e.PromptID) == "00000000-0000-0000-0000-000000000000"
}

func hasUserProse(e host.Event) bool {
	if command, ok := strings.CutPrefix(strings.TrimSpace(e.Prompt), "/"); ok {
		name := strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' })
		return len(name) == 0 || command[0] <= ' ' || strings.Contains(name[0], "/")
	}
	return !isInjected([]byte(e.Prompt))
}

const Name = "claude"

var Host = host.Host{
	Name: Name, Title: "Claude Code", Agent: "Claude", Default: true,
	Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: hasUserProse,
	Context: takesContext,
	Reminds: true, Opens: true,
	Log:     transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, EffectOf: effectOf},
	Command: func(plugin, word string) string { return "/" + plugin + ":" + word },
	Dir:     "~/.claude", DirVariable: "CLAUDE_CONFIG_DIR", Sessions: "projects/*/*.jsonl", Program: "claude",
	Package: "@anthropic-ai/claude-code", ProjectVariable: "CLAUDE_PROJECT_DIR",
	Inside: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"}, SessionVariable: "CLAUDE_CODE_SESSION_ID",
}
