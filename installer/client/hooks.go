package client

// Hooks, as they are declared in settings and in plugins.
//
// The rules:
//   - three events are looked at: the two at which Claude can be made to go on,
//     and the one at which a prompt can be given more text;
//   - a declaration is read leniently part by part, as Claude Code reads it from
//     settings, and the first part that does not fit is named, because in a
//     plugin it costs the whole file;
//   - what a hook does is shown, never run, and was written by the plugin's author:
//     one line, bounded, nothing in it that acts on a terminal.

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/display"
)

// Hook is one handler that Claude Code would start; status --json prints it.
type Hook struct {
	Event   string  `json:"event"`             // one of HookEvents
	Type    string  `json:"type"`              // command, prompt, agent, http or mcp_tool
	Does    string  `json:"does"`              // what for people: the command with its arguments, the prompt, the address
	Timeout float64 `json:"timeout"`           // seconds, the client's default filled in
	Source  string  `json:"source"`            // "user settings", "project settings", "local settings", "managed settings", or the plugin's ID
	File    string  `json:"file"`              // where it is declared
	Matcher string  `json:"matcher,omitempty"` // which subagents it is for; "" for all
	Async   bool    `json:"async,omitempty"`   // runs in the background: what it decides has no effect
	Never   string  `json:"never,omitempty"`   // why it can never run, "" if it can

	command string // the program alone
	whole   string // what it does, unbounded: the same handler twice runs once
}

// HookEvents lists the events whose hooks are looked at.
func HookEvents() []string { return []string{"Stop", "SubagentStop", "UserPromptSubmit"} }

// maxDoes bounds what is shown of a hook, in characters.
const maxDoes = 200

// hooksIn reads the handlers from a map of events. The error is about the first
// part that does not fit; the handlers are those that do.
func hooksIn(events json.RawMessage, source, file string) (hooks []Hook, err error) {
	bad := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf(format, args...)
		}
	}
	byEvent := as[object](events)
	if byEvent == nil {
		return nil, fmt.Errorf("hooks are %s, not an object", document.KindName(events))
	}
	for _, event := range HookEvents() {
		raw, found := byEvent[event]
		if !found {
			continue
		}
		groups := as[array](raw)
		if groups == nil {
			bad("%s is %s, not an array", event, document.KindName(raw))
		}
		for _, group := range groups {
			fields := as[object](group)
			handlers := as[array](fields["hooks"])
			if handlers == nil {
				bad(`%s: an entry has no array "hooks"`, event)
			}
			for _, handler := range handlers {
				h, problem := readHook(handler)
				if problem != "" {
					bad("%s: %s", event, problem)
					continue
				}
				h.Event, h.Source, h.File = event, source, file
				switch { // Claude Code's own limit where it sets none
				case h.Timeout > 0:
				case h.Type == "agent":
					h.Timeout = 60
				case h.Type == "prompt", event == "UserPromptSubmit":
					h.Timeout = 30
				default:
					h.Timeout = 600
				}
				if event == "SubagentStop" {
					h.Matcher = printable(as[string](fields["matcher"]))
				}
				hooks = append(hooks, h)
			}
		}
	}
	return hooks, err
}

func readHook(raw json.RawMessage) (h Hook, problem string) {
	fields := as[object](raw)
	if fields == nil {
		return h, "a hook is " + document.KindName(raw) + ", not an object"
	}
	h.Type = as[string](fields["type"])
	what := map[string][]string{ // the members that say what a handler does
		"command": {"command"}, "prompt": {"prompt"}, "agent": {"prompt"},
		"http": {"url"}, "mcp_tool": {"server", "tool"},
	}[h.Type]
	if what == nil {
		return h, fmt.Sprintf("there is no hook of type %q", printable(h.Type))
	}
	var words []string
	for _, key := range what {
		word := as[string](fields[key])
		if word == "" {
			return h, fmt.Sprintf("a hook of type %s has no %q", h.Type, key)
		}
		words = append(words, word)
	}
	if args := as[array](fields["args"]); args != nil && h.Type == "command" {
		h.command = words[0]
		for _, arg := range args {
			words = append(words, check.QuoteArgument(as[string](arg)))
		}
	} else if h.Type == "command" {
		h.command = firstWordOfCommand(words[0])
	}
	h.whole = strings.Join(words, " ")
	h.Does = printable(h.whole)
	if raw, found := fields["timeout"]; found {
		if json.Unmarshal(raw, &h.Timeout) != nil || h.Timeout <= 0 {
			return h, "a timeout is not a number of seconds above 0"
		}
	}
	h.Async = as[bool](fields["async"]) || as[bool](fields["asyncRewake"])
	if _, found := fields["if"]; found {
		h.Never = `it has an "if", which is never met outside of tool events`
	}
	return h, ""
}

// firstWordOfCommand is the first word of a shell command, without quotes.
func firstWordOfCommand(command string) string {
	command = strings.TrimSpace(command)
	if rest, ok := strings.CutPrefix(command, `"`); ok {
		command, _, _ = strings.Cut(rest, `"`)
		return command
	}
	first, _, _ := strings.Cut(command, " ")
	return first
}

// startsOurHook tells whether a hook starts the program that springfield compiles.
func (h Hook) startsOurHook() bool {
	name := path.Base(strings.ReplaceAll(h.command, `\`, "/"))
	return strings.TrimSuffix(name, ".exe") == "springfield-hook"
}

// isSameHook tells whether two handlers are the same one, declared twice.
func (h Hook) isSameHook(other Hook) bool {
	return h.Event == other.Event && h.Type == other.Type && h.Matcher == other.Matcher && h.whole == other.whole
}

// printable is display.OneLine with every run of blanks as one, bounded.
func printable(s string) string {
	words := strings.Fields(strings.ReplaceAll(display.OneLine(s), string(unicode.ReplacementChar), ""))
	text := []rune(strings.Join(words, " "))
	if len(text) > maxDoes {
		return strings.TrimSpace(string(text[:maxDoes])) + "…"
	}
	return string(text)
}
