package rules

import "github.com/cameronsjo/springfield/runtime/lastmessage"

// Cache keeps compiled patterns and the last message between decisions. It is not safe for concurrent use.
type Cache struct {
	patterns map[string]pattern
	last     *message
}

type message struct {
	text  string
	end   end
	whole *lastmessage.Closing // nil until a rule needs it
}

func (m *message) closing() *lastmessage.Closing {
	if m.whole == nil {
		m.whole = lastmessage.ReadMessage(m.text)
	}
	return m.whole
}
