// Hooks of ours that did not come to decide, as the host has them in a session's log: one
// that it could not start, that died, or that it ended. A hook that is missing cannot say
// so itself.

package transcript

// DeadHook is one that did not come to decide.
type DeadHook struct {
	Began int64  // Unix milliseconds
	Ended int64  // Unix milliseconds
	Event string // Stop or UserPromptSubmit
	Says  string // what the host says of it
}

// mostLines is more lines than are ever asked about.
const mostLines = 1 << 20

// DeadHooks are those in the end of a log, oldest first.
func (f *Format) DeadHooks(path string) (all []DeadHook, err error) {
	if f.Dead == nil {
		return nil, nil
	}
	lines, err := tail(path, mostLines)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if d, ok := f.Dead(line); ok {
			all = append(all, d)
		}
	}
	return all, nil
}
