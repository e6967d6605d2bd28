// The user's last word, before any strategy is asked.

package guard

import "github.com/cameronsjo/springfield/runtime/lastword"

// Escaped is the evidence of a word that was a key.
const Escaped = "you pressed Esc"

// CheckWord looks at the user's last word: one that forbids work, or asks something, after a turn
// that changed nothing. The answer to a question is not an order; intends reports whether it ends
// with what the agent does now.
func CheckWord(word lastword.Word, changed bool, intends func() bool) Veto {
	switch {
	case word.Kind == lastword.Forbids && word.Evidence == Escaped:
		return Veto{Rule: "forbids", Evidence: Escaped}
	case word.Kind == lastword.Forbids:
		return Veto{Rule: "forbids", Evidence: "you said " + word.Evidence}
	case word.Kind == lastword.Asks && !changed && !intends():
		return Veto{Rule: "answers", Evidence: "you asked " + word.Evidence + ", and this is the answer"}
	}
	return Veto{}
}
