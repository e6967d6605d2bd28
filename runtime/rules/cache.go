package rules

import "github.com/cameronsjo/springfield/runtime/lastmessage"

// Cache keeps compiled patterns and the last message between decisions, of any strategy. It is not safe for
// concurrent use.
type Cache struct {
	patterns map[string]pattern
	last     *message
}

// message is a text with its lazily computed readings.
type message struct {
	text  string
	end   end
	whole *lastmessage.Closing // nil until a rule needs it
	acts  map[wanted]found
}

type wanted struct {
	act  lastmessage.Act
	near bool
}

type found struct {
	said string
	ok   bool
}

// messageOf returns the message of a text.
func (c *Cache) messageOf(text string) *message {
	if c.last == nil || c.last.text != text {
		c.last = &message{text: text, end: endOfText(text), acts: map[wanted]found{}}
	}
	return c.last
}

func (m *message) closing() *lastmessage.Closing {
	if m.whole == nil {
		m.whole = lastmessage.ReadMessage(m.text)
	}
	return m.whole
}

func (m *message) findAct(act lastmessage.Act, near bool) (said string, ok bool) {
	if known, ok := m.acts[wanted{act, near}]; ok {
		return known.said, known.ok
	}
	said, ok = m.closing().FindAct(act, near)
	m.acts[wanted{act, near}] = found{said, ok}
	return said, ok
}
