package client

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
)

// Hook is a handler that settings or a plugin declare.
type Hook struct {
	Event   string  `json:"event"`   // Stop, SubagentStop or UserPromptSubmit
	Type    string  `json:"type"`    // command, prompt, agent, http or mcp_tool
	Does    string  `json:"does"`    // the command with its arguments, the prompt or the URL
	Timeout float64 `json:"timeout"` // seconds, with the client's default
	Source  string  `json:"source"`  // "user settings" and the like, or the plugin's ID
	File    string  `json:"file"`
	Matcher string  `json:"matcher,omitempty"` // of subagents; "" for all
	Async   bool    `json:"async,omitempty"`   // its decision has no effect
	Never   string  `json:"never,omitempty"`   // why it never runs, or ""

	command string
	ours    bool   // the command is springfield's hook
	whole   string // Does in full length, to find duplicates
}

const maxDoes = 200 // characters

// turnEdgeHooks returns valid handlers of Stop, SubagentStop and UserPromptSubmit. err is about the first invalid part.
func turnEdgeHooks(events json.RawMessage, source, file string) (valid []Hook, err error) {
	bad := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf(format, args...)
		}
	}
	byEvent := as[object](events)
	if byEvent == nil {
		return nil, fmt.Errorf("hooks are %s, not an object", document.KindName(events))
	}
	// Only hooks on these events can make Claude go on or add to a prompt.
	for _, event := range []string{"Stop", "SubagentStop", "UserPromptSubmit"} {
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
				switch { // Claude Code's defaults
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
				valid = append(valid, h)
			}
		}
	}
	return valid, err
}

// readHook parses a handler. Callers set Event, Source, File, Matcher and a default timeout. problem is "" if the
// handler is valid.
func readHook(raw json.RawMessage) (h Hook, problem string) {
	fields := as[object](raw)
	if fields == nil {
		return h, "a hook is " + document.KindName(raw) + ", not an object"
	}
	h.Type = as[string](fields["type"])
	action := map[string][]string{
		"command": {"command"}, "prompt": {"prompt"}, "agent": {"prompt"},
		"http": {"url"}, "mcp_tool": {"server", "tool"},
	}[h.Type]
	if action == nil {
		return h, fmt.Sprintf("unknown hook type %q", printable(h.Type))
	}
	var words []string
	for _, key := range action {
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
		program, end := strings.TrimSpace(words[0]), " "
		if rest, quoted := strings.CutPrefix(program, `"`); quoted {
			program, end = rest, `"`
		}
		h.command, _, _ = strings.Cut(program, end)
	}
	h.ours = strings.TrimSuffix(path.Base(strings.ReplaceAll(h.command, `\`, "/")), ".exe") == "springfield-hook"
	h.whole = strings.Join(words, " ")
	h.Does = printable(h.whole)
	if raw, found := fields["timeout"]; found && (json.Unmarshal(raw, &h.Timeout) != nil || h.Timeout <= 0) {
		return h, "the timeout must be a positive number of seconds"
	}
	h.Async = as[bool](fields["async"]) || as[bool](fields["asyncRewake"])
	if _, found := fields["if"]; found {
		h.Never = `it has an "if", which only matches tool events`
	}
	return h, ""
}

func (h Hook) isSameHook(other Hook) bool {
	return h.Event == other.Event && h.Type == other.Type && h.Matcher == other.Matcher && h.whole == other.whole
}
