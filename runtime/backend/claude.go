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

// clientArguments returns the arguments for Claude Code. Safe mode leaves out CLAUDE.md, memory, skills, plugins, hooks
// and MCP servers, but keeps every login and the user's language. --settings resets the language.
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

// askClaude asks Claude Code without askOnce's checks. ctx has a deadline.
func askClaude(ctx context.Context, q judge.Question, e Env) judge.Reply {
	project := e.projectNotAboveHome(q)
	client := e.findClient(q.Client, project)
	if client == "" {
		if q.Client != "" {
			return failedReply(judge.NoClient, "there is no program at "+q.Client)
		}
		return failedReply(judge.NoClient, "claude is neither on PATH nor where its installers put it")
	}
	deadline, _ := ctx.Deadline()
	vars := e.clientVars(e.searchPath(project), max(time.Until(deadline), time.Millisecond))
	return e.run(ctx, append([]string{client}, clientArguments(q)...), vars, q.Page, func(printed []byte) (judge.Reply, bool) {
		return readEnvelope(printed, q.Model)
	})
}

// projectNotAboveHome returns the project ("" if it contains the user's home).
func (e Env) projectNotAboveHome(q judge.Question) string {
	if e.Home != "" && isWithinEitherWay(e.Home, q.Project) {
		return ""
	}
	return q.Project
}

// findClient returns the path to Claude Code, or "". configured is "" or absolute. If "", PATH and the usual
// directories are searched, ignoring relative directories and the project. project is from projectNotAboveHome.
func (e Env) findClient(configured, project string) string {
	if configured != "" {
		if filepath.IsAbs(configured) && isProgram(configured) {
			return configured
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
	if windows { // npm installs a script, which calls a program in node_modules
		names = []string{"claude.exe", filepath.Join("node_modules", "@anthropic-ai", "claude-code", "bin", "claude.exe")}
	}
	for _, dir := range dirs {
		for _, name := range names {
			if path := filepath.Join(dir, name); filepath.IsAbs(path) && isProgram(path) && !isWithinEitherWay(path, project) {
				return path
			}
		}
	}
	return ""
}

// searchPath returns PATH without relative and project directories. project is from projectNotAboveHome.
func (e Env) searchPath(project string) string {
	outside := slices.DeleteFunc(filepath.SplitList(e.Variable("PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir) || isWithinEitherWay(dir, project)
	})
	return strings.Join(outside, string(os.PathListSeparator))
}

// isWithinEitherWay reports whether path is within dir, by name or with symlinks resolved. It is false if dir is "".
func isWithinEitherWay(path, dir string) bool {
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

// readEnvelope parses the client's JSON output. The reply's model is askedModel unless the output names exactly one.
// explained means that the output explains a failure.
func readEnvelope(data []byte, askedModel string) (reply judge.Reply, explained bool) {
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
			askedModel = name
		}
	}
	u := result.Usage
	reply = judge.Reply{Model: judge.OneLine(askedModel, 100), Usage: judge.Usage{
		Input: truncateCount(u.Input), Output: truncateCount(u.Output), CacheRead: truncateCount(u.CacheRead), CacheWrite: truncateCount(u.CacheWrite),
	}}
	reply.Micros = judge.PriceInMicros(reply.Model, reply.Usage)
	if result.Cost != nil {
		reply.Micros = truncateCount(*result.Cost*1e6 + 0.5)
	}
	if result.IsError || result.Subtype != "success" {
		reply.Failed = clientFailure(result.Status, result.Subtype, result.Text)
		reply.Detail = "the client says: " + judge.OneLine(cmp.Or(result.Text, result.Subtype), 200)
		return reply, true
	}
	return takeAnswer(reply, result.Answer), false
}

func clientFailure(httpStatus int, subtype, text string) judge.Failure {
	switch {
	case httpStatus <= 0:
	case httpStatus == 401 || httpStatus == 403:
		return judge.LoggedOut
	case httpStatus == 429:
		return judge.RateLimit
	case httpStatus >= 500:
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

func takeAnswer(reply judge.Reply, answer []byte) judge.Reply {
	cont, why, err := judge.ReadAnswer(answer)
	if err != nil {
		reply.Failed, reply.Detail = judge.Junk, err.Error()
		return reply
	}
	reply.Continue, reply.Why = cont, why
	return reply
}

type usage struct {
	Input      float64 `json:"input_tokens"`
	Output     float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
}

func truncateCount(n float64) int64 {
	const most = 1e12
	if !(n > 0) { // or NaN
		return 0
	}
	return int64(min(n, most))
}
