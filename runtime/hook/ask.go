// The judge is asked last, and only if a yes could lead to a continue. If anything fails, the agent stops.

package hook

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// overtime is the time that springfield-judge gets after the deadline to end its children.
const overtime = 2 * time.Second

type askOutcome struct {
	asked  *ledger.Asked  // nil if no judge was asked
	taken  int64          // micros reserved in the session
	judged *ledger.Judged // the answer to cache
	told   string         // to the user
}

// noteJudgement replaces the session's reservation in v.Next with the actual cost, and adds the judgement to v.Next and
// the message to the user to v, unless v has one. v is settled, with the reservation in v.Next.Spent.
func (q askOutcome) noteJudgement(v *Settled) {
	v.Next.Spent = max(0, v.Next.Spent-q.taken)
	if q.asked == nil {
		return
	}
	v.Next.Spent += q.asked.Micros
	v.Next.Barred = judge.Failure(q.asked.Failed) == judge.Redirected
	if q.judged != nil {
		v.Next.NoteJudgement(*q.judged)
	}
	v.Told = cmp.Or(v.Told, q.told)
}

// askJudge asks the judge about the page of snapshot.Verdict, which is not empty, and changes the verdict by the
// answer. It extends the hook's time limit. The caller must not hold the session's lock, and always calls
// a.noteJudgement after.
func (s *start) askJudge(snapshot *Snapshot) (a askOutcome) {
	v := &snapshot.Verdict
	j, asks := snapshot.Settings.JudgeOptions()
	if !asks {
		return a
	}
	s.finish = s.finish.Add(time.Duration(j.Within) * time.Second)
	if lacks := j.Lacks(); lacks != "" {
		noteNoAnswer(v, "unasked", lacks)
		return a
	}
	yes := *snapshot
	yes.Verdict.Decision = strategy.Continue
	if settled := yes.Settle(); settled.Decision != strategy.Continue {
		noteNoAnswer(v, "unasked", "a yes would change nothing: "+settled.Evidence)
		return a
	}
	q := s.questionFor(j, v.Page)
	key := ledger.SessionKey(strings.Join(append([]string{q.Backend, q.Model, q.Page}, q.Command...), "\x00"))
	for _, old := range snapshot.Before.Judged {
		if old.Page == key {
			a.asked = &ledger.Asked{Backend: q.Backend, Model: q.Model, Bytes: len(q.Page), Cached: true}
			applyJudgeAnswer(v, old.Continue, old.Why)
			return a
		}
	}
	var why string
	if a.taken, why = s.reserveCost(q, j); why != "" {
		noteNoAnswer(v, "unasked", why)
		return a
	}
	reply, due := s.askAndPay(q, a.taken)
	a.asked = &ledger.Asked{
		Backend: q.Backend, Model: q.Model, Bytes: len(q.Page), Input: reply.Usage.Input, Output: reply.Usage.Output, CacheRead: reply.Usage.CacheRead,
		CacheWrite: reply.Usage.CacheWrite, Micros: reply.Micros, Took: reply.Took, Failed: string(reply.Failed), Detail: shortenText(reply.Detail, 300),
	}
	a.asked.Model = shortenText(cmp.Or(reply.Model, q.Model), 100)
	if reply.Failed == "" {
		applyJudgeAnswer(v, reply.Continue, reply.Why)
		a.judged = &ledger.Judged{Page: key, Continue: reply.Continue, Why: shortenText(reply.Why, 200)}
		return a
	}
	s.noteForDebug("ask judge: " + string(reply.Failed) + ": " + reply.Detail)
	if reply.Failed == judge.Redirected && !snapshot.Before.Barred {
		a.told = s.plugin + " asks no model in this project: " + shortenText(reply.Detail, 200) + ". Where its rules are not sure, " + s.event.Host.Agent + " stops."
	} else if due {
		a.told = s.plugin + ": the model has not answered three times in a row, last: " + string(reply.Failed) + ", " + shortenText(reply.Detail, 200) +
			". Until it does, " + s.event.Host.Agent + " stops where the rules are not sure."
	}
	noteNoAnswer(v, "unanswered", "the model did not answer: "+string(reply.Failed)+", "+reply.Detail)
	return a
}

// questionFor returns the question about page for j's backend. j.Lacks() is "". For Claude, a valid LISA_SIMPSON_MODEL
// other than an ARN replaces j.Model. For a command, Model is the program's name without arguments.
func (s *start) questionFor(j judge.Options, page string) judge.Question {
	q := judge.Question{
		Backend: j.Backend, System: judge.SystemPrompt(s.event.Host.Agent), Page: page, WithinMs: int64(j.Within) * 1000,
		Project: s.projectDir(), Variables: s.event.Host.Variables,
	}
	if j.Backend == judge.Claude {
		q.Model, q.Client = j.Model, j.Client
		// A project can set the variable, and an ARN names an account.
		if m := s.Getenv("LISA_SIMPSON_MODEL"); judge.ValidModel(m) && !strings.HasPrefix(m, "arn:") {
			q.Model = m
		} else if m != "" {
			s.noteForDebug("LISA_SIMPSON_MODEL: " + strconv.Quote(shortenText(m, 100)) + " is not the name of a model; asking " + j.Model)
		}
	} else {
		q.Model, q.Command, q.Named = filepath.Base(j.Command[0]), j.Command, j.Variables
	}
	return q
}

func noteNoAnswer(v *strategy.Verdict, newRule, why string) {
	v.Rule, v.Sure, v.Evidence = newRule, 100, why+" (rule "+v.Rule+": "+v.Evidence+")"
}

// daySpendDir returns the directory for the costs of questions, preferably the home directory.
func (s *start) daySpendDir() string { return cmp.Or(ledger.StateDir("", s.Home), s.state) }

// reserveCost reserves q's maximum cost for the session and day. takenMicros is the session's, and can be positive even
// if q can't be asked. why is the reason not to ask, or "". j.Lacks() is "".
func (s *start) reserveCost(q judge.Question, j judge.Options) (takenMicros int64, why string) {
	var worst int64
	if j.Backend == judge.Command {
		worst = toMicros(*j.Cost)
	} else {
		// The client resolves an alias with this variable.
		named := s.Getenv("ANTHROPIC_DEFAULT_" + strings.ToUpper(q.Model) + "_MODEL")
		worst = max(judge.PriceAtMost(q.Model, q), judge.PriceAtMost(cmp.Or(named, q.Model), q))
	}
	spent, err := ledger.TakeFromSession(s.state, ledgerIDOf(s.event), s.recordOf(Settled{}, s.plugin), worst, toMicros(j.Session))
	if err == ledger.ErrSpent {
		return 0, "this session's spending limit for the judge is reached, " + judge.Dollars(spent) + " of " + judge.Dollars(toMicros(j.Session))
	}
	if err == nil {
		takenMicros, err = worst, ledger.TakeFromDay(s.daySpendDir(), s.Now, worst, toMicros(j.Daily))
	}
	if err == nil {
		return takenMicros, ""
	}
	if err == ledger.ErrSpent || err == ledger.ErrResting {
		return takenMicros, err.Error()
	}
	s.noteForDebug("ask judge: " + err.Error())
	return takenMicros, "the cost of questions cannot be saved"
}

// askAndPay asks the judge and replaces takenMicros, the day's reservation, with the actual cost. tellFailing reports
// whether to tell the user of repeated failures.
func (s *start) askAndPay(q judge.Question, takenMicros int64) (reply judge.Reply, tellFailing bool) {
	begun := time.Now()
	reply = s.runJudge(q)
	uncounted := reply.Failed == "" && reply.Usage == judge.Usage{}
	if reply.Micros == 0 && (uncounted || reply.Failed == judge.TimedOut || reply.Failed == judge.Junk || reply.Failed == judge.Crashed) {
		reply.Micros = takenMicros // the cost is unknown, and the limit in dollars must hold
	}
	tellFailing, err := ledger.SettleSpending(s.daySpendDir(), s.Now, s.Now.Add(time.Since(begun)), takenMicros, ledger.Outcome{
		Micros: reply.Micros, Failure: string(reply.Failed), Detail: shortenText(reply.Detail, 200), Unasked: reply.Failed == judge.Redirected,
	})
	if err != nil {
		s.noteForDebug("settle judge: " + err.Error())
	}
	return reply, tellFailing
}

// applyJudgeAnswer makes v a continue if goOn, otherwise a stop. The judge's explanation, said, goes only to the user.
// The agent gets v.Going.
func applyJudgeAnswer(v *strategy.Verdict, goOn bool, said string) {
	v.Rule, v.Sure, v.Evidence = "judge", 80, "the model says: “"+said+"”"
	v.Decision = strategy.Stop
	if goOn {
		v.Decision, v.Reason = strategy.Continue, v.Going
	}
}

func (s *start) runJudge(q judge.Question) judge.Reply {
	gone := func(why judge.Failure, err error) judge.Reply {
		return judge.Reply{Failed: why, Detail: shortenText(err.Error(), judge.MaxDetail)}
	}
	line := codec.Append(nil, &q)
	program := filepath.Join(filepath.Dir(s.Executable), "springfield-judge")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if s.Executable == "" || !file.IsReadable(program) {
		return gone(judge.NoBinary, errors.New("there is no "+program))
	}
	within := min(time.Duration(q.WithinMs)*time.Millisecond+overtime, time.Until(s.finish))
	said, err := process.Child{Argv: []string{program}, Dir: filepath.Dir(program), Stdin: append(line, '\n'), Env: append([]string{}, s.Environ()...), Within: within}.AskOutput(judge.MaxWire)
	switch _, unstarted := err.(*os.PathError); {
	case unstarted:
		return gone(judge.NoBinary, err)
	case err == process.ErrSlow:
		return gone(judge.TimedOut, errors.New("springfield-judge was killed after its time limit"))
	case err != nil:
		return gone(judge.Crashed, err)
	}
	var r judge.Reply
	if !codec.IsValid(said) || codec.ReadObject(said, &r) != nil {
		return gone(judge.Junk, errors.New("springfield-judge gave an invalid reply"))
	}
	r.Why, r.Detail = shortenText(r.Why, judge.MaxWhy), shortenText(r.Detail, judge.MaxDetail)
	if r.Failed != "" && !slices.Contains(judge.Failures(), r.Failed) {
		r.Failed = judge.Junk // perhaps of another version
	}
	return r
}

func toMicros(dollars float64) int64 { return int64(math.Round(dollars * 1e6)) }
