package rules

import "github.com/cameronsjo/springfield/runtime/lastmessage"

// Cache keeps compiled patterns and the newest message between decisions, of any strategy. It is for one goroutine.
type Cache struct {
	patterns map[string]pattern
	newest   *message
}

// message is a text that rules are asked about, read as far as they have asked.
type message struct {
	text  string
	end   end
	whole *lastmessage.Closing // nil until a rule asks for it
	acts  map[wanted]found     // what has been looked for
}

type wanted struct {
	act  lastmessage.Act
	near bool
}

type found struct {
	said string
	ok   bool
}

// messageOf is a text, the newest one if it is the same again.
func (c *Cache) messageOf(text string) *message {
	if c.newest == nil || c.newest.text != text {
		c.newest = &message{text: text, end: endOfText(text), acts: map[wanted]found{}}
	}
	return c.newest
}

// closing is the message as package lastmessage reads it.
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

func (c *Cache) keepPattern(text string, p pattern) {
	if c.patterns == nil {
		c.patterns = map[string]pattern{}
	}
	c.patterns[text] = p
}
