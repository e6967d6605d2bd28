package guard

import (
	"testing"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

func TestBefore(t *testing.T) {
	for name, test := range map[string]struct {
		moment  Moment
		started bool
		rule    string
	}{
		"nothing":                   {Moment{PermissionMode: "default"}, true, ""},
		"plan mode":                 {Moment{PermissionMode: "plan"}, false, "plan-mode"},
		"a cron":                    {Moment{Crons: 1}, false, "scheduled"},
		"a subagent":                {Moment{Tasks: []Background{{"subagent", "reviewer"}}}, false, "background"},
		"a shell of this turn":      {Moment{Tasks: []Background{{"shell", "make"}}}, true, "background"},
		"a shell of an earlier one": {Moment{Tasks: []Background{{"shell", "npm run dev"}}}, false, ""},
		"a subagent and a shell":    {Moment{Tasks: []Background{{"shell", "npm run dev"}, {"monitor", "logs"}}}, false, "background"},
	} {
		t.Run(name, func(t *testing.T) {
			v := Before(test.moment)
			if v.Rule == "" {
				v = Waiting(test.moment, test.started)
			}
			if v.Rule != test.rule {
				t.Errorf("rule %q (%s), want %q", v.Rule, v.Evidence, test.rule)
			}
			if (v.Rule != "") != (v.Evidence != "") {
				t.Errorf("rule %q with evidence %q", v.Rule, v.Evidence)
			}
		})
	}
}

// spend asks for continues at the given seconds and says which were granted.
func spend(s ledger.State, prompt string, seconds ...int) (ledger.State, []bool) {
	var granted []bool
	for _, sec := range seconds {
		var v Veto
		s, _, v = Spend(s, prompt, time.Unix(1_000_000+int64(sec), 0))
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
			for i := range test.want {
				if got[i] != test.want[i] {
					t.Errorf("at %v: granted %v, want %v", test.seconds, got, test.want)
					break
				}
			}
		})
	}
}

func TestSpendHoldsThePrompt(t *testing.T) {
	var s ledger.State
	granted := 0
	for i := range 40 {
		var got []bool
		if s, got = spend(s, "p", i*200); got[0] {
			granted++
		}
	}
	if granted != PerPrompt {
		t.Errorf("%d continues for one prompt, want %d", granted, PerPrompt)
	}
	if _, got := spend(s, "another", 40*200); !got[0] {
		t.Error("a new prompt gets nothing")
	}
}

// No order of moments ever holds more than three continues in five minutes of
// the same clock, nor twenty for a prompt.
func FuzzSpend(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0})
	f.Add([]byte{10, 200, 3, 255, 0, 128})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var s ledger.State
		var granted []int64
		now := int64(1_000_000)
		prompt := 0
		for _, step := range steps {
			now += int64(step) // seconds, only forward
			var v Veto
			s, _, v = Spend(s, "p", time.Unix(now, 0))
			if v.Rule != "" {
				continue
			}
			granted = append(granted, now)
			prompt++
			recent := 0
			for _, at := range granted {
				if now-at < 300 {
					recent++
				}
			}
			if recent > Burst || prompt > PerPrompt {
				t.Fatalf("%d within five minutes, %d for the prompt", recent, prompt)
			}
		}
	})
}
