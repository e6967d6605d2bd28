package rules

import (
	"github.com/cameronsjo/springfield/runtime/closing"
	"github.com/cameronsjo/springfield/runtime/language"
)

// Kept is what decisions on many situations, one after the other, need to work out only
// once, whichever strategies take them: patterns, packs of languages, and how the newest
// message reads. It is for one goroutine. A nil Kept keeps nothing.
type Kept struct {
	patterns map[string]pattern
	library  language.Library
	newest   *message
}

// message is a text that rules are asked about, read as far as they have asked.
type message struct {
	text    string
	end     end
	library *language.Library
	whole   *closing.Closing // nil until a rule asks for it
	acts    map[wanted]found // what has been looked for, nil if nothing is kept
}

type wanted struct {
	act   closing.Act
	where closing.Where
}

type found struct {
	said string
	ok   bool
}

// message is a text, the newest one if it is the same again.
func (k *Kept) message(text string) *message {
	if k == nil {
		return &message{text: text, end: endOf(text)}
	}
	if k.newest == nil || k.newest.text != text {
		k.newest = &message{text: text, end: endOf(text), library: &k.library, acts: map[wanted]found{}}
	}
	return k.newest
}

// closing is the message as package closing reads it.
func (m *message) closing() *closing.Closing {
	if m.whole == nil {
		m.whole = closing.ReadWith(m.library, m.text)
	}
	return m.whole
}

// find looks for an act in it.
func (m *message) find(act closing.Act, where closing.Where) (said string, ok bool) {
	if known, ok := m.acts[wanted{act, where}]; ok {
		return known.said, known.ok
	}
	said, ok = m.closing().Find(act, where)
	if m.acts != nil {
		m.acts[wanted{act, where}] = found{said, ok}
	}
	return said, ok
}

func (k *Kept) pattern(text string) (known pattern, ok bool) {
	if k != nil {
		known, ok = k.patterns[text]
	}
	return known, ok
}

func (k *Kept) keep(text string, p pattern) {
	if k == nil {
		return
	}
	if k.patterns == nil {
		k.patterns = map[string]pattern{}
	}
	k.patterns[text] = p
}
