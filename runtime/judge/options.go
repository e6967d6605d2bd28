package judge

// Options are who is asked, for how long, and for how much.
type Options struct {
	Backend string `json:"backend,omitempty"` // claude, api or openai
	Model   string `json:"model,omitempty"`
	// Within is how long an answer may take, in seconds.
	Within int `json:"within,omitempty"`
	// Client is the absolute path of Claude Code's program, "" to look for it.
	Client string `json:"client,omitempty"`
	// Address is where chat completions are, for openai: https, or this machine.
	Address string `json:"address,omitempty"`
	// Daily and Session are the most dollars to spend in a day, and in a session.
	Daily   float64 `json:"daily,omitempty"`
	Session float64 `json:"session,omitempty"`
}

// Defaults is the judge of a plugin that says nothing of one.
func Defaults() Options {
	return Options{Backend: Claude, Model: DefaultModel, Within: Within, Daily: 1, Session: 0.25}
}
