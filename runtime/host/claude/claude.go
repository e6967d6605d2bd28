// Package claude is Claude Code as a host.
package claude

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// readEvent parses an event. It also accepts older names and forms of the last message.
func readEvent(event []byte, e *host.Event) error {
	if err := codec.ReadObject(event, e); err != nil {
		return err
	}
	if e.LastMessage == "" {
		for _, name := range []string{"response", "content", "message"} {
			if raw := codec.FindMember(event, name); raw != nil && string(raw) != "null" {
				e.LastMessage = plainText(raw, 4) // {"content": [{"text": …}]}
				break
			}
		}
	}
	return nil
}

// takesContext reports whether the event is certainly from Claude Code 2.1.163 or later. Earlier versions
// drop an answer with additionalContext. Since 2.1.196 the event contains the prompt's UUID. Before, only the
// transcript contains the version. A project can set neither.
func takesContext(e host.Event, version string) bool {
	if !e.Scheduled {
		return false
	}
	if e.PromptID == "" {
		return atLeast(version, [3]int{2, 1, 163})
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return '0'
		}
		return r
	}, e.PromptID) == "00000000-0000-0000-0000-000000000000"
}

func atLeast(version string, other [3]int) bool {
	parts := strings.Split(version, ".")
	if len(parts) != len(other) {
		return false
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < other[i] {
			return false
		}
		if n > other[i] {
			return true
		}
	}
	return true
}

func fromUser(e host.Event) bool {
	if command, ok := strings.CutPrefix(strings.TrimSpace(e.Prompt), "/"); ok {
		name := strings.FieldsFunc(command, func(r rune) bool { return r <= ' ' })
		return len(name) == 0 || command[0] <= ' ' || strings.Contains(name[0], "/")
	}
	return !isOutput([]byte(e.Prompt))
}

func plainText(raw []byte, depth int) string {
	if depth == 0 || !codec.IsValid(raw) {
		return ""
	}
	switch codec.KindName(raw) {
	case "string":
		return codec.ExactText(codec.InsideQuotes(raw))
	case "array":
		var parts []string
		codec.Elements(raw, func(item []byte) { parts = append(parts, plainText(item, depth-1)) })
		return strings.Join(parts, " ")
	case "object":
		for _, name := range []string{"text", "content"} {
			if member := codec.FindMember(raw, name); member != nil {
				return plainText(member, depth-1)
			}
		}
	}
	return ""
}

const Name = "claude"

var Host = host.Host{
	Name: Name, Title: "Claude Code", Agent: "Claude", Default: true,
	Read: readEvent, Stop: "Stop", Prompt: "UserPromptSubmit", FromUser: fromUser,
	Context: takesContext,
	Reminds: true, Opens: true,
	Log: transcript.Format{Name: Name, Parse: parseLine, Owns: ownsLog, Outcome: outcome},
	Cap: 8, CapVariable: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP",
	Command: func(plugin, word string) string { return "/" + plugin + ":" + word },
	Dir:     "~/.claude", DirVariable: "CLAUDE_CONFIG_DIR", Sessions: "projects/*/*.jsonl", Program: "claude",
	Package: "@anthropic-ai/claude-code", ProjectVariable: "CLAUDE_PROJECT_DIR",
	Inside: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"}, SessionVariable: "CLAUDE_CODE_SESSION_ID",
}
