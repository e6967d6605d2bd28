// The check of suites: whether their hooks are those that this springfield makes.

package doctor

import (
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
)

// checkSuites compares the suites at hand with this springfield, by the sources of their hooks.
func (in *Inspection) checkSuites() (all []check.Finding) {
	hash, err := generator.SourceHash()
	if err != nil {
		return []check.Finding{check.Failed(err.Error(), "install springfield again: "+generator.Page)}
	}
	const others = "hooks are not those of this springfield: in "
	var mine []string // made by init
	current := 0
	for _, s := range in.Suites {
		switch {
		case s.Err != nil: // springfield validate tells
		case s.Build.Source == hash:
			current++
		case s.Made:
			mine = append(mine, s.Dir)
		default:
			all = append(all, check.Warned(others+s.Dir, "springfield update "+check.QuoteArgument(s.Dir)))
		}
	}
	if len(mine) > 0 {
		all = append(all, check.Warned(others+strings.Join(mine, " and "), "springfield update --all"))
	}
	if len(all) == 0 && current > 0 {
		return []check.Finding{check.Passed("all suites have the hooks of this springfield")}
	}
	return all
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
