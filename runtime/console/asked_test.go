package console

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// decided puts decisions on file, a second apart.
func decided(t *testing.T, d Console, all ...ledger.Record) {
	t.Helper()
	for i, r := range all {
		s, err := ledger.OpenUnlocked(d.Dir, "session:"+r.Session)
		must(t, err)
		r.At, r.Plugin = d.Now().Add(time.Duration(i-len(all))*time.Second).UnixMilli()+r.At, cmp.Or(r.Plugin, "ned")
		if _, err := s.AppendRecord(r); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}

var must, put, errorIf = scratch.Must, scratch.PutFile, scratch.ErrorIf

// An answer covers the user's session, else their project, and others only on request. The last decision is never one
// about a question like this.
func TestAnswersAreAboutTheirOwn(t *testing.T) {
	d, out := console(t)
	other := filepath.Join(d.Home, "other")
	put(t, filepath.Join(d.Work, ".git", "HEAD"), "")
	put(t, filepath.Join(d.Work, "sub", "x"), "")
	scratch.MustLink(t, d.Work, filepath.Join(d.Home, "link"))
	decided(t, d,
		ledger.Record{Session: "mine", Cwd: "/elsewhere", Project: d.Work, Decision: "continue", Rule: "progress", Evidence: "first"},
		ledger.Record{Session: "beside", Cwd: d.Work, Decision: "stop", Rule: "asks", Evidence: "second"},
		ledger.Record{Session: "far", Cwd: other, Decision: "stop", Rule: "asks", Evidence: "third"},
		ledger.Record{Session: "beside", Cwd: d.Work, Decision: "stop", Rule: "answer", Evidence: "fourth"},
		ledger.Record{Session: "far", Cwd: other, Decision: "stop", Rule: "answer", Evidence: "fifth"},
	)
	for name, test := range map[string]struct {
		session, work string
		asked         Asked
		why           string
		log           string
		says          string // at the end
	}{
		"the session that asks": {"mine", d.Work, Asked{}, "first", "first", "in this session; springfield "},
		"the project here":      {"", d.Work, Asked{}, "second", "first second fourth", "in " + d.Work + "; springfield "},
		"below it":              {"", filepath.Join(d.Work, "sub"), Asked{}, "second", "first second fourth", "in " + d.Work + "; springfield "},
		"another project":       {"", other, Asked{}, "third", "third fifth", "in " + other + "; springfield "},
		"everything":            {"mine", d.Work, Asked{All: true}, "third", "first second third fourth fifth", ""},
		"another session":       {"mine", d.Work, Asked{Session: "fa"}, "third", "third fifth", ""},
		"a project without any": {"", filepath.Join(d.Home, "nowhere"), Asked{}, "", "", "springfield why --all"},
		"a link to a project":   {"", filepath.Join(d.Home, "link"), Asked{}, "second", "first second fourth", "in " + d.Work + "; springfield "},
	} {
		d := d
		d.Session, d.Work = test.session, test.work
		out.Reset()
		must(t, d.ExplainOrSayNone("last", test.asked))
		why := out.String()
		out.Reset()
		must(t, d.ListDecisions(20, test.asked))
		log := out.String()
		var listed []string
		for _, evidence := range []string{"first", "second", "third", "fourth", "fifth"} {
			if strings.Contains(log, "  "+evidence+"\n") {
				listed = append(listed, evidence)
			}
			scratch.Equal(t, strings.Contains(why, "because  "+evidence+"\n"), evidence == test.why,
				name, "why", why)
		}
		got := strings.Join(listed, " ")
		errorIf(t, got != test.log, "%s: log has %q, want %q:\n%s", name, got, test.log, log)
		if !strings.Contains(why, test.says) || test.says == "" && strings.Contains(why, "--all") {
			t.Errorf("%s: why does not say %q:\n%s", name, test.says, why)
		}
	}
}

// A plugin that stood aside at a stop is not shown if another decided there, in whichever order they ended.
func TestWhoStandsAsideIsNotToldOf(t *testing.T) {
	d, out := console(t)
	ned := func(decision, rule string, at int64) ledger.Record {
		return ledger.Record{Session: "s", Cwd: d.Work, Plugin: "ned-flanders", Decision: decision, Rule: rule, At: at}
	}
	wiggum := func(decision, rule string, at int64) ledger.Record {
		r := ned(decision, rule, at)
		r.Plugin = "ralph-wiggum"
		return r
	}
	for name, test := range map[string]struct {
		stop     []ledger.Record
		why, log string // rules
	}{
		"without a loop":   {[]ledger.Record{ned("stop", "question", 0), wiggum("stop", "no-loop", 0)}, "question", "question"},
		"the other first":  {[]ledger.Record{wiggum("stop", "no-loop", 0), ned("continue", "progress", -1500)}, "progress", "progress"},
		"alone":            {[]ledger.Record{wiggum("stop", "no-loop", 0)}, "no-loop", "no-loop"},
		"none decides":     {[]ledger.Record{ned("stop", "another-loop", 0), wiggum("stop", "inactive", 0)}, "inactive", "inactive"},
		"both decide":      {[]ledger.Record{wiggum("stop", "limit", 0), ned("stop", "question", -1500)}, "question", "limit question"},
		"one has no rule":  {[]ledger.Record{wiggum("stop", "limit", 0), ned("stop", "otherwise", -1500)}, "limit", "limit"},
		"no rule, no loop": {[]ledger.Record{ned("stop", "otherwise", 0), wiggum("stop", "no-loop", 0)}, "otherwise", "otherwise"},
		"another stop":     {[]ledger.Record{ned("stop", "question", -60_000), wiggum("stop", "no-loop", 0)}, "no-loop", "question no-loop"},
		"two stops": {[]ledger.Record{ned("stop", "question", -60_000), wiggum("stop", "no-loop", -60_000), wiggum("continue", "loop", 0), ned("stop", "another-loop", 0)},
			"loop", "question loop"},
	} {
		must(t, os.RemoveAll(d.Dir))
		decided(t, d, test.stop...)
		tell := func(a Asked) string {
			out.Reset()
			must(t, d.ListDecisions(20, a))
			var rules []string
			for _, line := range strings.Split(out.String(), "\n") {
				for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '"' }) {
					if slices.ContainsFunc(test.stop, func(r ledger.Record) bool { return r.Rule == word }) {
						rules = append(rules, word)
					}
				}
			}
			return strings.Join(rules, " ")
		}
		scratch.Equal(t, tell(Asked{}), test.log, name, "log", out.String())
		tell(Asked{JSON: true})
		scratch.Equal(t, strings.Count(out.String(), "\n"), len(test.stop), name, "log --json", out.String())
		out.Reset()
		must(t, d.ListDecisions(1, Asked{}))
		scratch.Holds(t, name+": log -n 1", out.String(), "  "+test.why)
		out.Reset()
		must(t, d.ExplainOrSayNone("", Asked{}))
		scratch.Holds(t, name+": why", out.String(), "rule     "+test.why+"\n")
	}
}

// The language is shown if it is certain, and not English.
func TestLanguagesOfAMessage(t *testing.T) {
	d, out := console(t)
	for _, test := range []struct {
		rule  string
		langs []string
		want  string
	}{
		{"otherwise", []string{"de", "nl"}, ""}, {"otherwise", []string{"de"}, "read in  German"}, {"question", []string{"de"}, "read in  German"},
		{"question", []string{"en"}, ""}, {"finished", []string{"de", "nl", "da", "sv", "nb"}, ""},
	} {
		out.Reset()
		decided(t, d, ledger.Record{Session: "s", Cwd: d.Work, Decision: "stop", Rule: test.rule, Lang: test.langs})
		must(t, d.ExplainOrSayNone("", Asked{}))
		if !strings.Contains(out.String(), test.want) || test.want == "" && strings.Contains(out.String(), "read in") {
			t.Errorf("%+v:\n%s", test, out)
		}
	}
}

// A start without a decision is in the lists: that of a prompt among prompts.
func TestListsTellOfStartsWithoutADecision(t *testing.T) {
	d, out := console(t)
	decided(t, d,
		ledger.Record{Session: "s", Cwd: d.Work, Decision: "stop", Rule: "finished"},
		ledger.Record{Session: "s", Cwd: d.Work, Decision: "pass", Rule: "empty"},
		ledger.Record{Session: "s", Cwd: d.Work, Decision: ledger.None, Rule: "fault:busy", Event: "UserPromptSubmit"},
		ledger.Record{Session: "s", Cwd: d.Work, Decision: ledger.None, Rule: "fault:settings", Evidence: "broken"},
	)
	for _, test := range []struct {
		asked Asked
		log   string // rules
		why   string
	}{
		{Asked{}, "finished fault:busy fault:settings", "ned did not decide, and Claude stopped"},
		{Asked{Prompts: true}, "empty fault:busy", "ned did not decide before a prompt"},
	} {
		out.Reset()
		err := d.ExplainOrSayNone("", test.asked)
		errorIf(t, err != nil || !strings.HasPrefix(out.String(), test.why), "%+v: %v\n%s", test.asked, err, out)
		out.Reset()
		must(t, d.ListDecisions(20, test.asked))
		var rules []string
		for _, rule := range []string{"finished", "empty", "fault:busy", "fault:settings"} {
			if strings.Contains(out.String(), "  "+rule+" ") || strings.Contains(out.String(), "  "+rule+"\n") {
				rules = append(rules, rule)
			}
		}
		got := strings.Join(rules, " ")
		errorIf(t, got != test.log, "%+v: log has %q, want %q", test.asked, got, test.log)
	}
}

// Calls of the hook's words: lengths of time in words, and no flag that a word does not know or that says nothing.
func TestCalls(t *testing.T) {
	for call, ok := range map[string]bool{
		"hold": true, "hold 30m": true, "hold 30 minutes": true, "hold 2 hours": true, "hold 1 hour 30 minutes": true, "hold 1h30m": true, "hold 1d": true, "hold 90m": true,
		"hold --list": true, "hold --list 30m": false, "hold soon": false, "hold 30": false, "hold 5 parsecs": false, "hold --json": false, "hold --session": false, "hold --session=": false, "hold -5m": false,
		"why": true, "why last": true, "why last now": false, "why --all": true, "why --all --session s": false, "why --session": false, "why --session s": true, "why --all=no": false, "why -n 5": false,
		"log": true, "log last": false, "log -n 5": true, "log -n 0": false, "log --json": true, "log --list": false,
		"resume": true, "resume now": false, "resume --all": false,
	} {
		word, rest, _ := strings.Cut(call, " ")
		c, got := readCall(word, strings.Fields(rest))
		if word == "hold" && got {
			_, err := ParseHoldDuration(strings.Join(c.operands, " "))
			got = err == nil
		}
		scratch.Equal(t, got, ok, call)
	}
}

// With no session on file, the advice about an unknown one leads to the logs.
func TestLogOfNone(t *testing.T) {
	d := Console{Dir: filepath.Join(t.TempDir(), "springfield"), Now: time.Now, Self: "springfield"}
	_, err := d.FindLog("zzz")
	advice, ok := err.(*adviceError)
	errorIf(t, !ok || advice.advice != "no session is known yet; omit --session, or see below "+d.claudeProjectsDir(), "%v, %+v", err, err)
}

// Decisions of all hosts are listed together, with the host's name unless it is Claude Code.
func TestAnswersAreAboutEveryHost(t *testing.T) {
	d, out := console(t)
	d.Also = filepath.Join(d.Home, "also")
	at := func(dir string, second int64) Console {
		other := d
		other.Dir, other.Now = dir, func() time.Time { return d.Now().Add(time.Duration(second) * time.Second) }
		return other
	}
	decided(t, at(d.Dir, -3), ledger.Record{Session: "of-claude", Cwd: d.Work, Decision: "continue", Rule: "progress", Evidence: "first"})
	decided(t, at(d.Also, -2), ledger.Record{Session: "of-another", Host: "another", Cwd: d.Work, Decision: "stop", Rule: "asks", Evidence: "second"})
	decided(t, at(d.Dir, -1), ledger.Record{Session: "of-claude", Cwd: d.Work, Decision: "continue", Rule: "progress", Evidence: "third"})
	for _, test := range []struct {
		asked     Asked
		list, why string
	}{
		{Asked{}, "first second third", "made Claude continue"},
		{Asked{Session: "of-an"}, "second", "host     another"}, // this springfield does not know it
	} {
		out.Reset()
		if err := d.ExplainOrSayNone("last", test.asked); err != nil || !strings.Contains(out.String(), test.why) {
			t.Errorf("why %+v: %v\n%s", test.asked, err, out)
		}
		out.Reset()
		err := d.ListDecisions(9, test.asked)
		var said []string
		for _, word := range strings.Fields(out.String()) {
			if strings.Contains(" first second third ", " "+word+" ") {
				said = append(said, word)
			}
		}
		got := strings.Join(said, " ")
		errorIf(t, err != nil || got != test.list, "log %+v: %q, %v\n%s", test.asked, got, err, out)
	}
	newest, _ := ledger.Newest([]string{d.Also}, ledger.Scope{}, 1, true, func(ledger.Record) bool { return true })
	id := newest[0].ID
	out.Reset()
	if err := d.ExplainOrSayNone(id, Asked{}); err != nil || !strings.Contains(out.String(), "second") {
		t.Errorf("%s: %v\n%s", id, err, out)
	}
}

// A hold applies to all hosts. It is written to every state directory and counts as one.
func TestHoldStopsEveryHost(t *testing.T) {
	d, out := console(t)
	d.Also = filepath.Join(d.Home, "also")
	held := func(want ...time.Duration) {
		t.Helper()
		for i, dir := range d.dirAndAlso() {
			h, ok := ledger.HoldInForce(dir, "session:any", d.Now())
			got := time.Duration(h.Until-d.Now().UnixMilli()) * time.Millisecond
			errorIf(t, !ok || got != want[i], "%s: held %v for %v, want %v", dir, ok, got, want[i])
		}
	}
	shows := func(want string) {
		t.Helper()
		out.Reset()
		if err := d.ListHolds(); err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, out, want)
		}
	}
	shows("no hold is in force")
	if err := d.HoldSessions("", 30*time.Minute); err != nil || !strings.Contains(out.String(), "for 30 min: every agent may stop") {
		t.Fatal(err, out)
	}
	held(30*time.Minute, 30*time.Minute)
	shows("all sessions: held for 30 min, set just now; lift it with springfield resume")
	events := d.noteAndListHolds()
	errorIf(t, len(events) != 1, "%d events, want one: %v", len(events), events)
	// A slash command of another host has held its own directory for longer.
	other := d
	other.Dir, other.Also = d.Also, ""
	must(t, other.HoldSessions("", 2*time.Hour))
	shows("all sessions: held for 2 h, set just now; lift it with springfield resume")
	must(t, d.HoldSessions("", time.Hour))
	held(time.Hour, 2*time.Hour)
	errorIf(t, d.HoldSessions("", time.Minute) == nil, "a hold was shortened without a person")
	held(time.Hour, 2*time.Hour)
}

// A word that starts work needs a model. One that only reads or ends work does not.
func TestAnsweredAtOnce(t *testing.T) {
	for call, want := range map[string]string{
		"ralph-wiggum loop": "no loop", "ralph-wiggum loop status": "no loop", "ralph-wiggum loop stop": "no loop", "ralph-wiggum loop history": "no past loops",
		"ralph-wiggum loop history show x": "error: ",
		"ralph-wiggum loop start Mend it":  "", "ralph-wiggum loop set max 50": "", "ralph-wiggum loop history rerun x": "", "ralph-wiggum loop set active true": "",
		"todo-continuation why": "no prompt is recorded", "todo-continuation log -n 5": "no prompt is recorded", "lisa-simpson page": "error: which session?",
		"ned-flanders resume": "", "ned-flanders cancel": "", "ned-flanders why a;b": "",
	} {
		words := strings.SplitN(call, " ", 3)
		d, _ := console(t)
		d.Driver = func(string) LoopDriver { return LoopDriver{} }
		known, _ := registry.StrategyNamed(words[0])
		d.Plugin = func() (hook.Settings, error) { return hook.Settings{Plugin: words[0], Strategy: known}, nil }
		if got := d.AnswerAtOnce(words[1], strings.Join(words[2:], " ")); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}

// A command is never wrapped, so that it can be pasted.
func TestCommandsAreNotBroken(t *testing.T) {
	d, _ := loopDesk(t)
	var out bytes.Buffer
	d.Out, d.Err, d.Self = &out, &out, `"/plugins of mine/hooks/springfield-hook"`
	d.Wrap = func(line string, _ int) []string { return strings.Split(line, " ") }
	decided(t, d,
		ledger.Record{Session: "s1", Cwd: "/elsewhere", Decision: "stop", Rule: "asks"}, ledger.Record{Session: "s2", Cwd: d.Work, Decision: "stop", Rule: "asks"})
	commands := 0
	for _, words := range []string{
		"why", "why 1", "log", "log --session s", "hold 2h", "hold 1h", "hold 2h --session s1", "hold --list", "resume", "resume --session s1",
		"loop", "loop stop", "loop set max 5", "loop start", "loop start Mend it", "loop start Mend it", "loop", "loop stop", "loop", "loop stop --delete",
		"loop history", "loop history show last", "loop history show x", "loop history rerun x",
	} {
		out.Reset()
		if err := d.AnswerCall(strings.Fields(words)); err == ErrUsage {
			t.Errorf("%s: %v", words, err)
		} else if err != nil {
			advised, _ := err.(interface{ Hint() string })
			out.WriteString(display.UnglueBlanks(strings.Join(d.Wrap(advised.Hint(), 0), "\n")))
		}
		for line := range strings.Lines(out.String()) {
			switch _, rest, named := strings.Cut(strings.TrimSpace(line), d.Self); {
			case strings.HasPrefix(strings.TrimSpace(line), `"/plugins`) && !named, named && !strings.HasPrefix(rest, " "):
				t.Errorf("%s: %q in\n%s", words, line, out.String())
			case named:
				commands++
			}
		}
		scratch.Lacks(t, words, out.String(), "\u00a0")
	}
	errorIf(t, commands < 20, "only %d commands", commands)
}
