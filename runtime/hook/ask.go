// Asking the judge. It is asked late and little: when the rules are not sure, the
// budget would let Claude go on, the same page has not been answered before in
// the session, and there is money left for it. Whatever goes wrong, the rules'
// stop stands.

package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// overtime is how much longer than its own deadline springfield-judge is waited
// for, which it needs to end what it has started.
const overtime = 2 * time.Second

// asking is a question and what came of it.
type asking struct {
	asked  *ledger.Asked  // nil: nobody was
	judged *ledger.Judged // an answer to remember
	told   string         // to the user, besides what the verdict says
}

// patience is how long the hook may take besides, with a judge.
func patience(settings Settings) time.Duration {
	if settings.Config.Judge == nil {
		return 0
	}
	return time.Duration(settings.Config.Judge.Within) * time.Second
}

// ask asks about the verdict's page and makes of it what the answer says.
func (h Host) ask(state string, settings Settings, before ledger.State, snapshot *Snapshot) (a asking) {
	v, j := &snapshot.Verdict, settings.Config.Judge
	if v.Page == "" || j == nil {
		return a
	}
	model := j.Model
	if h.Getenv != nil {
		// An ARN names an account besides, and the variable may be a project's.
		if m := h.Getenv("LISA_SIMPSON_MODEL"); judge.ValidModel(m) && !strings.HasPrefix(m, "arn:") {
			model = m
		} else if m != "" {
			h.note("LISA_SIMPSON_MODEL: %q is no name of a model; asking %s", short(m, 100), model)
		}
	}
	unasked := func(rule, why string) asking {
		v.Rule, v.Sure, v.Evidence = rule, 100, why+" (rule "+v.Rule+": "+v.Evidence+")"
		return a
	}
	if _, _, veto := guard.Spend(before, settings.Limits, snapshot.prompt(), snapshot.progress(), snapshot.witness(), h.Now); veto.Rule != "" {
		return unasked("unasked", "a yes would change nothing: "+veto.Evidence)
	}
	key := pageKey(j.Backend, model, v.Page)
	for _, old := range before.Judged {
		if old.Page == key {
			a.asked = &ledger.Asked{Backend: j.Backend, Model: model, Bytes: len(v.Page), Cached: true}
			answered(v, old.Continue, old.Why)
			return a
		}
	}

	question := judge.Question{
		Backend: j.Backend, Model: model, System: judge.Prompt(), Page: v.Page, Within: int64(j.Within) * 1000, Client: j.Client, Project: h.project(snapshot.Event),
	}
	// Rather too much: what is not spent goes back.
	worst := judge.Micros(model, judge.Usage{Input: int64(len(question.System)+len(question.Page))/2 + 1000, Output: judge.MaxOutput})
	if before.Spent+worst > micros(*j.Session) {
		return unasked("unasked", "this session's limit for judges is reached, "+judge.Dollars(before.Spent)+" of "+judge.Dollars(micros(*j.Session)))
	}
	switch err := ledger.Take(state, h.Now, worst, micros(*j.Daily)); err {
	case nil:
	case ledger.ErrSpent, ledger.ErrResting:
		return unasked("unasked", err.Error())
	default:
		h.note("ask judge: %v", err)
		return unasked("unasked", "what judges have cost cannot be written down")
	}
	start := time.Now()
	reply := h.put(question)
	if reply.Micros == 0 && mayBeBilled(reply.Failed) {
		reply.Micros = worst
	}
	var due bool
	var err error
	if reply.Failed == judge.Redirected { // of this project, not of the judge: others ask it
		err = ledger.PutBack(state, h.Now.Add(time.Since(start)), worst)
	} else {
		due, err = ledger.Settle(state, h.Now.Add(time.Since(start)), worst, reply.Micros, string(reply.Failed), short(reply.Detail, 200))
	}
	if err != nil {
		h.note("settle judge: %v", err)
	}
	a.asked = &ledger.Asked{
		Backend: j.Backend, Model: model, Bytes: len(v.Page), Input: reply.Usage.Input, Output: reply.Usage.Output, CacheRead: reply.Usage.CacheRead,
		CacheWrite: reply.Usage.CacheWrite, Micros: reply.Micros, Took: reply.Took, Failed: string(reply.Failed), Detail: short(reply.Detail, 300),
	}
	if reply.Model != "" {
		a.asked.Model = short(reply.Model, 100)
	}
	if reply.Failed != "" {
		h.note("ask judge: %s: %s", reply.Failed, reply.Detail)
		switch {
		case reply.Failed == judge.Redirected && !before.Barred:
			a.told = settings.Plugin + ": I ask no judge in this project: " + short(reply.Detail, 200) + ". Where my rules are not sure, I let Claude stop."
		case due:
			a.told = settings.Plugin + ": the judge has not answered three times in a row, last: " + string(reply.Failed) + ", " + short(reply.Detail, 200) +
				". Until it does, I let Claude stop where my rules are not sure."
		}
		return unasked("unanswered", "the judge did not answer: "+string(reply.Failed)+", "+reply.Detail)
	}
	answered(v, reply.Continue, reply.Why)
	a.judged = &ledger.Judged{Page: key, Continue: reply.Continue, Why: short(reply.Why, 200)}
	return a
}

// answered makes the judge's answer the verdict. Its words are for the user: what
// Claude is told is ours.
func answered(v *strategy.Verdict, goOn bool, why string) {
	v.Rule, v.Sure, v.Evidence = "judge", 80, "the judge says: “"+why+"”"
	v.Decision = strategy.Stop
	if goOn {
		v.Decision, v.Reason = strategy.Continue, v.Going
	}
}

// put asks springfield-judge, which lies beside the hook.
func (h Host) put(q judge.Question) judge.Reply {
	failed := func(why judge.Failure, err error) judge.Reply {
		return judge.Reply{Failed: why, Detail: short(err.Error(), judge.MaxDetail)}
	}
	line, err := json.Marshal(q)
	if err != nil {
		return failed(judge.NoBinary, err)
	}
	program := filepath.Join(filepath.Dir(follow(h.Executable)), "springfield-judge"+exe())
	if h.Executable == "" || !exists(program) {
		return failed(judge.NoBinary, errors.New("there is no "+program))
	}
	var env []string
	if h.Environ != nil {
		env = h.Environ()
	}
	within := min(time.Duration(q.Within)*time.Millisecond+overtime, time.Until(h.finish))
	said, err := process.Program{Argv: []string{program}, Dir: filepath.Dir(program), Stdin: append(line, '\n'), Env: append([]string{}, env...), Within: within}.Ask(judge.MaxWire)
	switch {
	case err == process.ErrSlow:
		return failed(judge.TimedOut, errors.New("springfield-judge had to be ended"))
	case err != nil:
		return failed(judge.NoBinary, err)
	}
	d := json.NewDecoder(bytes.NewReader(said))
	var r judge.Reply
	if err := d.Decode(&r); err != nil {
		return failed(judge.Junk, errors.New("springfield-judge said what is no reply"))
	}
	if _, err := d.Token(); err != io.EOF {
		return failed(judge.Junk, errors.New("springfield-judge said more than a reply"))
	}
	return bounded(r)
}

// mayBeBilled tells failures after which nobody knows what the question has cost:
// the answer was on its way, or was not one. It counts as the worst, so that a
// limit in dollars holds.
func mayBeBilled(f judge.Failure) bool { return f == judge.TimedOut || f == judge.Junk }

// bounded keeps numbers and texts of a reply within reason: they are summed up
// and kept.
func bounded(r judge.Reply) judge.Reply {
	for _, n := range []*int64{&r.Micros, &r.Took, &r.Usage.Input, &r.Usage.Output, &r.Usage.CacheRead, &r.Usage.CacheWrite} {
		*n = min(max(*n, 0), 1_000_000_000)
	}
	r.Why, r.Detail = short(r.Why, judge.MaxWhy), short(r.Detail, judge.MaxDetail)
	if r.Failed != "" && !slices.Contains(judge.Failures(), r.Failed) {
		r.Failed = judge.Junk // of another springfield's, maybe; no answer it is
	}
	return r
}

// project is the directory whose settings must not choose where a question goes.
func (h Host) project(event Event) string {
	if h.Project != "" {
		return h.Project
	}
	return event.Cwd
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// pageKey is the same for the same page, put to the same judge.
func pageKey(parts ...string) string {
	f := fnv.New128a()
	io.WriteString(f, strings.Join(parts, "\x00"))
	const hex = "0123456789abcdef"
	var b []byte
	for _, c := range f.Sum(nil) {
		b = append(b, hex[c>>4], hex[c&15])
	}
	return string(b)
}

// micros are dollars in millionths.
func micros(dollars float64) int64 { return int64(math.Round(dollars * 1e6)) }
