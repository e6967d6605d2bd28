package transcript

import "github.com/cameronsjo/springfield/runtime/codec"

// Members are what a ledger record keeps of a log.
func (l *Log) Members(m *codec.Members) {
	codec.Number(m, "form", &l.Form)
	m.Text("format", &l.Format)
	codec.Number(m, "at", &l.Offset)
	m.Text("mark", &l.Mark)
	codec.Numbers(m, "seen", &l.Seen)
	codec.Number(m, "turns", &l.Turns)
	m.Text("prompt", &l.Prompt)
	m.Text("prompt_id", &l.PromptID)
	m.Text("own", &l.Own)
	m.Text("version", &l.Version)
	m.Text("mode", &l.Mode)
	m.Bool("subagent", &l.Subagent)
	l.Asks.member(m, "asks")
	l.Text.member(m, "text")
	codec.Number(m, "calls", &l.Calls)
	codec.Number(m, "before", &l.Before)
	codec.List(m, "recent", &l.Recent)
	m.Bool("said", &l.Said)
	codec.List(m, "claims", &l.Claims)
	m.Object("todos", &l.Todos)
	m.Object("skill", &l.Skill)
	m.Bool("driven", &l.Driven)
	codec.Numbers(m, "team", &l.Team)
	codec.List(m, "started", &l.Started)
	m.Texts("earlier", &l.Earlier)
	m.Object("feedback", &l.Feedback)
	codec.List(m, "plans", &l.Plans)
}

func (p *place) member(m *codec.Members, name string) { codec.Pair(m, name, (*[2]int64)(p)) }

func (p *past) Members(m *codec.Members) {
	codec.Number(m.Keep(), "id", &p.ID)
	m.Text("name", &p.Name)
	codec.Number(m, "does", &p.Does)
	p.Input.member(m, "in")
	p.Result.member(m, "out")
	m.Bool("done", &p.Done)
	m.Bool("failed", &p.Failed)
}

func (c *claim) Members(m *codec.Members) {
	codec.Number(m.Keep(), "id", &c.ID)
	codec.Number(m, "of", &c.Of)
	m.Text("name", &c.Name)
	c.Input.member(m, "in")
	m.Object("list", &c.List)
	codec.Optional(m, "task", &c.Task)
	m.Object("skill", &c.Skill)
	m.Object("when", &c.When)
}

func (j *job) Members(m *codec.Members) {
	m.Text("id", &j.ID)
	j.Input.member(m, "in")
}

func (t *todos) Members(m *codec.Members) {
	m.Object("list", &t.List)
	codec.List(m, "tasks", &t.Tasks)
	m.Object("when", &t.When)
}

func (l *list) Members(m *codec.Members) {
	l.Place.member(m, "place")
	codec.Number(m, "sum", &l.Sum)
}

func (w *when) Members(m *codec.Members) {
	codec.Number(m, "turn", &w.Turn)
	m.Bool("tasks", &w.Tasks)
}

func (t *task) Members(m *codec.Members) {
	m.Text("id", &t.ID)
	codec.Number(m, "is", &t.State)
	t.Subject.member(m, "of")
	t.Owner.member(m, "by")
	codec.Numbers(m, "after", &t.Blockers)
}

func (s *skill) Members(m *codec.Members) {
	m.Text("name", &s.Name)
	codec.Number(m, "from", &s.From)
	codec.Number(m, "turn", &s.Turn)
}

func (f *feedback) Members(m *codec.Members) {
	codec.Numbers(m, "ours", &f.Ours)
	codec.Number(m, "mine", &f.Mine)
	codec.Number(m, "theirs", &f.Theirs)
	codec.Number(m, "lines", &f.Lines)
	codec.Number(m, "blocks", &f.Blocks)
	codec.Number(m, "contexts", &f.Contexts)
	codec.Number(m, "all", &f.All)
	codec.Number(m, "own", &f.Own)
}

func (n *named) Members(m *codec.Members) {
	n.At.member(m, "at")
	codec.Number(m.Keep(), "sum", &n.Sum)
	codec.Number(m, "turn", &n.Turn)
	codec.Number(m, "new", &n.Wrote)
}
