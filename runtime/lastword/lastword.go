// Package lastword reads the newest prompt that the user typed: whether it forbids work, asks
// something, is a standing order, or is a bare yes.
//
// The package is pure. Words are data: classes of the packs of package language.
package lastword

// Kind is the effect that a prompt has on the stops after it.
type Kind string

// The kinds, from the strongest to the weakest.
const (
	Unknown  Kind = ""         // the prompt is not known
	Forbids  Kind = "forbids"  // stop, wait, let me think
	Asks     Kind = "asks"     // a question, or an order to look and change nothing
	Standing Kind = "standing" // a literal order to go on without asking
	Yes      Kind = "yes"      // a bare yes or "continue"
	Orders   Kind = "orders"   // anything else
)

// Word is a prompt that has been read. Evidence quotes the words that decided.
type Word struct {
	Kind     Kind
	Evidence string
}

// Prompt is as much of a prompt as the log keeps: the beginning, and the end. Of a short prompt
// both are the whole text.
type Prompt struct{ Begin, End string }

// Read reads a prompt.
func Read(p Prompt) Word { return Word{} }
