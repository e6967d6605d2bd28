// What is said of a program that is verified.

package generator

import (
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/check"
)

// judgeProgram says whether a program is one that this springfield makes. suite is what lies
// beside it, nil if there is none. What it says never makes a program a verified one.
func (r reference) judgeProgram(s specimen, suite *Suite) (state check.State, says string) {
	what := s.program.says() + " for " + s.target.String()
	var beside Build
	if suite != nil {
		beside = suite.Build
	}
	recorded, want := beside.Recorded(s.program, s.target), r.sumOf(s.program, s.target, s.with)
	program, target, ours := r.find(s.sum)
	switch {
	case s.fault != "":
		return check.Failure, s.fault
	case ours && program == s.program && target == s.target:
		return check.Fine, ""
	case ours:
		return check.Failure, fmt.Sprintf("%s for %s, in the place of %s", program.says(), target, what)
	case recorded != "" && recorded != s.sum:
		return check.Failure, fmt.Sprintf("changed since it was built: its SHA-256 is %s, %s records %s", short(s.sum), SuiteFile, short(recorded))
	case s.of == "":
		return check.Failure, "not a program of springfield's"
	case s.of != s.program || s.compiled != s.target.String():
		return check.Failure, fmt.Sprintf("%s for %s, in the place of %s", s.of.says(), s.compiled, what)
	case beside.Source != "" && beside.Source != r.source:
		by := ""
		if beside.Springfield != "" {
			by = ", by springfield " + beside.Springfield
		}
		return check.Warning, fmt.Sprintf("%s was compiled from other sources (%s) than this springfield carries (%s)%s", what, short(beside.Source), short(r.source), by)
	case beside.Go != "" && beside.Go != s.with:
		return check.Failure, fmt.Sprintf("%s says that it was compiled with %s, and the program says %s", SuiteFile, beside.Go, s.with)
	case want == "":
		return check.Warning, r.cannotTell(s, what)
	case beside.Source != "":
		return check.Failure, fmt.Sprintf("%s says that it was compiled from these sources with %s, and that makes another program: its SHA-256 is %s, not %s", SuiteFile, s.with, short(s.sum), short(want))
	}
	return check.Warning, fmt.Sprintf("not %s that this springfield makes with %s, and nothing beside it says of which springfield it is: its SHA-256 is %s, not %s", what, s.with, short(s.sum), short(want))
}

// cannotTell says why there is nothing to compare a program with.
func (r reference) cannotTell(s specimen, what string) string {
	says := fmt.Sprintf("%s was compiled with %s, and each Go makes other bytes: ", what, s.with)
	if all := r.versions(s.program, s.target); len(all) > 0 {
		says += "this springfield has made it with " + strings.Join(all, " and ")
	} else {
		says += "this springfield carries it for no Go"
	}
	if r.why != "" {
		says += "; " + r.why
	}
	return says
}

// fixFor is what to do about a program that is not verified.
func (v *verification) fixFor(state check.State, s specimen, r reference) string {
	suite := check.Quote(v.Suite)
	switch {
	case state == check.Fine:
		return ""
	case v.Suite == "" && state == check.Failure:
		return "disable the plugin, and install it again from a place that you trust"
	case v.Suite == "":
		return "update the plugin where it comes from, or verify it with the springfield that made it"
	case state == check.Failure:
		return "springfield build " + suite
	case v.record != nil && v.record.Build.Source != r.source:
		return "springfield update " + suite + " makes a new one; or verify it with the springfield that made it"
	}
	return "springfield build " + suite + " makes a new one; or put " + s.with + " in front on PATH, and verify it again"
}
