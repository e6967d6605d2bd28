package strategy

import "github.com/cameronsjo/springfield/runtime/codec"

// Members are a memory as the ledger keeps it.
func (r *Memory) Members(m *codec.Members) {
	m.Text("key", &r.Key)
	m.Text("mark", &r.Mark)
	m.Text("text", &r.Text)
	codec.Number(m, "calls", &r.Calls)
	codec.Number(m, "stalls", &r.Stalls)
	codec.Number(m, "rounds", &r.Rounds)
	codec.Number(m, "began", &r.Began)
	codec.Number(m, "at", &r.At)
	codec.Number(m, "idle", &r.Idle)
	codec.Number(m, "max", &r.Max)
	m.Text("prompt", &r.Prompt)
	m.Texts("told", &r.Told)
}

// Members are an event as the history keeps it.
func (e *LoopEvent) Members(m *codec.Members) {
	m.Keep().Text("loop", &e.Loop)
	codec.Number(m.Keep(), "at", &e.At)
	m.Keep().Text("event", &e.Event)
	codec.Number(m.Keep(), "iteration", &e.Count)
	codec.Number(m.Keep(), "max", &e.Max)
	m.Text("session", &e.Session)
	m.Text("directory", &e.Dir)
	m.Text("text", &e.Text)
	m.Text("file", &e.File)
}
