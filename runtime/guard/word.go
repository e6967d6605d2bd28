// The user's last word, before any strategy is asked.

package guard

import "github.com/cameronsjo/springfield/runtime/lastword"

// Escaped is the evidence of a word that was a key.
const Escaped = "you pressed Esc"

// CheckWord returns a veto if the user's last word forbids work. After a turn that changed nothing
// an unclear word vetoes too: in doubt about what the user wants, the agent stops. So does a
// question, unless intends reports that its answer ends with what the agent does now.
func CheckWord(word lastword.Word, changed bool, intends func() bool) Veto {
	switch {
	case word.Kind == lastword.Forbids && word.Evidence == Escaped:
		return Veto{Rule: "forbids", Evidence: Escaped}
	case word.Kind == lastword.Forbids:
		return Veto{Rule: "forbids", Evidence: "you said " + word.Evidence}
	case word.Kind == lastword.Unclear && !changed:
		return Veto{Rule: "unclear", Evidence: "nothing was changed, and it is not clear that you want it: you said " + word.Evidence}
	case word.Kind == lastword.Asks && !changed && !intends():
		return Veto{Rule: "answers", Evidence: "you asked " + word.Evidence + ", and this is the answer"}
	}
	return Veto{}
}
