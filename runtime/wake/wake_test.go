package wake

import (
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

func TestIsOutage(t *testing.T) {
	for kind, want := range map[string]bool{
		"server_error": true, "overloaded": true,
		"": false, "unknown": false, "rate_limit": false, "invalid_request": false, "authentication_failed": false, "billing_error": false,
		"oauth_org_not_allowed": false, "model_not_found": false, "max_output_tokens": false, "Overloaded": false,
	} {
		scratch.Equal(t, IsOutage(kind), want, kind)
	}
}

func TestWaitAfter(t *testing.T) {
	for failures, want := range map[int]time.Duration{-1: 0, 0: 0, 1: time.Minute, 2: 3 * time.Minute, 3: 10 * time.Minute, 4: 30 * time.Minute, 5: 30 * time.Minute, 6: 0, 7: 0} {
		if got, ok := WaitAfter(failures); got != want || ok != (want > 0) {
			t.Errorf("%d failures: %v, %v, want %v", failures, got, ok, want)
		}
	}
}

func TestClaim(t *testing.T) {
	last := ledger.Outage{At: 10_000_000, Since: 7, Turns: 2, Calls: 3, Times: 4} // it waits for 30 minutes
	for name, test := range map[string]struct {
		last, failure ledger.Outage
		times         int // 0 if another has it
	}{
		"the first":                  {ledger.Outage{}, ledger.Outage{At: 1}, 1},
		"the next in a row":          {last, ledger.Outage{At: 10_060_000, Since: 8, Turns: 2, Calls: 3}, 5},
		"after a call":               {last, ledger.Outage{At: 10_060_000, Since: 8, Turns: 2, Calls: 4}, 1},
		"after a prompt":             {last, ledger.Outage{At: 10_060_000, Since: 8, Turns: 3}, 1},
		"again":                      {last, ledger.Outage{At: 10_000_100, Since: 7, Turns: 2, Calls: 3}, 0},
		"again, clock set back":      {last, ledger.Outage{At: 9_999_900, Since: 7, Turns: 2, Calls: 3}, 0},
		"again, late":                {last, ledger.Outage{At: 13_599_999, Since: 7, Turns: 2, Calls: 3}, 0},
		"an expired claim":           {last, ledger.Outage{At: 13_600_000, Since: 7, Turns: 2, Calls: 3}, 5},
		"a claim of a year ahead":    {last, ledger.Outage{At: 1, Since: 7, Turns: 2, Calls: 3}, 5},
		"the sixth, again":           {ledger.Outage{At: 1, Since: 7, Times: 6}, ledger.Outage{At: 29_000, Since: 7}, 0},
		"a claim of an older ledger": {ledger.Outage{At: 1, Times: 1}, ledger.Outage{At: 60_001, Since: 7}, 2},
	} {
		got, ok := Claim(test.last, test.failure)
		want := test.failure
		if want.Times = test.times; test.times == 0 {
			want = test.last
		}
		if got != want || ok != (test.times > 0) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, ok, want)
		}
	}
}

func TestWhyNot(t *testing.T) {
	before := Moment{Client: Client{Process: claude.Process{Session: "s", Kind: "interactive", Status: "idle", Since: 5}}, At: 1_000_000, Turns: 2, Calls: 3, Words: "API Error", Switches: "x"}
	for name, test := range map[string]struct {
		change func(*Moment)
		want   string
	}{
		"nothing":          {func(m *Moment) {}, ""},
		"a minute late":    {func(m *Moment) { m.At += 60_000 }, ""},
		"slept":            {func(m *Moment) { m.At += 60_001 }, "the machine slept, or its clock was set"},
		"5 s early":        {func(m *Moment) { m.At -= 5_000 }, ""},
		"clock set back":   {func(m *Moment) { m.At -= 5_001 }, "the machine slept, or its clock was set"},
		"stopped":          {func(m *Moment) { m.Status = "stopped" }, "it is stopped now"},
		"the process left": {func(m *Moment) { m.Client = Client{} }, "the file of its own process was not found"},
		"another process":  {func(m *Moment) { m.Shared = true }, "another process has the session, too"},
		"/clear":           {func(m *Moment) { m.Session = "t" }, "its process has another session"},
		"at work":          {func(m *Moment) { m.Status = "busy" }, "it is busy now"},
		"a dialog":         {func(m *Moment) { m.Status = "waiting" }, "it is waiting now"},
		"was at work":      {func(m *Moment) { m.Since++ }, "it has been used since"},
		"/rewind":          {func(m *Moment) { m.Typed = "7" }, "it has been used since"},
		"headless":         {func(m *Moment) { m.Kind = "headless" }, "it is not at a terminal"},
		"a prompt":         {func(m *Moment) { m.Turns++ }, "its log has gone on since"},
		"a call":           {func(m *Moment) { m.Calls++ }, "its log has gone on since"},
		"words":            {func(m *Moment) { m.Words = "" }, "its log has gone on since"},
		"disabled":         {func(m *Moment) { m.Switches = "" }, "plugins were switched since, or a settings file cannot be read"},
	} {
		after := before
		after.At += 60_000
		test.change(&after)
		scratch.Equal(t, WhyNot(before, after, time.Minute), test.want, name)
	}
	after := before
	after.At += 32 * time.Minute.Milliseconds()
	if WhyNot(before, after, 30*time.Minute) == "" {
		t.Error("it slept for less than the wait")
	}
}
