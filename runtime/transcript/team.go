// Teammates: agents that run beside this one and take tasks. One joins when it is
// spawned or writes, and leaves when it is shut down or the team is deleted.

package transcript

const maxTeam = 16

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
