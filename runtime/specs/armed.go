// How a spec's loop looks to the other plugins of a session.

package specs

import (
	"slices"

	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// filesToLookAt are the files that armed needs. They are not waited for: the loop's own hook
// does that.
func (k Kind) filesToLookAt(s strategy.Situation) []strategy.Want {
	wants := k.filesThatLead(s)
	for i := range wants {
		wants[i].Whole = nil
	}
	return wants
}

// armedState tells whether the spec's loop drives this session: tasks remain, or the loop has
// a word to say at this stop.
func (k Kind) armedState(s strategy.Situation) strategy.Armed {
	p, ok := k.activePlace(s, k.possiblePlaces(s))
	if !ok {
		return strategy.Armed{}
	}
	file := s.Workspace.Files[p.Dir+"/"+k.StateFile]
	m, _ := s.Memory(k.memoryKey(s, p))
	found := strategy.Armed{Running: m.Mark != "", Age: file.Age, Undated: file.Undated}
	state, err := readState(file.Data)
	switch {
	case file.Problem != "":
	case s.IsFromThisStop(m):
		found.Evidence = "it has decided this stop"
	case found.Running && s.Message.Own && saysDone(s.Message.Text, true):
		found.Evidence = "its spec ends at this stop"
	case err != nil && !slices.Contains(m.Told, quotation.HashText(string(file.Data))):
		found.Evidence = "its state file is damaged"
	case err == nil && state.Global >= state.Limit && !slices.Contains(m.Told, limitHash(file.Data)):
		found.Evidence = "it is at its limit of iterations"
	case err == nil && state.Phase == "execution" && state.Index < state.Total:
		found.Evidence = "task " + state.taskNumber() + " of " + p.Name
	case err == nil && found.Running && state.Quick && !isFinalPhase(state.Phase):
		found.Evidence = "phase " + shortened(state.Phase) + " of " + p.Name
	}
	return found
}
