package absence

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A rule allows a check that it names, begins, or matches with a star.
func TestLackedRule(t *testing.T) {
	for rules, lacks := range map[string]bool{
		"": true, "Bash": false, "Bash(make test)": false, "Bash(make:*)": false, "Bash(make *)": false, "Bash(*)": false, "Read|Bash(make test)": false,
		"Bash(make)": true, "Bash(make test unit)": true, "Bash(go:*)": true, "Read": true, "BashOutput": true, "make test": true,
	} {
		scratch.Equal(t, LackedRule("make test", strings.Split(rules, "|")) != "", lacks, rules)
	}
	scratch.Holds(t, "a check that no rule can name", LackedRule("sh -c 'a; (b)'", nil)+"$", "no rule in permissions.allow allows it$")
	scratch.Equal(t, LackedRule("", nil), "", "no check")
}
