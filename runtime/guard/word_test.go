package guard_test

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/lastword"
)

func TestCheckWord(t *testing.T) {
	for _, test := range []struct {
		kind             lastword.Kind
		changed, intends bool
		want             string
	}{
		{lastword.Forbids, true, true, "forbids"},
		{lastword.Asks, false, false, "answers"},
		{lastword.Asks, false, true, ""},
		{lastword.Asks, true, false, ""},
		{lastword.Unclear, false, true, "unclear"},
		{lastword.Unclear, true, false, ""},
		{lastword.Orders, false, false, ""},
		{lastword.Unknown, false, false, ""},
	} {
		veto := guard.CheckWord(lastword.Word{Kind: test.kind, Evidence: "“so”"}, test.changed, func() bool { return test.intends })
		if veto.Rule != test.want {
			t.Errorf("%s, changed %t, intends %t: %q, want %q", test.kind, test.changed, test.intends, veto.Rule, test.want)
		}
	}
}
