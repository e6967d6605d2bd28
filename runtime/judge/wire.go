// Package judge is what lisa-simpson says to a model and what she makes of its
// answer: the page, the system prompt, and the two lines of JSON that go between
// the hook and springfield-judge.
//
// It is pure: nothing is read, asked or timed here. Who asks, and how, is
// package backend, which only springfield-judge and the CLI have in them.
package judge

import "github.com/cameronsjo/springfield/runtime/codec"

// The backends that a question can go to.
const (
	Claude  = "claude"  // the user's own client, with the user's own login
	Command = "command" // a program of the user's own
)

// Backends names them, the default first.
func Backends() []string { return []string{Claude, Command} }

// DefaultModel is the model that is asked without a setting.
const DefaultModel = "haiku"

// Within is how long a judge may take without a setting, and MaxWithin at most,
// in seconds. The timeout in hooks.json is Spare longer than the plugin's.
const (
	Within    = 20
	MaxWithin = 120
	Spare     = 10
)

// Options are who is asked, for how long, and for how much.
type Options struct {
	Backend string // one of Backends
	Model   string // of Claude
	// Within is how long an answer may take, in seconds.
	Within int
	// Client is the absolute path of Claude Code's program, "" to look for it.
	Client string
	// Command is the user's own program, an absolute path, and its arguments; Cost is what
	// a question to it costs, in dollars, nil as long as the user has not said so.
	// Variables are those that it gets besides a few that are safe.
	Command   []string
	Cost      *float64
	Variables []string
	// Daily and Session are the most dollars to spend in a day, and in a session.
	Daily   float64
	Session float64
}

// Defaults is the judge of a plugin that says nothing of one.
func Defaults() Options {
	return Options{Backend: Claude, Model: DefaultModel, Within: Within, Daily: 1, Session: 0.25}
}

// Lacks says which setting a question needs and has not got, "" for none. Without the cost
// of a question no limit in dollars would hold.
func (o Options) Lacks() string {
	switch {
	case o.Backend != Command:
		return ""
	case len(o.Command) == 0:
		return "judge.command is not set"
	case o.Cost == nil:
		return "judge.cost is not set"
	}
	return ""
}

// InJudge is the variable that a judge's own session has: no hook of ours
// answers there, and no judge asks another one.
const InJudge = "SPRINGFIELD_JUDGE"

// MaxWire bounds a question and a reply on their way, in bytes.
const MaxWire = 64 << 10

// Question is what springfield-judge reads from standard input.
type Question struct {
	Backend string
	Model   string
	System  string
	Page    string
	// Within is how long everything may take, in milliseconds.
	Within int64
	// Client is the absolute path of Claude Code's program, "" to look for it.
	Client string
	// Command is the user's own program and its arguments, Named the variables that it gets.
	Command, Named []string
	// Project is the project's directory, whose settings must not choose where the
	// question goes; "" for none.
	Project string
	// Variables are files of a project, or of a directory above it, whose variables the host
	// gives to its hooks.
	Variables []string
}

func (q *Question) Members(m *codec.Members) {
	m.Text("backend", &q.Backend)
	m.Text("model", &q.Model)
	m.Text("system", &q.System)
	m.Text("page", &q.Page)
	codec.Number(m, "within", &q.Within)
	m.Text("client", &q.Client)
	m.Texts("command", &q.Command)
	m.Texts("named", &q.Named)
	m.Text("project", &q.Project)
	m.Texts("variables", &q.Variables)
}

// Reply is what springfield-judge answers with: one line of JSON. Without Failed
// there is an answer.
type Reply struct {
	Continue bool
	Why      string // the model's words, at most MaxWhy bytes, one line
	Model    string
	Usage    Usage
	// Micros is what it cost in millionths of a dollar: as the client says, or by
	// the price list. It counts also when there was no answer.
	Micros int64
	// Took is how long it took, in milliseconds.
	Took int64
	// Failed is why there is no answer, one of Failures; Detail is what was seen, a
	// short line.
	Failed Failure
	Detail string
}

func (r *Reply) Members(m *codec.Members) {
	m.KeepEmpty().Bool("continue", &r.Continue)
	m.Text("why", &r.Why)
	m.Text("model", &r.Model)
	m.KeepEmpty().Object("usage", &r.Usage)
	codec.Number(m.KeepEmpty(), "micros", &r.Micros)
	codec.Number(m.KeepEmpty(), "took", &r.Took)
	m.Text("failed", (*string)(&r.Failed))
	m.Text("detail", &r.Detail)
}

// MaxWhy bounds the model's words in a reply, MaxDetail what is said of a
// failure, in bytes.
const (
	MaxWhy    = 300
	MaxDetail = 300
)

// Usage is how many tokens went in and out.
type Usage struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
}

func (u *Usage) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "input", &u.Input)
	codec.Number(m.KeepEmpty(), "output", &u.Output)
	codec.Number(m, "cache_read", &u.CacheRead)
	codec.Number(m, "cache_write", &u.CacheWrite)
}

// Failure is why a judge did not answer.
type Failure string

const (
	TimedOut   Failure = "timeout"    // the deadline passed
	NoClient   Failure = "no-client"  // Claude Code's program, or the user's own, was not found
	NoBinary   Failure = "no-binary"  // springfield-judge is not there or does not start
	LoggedOut  Failure = "logged-out" // 401, 403, or the client asks to log in
	RateLimit  Failure = "rate-limit" // 429
	Overloaded Failure = "overloaded" // 529, or 5xx
	Refused    Failure = "refused"    // any other status: 400, an unknown model
	NoNetwork  Failure = "no-network" // no connection, or a cut one
	Crashed    Failure = "crashed"    // the program ended badly
	Junk       Failure = "junk"       // an answer that does not match the schema
	Redirected Failure = "redirected" // the project's settings choose where questions go
	Recursive  Failure = "recursive"  // a judge inside a judge
)

func Failures() []Failure {
	return []Failure{TimedOut, NoClient, NoBinary, LoggedOut, RateLimit, Overloaded, Refused, NoNetwork, Crashed, Junk, Redirected, Recursive}
}
