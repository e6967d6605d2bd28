package absence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

var must = scratch.Must

// A text is bounded, and a secret is masked before the cut.
func TestSay(t *testing.T) {
	scratch.Equal(t, len([]rune(maskedCut(strings.Repeat("ü", 500)))), maxText+1)
	scratch.Lacks(t, "a secret is cut, not masked", maskedCut(strings.Repeat("x", 290)+" sk-ant-api03-abcdefghijklmnop1234"), "api03")
}

// The agent's words are masked before a rule quotes a part of them, which might be a secret without its name.
func TestNeedHasNoSecret(t *testing.T) {
	s := session{log: sessionLog{asked: "Go.", words: "The database is up with password: hunter22x. Is password: hunter22x right?", spoke: 900}}
	if seen := s.sightAt(2000); seen.State != Waiting || strings.Contains(seen.Text, "hunter22x") {
		t.Errorf("%s: %q", seen.State, seen.Text)
	}
}

// A line of a log has up to 1 MiB. Only bounded parts of its texts are kept.
func TestLogIsBounded(t *testing.T) {
	n := newNight(t)
	long := strings.Repeat("Moving on. ", 50_000)
	n.log(t, "aaaaaaaa-1", "1 asks "+long, "2 calls "+long, "3 refused requires approval", "4 fails "+long, "5 says "+heading+": "+long, "6 calls "+long)
	path, _ := n.FindLog("aaaaaaaa-1")
	f := followed{path: path}
	l := f.readOn()
	texts := append([]string{l.asked, l.words, l.doing}, l.refused...)
	for _, m := range append(l.failures, l.decided...) {
		texts = append(texts, m.text)
	}
	for _, call := range l.open {
		texts = append(texts, call)
	}
	for i, text := range texts {
		if len(text) == 0 || len(text) > mostWords || i != 1 && len(text) > mostSaid {
			t.Errorf("text %d has %d bytes", i, len(text))
		}
	}
}

// The files that decide a check differ from those that it checks.
func TestDecidesCheck(t *testing.T) {
	for _, file := range []string{"Makefile", "sub/GNUmakefile", ".github/workflows/ci.yml", "a_test.go", "tests/x.py", "src/__tests__/a.js", "a.spec.ts", "package.json", "scripts/check.sh", "test_a.py"} {
		if !mayAffectCheck(file, "./scripts/check.sh --all") {
			t.Errorf("%s decides", file)
		}
	}
	for _, file := range []string{"main.go", "contest.go", "docs/testing.md", "latest/a.go"} {
		if mayAffectCheck(file, "make test") {
			t.Errorf("%s does not decide", file)
		}
	}
}

const hour = int64(3600_000)

// night is an order of 8 h that began at 22:00, with its places.
type night struct {
	Places
	order ledger.AwayOrder
	dir   string
}

func newNight(t *testing.T) *night {
	t.Helper()
	dir := t.TempDir()
	n := &night{dir: dir, order: ledger.AwayOrder{ID: "o1", Project: "/p", Most: 50, Check: "make test", From: "/dev/pts/3", Kept: "c0ffee"}}
	n.order.At = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC).UnixMilli()
	n.order.Until = n.order.At + 8*hour
	state := filepath.Join(dir, "springfield")
	n.Places = Places{Orders: state, States: []string{state}, Config: dir, Now: time.UnixMilli(n.order.Until + hour/2),
		FindLog: func(id string) (string, error) { return filepath.Join(dir, "projects", "-p", id+".jsonl"), nil }}
	must(t, os.MkdirAll(filepath.Join(dir, "sessions"), 0o700))
	must(t, os.MkdirAll(filepath.Join(dir, "projects", "-p"), 0o700))
	return n
}

func (n *night) at(minutes int64) int64 { return n.order.At + minutes*60_000 }

func (n *night) event(t *testing.T, minutes int64, e ledger.AwayEvent) {
	t.Helper()
	e.At = n.at(minutes)
	log, err := ledger.LockAwayLog(n.Orders, n.order)
	must(t, err)
	defer log.Close()
	must(t, log.AddEvent(e))
}

func (n *night) decide(t *testing.T, minutes int64, r ledger.Record) {
	t.Helper()
	r.At, r.Cwd, r.Plugin = n.at(minutes), "/p", cmp.Or(r.Plugin, "ned-flanders")
	s, err := ledger.OpenUnlocked(n.Orders, "session:"+r.Session)
	must(t, err)
	must(t, s.LockAndRead())
	_, err = s.AppendRecord(r)
	must(t, err)
	must(t, s.Close())
}

// log writes a session's log from lines of MINUTES KIND TEXT.
func (n *night) log(t *testing.T, session string, lines ...string) {
	t.Helper()
	var b bytes.Buffer
	for i, line := range lines {
		words := strings.SplitN(line, " ", 3)
		minutes, err := strconv.ParseInt(words[0], 10, 64)
		must(t, err)
		text, _ := json.Marshal(words[2])
		text = []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))) // as the client writes it
		members := `"type":"assistant","message":{"id":"m` + words[0] + `","content":[{"type":"text","text":` + string(text) + `}],"usage":{"input_tokens":1000,"cache_read_input_tokens":200000,"output_tokens":500}}`
		switch words[1] {
		case "asks":
			members = `"type":"user","promptId":"p` + words[0] + `","permissionMode":"default","message":{"role":"user","content":` + string(text) + `}`
		case "fails":
			members = `"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":` + string(text) + `}]}`
		case "refused": // the call of the line before
			members = fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","is_error":true,"content":%s}]}`, i-1, text)
		case "calls", "plans", "dialog":
			call := fmt.Sprintf(map[string]string{
				"calls": `"name":"Bash","input":{"command":%s}`, "plans": `"name":"ExitPlanMode","input":{"plan":%s}`,
				"dialog": `"name":"AskUserQuestion","input":{"questions":[{"question":%s}]}`,
			}[words[1]], text)
			members = fmt.Sprintf(`"type":"assistant","message":{"id":"m%s","content":[{"type":"tool_use","id":"t%d",%s}],`+
				`"usage":{"input_tokens":1000,"output_tokens":700}}`, words[0], i, call)
		}
		fmt.Fprintf(&b, `{%s,"uuid":"u%d","cwd":"/p","version":"2.1.330","timestamp":"%s"}`+"\n", members, i, time.UnixMilli(n.at(minutes)).UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	path, _ := n.FindLog(session)
	must(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func (n *night) running(t *testing.T, pid int, session, status string) {
	t.Helper()
	text := fmt.Sprintf(`{"pid":%d,"sessionId":%q,"cwd":"/p","status":%q,"version":"2.1.330","statusUpdatedAt":1,"waitingFor":"permission prompt"}`, pid, session, status)
	must(t, os.WriteFile(filepath.Join(n.dir, "sessions", strconv.Itoa(pid)+".json"), []byte(text), 0o600))
}

// aNight has one session that finishes and one that is left with a deletion.
func aNight(t *testing.T) *night {
	n := newNight(t)
	n.log(t, "aaaaaaaa-1", "-30 asks Work through PLAN.md. The key is sk-ant-api03-abcdefghijklmnop1234.", "10 says Tabs or blanks?",
		"12 says Decided while you were away: tabs, which gofmt wants anyway.", "20 calls make test", "190 fails API Error: 529 Overloaded", "290 calls curl x | sh",
		"291 refused This Bash command contains multiple operations. The following parts require approval: curl x", "295 calls rm x", "296 refused The user is away for another 3 h: requires approval",
		"300 calls make test", "310 says All is \u202edone.\x1b[2J")
	n.event(t, 10, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayAnswered, Text: "“Tabs or blanks?”", Key: "1"})
	n.event(t, 15, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayDenied, Text: "Bash curl https://ned:hunter2@x", Key: "2"})
	n.event(t, 16, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayDenied, Text: "Bash curl https://ned:hunter2@x", Key: "3"})
	n.event(t, 30, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayContinued, Text: "“Next”", Key: "4"})
	n.event(t, 310, ledger.AwayEvent{Session: "aaaaaaaa-1", Did: ledger.AwayPassed, Text: "make test", Key: "5"})
	n.decide(t, 310, ledger.Record{Session: "aaaaaaaa-1", Decision: "stop", Rule: "away", Evidence: "the check has passed: make test"})

	n.log(t, "bbbbbbbb-2", "5 asks Tidy the disk.", "40 says Cache?", "50 says Shall I delete the old backups?")
	n.event(t, 40, ledger.AwayEvent{Session: "bbbbbbbb-2", Did: ledger.AwayLeft, Text: "“Cache?”", Key: "1"})
	n.event(t, 50, ledger.AwayEvent{Session: "bbbbbbbb-2", Did: ledger.AwayLeft, Text: "“Shall I delete the old backups?”", Key: "2", Word: "delet"})
	n.event(t, 60, ledger.AwayEvent{Session: "bbbbbbbb-2", Did: ledger.AwayStands, Text: "Bash npm publish", Key: "3"})
	n.decide(t, 50, ledger.Record{Session: "bbbbbbbb-2", Decision: "stop", Rule: "away", Evidence: "yours to decide"})
	n.running(t, os.Getpid(), "bbbbbbbb-2", "waiting")
	n.running(t, 1<<22+1, "aaaaaaaa-1", "idle") // which is gone
	n.decide(t, -90, ledger.Record{Session: "cccccccc-3", Decision: "stop", Rule: "asks", Evidence: "before the order"})
	return n
}

func TestReport(t *testing.T) {
	n := aNight(t)
	r := n.Report(n.order, []git.Changed{{Path: "a.go", Added: 1}, {Path: "Makefile", Added: 2, Deleted: 1}, {Path: "b.png", Binary: true, New: true}})
	var b bytes.Buffer
	r.WriteText(layout.Printer{W: &display.SafeWriter{To: &b}, Width: 100})
	const want = `away: 2 of 50 continues used, ran out 30 min ago, in /p, set 8 h 30 min ago from /dev/pts/3
check    make test
         since you left, files that decide the check were changed: Makefile +2 -1
needs you
  - yours alone to decide (“delet”), session bbbbbbbb at 22:50: “Shall I delete the old backups?”
  - a question, session bbbbbbbb at 22:40: “Cache?”
  - a permission prompt is open, session bbbbbbbb at 23:00: Bash npm publish

session bbbbbbbb: Tidy the disk.
  ran      Claude Code, 45 min, 0 continues, 0 tool calls
  check    no run of make test is recorded
  stopped  22:50 ned-flanders let it stop (away: yours to decide)
  said     Shall I delete the old backups?
  process  running, waiting

session aaaaaaaa: Work through PLAN.md. The key is sk-[secret].
  ran      Claude Code, 5 h 10 min, 2 continues, 4 tool calls
  decided  22:10 “Tabs or blanks?” → tabs, which gofmt wants anyway.
  refused  Bash curl https://ned:[secret]@x (2 times)
  refused  Bash curl x | sh
  failed   01:10 API Error: 529 Overloaded (it went on)
  check    make test passed at 03:10
  stopped  03:10 ned-flanders let it stop (away: the check has passed: make test)
  said     All is done.[2J
  process  ended
  go on    cd /p && claude --resume aaaaaaaa-1

changed since you left, until now: 3 files, +3 -1
  Makefile +2 -1
  a.go +1 -0
  b.png (binary), new
to restore the files as you left them; new files stay unless git tracks them:
  git -C /p restore --source=refs/springfield/away/o1 --worktree -- :/
`
	scratch.Equal(t, b.String(), want)
	if len(r.Waiting) != 1 || r.Waiting[0].Session != "bbbbbbbb-2" {
		t.Errorf("waiting: %+v", r.Waiting)
	}
}

func (n *night) text(changed ...git.Changed) string {
	var b bytes.Buffer
	n.Report(n.order, changed).WriteText(layout.Printer{W: &display.SafeWriter{To: &b}, Width: 100})
	return b.String()
}

// A session that needs the user comes first, running or not; one that is done needs nothing.
func TestNeeds(t *testing.T) {
	const ask, done, left = "20 asks Do it.", "29 says All is done.", "it stopped with work left, session s at 22:30: "
	says := func(text string) []string { return []string{ask, "29 says " + text} }
	ends := func(line string) []string { return []string{ask, "25 says Well.", line} }
	for name, test := range map[string]struct {
		log            []string
		rule, evidence string // of a stop at 30 minutes
		did, status    string // of its process, "" if it has ended
		want           string
	}{
		"blocked": {log: says("I am blocked: I need the API token from you."), rule: "blocked",
			want: "something to do, session s at 22:30: “I am blocked: I need the API token from you.”"},
		"blocked, no hook": {log: says("I would need: Write for w.txt, Bash for npm."),
			want: "it is blocked, session s at 22:29: “I would need: Write for w.txt, Bash for npm.”"},
		"an offer": {log: says("It is there. If you like, I can add a cache."),
			want: "an offer, session s at 22:29: “If you like, I can add a cache.”"},
		"without a log": {rule: "hands", evidence: "“Run it.”", want: "something to do, session s at 22:30: “Run it.”"},
		"in a hold": {log: says("Tabs or blanks?"), rule: "hold",
			want: "a question, session s at 22:30: “Tabs or blanks?”"},
		"grave, in a hold": {log: says("Should I delete the branch main?"), rule: "hold",
			want: "yours alone to decide (“main”), session s at 22:30: “Should I delete the branch main?”"},
		"at a limit":      {log: says("On to Task 3."), rule: "stagnation", evidence: "no", want: left + "no"},
		"all spent":       {log: says("On to Task 3."), rule: "away", evidence: "5", did: ledger.AwaySpent, want: left + "5"},
		"the check fails": {log: []string{ask, done}, rule: "away", evidence: "n", did: ledger.AwayFailed, want: left + "n"},
		"the check was denied": {log: []string{ask, done}, rule: "away", evidence: "the check was denied", did: ledger.AwaySeen,
			want: left + "the check was denied"},
		"failed":  {log: ends("29 fails API Error: 529"), want: "it failed, session s at 22:29: API Error: 529"},
		"went on": {log: []string{ask, "25 fails API Error: 529", "27 asks go on", done}, rule: "finished"},
		"killed at a plan": {log: ends("29 plans 1. Read TOML"),
			want: "a plan to approve, session s at 22:25: 1. Read TOML"},
		"killed at a dialog": {log: ends("29 dialog Tabs or blanks?"),
			want: "a question, session s at 22:25: Tabs or blanks?"},
		"at a plan": {log: ends("29 plans 1. Read TOML"), status: "waiting",
			want: "a plan to approve, session s at 22:25: 1. Read TOML"},
		"killed at work": {log: ends("29 calls make all"),
			want: "its process ended while it worked, session s at 22:25: Bash make all"},
		"a standing prompt": {log: ends("29 calls npm publish"), status: "waiting",
			want: "waits at a permission prompt, session s at 22:25: Bash npm publish"},
		"at work":             {log: []string{ask, "29 calls make all"}, status: "busy"},
		"done":                {log: []string{ask, done}, rule: "finished", status: "idle"},
		"done, and has ended": {log: []string{ask, done}, rule: "finished"},
		"the check passes":    {log: []string{ask, done}, rule: "away", evidence: "the check has passed: make test", did: ledger.AwayPassed, status: "idle"},
		"no need, by a rule":  {log: says("Tabs, then."), rule: "otherwise", status: "idle"},
		"no need, in a hold":  {log: says("Tabs, then."), rule: "hold", status: "idle"},
		"work, in a hold":     {log: says("Task 1 complete. Moving to Task 2."), rule: "hold", want: left + "Task 1 complete. Moving to Task 2."},
		"no rule matched": {log: says("Tabs, then."), rule: "unmatched", status: "idle",
			want: "waits for you, session s at 22:30: Tabs, then."},
		"left, then answered": {log: []string{ask, "25 says Tabs or blanks?", "31 asks tabs", "32 says All is done."},
			did: ledger.AwayLeft, rule: "asks"},
	} {
		n := newNight(t)
		if test.log != nil {
			n.log(t, "s", test.log...)
		}
		if test.rule != "" {
			n.decide(t, 30, ledger.Record{Session: "s", Decision: "stop", Rule: test.rule, Evidence: test.evidence})
		}
		if test.did != "" {
			n.event(t, 30, ledger.AwayEvent{Session: "s", Did: test.did, Text: "“Tabs or blanks?”", Key: "k"})
		}
		if test.status != "" {
			n.running(t, os.Getpid(), "s", test.status)
		}
		want := "\nnothing waits for you\n"
		if test.want != "" {
			want = "\nneeds you\n  - " + test.want + "\n\n"
		}
		scratch.Holds(t, name, n.text(), want)
	}
}

// A plugin with nothing to decide is reported for a stop only if it is alone.
func TestWhoDecidedStands(t *testing.T) {
	left := ledger.Record{Session: "s", Decision: "stop", Rule: "away", Evidence: "yours to decide"}
	aside := ledger.Record{Session: "s", Decision: "stop", Rule: "no-loop", Evidence: "there is no loop", Plugin: "ralph-wiggum"}
	for _, test := range []struct {
		decided []ledger.Record
		want    string
	}{
		{[]ledger.Record{left, aside}, "ned-flanders away"}, {[]ledger.Record{aside, left}, "ned-flanders away"}, {[]ledger.Record{aside}, "ralph-wiggum no-loop"},
	} {
		n := newNight(t)
		n.log(t, "s", "20 asks Do it.", "29 says Shall I delete the old backups?")
		for _, r := range test.decided {
			n.decide(t, 30, r)
		}
		n.running(t, os.Getpid(), "s", "idle")
		stands := n.Report(n.order, nil).Sessions[0].Stands
		scratch.Equal(t, stands.Plugin+" "+stands.Rule, test.want, "back")
		n.Now = time.UnixMilli(n.at(40))
		scratch.Equal(t, n.Look(n.order, "").Sessions[0].Plugin, stands.Plugin, "away")
	}
}

// The report includes the replaced order until the user has looked.
func TestFollowed(t *testing.T) {
	n := newNight(t)
	first := n.order
	must(t, n.ReplaceInScope(first))
	n.log(t, "first", "20 asks Do it.", "30 says Should I delete it?")
	n.event(t, 30, ledger.AwayEvent{Session: "first", Did: ledger.AwayLeft, Text: "“Should I delete it?”", Word: "delete"})
	n.Now = time.UnixMilli(n.at(60))
	n.order.ID, n.order.At = "o2", n.at(60)
	must(t, n.ReplaceInScope(n.order))
	n.Now = time.UnixMilli(n.order.Until - hour)
	ended, err := n.EndOrders("/p", false)
	must(t, err)
	n.order = ended[0]
	got := n.text()
	for _, want := range []string{
		"- yours alone to decide (“delete”), session first at 22:30: “Should I delete",
		"note: this report includes the previous order",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("not %q\n%s", want, got)
		}
	}
	must(t, n.MarkLooked("o2"))
	third := n.order
	third.ID, third.At, third.Ended, n.Now = "o3", n.Now.UnixMilli(), 0, n.Now.Add(time.Minute)
	must(t, n.ReplaceInScope(third))
	n.order = third
	if got := n.text(); strings.Contains(got, "delete") {
		t.Error(got)
	}
}

// A session belongs to the order if a part of it is in the order's time.
func TestOnlyTheNight(t *testing.T) {
	n := newNight(t)
	n.order.Ended = n.at(60)
	for session, minutes := range map[string]int64{"within": 30, "later": 70} {
		n.log(t, session, fmt.Sprintf("%d asks Do %s.", minutes, session), fmt.Sprintf("%d says Tabs or blanks?", minutes+1))
		n.decide(t, minutes+1, ledger.Record{Session: session, Decision: "stop", Rule: "asks", Evidence: "x"})
	}
	n.log(t, "across", "30 asks Do it.", "31 says Well.", "80 says Tabs or blanks?")
	n.decide(t, 80, ledger.Record{Session: "across", Decision: "stop", Rule: "asks", Evidence: "x"})
	n.decide(t, 31, ledger.Record{Session: "codex", Host: "codex", Decision: "continue", Rule: "progress", Evidence: "x"})
	n.decide(t, 90, ledger.Record{Session: "codex", Host: "codex", Decision: "stop", Rule: "asks", Evidence: "“Why?”"})
	n.running(t, os.Getpid(), "idle", "idle")
	var got []string
	for _, s := range n.Report(n.order, nil).Sessions {
		got = append(got, s.ID)
		if s.ID == "codex" && s.Stands.Evidence != "“Why?”" {
			t.Errorf("it stands at %+v", s.Stands)
		}
	}
	slices.Sort(got)
	if want := []string{"across", "codex", "within"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A session that has asked since before the order needs the user, one that only rests does not.
func TestWaitsSinceBeforeTheOrder(t *testing.T) {
	for last, want := range map[string]string{
		"says Shall the cache live in memory or on disk?": "[a question: “Shall the cache live in memory or on disk?”]",
		"fails API Error: 529 Overloaded":                 "[it failed: API Error: 529 Overloaded]",
		"plans 1. Read TOML":                              "[a plan to approve: 1. Read TOML]",
		"says All is done.":                               "[]",
	} {
		n := newNight(t)
		n.log(t, "early", "-90 asks Do it.", "-80 "+last)
		n.running(t, os.Getpid(), "early", "idle")
		r, got := n.Report(n.order, nil), []string{}
		for _, one := range r.Waiting {
			got = append(got, one.Needs+": "+one.Text)
		}
		if fmt.Sprint(got) != want || len(r.Sessions) > 0 {
			t.Errorf("%s: %q, want %s; %+v", last, got, want, r.Sessions)
		}
	}
}

// The latest result of the check counts; a question that was asked again was not decided.
func TestCheckAndDecisions(t *testing.T) {
	n := newNight(t)
	n.log(t, "s", "5 asks Do it.", "12 says Done.\n\n## Decided while you were away\n\n"+
		"1. **Cache**: in `memory`, see v1.2. It can be undone.\n\n## Next\n- docs", "20 says Well.")
	n.event(t, 10, ledger.AwayEvent{Session: "s", Did: ledger.AwayAnswered, Text: "“Memory?”"})
	n.event(t, 15, ledger.AwayEvent{Session: "s", Did: ledger.AwayChecked, Text: "make test", Key: "2"})
	n.event(t, 18, ledger.AwayEvent{Session: "s", Did: ledger.AwayAnswered, Text: "“Tabs?”", Check: ledger.AwayFailed})
	n.event(t, 20, ledger.AwayEvent{Session: "s", Did: ledger.AwayLeft, Text: "“Tabs?”"})
	s := n.Report(n.order, nil).Sessions[0]
	if len(s.Decided) != 1 || s.Decided[0].Answer != "Cache: in memory, see v1.2." {
		t.Errorf("%+v", s.Decided)
	}
	if s.Check != ledger.AwayFailed || s.CheckAt != n.at(18) {
		t.Errorf("%+v", s)
	}
	n.event(t, 30, ledger.AwayEvent{Session: "s", Did: ledger.AwayContinued, Key: "5", Check: ledger.AwayPassed})
	if got := n.text(); !strings.Contains(got, "  check    make test passed at 22:30\n") {
		t.Error(got)
	}
	n.event(t, 40, ledger.AwayEvent{Session: "s", Did: ledger.AwayDenied, Key: "6"}) // another permission
	n.event(t, 50, ledger.AwayEvent{Session: "s", Did: ledger.AwaySeen, Key: "7", Check: ledger.AwayDenied})
	got := strings.Join(strings.Fields(n.text()), " ")
	if want := "check make test was denied, and so did not run, at 22:50; it needs Bash(make test) in permissions.allow, and no rule or hook against it"; !strings.Contains(got, want) {
		t.Error(got)
	}
}

// A check that has passed proves nothing about later changes, and a failed session does not go on.
func TestChangedAfterTheCheck(t *testing.T) {
	n := newNight(t)
	n.log(t, "s", "5 asks Do it.", "20 calls make test", "25 says Step 1 is done.", "32 calls ls", "33 fails API Error: 529")
	n.event(t, 30, ledger.AwayEvent{Session: "s", Did: ledger.AwayContinued, Check: ledger.AwayPassed})
	n.decide(t, 30, ledger.Record{Session: "s", Decision: "continue", Rule: "progress", Evidence: "“Step 1”"})
	scratch.Holds(t, "only looked", n.text(), "  check    make test passed at 22:30\n", "  at stop  22:30 ned-flanders kept it going (progress: “Step 1”)\n")
	n.log(t, "s", "5 asks Do it.", "20 calls make test", "25 says Step 1 is done.", "32 calls echo x >a", "33 fails API Error: 529")
	scratch.Holds(t, "changed", n.text(), "  check    make test passed, but files may have changed since, at 22:30\n")
}

// A hold in force is reported with its remedy; sessions without news are counted.
func TestHeldAndQuiet(t *testing.T) {
	n := newNight(t)
	for _, s := range []string{"a", "b"} {
		n.log(t, s, "20 asks Do it.", "25 says Well.")
	}
	_, err := ledger.SetHold(n.Orders, "", n.Now, 30*time.Minute, ledger.Means{})
	must(t, err)
	got := n.text()
	if !strings.Contains(got, "\nhold     in force: every agent may stop; run springfield resume to lift it\n") ||
		!strings.Contains(got, "\n2 sessions without a decision or a failure; run springfield back --json to see them\n") ||
		strings.Contains(got, "session a") {
		t.Error(got)
	}
}

// A report is bounded, and an order that was written by hand is marked.
func TestReportIsBounded(t *testing.T) {
	n := newNight(t)
	n.order.From, n.order.Kept, n.order.Check = "", "", ""
	for i := range int64(200) {
		n.event(t, i, ledger.AwayEvent{Session: fmt.Sprintf("s%d", i), Did: ledger.AwayLeft, Text: strings.Repeat("why? ", 200), Key: "k"})
	}
	r := n.Report(n.order, nil)
	var b bytes.Buffer
	r.WriteText(layout.Printer{W: &b, Width: 100})
	if len(r.Sessions) != MostSessions || len(r.Questions) > mostOpen || !strings.Contains(b.String(), "origin unknown") || strings.Contains(b.String(), "git restore") {
		t.Errorf("%d sessions, %d questions\n%.2000s", len(r.Sessions), len(r.Questions), b.String())
	}
	for _, q := range r.Questions {
		if len([]rune(q.Text)) > maxText+1 {
			t.Fatalf("%d characters", len(q.Text))
		}
	}
}

// Before the user leaves: which sessions work or wait, and in which mode.
func TestLook(t *testing.T) {
	n := newNight(t)
	n.Now = time.UnixMilli(n.order.At)
	n.log(t, "waits", "-20 asks Do it.", "-10 says Tabs or blanks?")
	n.decide(t, -10, ledger.Record{Session: "waits", Decision: "stop", Rule: "asks", Evidence: "“Tabs or blanks?”"})
	n.running(t, os.Getpid(), "waits", "idle")
	n.log(t, "works", "-20 asks Do it.", "-1 calls make all")
	n.running(t, os.Getppid(), "works", "busy")
	n.log(t, "gone", "-20 asks Do it.", "-1 says Done.")
	n.decide(t, -1, ledger.Record{Session: "gone", Decision: "stop", Rule: "finished"})
	n.decide(t, -5, ledger.Record{Session: "elsewhere", Host: "codex", Decision: "stop", Rule: "asks"})
	f := n.Look(n.order, "ned-flanders@suite")
	got := map[string]string{}
	for _, s := range f.Sessions {
		got[s.Session] = s.Plugin + ", " + s.Mode + ", " + s.Does + ": " + strings.Join(s.Warnings, "; ")
	}
	const refused = "in default mode, Bash commands and file changes are refused while you are away, unless your rules allow them"
	for session, want := range map[string]string{
		"waits":     "ned-flanders, default, waits for you: no hook can wake it: answer it before you leave; " + refused,
		"works":     "ned-flanders@suite, default, works: Bash make all: " + refused,
		"elsewhere": "ned-flanders, , waits for you, according to its log: no hook can wake it: answer it before you leave",
		"gone":      "",
	} {
		scratch.Equal(t, got[session], want, session)
	}
	if f.Version != "2.1.330" || !NewerVersion(f.Version, "2.1.233") || NewerVersion("2.1.233", "2.1.233") || NewerVersion("", "2.1.233") || !NewerVersion("2.2.0", "2.1.233") {
		t.Errorf("version %q", f.Version)
	}
}

// A check whose program does not exist is reported; words of the shell are not programs.
func TestLookAtCheck(t *testing.T) {
	n := newNight(t)
	for check, lacks := range map[string]string{
		"": "", "nosuchprogram --all": "there is no program nosuchprogram", "cd sub && make test": "", "source venv/bin/activate && pytest": "",
		"time make test": "", "go test ./...": "", "./test.sh": "", "export CI=1; make -C sub test": "", "set -e; sh test.sh": "", "CI=1 sh test.sh": "",
	} {
		n.order.Check = check
		notes := strings.Join(n.Look(n.order, "ned-flanders@suite").Notes, "\n")
		if says := strings.Contains(notes, "the check cannot pass"); says != (lacks != "") || !strings.Contains(notes, lacks) {
			t.Errorf("%s: %s", check, notes)
		}
	}
}

// Any caller may shorten an order but not extend it; another scope's order stays.
func TestShorten(t *testing.T) {
	n := newNight(t)
	n.Now = time.UnixMilli(n.order.At + hour)
	must(t, n.ReplaceInScope(n.order))
	for name, test := range map[string]struct {
		change              func(*ledger.AwayOrder)
		keepMost, keepCheck bool
		shorter             bool
	}{
		"longer":          {func(o *ledger.AwayOrder) { o.Until++ }, true, true, false},
		"more continues":  {func(o *ledger.AwayOrder) { o.Most++ }, false, true, false},
		"another check":   {func(o *ledger.AwayOrder) { o.Check = "true" }, true, false, false},
		"another note":    {func(o *ledger.AwayOrder) { o.Note = "TOML" }, true, true, false},
		"another project": {func(o *ledger.AwayOrder) { o.Project = "/q" }, true, true, false},
		"all projects":    {func(o *ledger.AwayOrder) { o.Project = "" }, true, true, false},
		"shorter":         {func(o *ledger.AwayOrder) { o.Until -= hour; o.Most = 500 }, true, true, true},
		"fewer":           {func(o *ledger.AwayOrder) { o.Until -= hour; o.Most = 5 }, false, true, true},
	} {
		wanted := n.order
		test.change(&wanted)
		now, shorter, err := n.Shorten(wanted, test.keepMost, test.keepCheck, false)
		if err != nil || shorter != test.shorter || shorter && (now.ID != "o1" || now.Most > 50) {
			t.Errorf("%s: %+v, %v, %v", name, now, shorter, err)
		}
		must(t, n.ReplaceInScope(n.order))
	}
	if all := n.OrdersInForce("/p/sub", false); len(all) != 1 || len(n.OrdersInForce("/pq", false)) != 0 {
		t.Errorf("in force: %+v", all)
	}
	if ended, err := n.EndOrders("/p", false); err != nil || len(ended) != 1 || len(n.OrdersInForce("", true)) != 0 {
		t.Errorf("ended: %+v, %v", ended, err)
	}
	if _, unseen := n.Unseen("/p"); !unseen {
		t.Error("it was not looked at")
	}
	must(t, n.MarkLooked("o1"))
	if _, unseen := n.Unseen("/p"); unseen {
		t.Error("it was looked at")
	}
}

// The Makefile is listed despite a thousand changed tests.
func TestDecidingFilesOfManyTests(t *testing.T) {
	n := newNight(t)
	n.order.Check = "make test"
	changed := []git.Changed{{Path: "Makefile", Added: 1}}
	for i := range 1000 {
		changed = append(changed, git.Changed{Path: fmt.Sprintf("a/b/%d_test.go", i), Added: 9})
	}
	if r := n.Report(n.order, changed); len(r.Deciding) != mostOf || r.Deciding[0].Path != "Makefile" {
		t.Errorf("%+v", r.Deciding)
	}
}

// An order for all replaces those of projects, also after its end.
func TestOrderForAll(t *testing.T) {
	n := newNight(t)
	n.order.Project, n.order.Most = "/p", 500
	must(t, n.ReplaceInScope(n.order))
	all := n.order
	all.ID, all.Project, all.Most = "all", "", 1
	must(t, n.ReplaceInScope(all))
	if _, err := n.EndOrders("/elsewhere", false); err != nil || len(n.OrdersInForce("/p", true)) != 0 {
		t.Errorf("%v, %+v", err, n.OrdersInForce("/p", true))
	}
}

// A blocked session is reported first, also of many.
func TestReportLosesNoneThatIsBlocked(t *testing.T) {
	n := newNight(t)
	n.decide(t, 1, ledger.Record{Session: "blocked", Decision: "stop", Rule: "blocked", Evidence: "“I have no access.”"})
	for i := range int64(60) {
		session := fmt.Sprint("s", i)
		n.event(t, 2+i, ledger.AwayEvent{Session: session, Did: ledger.AwayAnswered, Text: "Tabs?", Key: "k"})
		n.decide(t, 2+i, ledger.Record{Session: session, Decision: "stop", Rule: "finished", Evidence: "“Done.”"})
	}
	r := n.Report(n.order, nil)
	if len(r.Waiting) == 0 || r.Waiting[0].Session != "blocked" || len(r.Notes) > 0 {
		t.Errorf("%+v, %q", r.Waiting, r.Notes)
	}
}

// A rule allows a check that it names, begins, or matches with a star.
func TestLackedRule(t *testing.T) {
	for rules, lacks := range map[string]bool{
		"": true, "Bash": false, "Bash(make test)": false, "Bash(make:*)": false, "Bash(make *)": false, "Bash(*)": false, "Read|Bash(make test)": false,
		"Bash(make)": true, "Bash(make test unit)": true, "Bash(go:*)": true, "Read": true, "BashOutput": true, "make test": true,
	} {
		scratch.Equal(t, HowToAllow("make test", strings.Split(rules, "|")) != "", lacks, rules)
	}
	scratch.Holds(t, "a check that no rule can name", HowToAllow("sh -c 'a; (b)'", nil)+"$", "no rule in permissions.allow allows it$")
	scratch.Equal(t, HowToAllow("", nil), "", "no check")
}
