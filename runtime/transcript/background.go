// Work that a turn has put into the background: shell commands, agents,
// monitors. The id is in the result of the call that started it; the end is
// told by a notification, or by the result of the call that stopped it or asked
// for its output.

package transcript

const maxStarted = 16

// job is work in the background.
type job struct {
	ID    string
	Input place // of the call that started it
}

// start takes the id of work that goes on in the background.
func (l *Log) start(id []byte, input place) {
	if id = identifier(id, maxID); id != nil {
		l.ended(id)
		l.Started = push(l.Started, job{ID: string(id), Input: input}, maxStarted)
	}
}

func (l *Log) ended(id []byte) {
	for i := range l.Started {
		if l.Started[i].ID == string(id) {
			l.Started = append(l.Started[:i], l.Started[i+1:]...)
			return
		}
	}
}
