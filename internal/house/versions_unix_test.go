//go:build unix

package house

import (
	"regexp"
	"strings"
	"testing"
)

// docs/hosts.md and install.md name the versions that the tests with real programs pin, and the Go of go.mod.
func TestSupportNamesWhatIsTested(t *testing.T) {
	text := read(t, "docs", "hosts.md") + read(t, "docs", "install.md")
	clients, hosts := read(t, "e2e", "client_test.go"), read(t, "e2e", "hosts_test.go")
	var rows []string
	claude := regexp.MustCompile(`(?m)^(?:const|var) (?:oldest|newest) = "([^"]+)"`).FindAllStringSubmatch(clients, -1)
	if len(claude) != 2 {
		t.Fatalf("%d versions of Claude Code are pinned", len(claude))
	}
	rows = append(rows, "| Claude Code | "+claude[1][1]+", "+claude[0][1]+" |")
	others := regexp.MustCompile(`(?m)^\t\tname: "[a-z]+", title: "([^"]+)", version: "([^"]+)"`).FindAllStringSubmatch(hosts, -1)
	if len(others) < 5 {
		t.Fatalf("%d other agents are pinned", len(others))
	}
	for _, agent := range others {
		rows = append(rows, "| "+agent[1]+" | "+agent[2]+" |")
	}
	oldest := regexp.MustCompile(`(?m)^go (1\.\d+)`).FindStringSubmatch(read(t, ".", "go.mod"))
	rows = append(rows, "Go "+oldest[1]+" is the oldest")
	for _, row := range rows {
		if !strings.Contains(text, row) {
			t.Errorf("docs/hosts.md and docs/install.md do not say %q", row)
		}
	}
}
