// Teammates: agents that run beside this one and take tasks. One joins when it is
// spawned or writes, and leaves when it is shut down or the team is deleted.

package transcript

import (
	"bytes"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const maxTeam = 16

// join takes the result of a call that may have spawned a teammate.
func (l *Log) join(outcome []byte) {
	if string(codec.Member(outcome, "status")) == `"teammate_spawned"` {
		l.mate(codec.Inside(codec.Member(outcome, "name")))
	}
}

func (l *Log) mate(name []byte) {
	if len(name) == 0 || len(name) > maxName {
		return
	}
	if h := callID(name); !waitsFor(l.Team, h) {
		l.Team = push(l.Team, h, maxTeam)
	}
}

func (l *Log) leave(name []byte) {
	for i, h := range l.Team {
		if h == callID(name) {
			l.Team = append(l.Team[:i:i], l.Team[i+1:]...)
			return
		}
	}
}

// mail takes messages of teammates. The text is the inside of a JSON string, and
// what the client itself says about a teammate is JSON within it.
func (l *Log) mail(text []byte) {
	const begin, end = `<teammate-message teammate_id=\"`, `</teammate-message>`
	for {
		i := bytes.Index(text, []byte(begin))
		if i < 0 {
			return
		}
		text = text[i+len(begin):]
		one := text
		if i := bytes.Index(one, []byte(end)); i >= 0 {
			one = one[:i]
		}
		i = bytes.IndexByte(one, '\\')
		if i < 0 {
			return
		}
		from := one[:i]
		switch {
		case bytes.Contains(one, []byte(`shutdown_approved`)):
			l.leave(from)
		case bytes.Contains(one, []byte(`teammate_terminated`)):
			const message = `message\":\"` // "reviewer has shut down."
			if _, said, ok := bytes.Cut(bytes.ReplaceAll(one, []byte(`\\`), []byte(`\`)), []byte(message)); ok {
				name, _, _ := bytes.Cut(said, []byte(" "))
				l.leave(name)
			}
		case string(from) != "system" && string(from) != "team-lead":
			l.mate(from)
		}
	}
}
