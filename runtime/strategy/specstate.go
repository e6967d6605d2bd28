// The state file of a spec: one JSON object, kept by the coordinator. What steers
// the loop has to make sense, or the file is corrupt; for the rest there are
// defaults. Numbers may be written as strings, as the originals allow.

package strategy

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// maxCount is what greater numbers count as.
const maxCount = 1_000_000_000

// specState is what the loop looks at.
type specState struct {
	Phase             string
	Index, Total      int // of tasks; Index counts from 0
	Attempt, Attempts int // at the task: this one, and how many there may be
	Global, Limit     int // iterations: this one, and how many there may be
	Awaiting          bool
	Recovery          bool
	Quick             bool
}

// wholeState tells whether a state file can be all of it.
func wholeState(data []byte) bool {
	_, err := object(data)
	return err == nil
}

// object reads one JSON object and nothing behind it.
func object(data []byte) (map[string]json.RawMessage, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(data, &members)
	switch e := err.(type) {
	case *json.SyntaxError:
		before := data[:max(0, min(int(e.Offset)-1, len(data)))]
		line := bytes.Count(before, []byte("\n"))
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return nil, errors.New("line " + strconv.Itoa(line+1) + ", column " + strconv.Itoa(column) + ": " + plainName(e.Error()))
	case *json.UnmarshalTypeError:
		return nil, errors.New("it is one " + e.Value + ", not an object")
	}
	if members == nil {
		return nil, errors.New("it is null, not an object")
	}
	return members, err
}

// readState reads a state file.
func readState(data []byte) (specState, error) {
	members, err := object(data)
	if err != nil {
		return specState{}, err
	}
	s := specState{
		Phase:    phase(members["phase"]),
		Awaiting: truth(members["awaitingApproval"]),
		Recovery: truth(members["recoveryMode"]),
		Quick:    truth(members["quickMode"]),
	}
	for _, f := range []struct {
		name     string
		to       *int
		fallback int
	}{
		{"taskIndex", &s.Index, 0}, {"totalTasks", &s.Total, 0}, {"globalIteration", &s.Global, 1}, {"maxGlobalIterations", &s.Limit, 100},
	} {
		n, ok := count(members[f.name], f.fallback)
		if !ok {
			return s, errors.New(f.name + " is " + short(string(members[f.name])) + ", not a whole number from 0")
		}
		*f.to = n
	}
	s.Attempt, s.Attempts = 1, 5
	if n, ok := count(members["taskIteration"], 1); ok {
		s.Attempt = n
	}
	if n, ok := count(members["maxTaskIterations"], 5); ok {
		s.Attempts = n
	}
	return s, nil
}

// absent tells that a member stands for its default.
func absent(raw json.RawMessage) bool {
	return len(raw) == 0 || string(raw) == "null" || string(raw) == "false"
}

// count reads a whole number from 0, also one in quotes.
func count(raw json.RawMessage, fallback int) (int, bool) {
	if absent(raw) {
		return fallback, true
	}
	text := string(raw)
	if raw[0] == '"' {
		if json.Unmarshal(raw, &text) != nil {
			return 0, false
		}
		text = strings.TrimSpace(text)
		if text == "" || text[0] < '0' || text[0] > '9' {
			return 0, false // "NaN", "Inf", "0x1" and "-1" are numbers to ParseFloat
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(n, 1) || n < 0 || !math.IsInf(n, 1) && n != math.Trunc(n) {
		return 0, false
	}
	return int(min(n, maxCount)), true
}

// truth reads a flag, also one in quotes.
func truth(raw json.RawMessage) bool {
	return string(raw) == "true" || string(raw) == `"true"`
}

func phase(raw json.RawMessage) string {
	text := string(raw)
	if absent(raw) {
		return "unknown"
	}
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// isOver tells a phase that comes after all others.
func isOver(phase string) bool {
	switch strings.ToLower(phase) {
	case "complete", "completed", "done", "finished", "cancelled", "canceled":
		return true
	}
	return false
}
