package specs

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const maxCount = 1_000_000_000 // replaces larger numbers

// specState is the content of the state file. Numbers can be strings, as in the originals.
type specState struct {
	Phase             string
	Index, Total      int // of tasks, Index from 0
	Attempt, Attempts int // attempt at the task, and its maximum
	Global, Limit     int // iteration, and its maximum
	Awaiting          bool
	Recovery          bool
	Quick             bool
}

func isWholeState(data []byte) bool {
	_, err := codec.ReadMembers(data)
	return err == nil
}

// readState parses a state file. An invalid taskIndex, totalTasks, globalIteration or maxGlobalIterations is an error.
// Other invalid numbers or flags, and missing members, get defaults.
func readState(data []byte) (specState, error) {
	members, err := codec.ReadMembers(data)
	if err != nil {
		return specState{}, err
	}
	s := specState{
		Phase:    "unknown",
		Awaiting: parseFlag(members["awaitingApproval"]),
		Recovery: parseFlag(members["recoveryMode"]),
		Quick:    parseFlag(members["quickMode"]),
	}
	if phase := members["phase"]; !codec.IsFalseOrNull(phase) {
		var isText bool
		if s.Phase, isText = codec.ExactString(phase); !isText {
			s.Phase = string(phase)
		}
	}
	for _, f := range []struct {
		name     string
		to       *int
		fallback int
	}{
		{"taskIndex", &s.Index, 0}, {"totalTasks", &s.Total, 0}, {"globalIteration", &s.Global, 1}, {"maxGlobalIterations", &s.Limit, 100},
	} {
		var ok bool
		if *f.to, ok = parseCount(members[f.name], f.fallback); !ok {
			return s, errors.New(f.name + " is " + shortenText(string(members[f.name])) + ", not a whole number from 0")
		}
	}
	s.Attempt, _ = parseCount(members["taskIteration"], 1)
	s.Attempts, _ = parseCount(members["maxTaskIterations"], 5)
	return s, nil
}

// parseCount parses a non-negative integer, also in quotes, capped at maxCount. It returns fallback if raw is absent or
// invalid. ok is false only if invalid.
func parseCount(raw []byte, fallback int) (n int, ok bool) {
	if codec.IsFalseOrNull(raw) {
		return fallback, true
	}
	n, err := strconv.Atoi(strings.Trim(string(raw), `" `))
	if err != nil || n < 0 {
		return fallback, false
	}
	return min(n, maxCount), true
}

func parseFlag(raw []byte) bool {
	return string(raw) == "true" || string(raw) == `"true"`
}

func isEndedPhase(phase string) bool {
	switch strings.ToLower(phase) {
	case "complete", "completed", "done", "finished", "cancelled", "canceled":
		return true
	}
	return false
}

// armedState returns any evidence for an armed loop, and whether it is running. A loop is armed if work remains, it
// ends at or decided this stop, or a problem must be reported.
func (k Kind) armedState(s strategy.Situation) strategy.Armed {
	p, ok := k.activePlace(s)
	if !ok {
		return strategy.Armed{}
	}
	file := s.Workspace.Files[p.Dir+"/"+k.StateFile]
	m, _ := s.Memory(k.memoryKey(s, p))
	found := strategy.Armed{Running: m.Mark != ""}
	state, err := readState(file.Data)
	switch {
	case file.Problem != "":
	case s.IsFromThisStop(m):
		found.Evidence = "it has decided this stop"
	case found.Running && s.Message.FromEvent && saysDone(s.Message.Text, true):
		found.Evidence = "its spec ends at this stop"
	case err != nil && !slices.Contains(m.Told, quotation.HashText(string(file.Data))):
		found.Evidence = "its state file is damaged"
	case err == nil && state.Global >= state.Limit && !slices.Contains(m.Told, limitHash(file.Data)):
		found.Evidence = "it is at its limit of iterations"
	case err == nil && state.Phase == "execution" && state.Index < state.Total:
		found.Evidence = "task " + state.currentTask() + " of " + p.Name
	case err == nil && found.Running && state.Quick && !isEndedPhase(state.Phase):
		found.Evidence = "phase " + shortenText(state.Phase) + " of " + p.Name
	}
	return found
}

func (s specState) currentTask() string { return strconv.Itoa(s.Index+1) + "/" + strconv.Itoa(s.Total) }

func limitHash(state []byte) string { return quotation.HashText("limit " + string(state)) }

// tellOnce returns v with r.memory and hash in v.Remember, without Told if r.memory already contains hash.
func (r *round) tellOnce(v strategy.Verdict, hash string) strategy.Verdict {
	m := r.memory
	if slices.Contains(m.Told, hash) {
		v.Told = ""
		return v
	}
	m.Told = append(m.Told[:len(m.Told):len(m.Told)], hash)
	v.Remember = m
	return v
}

// continueOnce returns v (a stop with a reason) as a continue, once per session and hash, up to maxErrors times.
// Otherwise, it removes v's reason. It always sets v.Remember.
func (r *round) continueOnce(v strategy.Verdict, hash string) strategy.Verdict {
	m := r.memory
	if slices.Contains(m.Told, hash) || len(m.Told) >= maxErrors {
		v.Reason, v.Remember = "", m
		return v
	}
	m.Told = append(m.Told[:len(m.Told):len(m.Told)], hash)
	m.Mark = "error"
	v.Decision, v.Remember = strategy.Continue, m
	return v
}
