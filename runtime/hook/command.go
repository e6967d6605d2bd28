package hook

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// promptExpansion is the event of a slash command before its words go to the model.
const promptExpansion = "UserPromptExpansion"

// answerCommand answers a slash command that needs no model. Where it says nothing, whatever the reason, the words
// of the command's own file go to the model. The event proves nothing about who typed.
func (s *start) answerCommand() {
	defer func() { _ = recover() }()
	command, _ := codec.ExactString(s.event.Command)
	arguments, ok := codec.ExactString(s.event.Arguments)
	plugin, word, _ := strings.Cut(command, ":")
	if string(s.event.Source) != `"plugin"` || plugin != s.plugin || !ok || s.Answer == nil || s.state == "" {
		return
	}
	if text := s.Answer(s.event, s.state, word, arguments); text != "" {
		_ = s.printAnswer(said{decision: "block", reason: shortenText(text, 16<<10)})
	}
}
