package backend

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
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
	project := e.foreignProject(q)
	client := e.findClient(q.Client, project)
	if client == "" {
		if q.Client != "" {
			return failedReply(judge.NoClient, "there is no program at "+q.Client)
		}
		return failedReply(judge.NoClient, "claude is neither on PATH nor where its installers put it")
	}
	deadline, _ := ctx.Deadline() // Ask sets it
	vars := e.clientVars(e.searchPath(project), max(time.Until(deadline), time.Millisecond))
	return e.run(ctx, append([]string{client}, clientArguments(q)...), vars, q.Page, func(printed []byte) (judge.Reply, bool) {
		return readEnvelope(printed, q.Model)
	})
}

// foreignProject is the project, "" where the user is at home in it: who works in / or at
// home has programs there.
func (e Env) foreignProject(q judge.Question) string {
	if e.Home != "" && isWithin(e.Home, q.Project) {
		return ""
	}
	return q.Project
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
		Status  int                        `json:"api_error_status"`
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
	u := result.Usage
	reply = judge.Reply{Model: judge.OneLine(model, 100), Usage: judge.Usage{
		Input: wholeCount(u.Input), Output: wholeCount(u.Output), CacheRead: wholeCount(u.CacheRead), CacheWrite: wholeCount(u.CacheWrite),
	}}
	reply.Micros = judge.PriceInMicros(reply.Model, reply.Usage)
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
func clientFailure(code int, subtype, text string) judge.Failure {
	switch {
	case code <= 0:
	case code == 401 || code == 403:
		return judge.LoggedOut
	case code == 429:
		return judge.RateLimit
	case code >= 500:
		return judge.Overloaded
	default:
		return judge.Refused
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

// takeAnswer puts an answer into the reply, or says that it is none.
func takeAnswer(reply judge.Reply, data []byte) judge.Reply {
	cont, why, err := judge.ReadAnswer(data)
	if err != nil {
		reply.Failed, reply.Detail = judge.Junk, err.Error()
		return reply
	}
	reply.Continue, reply.Why = cont, why
	return reply
}

// usage is a count of tokens as the client writes it.
type usage struct {
	Input      float64 `json:"input_tokens"`
	Output     float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
}

// wholeCount is n as a count, between nothing and what no use reaches.
func wholeCount(n float64) int64 {
	const most = 1e12
	if !(n > 0) { // not a number either
		return 0
	}
	return int64(min(n, most))
}
