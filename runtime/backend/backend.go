// Package backend asks a model one question: through the user's own Claude Code, or a
// program of the user's own. It opens no connection itself. The rules:
//
//   - One question, one answer that matches judge.AnswerSchema, or a judge.Failure. There
//     is no third thing, and nothing here panics, prints or waits past the deadline.
//   - The question goes where the user sends it. A project's settings, which may
//     come from anywhere and whose env Claude Code hands to hooks, must not choose
//     the address, the account or what the program is given: then no question is asked.
//   - Keys and tokens are used and never repeated: no reply has one in it.
//   - The environment, the home and the place for temporary files come in an Env;
//     only mains read the process's own.
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

// Env is where a question is asked from.
type Env struct {
	Vars []string // as os.Environ has them
	Home string   // the user's
	Temp string   // where temporary directories go
}

// Variable is the value of a variable, "" when it is not set. On Windows the case of
// names does not count.
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

// Ask asks the question and comes back within its deadline, give or take the
// half second that it takes to end a process. When ctx ends, so does everything
// that was started.
func Ask(ctx context.Context, q judge.Question, e Env) judge.Reply {
	start := time.Now()
	within := time.Duration(q.Within) * time.Millisecond
	if within <= 0 {
		within = judge.Within * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, min(within, judge.MaxWithin*time.Second))
	defer cancel()
	reply := askOnce(ctx, q, e)
	reply.Took = time.Since(start).Milliseconds()
	reply.Detail = judge.OneLine(e.redactSecrets(reply.Detail), judge.MaxDetail)
	reply.Why = e.redactSecrets(reply.Why)
	return reply
}

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
	if why := cmp.Or(Redirected(q.Project, e.Home, q.Named), e.brought(q)); why != "" {
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

// redactSecrets takes out of s what must not be repeated: an error message may
// quote the key that was sent.
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

// HintFor is what to do about a judge that does not answer.
func HintFor(why judge.Failure) string {
	switch why {
	case judge.TimedOut:
		return "give it more time: \"judge\": {\"within\": 40} in the plugin's strategy.json, and a timeout 10 seconds longer in its hooks.json"
	case judge.NoClient:
		return "put Claude Code's claude on PATH, or name it in your own lisa-simpson.json: \"judge\": {\"client\": \"/path/to/claude\"}; for a program of yours, see judge.command there"
	case judge.NoBinary:
		return "springfield build compiles springfield-judge into the plugin"
	case judge.LoggedOut:
		return "log in: claude, then /login"
	case judge.RateLimit, judge.Overloaded:
		return "wait a little; the hook tries again by itself"
	case judge.Refused:
		return "check the model's name; the backend command needs judge.command and judge.cost in your own lisa-simpson.json"
	case judge.NoNetwork:
		return "check the network, the proxy and ANTHROPIC_BASE_URL"
	case judge.Redirected:
		return "move that member to your own settings, if you trust it"
	case judge.Recursive:
		return "unset " + judge.InJudge
	case judge.Junk:
		return "try another model: springfield set lisa-simpson judge.model=sonnet; a program of yours must print {\"reason\": \"…\", \"continue\": false} as its last line"
	}
	return "see whether Claude Code answers by itself: claude -p hello; or your own program, with a page on standard input"
}
