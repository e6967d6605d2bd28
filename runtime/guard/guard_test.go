package guard

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

func TestBefore(t *testing.T) {
	shell := func(command string) []Background {
		return []Background{{ID: "1", Type: "shell", Description: "d", Command: command}}
	}
	for name, test := range map[string]struct {
		moment  Moment
		earlier []string
		rule    string
	}{
		"nothing":                     {Moment{PermissionMode: "default"}, []string{"1"}, ""},
		"plan mode":                   {Moment{PermissionMode: "plan"}, nil, "plan-mode"},
		"a cron":                      {Moment{Crons: 1}, nil, "scheduled"},
		"a subagent":                  {Moment{Tasks: []Background{{Type: "subagent", Description: "reviewer"}}}, nil, "background"},
		"a shell of this turn":        {Moment{Tasks: shell("make test")}, []string{"0", "2"}, "background"},
		"a shell of an earlier one":   {Moment{Tasks: shell("make test")}, []string{"0", "1"}, ""},
		"a server of this turn":       {Moment{Tasks: shell("npm run dev")}, nil, ""},
		"another server":              {Moment{Tasks: shell("cd web && vite --port 80")}, nil, ""},
		"a watcher":                   {Moment{Tasks: shell("tsc --watch")}, nil, ""},
		"no server but has its words": {Moment{Tasks: shell("make invite && go test ./airline")}, nil, "background"},
		"a subagent and a shell":      {Moment{Tasks: append(shell("npm run dev"), Background{Type: "monitor", Description: "logs"})}, nil, "background"},
	} {
		t.Run(name, func(t *testing.T) {
			v := CheckPending(test.moment, test.earlier)
			scratch.Equal(t, v.Rule, test.rule, v.Evidence, "rule")
			scratch.Equal(t, v.Evidence != "", v.Rule != "", v.Rule, v.Evidence)
		})
	}
}

func TestCheckTeam(t *testing.T) {
	for names, want := range map[string]string{
		"moe":                 "at work in the team: moe",
		"moe barney lenny":    "at work in the team: moe, barney, lenny",
		"a b c d e f g h i j": "at work in the team: a, b, c, 7 more",
	} {
		if v := VetoOfTeam(strings.Fields(names)); v.Evidence != want || (v.Rule == "team") != (want != "") {
			t.Errorf("%s: %+v", names, v)
		}
	}
}

// Progress is the work of a session so far.
type Progress struct {
	Seen  string
	Tools int
}

func taken(s ledger.State, l Limits, prompt string, p Progress, w Witness, now time.Time) (ledger.State, ledger.Left, Veto) {
	w.All = max(w.All, len(w.Times), w.InPrompt)
	return SpendContinue(s, l, Count{Prompt: prompt, Seen: p.Seen, Tools: p.Tools, Witness: w, Now: now})
}

// moving is a session that makes progress at every stop.
func moving(i int) Progress { return Progress{Seen: fmt.Sprint(i), Tools: i} }

// spend asks for continues at the given seconds and returns which were granted.
func spend(s ledger.State, prompt string, seconds ...int) (ledger.State, []bool) {
	var granted []bool
	for _, sec := range seconds {
		var v Veto
		s, _, v = taken(s, Defaults, prompt, moving(sec), Witness{}, time.Unix(1_000_000+int64(sec), 0))
		granted = append(granted, v.Rule == "")
	}
	return s, granted
}

func TestSpendHoldsTheBurst(t *testing.T) {
	for name, test := range map[string]struct {
		seconds []int
		want    []bool
	}{
		"four at once":           {[]int{0, 1, 2, 3}, []bool{true, true, true, false}},
		"one at the end":         {[]int{0, 1, 2, 299, 300}, []bool{true, true, true, false, true}},
		"slowly":                 {[]int{0, 150, 299, 300, 301}, []bool{true, true, true, true, false}},
		"refused ones cost none": {[]int{0, 1, 2, 100, 200, 300, 301, 302, 303}, []bool{true, true, true, false, false, true, true, true, false}},
		"the clock was set back": {[]int{0, 1, 2, -100_000, -99_702, -99_701}, []bool{true, true, true, false, false, false}},
		"and time goes on":       {[]int{0, 1, 2, -100_000, -99_700, -99_699, -99_698, -99_697}, []bool{true, true, true, false, true, true, true, false}},
		"backwards every time":   {[]int{0, -1000, -2000, -3000, -4000}, []bool{true, true, true, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := spend(ledger.State{}, "p", test.seconds...)
			scratch.Equal(t, got, test.want, "at", test.seconds, "granted")
		})
	}
}

// Continues without progress end, and the user's next prompt resets the count.
func TestSpendNeedsProgress(t *testing.T) {
	for name, test := range map[string]struct {
		progress []Progress
		prompts  []string
		want     []string // rule of the veto, "" for a continue
	}{
		"the same three times":    {[]Progress{{"a", 1}, {"a", 1}, {"a", 1}}, nil, []string{"", "", "stagnation"}},
		"something in between":    {[]Progress{{"a", 1}, {"a", 1}, {"b", 1}, {"b", 1}, {"b", 1}}, nil, []string{"", "", "", "", "stagnation"}},
		"back and forth, no tool": {[]Progress{{"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}, {"a", 1}, {"b", 1}}, nil, []string{"", "", "", "", "", "", "", "idle"}},
		"with tools":              {[]Progress{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}, {"f", 6}, {"g", 7}, {"h", 8}, {"i", 9}}, nil, []string{"", "", "", "", "", "", "", "", ""}},
		"a new prompt in between": {[]Progress{{"a", 1}, {"a", 1}, {"a", 1}}, []string{"p", "p", "q"}, []string{"", "", ""}},
		"stuck, again and again":  {[]Progress{{"a", 1}, {"a", 1}, {"a", 1}, {"a", 1}}, nil, []string{"", "", "stagnation", "stagnation"}},
		"unstuck after the veto":  {[]Progress{{"a", 1}, {"a", 1}, {"a", 1}, {"b", 2}}, nil, []string{"", "", "stagnation", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			var s ledger.State
			for i, p := range test.progress {
				prompt := "p"
				if test.prompts != nil {
					prompt = test.prompts[i]
				}
				var v Veto
				s, _, v = taken(s, Defaults, prompt, p, Witness{}, time.Unix(int64(i*1000), 0))
				if v.Rule != test.want[i] {
					t.Fatalf("stop %d: rule %q, want %q", i, v.Rule, test.want[i])
				}
			}
		})
	}
}

// Without the ledger the transcript is the witness.
func TestSpendHearsTheWitness(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	ago := func(seconds ...int64) (times []int64) {
		for _, s := range seconds {
			times = append(times, now.UnixMilli()-s*1000)
		}
		return times
	}
	for name, test := range map[string]struct {
		witness Witness
		rule    string
		left    int
	}{
		"three just now":      {Witness{Times: ago(30, 20, 10), InPrompt: 3}, "budget", 0},
		"two just now":        {Witness{Times: ago(20, 10), InPrompt: 2}, "", 0},
		"three long ago":      {Witness{Times: ago(900, 800, 700), InPrompt: 3}, "", 2},
		"many for the prompt": {Witness{Times: ago(900), InPrompt: 20}, "budget", 0},
		"in the future":       {Witness{Times: ago(-500, -400, -300)}, "budget", 0},
	} {
		_, left, v := taken(ledger.State{}, Defaults, "p", moving(1), test.witness, now)
		if v.Rule != test.rule || left.Burst != test.left {
			t.Errorf("%s: rule %q, %d left, want %q, %d", name, v.Rule, left.Burst, test.rule, test.left)
		}
	}
}

// A ledger of before bursts belonged to prompts does not know whose its continues are:
// those of the prompt count, also where the transcript has none of them.
func TestSpendCountsOlderLedgers(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	old := ledger.State{Prompt: "id:1", InPrompt: 3, Continues: []int64{now.UnixMilli() - 3000, now.UnixMilli() - 2000, now.UnixMilli() - 1000}}
	for prompt, want := range map[string]string{"1": "budget", "2": ""} {
		if _, _, v := SpendContinue(old, Defaults, Count{Prompt: "id:" + prompt, Own: prompt, Seen: "x", Now: now}); v.Rule != want {
			t.Errorf("prompt %s: %+v", prompt, v)
		}
	}
}

// No prompt resets the limit of an hour.
func TestSpendHoldsTheHour(t *testing.T) {
	var s ledger.State
	spend := func(second int) (left ledger.Left, v Veto) {
		id := fmt.Sprint(second)
		s, left, v = SpendContinue(s, Defaults, Count{Prompt: "id:" + id, Own: id, Seen: id, Tools: second, Now: time.Unix(int64(second), 0)})
		return left, v
	}
	for i := range 60 {
		if left, v := spend(i); v.Rule != "" || left.Hour != 59-i {
			t.Fatalf("continue %d: %+v, %+v", i+1, v, left)
		}
	}
	if _, v := spend(3599); v.Evidence != "kept going 60 times in an hour and is stopping so that you can look" {
		t.Errorf("one more: %+v", v)
	}
	if _, v := spend(3600); v.Rule != "" {
		t.Errorf("an hour later: %+v", v)
	}
}

// A veto names a new prompt or a time only if that lifts the limit.
func TestVetoSaysWhatHelps(t *testing.T) {
	const sayIt = "type continue"
	spent := func(n int, step, ago int64) (times []int64) {
		for i := range int64(n) {
			times = append(times, 1_000_000_000-1000*(ago+step*(int64(n)-1-i)))
		}
		return times
	}
	few := func(set func(l *Limits)) Limits { l := Defaults; set(&l); return l }
	for name, test := range map[string]struct {
		state  ledger.State
		limits Limits
		stop   Count
		want   string
	}{
		"a burst":                         {ledger.State{Continues: spent(3, 60, 0), Prompt: "id:1", Own: "1", InOwn: 3, InPrompt: 3, Known: 3}, Defaults, Count{Prompt: "id:1", Own: "1"}, sayIt},
		"a burst, a task wakes Claude":    {ledger.State{Continues: spent(3, 60, 0), Prompt: "id:1", Own: "1", InOwn: 3, InPrompt: 3, Known: 3}, Defaults, Count{Prompt: "id:1"}, sayIt},
		"a burst, no prompt is known":     {ledger.State{Continues: spent(3, 60, 30), Prompt: "uuid:1", InPrompt: 3, Known: 3}, Defaults, Count{Prompt: "uuid:1"}, "it can go on by itself again in 3 min"},
		"a burst of which some are older": {ledger.State{Continues: spent(9, 60, 30), Prompt: "uuid:1", InPrompt: 5, Known: 9}, Defaults, Count{Prompt: "uuid:1"}, "it can go on by itself again in 3 min"},
		"a burst of one":                  {ledger.State{Continues: spent(1, 60, 0), Prompt: "id:1", Own: "1", InOwn: 1, InPrompt: 1, Known: 1}, few(func(l *Limits) { l.Burst = 1 }), Count{Prompt: "id:1", Own: "1"}, sayIt},
		"a prompt":                        {ledger.State{Continues: spent(20, 120, 400), Prompt: "id:1", InPrompt: 20, Known: 20}, Defaults, Count{Prompt: "id:1"}, sayIt},
		"a prompt without a name":         {ledger.State{Continues: spent(20, 120, 400), InPrompt: 20, Known: 20}, Defaults, Count{}, ""},
		"an hour":                         {ledger.State{Continues: spent(60, 40, 10), Prompt: "id:1", Own: "1", InPrompt: 2, Known: 60}, Defaults, Count{Prompt: "id:1", Own: "1"}, "it can go on by itself again in 21 min"},
		"an hour and a burst":             {ledger.State{Continues: spent(60, 40, 10), Prompt: "id:1", Own: "1", InOwn: 3, InPrompt: 3, Known: 60}, Defaults, Count{Prompt: "id:1", Own: "1"}, "it can go on by itself again in 21 min"},
		"an hour and a prompt":            {ledger.State{Continues: spent(60, 40, 10), Prompt: "id:1", Own: "1", InOwn: 1, InPrompt: 20, Known: 60}, Defaults, Count{Prompt: "id:1", Own: "1"}, "it can go on by itself again in 21 min"},
		"an hour of which one is left":    {ledger.State{Continues: spent(3, 600, 10), Prompt: "id:1", Own: "1", InPrompt: 2, Known: 3}, few(func(l *Limits) { l.PerHour = 1 }), Count{Prompt: "id:1", Own: "1"}, "it can go on by itself again in 1 h"},
		"no burst at all":                 {ledger.State{}, few(func(l *Limits) { l.Burst = 0 }), Count{Prompt: "id:1", Own: "1"}, ""},
		"nothing for a prompt":            {ledger.State{}, few(func(l *Limits) { l.PerPrompt = 0 }), Count{Prompt: "id:1", Own: "1"}, ""},
		"nothing in an hour":              {ledger.State{}, few(func(l *Limits) { l.PerHour = 0 }), Count{Prompt: "id:1", Own: "1"}, ""},
		"no progress":                     {ledger.State{Prompt: "id:1", Same: 2, Seen: "x"}, Defaults, Count{Prompt: "id:1", Seen: "x"}, sayIt},
		"no call":                         {ledger.State{Prompt: "id:1", Idle: 7}, Defaults, Count{Prompt: "id:1", Seen: "x"}, sayIt},
		"no call, no prompt has a name":   {ledger.State{Idle: 7}, Defaults, Count{Seen: "x"}, ""},
		"the witness alone":               {ledger.State{}, Defaults, Count{Prompt: "uuid:1", Witness: Witness{Times: spent(3, 60, 30), All: 3, InPrompt: 3}}, "it can go on by itself again in 3 min"},
	} {
		test.stop.Now = time.UnixMilli(1_000_000_000)
		_, _, v := SpendContinue(test.state, test.limits, test.stop)
		scratch.ErrorIf(t, v.Rule == "" || v.Next != test.want, "%s: %+v, want %q", name, v, test.want)
	}
	now := Count{Own: "1", Now: time.UnixMilli(1_000_000_000)}
	if _, v := TakeRound(ledger.State{Own: "1", InLoops: 400}, now, 100, 0); v.Rule != "rounds" || v.Next != sayIt {
		t.Errorf("loops: %+v", v)
	}
}

// By all paths together a session is continued at most 240 times in an hour, however many prompts a log has. Only a loop
// for which the user has typed more goes on, and what it takes is no one else's.
func TestNoPathLeadsPastTheHour(t *testing.T) {
	now := Count{Now: time.UnixMilli(1_000_000_000)}
	var s ledger.State
	take := func(most, typed int) (n int) {
		for i := range 1000 {
			now.Own = strconv.Itoa(i)
			var v Veto
			if s, v = TakeRound(s, now, most, typed); v.Rule != "" {
				scratch.Equal(t, v.Rule+v.Next, "budgetit can go on by itself again in 1 h")
				return n
			}
			n++
		}
		return n
	}
	for i := range 40 {
		var v Veto
		if s, _, v = SpendContinue(s, Defaults, Count{Prompt: strconv.Itoa(i), Own: strconv.Itoa(i), Seen: strconv.Itoa(i), Now: now.Now}); v.Rule != "" {
			t.Fatal(v)
		}
	}
	scratch.Equal(t, take(25, 0), 200)
	scratch.Equal(t, take(25, 300), 60, "a loop that the user has typed 300 for")
	_, _, v := SpendContinue(s, Defaults, Count{Prompt: "p", Own: "p", Seen: "p", Now: now.Now})
	scratch.Equal(t, v.Evidence, "kept going 300 times in an hour, loops included, and is stopping so that you can look")
	now.Now = now.Now.Add(time.Hour)
	_, left, v := SpendContinue(s, Defaults, Count{Prompt: "p", Own: "p", Seen: "p", Now: now.Now})
	scratch.ErrorIf(t, v.Rule != "" || left.Hour != 59, "an hour later: %+v, %+v", left, v)
}

// Rounds of loops are in the transcript too, but do not spend the budget.
func TestSpendKnowsLoops(t *testing.T) {
	var s ledger.State
	now := time.Unix(1_000_000, 0)
	for range 100 {
		s, _ = TakeRound(s, Count{Now: now}, 1000, 0)
	}
	w := Witness{Times: []int64{now.UnixMilli() - 3000, now.UnixMilli() - 2000, now.UnixMilli() - 1000}, All: 100, InPrompt: 100, InOwn: 100}
	if _, left, v := taken(s, Defaults, "p", moving(1), w, now); v.Rule != "" || left != (ledger.Left{Burst: 2, Prompt: 19, Hour: 59}) {
		t.Errorf("after a loop: %+v, %+v", left, v)
	}
	if _, _, v := taken(ledger.State{}, Defaults, "p", moving(1), w, now); v.Rule != "budget" {
		t.Errorf("without the ledger: %+v", v)
	}
}

func TestRalphArmed(t *testing.T) {
	for name, test := range map[string]struct {
		file  string
		armed bool
	}{
		"none":              {"(none)", false},
		"this session's":    {"---\nactive: true\nsession_id: s1\n---\ngo\n", true},
		"quoted, CRLF":      {"---\r\nsession_id: \"s1\"\r\n---\r\n", true},
		"another session's": {"---\nsession_id: s2\n---\ngo\n", false},
		"no plugin's":       {"---\niteration: 1\n---\ngo\n", true},
		"an empty session":  {"---\nsession_id:\n---\n", true},
		"in the body only":  {"---\niteration: 1\n---\nsession_id: s2\n", true},
		"no frontmatter":    {"session_id: s2\n", true},
		"without its end":   {"---\niteration: 1", true},
		"empty":             {"", true},
		"binary":            {"\x00\xff", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if test.file != "(none)" {
				scratch.PutFile(t, filepath.Join(dir, ".claude", "ralph-loop.local.md"), test.file)
			}
			scratch.Equal(t, RalphArmed(dir, "s1"), test.armed, "armed")
		})
	}
	scratch.ErrorIf(t, RalphArmed("", "s1"), "armed without a directory")
}

// Work that goes on lets the agent stop, as it will wake it; a server does not.
func TestGoing(t *testing.T) {
	for about, want := range map[string]string{"make test": "background", "npm run dev": "", "look around": "background", "python -m http.server": ""} {
		scratch.Equal(t, CheckRunning([]string{about}).Rule, want, about)
	}
	scratch.Equal(t, CheckRunning(nil).Rule, "", "nothing")
}

func TestAnswer(t *testing.T) {
	command := func(name string) string {
		return "<command-message>" + name + "</command-message>\n<command-name>/" + name + "</command-name>\n<command-args>x</command-args>"
	}
	for name, test := range map[string]struct {
		prompt string
		calls  int
		rule   string
	}{
		"why":                 {command("marge-simpson:why"), 0, "answer"},
		"log":                 {command("marge-simpson:log"), 0, "answer"},
		"then work":           {command("marge-simpson:why"), 1, ""},
		"another plugin":      {command("homer:why"), 0, ""},
		"another command":     {command("marge-simpson:work"), 0, ""},
		"the page":            {command("marge-simpson:page"), 0, "answer"},
		"a prompt":            {"why?", 0, ""},
		"a prompt that shows": {"what is /marge-simpson:why?", 0, ""},
		"nothing":             {"", 0, ""},
	} {
		scratch.Equal(t, CheckOwnCommand("marge-simpson", test.prompt, test.calls).Rule, test.rule, name)
	}
}

func TestCheckWord(t *testing.T) {
	const held = "push\t“don't push yet”\n"
	for _, test := range []struct {
		word            lastprompt.Word
		called, changed bool
		message         string
		want            string
	}{
		{lastprompt.Word{Kind: lastprompt.Forbids}, true, true, "Let me read the log.", "forbids"},
		{lastprompt.Word{Kind: lastprompt.Asks}, true, false, "It is slow.", "answers"},
		{lastprompt.Word{Kind: lastprompt.Asks}, true, false, "Let me read the log.", ""},
		{lastprompt.Word{Kind: lastprompt.Asks}, true, true, "It is slow.", ""},
		{lastprompt.Word{Kind: lastprompt.Unclear}, true, false, "Let me read the log.", "unclear"},
		{lastprompt.Word{Kind: lastprompt.Unclear}, true, true, "It is slow.", ""},
		{lastprompt.Word{Kind: lastprompt.States}, false, false, "Let me read the log.", "unclear"},
		{lastprompt.Word{Kind: lastprompt.States}, true, false, "Let me read the log.", ""},
		{lastprompt.Word{Kind: lastprompt.Orders}, false, false, "It is slow.", ""},
		{lastprompt.Word{Kind: lastprompt.Orders, Held: held}, true, true, "It is mended. Next I'll push it.", "forbids"},
		{lastprompt.Word{Kind: lastprompt.Orders, Held: held}, true, true, "You can push it then. Next I'll mend the second test.", ""},
		{lastprompt.Word{}, false, false, "It is slow.", ""},
	} {
		veto := CheckPrompt(test.word, test.called, test.changed, func() *lastmessage.Closing { return lastmessage.ReadMessage(test.message) })
		scratch.Equal(t, veto.Rule, test.want, test.word, test.changed, test.message)
	}
}
