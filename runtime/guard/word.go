package guard

import (
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
)

// Escaped is the evidence if the last word was the Esc key.
const Escaped = "you pressed Esc"

// CheckPrompt returns a veto if the user's last word forbids work, or holds back the work announced. After a turn with
// no changes, so is an unclear word, and a question unless the message announces to look for more. After a turn with no
// tool calls, so is a statement.
func CheckPrompt(word lastprompt.Word, called, changed bool, message func() *lastmessage.Closing) Veto {
	switch {
	case word.Kind == lastprompt.Forbids && word.Evidence == Escaped:
		return Veto{Rule: "forbids", Evidence: Escaped}
	case word.Kind == lastprompt.Forbids:
		return Veto{Rule: "forbids", Evidence: "you said " + word.Evidence}
	case word.Kind == lastprompt.Unclear && !changed, word.Kind == lastprompt.States && !called:
		return Veto{Rule: "unclear",
			Evidence: "nothing was changed, and it is not clear that you want it: you said " + word.Evidence}
	case word.Kind == lastprompt.Asks && !changed && !message().AnnouncesSearch():
		return Veto{Rule: "answers", Evidence: "you asked " + word.Evidence + ", and this is the answer"}
	}
	if word.Held != "" {
		if said, ok := lastprompt.FindBanned(word.Held, message().AnnouncementOrEnd()); ok {
			return Veto{Rule: "forbids", Evidence: "you said " + said + ", and the message is about that"}
		}
	}
	return Veto{}
}
