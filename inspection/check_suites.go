// The check of suites: whether their hooks are those that this springfield makes.

package inspection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/generator"
)

// checkSuites compares the suites at hand with this springfield: by the release that has
// made them, and by the sources of their hooks.
func (in *Inspection) checkSuites() (all []check.Finding) {
	hash, err := generator.SourceHash()
	if err != nil {
		return []check.Finding{check.Fail(err.Error(), "install springfield again: "+generator.Page)}
	}
	var mine []Suite // with other hooks, and made by init
	current := 0
	for _, s := range in.Suites {
		switch made := s.Build.Springfield; {
		case s.Err != nil: // springfield validate tells
		case generator.IsOlder(in.Self, made):
			all = append(all, check.Warn(fmt.Sprintf("%s was made by a newer springfield, %s, and this is %s", s.Dir, made, in.Self), "upgrade springfield: "+generator.Page))
		case s.Build.Source == hash:
			current++
		case s.Made:
			mine = append(mine, s)
		default:
			all = append(all, check.Warn(in.otherHooks([]Suite{s}), "springfield update "+check.Quote(s.Dir)))
		}
	}
	if len(mine) > 0 {
		all = append(all, check.Warn(in.otherHooks(mine), "springfield update --all"))
	}
	if len(all) == 0 && current > 0 {
		return []check.Finding{check.OK("all suites have the hooks of this springfield")}
	}
	return all
}

// otherHooks says of suites that their hooks are older than those of this springfield, or
// at least others.
func (in *Inspection) otherHooks(suites []Suite) string {
	var dirs []string
	for _, s := range suites {
		dirs = append(dirs, s.Dir)
	}
	says := "hooks are not those of this springfield"
	if !slices.ContainsFunc(suites, func(s Suite) bool { return !generator.IsOlder(s.Build.Springfield, in.Self) }) {
		says = "hooks are older than those of this springfield (" + in.Self + ")"
	}
	return says + ": in " + strings.Join(dirs, " and ")
}

// Outdated says which suites are not as this springfield makes them, and what to do.
func (in *Inspection) Outdated() (all []string) {
	for _, f := range in.checkSuites() {
		if f.State != check.Fine {
			all = append(all, f.Says+": "+f.Fix)
		}
	}
	return all
}
