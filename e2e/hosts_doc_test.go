package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// The page names the versions that are tested, none that is newer as tested, and no agent as not tried that is.
func TestHostsDocNamesVersions(t *testing.T) {
	data := string(scratch.ReadFile(t, "../docs/hosts.md"))
	_, notTried, found := strings.Cut(data, "\n## Not tried\n")
	if !found {
		t.Fatal("docs/hosts.md does not say what was not tried")
	}
	source := string(scratch.ReadFile(t, "client_test.go"))
	claude := regexp.MustCompile(`(?m)^var newest = "(.+)"$`).FindStringSubmatch(source)
	oldest := regexp.MustCompile(`oldest\s+= "(.+)"`).FindStringSubmatch(source)
	tested := map[string]string{"Claude Code": oldest[1] + " (the oldest supported version), " + claude[1]}
	hosts := string(scratch.ReadFile(t, "hosts_test.go"))
	for _, h := range regexp.MustCompile(`title: "(.+?)", version: "(.+?)"`).FindAllStringSubmatch(hosts, -1) {
		tested[h[1]] = h[2]
	}
	scratch.Equal(t, len(tested), 6, "agents")
	for title, versions := range tested {
		line := regexp.MustCompile(`(?m)^- ` + regexp.QuoteMeta(title+": "+versions) + `(; in part [0-9.]+)?$`)
		errorIf(t, !line.MatchString(data), "%s is not in the list as tested: %s", title, versions)
		errorIf(t, strings.Contains(notTried, title), "%s is tried", title)
	}
}

var must, errorIf = scratch.Must, scratch.ErrorIf
