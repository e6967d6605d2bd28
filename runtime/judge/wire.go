// Package judge defines lisa-simpson's question to a model and the answer. It is pure. Package backend, which
// is not in the hook, asks the model.
package judge

import (
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	Claude  = "claude"  // the user's client and login
	Command = "command" // the user's own program
)

// Backends returns the names of the backends, the default first.
func Backends() []string { return []string{Claude, Command} }

const DefaultModel = "haiku"

// Within is the default time limit of a judge and MaxWithin the longest, in seconds. The timeout in
// hooks.json is Spare longer than the plugin's.
const (
	Within    = 20
	MaxWithin = 120
	Spare     = 10
)

type Options struct {
	Backend string // one of Backends
	Model   string // for Claude
	Within  int    // seconds
	Client  string // absolute path of Claude Code's program, "" to search for it
	// Command is the absolute path of the user's program, with arguments. Cost is the price of a question in
	// dollars, nil if not set. Variables are passed to the program, besides a few that are safe.
	Command   []string
	Cost      *float64
	Variables []string
	Daily     float64 // limit in dollars
	Session   float64 // limit in dollars
}

func Defaults() Options {
	return Options{Backend: Claude, Model: DefaultModel, Within: Within, Daily: 1, Session: 0.25}
}

// Lacks returns a message about a missing required setting, or "".
func (o Options) Lacks() string {
	if o.Backend == Command && len(o.Command) == 0 {
		return "judge.command is not set"
	}
	if o.Backend == Command && o.Cost == nil {
		return "judge.cost is not set"
	}
	return ""
}

// InJudge is a variable in the environment of a judge. Our hooks do not answer there, so that a judge never
// asks a judge.
const InJudge = "SPRINGFIELD_JUDGE"

const MaxWire = 64 << 10 // bytes of a question or a reply

// Question is the input of springfield-judge.
type Question struct {
	Backend  string
	Model    string
	System   string
	Page     string
	WithinMs int64  // milliseconds
	Client   string // absolute path of Claude Code's program, "" to search for it
	// Command is the user's program with arguments. Named lists the variables passed to it.
	Command, Named []string
	// Project is the project's directory, or "". Its settings must not choose where the question goes.
	Project string
	// Variables are names of files, in the project or above, from which the host passes variables to hooks.
	Variables []string
}

func (q *Question) Members(m *codec.Coder) {
	m.Text("backend", &q.Backend)
	m.Text("model", &q.Model)
	m.Text("system", &q.System)
	m.Text("page", &q.Page)
	codec.Number(m, "within", &q.WithinMs)
	m.Text("client", &q.Client)
	m.Texts("command", &q.Command)
	m.Texts("named", &q.Named)
	m.Text("project", &q.Project)
	m.Texts("variables", &q.Variables)
}

// Reply is the output of springfield-judge. It contains an answer unless Failed is set.
type Reply struct {
	Continue bool
	Why      string // reason from the model, a line with up to MaxWhy bytes
	Model    string
	Usage    Usage
	// Micros is the cost in millionths of a dollar, by the client or the price list, even if there is no answer.
	Micros int64
	Took   int64 // milliseconds
	Failed Failure
	Detail string // a single line
}

func (r *Reply) Members(m *codec.Coder) {
	m.EvenEmpty().Bool("continue", &r.Continue)
	m.Text("why", &r.Why)
	m.Text("model", &r.Model)
	m.EvenEmpty().Object("usage", &r.Usage)
	codec.Number(m.EvenEmpty(), "micros", &r.Micros)
	codec.Number(m.EvenEmpty(), "took", &r.Took)
	m.Text("failed", (*string)(&r.Failed))
	m.Text("detail", &r.Detail)
}

// MaxWhy and MaxDetail are the maximum lengths of Reply.Why and Reply.Detail, in bytes.
const (
	MaxWhy    = 300
	MaxDetail = 300
)

// Usage is a number of tokens by kind.
type Usage struct {
	Input      int64
	Output     int64
	CacheRead  int64
	CacheWrite int64
}

func (u *Usage) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "input", &u.Input)
	codec.Number(m.EvenEmpty(), "output", &u.Output)
	codec.Number(m, "cache_read", &u.CacheRead)
	codec.Number(m, "cache_write", &u.CacheWrite)
}

// Failure is why a judge did not answer.
type Failure string

const (
	TimedOut   Failure = "timeout"
	NoClient   Failure = "no-client"  // neither Claude Code nor the user's program was found
	NoBinary   Failure = "no-binary"  // springfield-judge is missing or does not start
	LoggedOut  Failure = "logged-out" // 401, 403, or the client asks to log in
	RateLimit  Failure = "rate-limit" // 429
	Overloaded Failure = "overloaded" // 529, or 5xx
	Refused    Failure = "refused"    // any other status: 400, an unknown model
	NoNetwork  Failure = "no-network"
	Crashed    Failure = "crashed"
	Junk       Failure = "junk"       // an answer that does not match the schema
	Redirected Failure = "redirected" // the project's settings choose where questions go
	Recursive  Failure = "recursive"  // a judge inside a judge
)

func Failures() []Failure {
	return []Failure{TimedOut, NoClient, NoBinary, LoggedOut, RateLimit, Overloaded, Refused, NoNetwork, Crashed, Junk, Redirected, Recursive}
}

// ValidModel reports whether model can be an alias, an ID, or a name on Bedrock or Vertex. A leading dash or ".." is
// invalid.
func ValidModel(model string) bool {
	const letters = "._:/@[]-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return model != "" && len(model) <= 100 && model[0] != '-' && !strings.Contains(model, "..") && strings.Trim(model, letters) == ""
}
