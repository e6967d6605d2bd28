// Package backend asks a model one question, through the user's own Claude Code or another program of the user. It
// opens no connection.
//
//   - A question ends within its deadline in an answer that matches judge.AnswerSchema, or in a judge.Failure.
//   - The user alone chooses where a question goes. If project settings, which can be from anyone, choose the
//     address, the account or the program's input, no question is asked.
//   - Only mains read the process's own environment, home and temporary directory, which are in an Env.
package backend

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/judge"
)

type Env struct {
	Vars []string // like os.Environ
	Home string
	Temp string // directory
}

// Variable returns an environment variable's value ("" if not set). Names are case-insensitive on Windows.
func (e Env) Variable(name string) string {
	value := ""
	for _, v := range e.Vars {
		if n, rest, ok := strings.Cut(v, "="); ok && sameName(n, name) {
			value = rest
		}
	}
	return value
}

func sameName(a, b string) bool {
	return a == b || runtime.GOOS == "windows" && strings.EqualFold(a, b)
}

// Ask asks the model, returning within half a second past q's deadline. When ctx is done, it ends the program and,
// except on Windows, its process group.
func Ask(ctx context.Context, q judge.Question, e Env) judge.Reply {
	start := time.Now()
	within := cmp.Or(max(0, time.Duration(q.WithinMs)*time.Millisecond), judge.Within*time.Second)
	ctx, cancel := context.WithTimeout(ctx, min(within, judge.MaxWithin*time.Second))
	defer cancel()
	reply := askOnce(ctx, q, e)
	reply.Took = time.Since(start).Milliseconds()
	reply.Detail = judge.OneLine(e.redactSecrets(reply.Detail), judge.MaxDetail)
	reply.Why = e.redactSecrets(reply.Why)
	return reply
}

// askOnce checks q and asks the model. ctx has a deadline. Callers mask secrets in the reply and set Took.
func askOnce(ctx context.Context, q judge.Question, e Env) judge.Reply {
	switch {
	case e.Variable(judge.InJudge) != "":
		return failedReply(judge.Recursive, "this is a judge's own session")
	case !slices.Contains(judge.Backends(), q.Backend):
		return failedReply(judge.Refused, "there is no backend "+strconv.Quote(judge.OneLine(q.Backend, 40))+": "+strings.Join(judge.Backends(), ", "))
	case q.Backend == judge.Claude && !judge.ValidModel(q.Model):
		return failedReply(judge.Refused, strconv.Quote(judge.OneLine(q.Model, 40))+" is not the name of a model")
	case strings.TrimSpace(q.Page) == "" || strings.TrimSpace(q.System) == "":
		return failedReply(judge.Refused, "the question has no page or no system prompt")
	case strings.ContainsRune(q.System, 0):
		return failedReply(judge.Refused, "the system prompt contains a NUL character")
	}
	if why := cmp.Or(WhyRedirected(q.Project, e.Home, q.Named), e.projectVarFault(q)); why != "" {
		return failedReply(judge.Redirected, why)
	}
	if q.Backend == judge.Claude {
		return askClaude(ctx, q, e)
	}
	return askCommand(ctx, q, e)
}

func failedReply(why judge.Failure, detail string) judge.Reply {
	return judge.Reply{Failed: why, Detail: detail}
}

// redactSecrets replaces secret variables' values of six bytes or more with "…".
func (e Env) redactSecrets(s string) string {
	marks := []string{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "CUSTOM_HEADERS"}
	for _, v := range e.Vars {
		name, value, _ := strings.Cut(v, "=")
		secret := slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(strings.ToUpper(name), mark) })
		if value = strings.TrimSpace(value); secret && len(value) >= 6 {
			s = strings.ReplaceAll(s, value, "…")
		}
	}
	return s
}

func HintFor(why judge.Failure) string {
	const wait = "wait a little; the hook tries again by itself"
	hints := map[judge.Failure]string{
		judge.TimedOut: "give it more time: \"judge\": {\"within\": 40} in the plugin's strategy.json, " +
			"and a timeout 10 seconds longer in its hooks.json",
		judge.NoClient: "put Claude Code's claude on PATH, or name it in your own lisa-simpson.json: " +
			"\"judge\": {\"client\": \"/path/to/claude\"}; for a program of yours, see judge.command there",
		judge.NoBinary:   "springfield build compiles springfield-judge into the plugin",
		judge.LoggedOut:  "log in: claude, then /login",
		judge.RateLimit:  wait,
		judge.Overloaded: wait,
		judge.Refused: "check the model's name; " +
			"the backend command needs judge.command and judge.cost in your own lisa-simpson.json",
		judge.NoNetwork:  "check the network, the proxy and ANTHROPIC_BASE_URL",
		judge.Redirected: "move that member to your own settings, if you trust it",
		judge.Recursive:  "unset " + judge.InJudge,
		judge.Junk: "try another model: springfield set lisa-simpson judge.model=sonnet; " +
			"a program of yours must print {\"reason\": \"…\", \"continue\": false} as its last line",
	}
	return cmp.Or(hints[why], "see whether Claude Code answers by itself: claude -p hello; "+
		"or your own program, with a page on standard input")
}
