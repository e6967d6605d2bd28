// How a spec's loop looks to the other plugins of a session.

package specs

import (
	"slices"

	"github.com/cameronsjo/springfield/runtime/excerpt"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// looks are the files that armed needs. They are not waited for: the loop's own hook
// does that.
func (k Kind) looks(s strategy.Situation) []strategy.Want {
	wants := k.leads(s)
	for i := range wants {
		wants[i].Whole = nil
	}
	return wants
}

// armed tells whether the spec's loop drives this session: tasks remain, or the loop has
// a word to say at this stop.
func (k Kind) armed(s strategy.Situation) strategy.Armed {
	p, ok := k.active(s, k.places(s))
	if !ok {
		return strategy.Armed{}
	}
	file := s.Workspace.Files[p.Dir+"/"+k.StateFile]
	m, _ := s.Memory(k.memoryKey(s, p))
	found := strategy.Armed{Running: m.Mark != "", Age: file.Age, Undated: file.Undated}
	state, err := readState(file.Data)
	switch {
	case file.Problem != "":
	case s.IsNow(m):
		found.Evidence = "it has decided this stop"
	case found.Running && s.Message.Own && saysDone(s.Message.Text, true):
		found.Evidence = "its spec ends at this stop"
	case err != nil && !slices.Contains(m.Told, excerpt.Hash(string(file.Data))):
		found.Evidence = "its state file is damaged"
	case err == nil && state.Global >= state.Limit && !slices.Contains(m.Told, limitHash(file.Data)):
		found.Evidence = "it is at its limit of iterations"
	case err == nil && state.Phase == "execution" && state.Index < state.Total:
		found.Evidence = "task " + state.task() + " of " + p.Name
	case err == nil && found.Running && state.Quick && !isOver(state.Phase):
		found.Evidence = "phase " + short(state.Phase) + " of " + p.Name
	}
	return found
}
