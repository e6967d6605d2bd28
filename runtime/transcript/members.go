package transcript

import "github.com/cameronsjo/springfield/runtime/codec"

// Member is a member of a JSON object: Text receives the inside of a string, Raw any value.
type Member struct {
	Name      string
	Text, Raw *[]byte
}

func ReadMembers(object []byte, members ...Member) {
	for w := codec.EnterValue(object, '{'); w.Next(); {
		StoreMember(&w, members)
	}
}

func StoreMember(w *codec.Walk, members []Member) {
	for _, m := range members {
		switch {
		case m.Name != string(w.Key):
		case m.Raw != nil:
			*m.Raw = w.TakeValue()
			return
		default:
			*m.Text = codec.InsideQuotes(w.TakeValue())
			return
		}
	}
}
