package backend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

const (
	maxStdout = 1 << 20
	maxStderr = 16 << 10
	// grace is what a process has between being asked to end and being ended, and
	// how long a grandchild may hold our pipes after it.
	grace = 500 * time.Millisecond
)

// arguments are the client's. Safe mode leaves out CLAUDE.md, memory, skills,
// plugins, hooks and MCP servers, and keeps every way to be logged in, also one
// that the user's settings have (apiKeyHelper, env), which --setting-sources ""
// loses; --bare, shorter, loses the login itself. Safe mode still answers in the
// language of the user's settings, which is taken back here. The rest says again,
// in other words, what must not come in.
func arguments(q judge.Question) []string {
	return []string{
		"-p",
		"--safe-mode",
		"--settings", `{"disableAllHooks":true,"language":"","outputStyle":"default"}`,
		"--strict-mcp-config",
		"--tools", "",
		"--no-session-persistence",
		"--model", q.Model,
		"--effort", "low",
		"--output-format", "json",
		"--json-schema", judge.Schema(),
		"--system-prompt", q.System,
	}
}

// askClaude asks through the user's own client.
func askClaude(ctx context.Context, q judge.Question, e Env) judge.Reply {
	project := q.Project
	if e.Home != "" && within(e.Home, project) { // who works in / or at home has programs there
		project = ""
	}
	client := e.find(q.Client, project)
	if client == "" {
		if q.Client != "" {
			return failed(judge.NoClient, "there is no program at "+q.Client)
		}
		return failed(judge.NoClient, "claude is neither on PATH nor where its installers put it")
	}
	// Empty, and its own: the client looks for CLAUDE.md and settings from where it
	// stands, upwards.
	dir, err := os.MkdirTemp(e.Temp, "springfield-judge-")
	if err != nil {
		return failed(judge.Crashed, "no temporary directory: "+err.Error())
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := judge.MaxWithin * time.Second
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline), time.Millisecond)
	}
	stdout, stderr := &bounded{limit: maxStdout, full: cancel}, &bounded{limit: maxStderr}
	cmd := exec.CommandContext(ctx, client, arguments(q)...)
	cmd.Dir, cmd.Env = dir, e.clientVars(e.path(project), left)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(q.Page), stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	cmd.WaitDelay = grace
	release := holdThread()
	if err = cmd.Start(); err != nil {
		release()
		return failed(judge.Crashed, "cannot start the client: "+reason(err))
	}
	err = cmd.Wait()
	release()
	killGroup(cmd.Process) // what it left behind

	if stdout.over() {
		return failed(judge.Junk, "the client printed more than 1 MB")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it had ended, only something that it started had not
	}
	reply, told := readEnvelope(stdout.bytes(), q.Model)
	if err == nil || told {
		return reply
	}
	// What it cost counts all the same, what it said does not.
	reply.Continue, reply.Why = false, ""
	reply.Failed, reply.Detail = judge.Crashed, "the client ended with "+err.Error()+firstLine(stderr.bytes())
	if late, over := overdue(ctx); over {
		reply.Failed, reply.Detail = late.Failed, late.Detail
	}
	return reply
}

// reason is an error without the path in front of it.
func reason(err error) string {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// firstLine is what stderr begins with, after ": ".
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	if len(line) == 0 {
		return ""
	}
	return ": " + judge.OneLine(string(line), 200)
}

// readEnvelope reads the result that the client prints. What the model wrote is
// in structured_output; JSON in the text beside it does not count. Told is
// whether the client says itself that it failed, and why.
func readEnvelope(data []byte, model string) (reply judge.Reply, told bool) {
	var result struct {
		Type    string                     `json:"type"`
		Subtype string                     `json:"subtype"`
		IsError bool                       `json:"is_error"`
		Status  *int                       `json:"api_error_status"`
		Text    string                     `json:"result"`
		Answer  json.RawMessage            `json:"structured_output"`
		Cost    *float64                   `json:"total_cost_usd"`
		Usage   usage                      `json:"usage"`
		Models  map[string]json.RawMessage `json:"modelUsage"`
	}
	if json.Unmarshal(data, &result) != nil || result.Type != "result" {
		return failed(judge.Junk, "the client printed no result"), false
	}
	reply = judge.Reply{Model: judge.OneLine(model, 100), Usage: result.Usage.read()}
	if len(result.Models) == 1 {
		for name := range result.Models {
			reply.Model = judge.OneLine(name, 100)
		}
	}
	reply.Micros = judge.Micros(reply.Model, reply.Usage)
	if result.Cost != nil {
		reply.Micros = whole(*result.Cost*1e6 + 0.5)
	}
	if result.IsError || result.Subtype != "success" {
		reply.Failed = clientFailure(result.Status, result.Subtype, result.Text)
		reply.Detail = "the client says: " + judge.OneLine(cmp.Or(result.Text, result.Subtype), 200)
		return reply, true
	}
	return answered(reply, result.Answer), false
}

// clientFailure is what an error of the client means: the API's status, when
// there is one; else its own words, of which there are few.
func clientFailure(code *int, subtype, text string) judge.Failure {
	if code != nil && *code > 0 {
		return status(*code)
	}
	text = strings.ToLower(text)
	for _, word := range []string{"/login", "not logged in", "invalid api key", "oauth token", "apikeyhelper"} {
		if strings.Contains(text, word) {
			return judge.LoggedOut
		}
	}
	for _, word := range []string{"usage limit", "rate limit", "hit your limit", "limit reached", "credit balance"} {
		if strings.Contains(text, word) {
			return judge.RateLimit
		}
	}
	for _, word := range []string{"unable to connect", "connection error", "enotfound", "econnrefused", "econnreset", "fetch failed", "socket"} {
		if strings.Contains(text, word) {
			return judge.NoNetwork
		}
	}
	for _, word := range []string{"timed out", "timeout"} {
		if strings.Contains(text, word) {
			return judge.TimedOut
		}
	}
	if strings.HasPrefix(subtype, "error_max_structured_output") || subtype == "success" && text == "" {
		return judge.Junk
	}
	return judge.Crashed
}

// bounded keeps the first limit bytes of what is written to it. A program that writes
// more is not kept waiting: full is called, once.
type bounded struct {
	limit int
	full  func()

	mu     sync.Mutex
	data   []byte
	excess bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.limit - len(b.data)
	if len(p) > room && !b.excess {
		b.excess = true
		if b.full != nil {
			b.full()
		}
	}
	b.data = append(b.data, p[:min(len(p), room)]...)
	return len(p), nil
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data
}

func (b *bounded) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.excess
}
