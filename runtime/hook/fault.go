// If there is no decision, we record why, and notify the user once per session.

package hook

import (
	"bytes"
	"errors"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// The rules of runs without a decision.
const (
	faultPlugin    = "fault:plugin"    // the hook is in no plugin
	faultSettings  = "fault:settings"  // strategy.json cannot be read, or names no strategy
	faultEvent     = "fault:event"     // the event cannot be read
	faultPanic     = "fault:panic"     // a bug of the hook
	faultLedger    = "fault:ledger"    // the decision could not be recorded
	faultBusy      = "fault:busy"      // another hook has locked the ledger
	faultWorkspace = "fault:workspace" // another stop has locked the files
	faultAnswer    = "fault:answer"    // the host did not read the answer
)

type fault struct {
	rule string
	err  error
}

func (s *start) answerAfterPanic(p any) {
	says := "it says nothing"
	switch p := p.(type) {
	case error: // from the Go runtime
		says = p.Error()
	case string:
		says = p
	}
	err := errors.New("panic: " + says)
	s.noteForDebug(err.Error())
	if told := s.recordUndecided(fault{faultPanic, err}); !s.answered {
		_ = s.printAnswer(said{systemMessage: told})
	}
}

type failure struct {
	tried string
	err   error
}

func newFailure(tried string, err error) error { return &failure{tried, err} }

func (f *failure) Error() string { return f.tried + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// recordUndecided records that the hook failed to decide. It returns the message for the user ("" if already told or
// answered).
func (s *start) recordUndecided(f fault) (told string) {
	r := s.recordOf(Settled{Verdict: strategy.Verdict{Decision: ledger.None, Rule: f.rule, Evidence: f.err.Error()}}, s.plugin)
	did := s.plugin + " let " + s.event.Host.Agent + " stop without a decision: "
	if s.eventName != "Stop" {
		r.Event, did = s.eventName, s.plugin+" said nothing before a prompt: "
	}
	told = shortenText(did+r.Evidence, 2000)
	session, err := ledger.OpenUnlocked(s.state, ledgerIDOf(s.event))
	if err == nil {
		defer session.Close()
		err = ledger.ErrBusy
		if f.rule != faultBusy {
			err = session.LockAndRead()
		}
		r.State = session.State
		if !s.answered && (err != nil || r.State.NoteTold(s.plugin, f.rule)) {
			r.Told = told
		}
		if _, failed := session.AppendRecord(r); failed != nil {
			err = failed
		}
	}
	if err == nil {
		return r.Told
	}
	// If there is no record, only the transcript shows if the user was notified.
	if end, _ := file.ReadEnd(s.event.TranscriptPath, 0, 4<<20); s.answered || bytes.Contains(end, []byte(did)) {
		return ""
	}
	return told
}
