package droid

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// hook is what a line says of the hooks of one event: their commands, and in the same
// order what came of them.
type hook struct {
	event, commands, results []byte
}

// takeHooks tells of the Stop hooks that have blocked. False: the line is about another event.
func (h *hook) takeHooks(e *transcript.Entry) bool {
	if string(h.event) != `"Stop"` {
		return false
	}
	var commands [][]byte
	codec.Elements(h.commands, func(command []byte) {
		commands = append(commands, codec.InsideQuotes(codec.FindMember(command, "command")))
	})
	e.What = transcript.Rested
	i := 0
	codec.Elements(h.results, func(result []byte) {
		if i < len(commands) && hasBlocked(result) {
			e.Parts = append(e.Parts, transcript.Part{Kind: transcript.HookBlock, Ours: bytes.Contains(commands[i], []byte("springfield-hook"))})
			e.What = transcript.Nothing // the words that follow push
		}
		i++
	})
	return true
}

// hasBlocked tells whether a hook has had the agent go on.
func hasBlocked(result []byte) bool {
	if string(codec.FindMember(result, "exitCode")) == "2" {
		return true
	}
	printed := codec.InsideQuotes(codec.FindMember(result, "stdout"))
	return bytes.Contains(printed, []byte("decision")) && string(codec.FindMember([]byte(codec.ValidText(printed)), "decision")) == `"block"`
}
