package backend

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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

// clientArguments are the client's. Safe mode leaves out CLAUDE.md, memory, skills,
// plugins, hooks and MCP servers, and keeps every way to be logged in, also one
// that the user's settings have (apiKeyHelper, env), which --setting-sources ""
// loses; --bare, shorter, loses the login itself. Safe mode still answers in the
// language of the user's settings, which is taken back here. The rest says again,
// in other words, what must not come in.
func clientArguments(q judge.Question) []string {
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
		"--json-schema", judge.AnswerSchema(),
		"--system-prompt", q.System,
	}
}

// askClaude asks through the user's own client.
func askClaude(ctx context.Context, q judge.Question, e Env) judge.Reply {
	project := q.Project
	if e.Home != "" && isWithin(e.Home, project) { // who works in / or at home has programs there
		project = ""
	}
	client := e.findClient(q.Client, project)
	if client == "" {
		if q.Client != "" {
			return failedReply(judge.NoClient, "there is no program at "+q.Client)
		}
		return failedReply(judge.NoClient, "claude is neither on PATH nor where its installers put it")
	}
	// Empty, and its own: the client looks for CLAUDE.md and settings from where it
	// stands, upwards.
	dir, err := os.MkdirTemp(e.Temp, "springfield-judge-")
	if err != nil {
		return failedReply(judge.Crashed, "no temporary directory: "+err.Error())
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	deadline, _ := ctx.Deadline() // Ask sets it
	stdout, stderr := &bounded{limit: maxStdout, full: cancel}, &bounded{limit: maxStderr, full: func() {}}
	cmd := exec.CommandContext(ctx, client, clientArguments(q)...)
	cmd.Dir, cmd.Env = dir, e.clientVars(e.searchPath(project), max(time.Until(deadline), time.Millisecond))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(q.Page), stdout, stderr
	cmd.SysProcAttr = ownGroup()
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	cmd.WaitDelay = grace
	runtime.LockOSThread() // the kernel of Linux takes the end of the thread that starts the client for ours
	err = cmd.Run()
	runtime.UnlockOSThread()
	if cmd.Process == nil {
		return failedReply(judge.Crashed, "cannot start the client: "+err.Error())
	}
	killGroup(cmd.Process) // what it left behind

	printed, over := stdout.readAll()
	if over {
		return failedReply(judge.Junk, "the client printed more than 1 MB")
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it had ended, only something that it started had not
	}
	reply, told := readEnvelope(printed, q.Model)
	if err == nil || told {
		return reply
	}
	// What it cost counts all the same, what it said does not.
	reply.Continue, reply.Why = false, ""
	complaint, _ := stderr.readAll()
	line, _, _ := strings.Cut(strings.TrimSpace(string(complaint)), "\n")
	reply.Failed, reply.Detail = judge.Crashed, "the client ended with "+err.Error()+": "+cmp.Or(judge.OneLine(line, 200), "it says nothing")
	if late, over := overdueReply(ctx); over {
		reply.Failed, reply.Detail = late.Failed, late.Detail
	}
	return reply
}

// findClient is the absolute path of Claude Code's program: the given one; else the one
// on PATH; else one where its installers put it. Nothing in the project counts,
// nor a PATH entry that depends on where one stands: a repository must not bring
// its own.
func (e Env) findClient(client, project string) string {
	if client != "" {
		if filepath.IsAbs(client) && isProgram(client) {
			return client
		}
		return ""
	}
	windows := runtime.GOOS == "windows"
	dirs := filepath.SplitList(e.searchPath(project))
	for _, dir := range []string{".local/bin", ".claude/local", ".npm-global/bin", ".bun/bin", ".volta/bin"} {
		if e.Home != "" {
			dirs = append(dirs, filepath.Join(e.Home, filepath.FromSlash(dir)))
		}
	}
	if appData := e.Variable("APPDATA"); windows && appData != "" {
		dirs = append(dirs, filepath.Join(appData, "npm"))
	} else if !windows {
		dirs = append(dirs, "/usr/local/bin", "/opt/homebrew/bin", "/usr/bin")
	}
	names := []string{"claude"}
	if windows { // npm puts a script there; what it calls lies below
		names = []string{"claude.exe", filepath.Join("node_modules", "@anthropic-ai", "claude-code", "bin", "claude.exe")}
	}
	for _, dir := range dirs {
		for _, name := range names {
			if path := filepath.Join(dir, name); filepath.IsAbs(path) && isProgram(path) && !isWithin(path, project) {
				return path
			}
		}
	}
	return ""
}

// searchPath is PATH without what a project could have put there. The client needs
// one: npm's is a script that looks for node.
func (e Env) searchPath(project string) string {
	outside := slices.DeleteFunc(filepath.SplitList(e.Variable("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || isWithin(dir, project)
	})
	return strings.Join(outside, string(os.PathListSeparator))
}

// isWithin says whether path is dir or lies in it, by its name or in truth.
func isWithin(path, dir string) bool {
	if dir == "" {
		return false
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	realPath, errPath := filepath.EvalSymlinks(path)
	realDir, errDir := filepath.EvalSymlinks(dir)
	rel, err := filepath.Rel(realDir, realPath)
	return errPath == nil && errDir == nil && err == nil && filepath.IsLocal(rel)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
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
		return failedReply(judge.Junk, "the client printed no result"), false
	}
	if len(result.Models) == 1 {
		for name := range result.Models {
			model = name
		}
	}
	reply = replyWithCost(model, result.Usage)
	if result.Cost != nil {
		reply.Micros = wholeCount(*result.Cost*1e6 + 0.5)
	}
	if result.IsError || result.Subtype != "success" {
		reply.Failed = clientFailure(result.Status, result.Subtype, result.Text)
		reply.Detail = "the client says: " + judge.OneLine(cmp.Or(result.Text, result.Subtype), 200)
		return reply, true
	}
	return takeAnswer(reply, result.Answer), false
}

// clientFailure is what an error of the client means: the API's status, when
// there is one; else its own words, of which there are few.
func clientFailure(code *int, subtype, text string) judge.Failure {
	if code != nil && *code > 0 {
		return failureOfStatus(*code)
	}
	text = strings.ToLower(text)
	for _, meant := range []struct {
		failure judge.Failure
		words   []string
	}{
		{judge.LoggedOut, []string{"/login", "not logged in", "invalid api key", "oauth token", "apikeyhelper"}},
		{judge.RateLimit, []string{"usage limit", "rate limit", "hit your limit", "limit reached", "credit balance"}},
		{judge.NoNetwork, []string{"unable to connect", "connection error", "enotfound", "econnrefused", "econnreset", "fetch failed", "socket"}},
		{judge.TimedOut, []string{"timed out", "timeout"}},
	} {
		if slices.ContainsFunc(meant.words, func(word string) bool { return strings.Contains(text, word) }) {
			return meant.failure
		}
	}
	if strings.HasPrefix(subtype, "error_max_structured_output") || subtype == "success" && text == "" {
		return judge.Junk
	}
	return judge.Crashed
}

// bounded keeps the first limit bytes of what is written to it. A program that writes
// more is not kept waiting: full is called.
type bounded struct {
	limit int
	full  func()

	mu   sync.Mutex // what a grandchild writes may come when the program has ended
	data []byte
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := b.limit - len(b.data)
	if b.over = b.over || len(p) > room; b.over {
		b.full()
	}
	b.data = append(b.data, p[:min(len(p), room)]...)
	return len(p), nil
}

func (b *bounded) readAll() (data []byte, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data, b.over
}
