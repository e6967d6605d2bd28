//go:build e2e && nightly

package e2e

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// All hosts and Claude Code are at work in one project at the same time. Each is kept going, and one hold stops all of
// them.
func TestHostsAtOnce(t *testing.T) {
	t.Parallel()
	all := append([]*host{claudeCode()}, hosts...)
	w := hosted(t, all...)
	suite := newSuite(w)
	for _, h := range all {
		w.on(h, "ned-flanders", suite)
	}

	// All are in their second turn when the hold comes.
	texts := endless(8)
	var arrived sync.WaitGroup
	arrived.Add(len(all))
	held := make(chan struct{})
	go func() {
		defer close(held)
		arrived.Wait()
		if out := w.TrySpringfield("hold"); out.Code != 0 {
			t.Errorf("hold: exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
	}()
	ended := make(chan error)
	for _, h := range all {
		go func() {
			there := sync.OnceFunc(arrived.Done)
			defer there() // a host that fails keeps no other waiting
			script := says(texts...)
			script[1].Before = func() { there(); <-held }
			e, err := w.RunIn(h, Session{Script: script})
			if err == nil {
				err = e.as(texts[1], 2)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", h.title, err)
			}
			there()
			ended <- err
		}()
	}
	for range all {
		scratch.Equal(t, <-ended, nil)
	}
	seen := map[string]int{}
	for _, r := range w.history() {
		seen[r.Host+" "+r.Decision+" "+r.Rule]++
	}
	for _, h := range all {
		name := h.name
		if name == "claude" {
			name = "" // records of Claude Code name no host
		}
		for _, what := range []string{"continue progress", "stop hold"} {
			scratch.Equal(t, seen[name+" "+what], 1, h.title, "times of", what)
		}
	}
}

// claudeCode is Claude Code as one of the hosts.
func claudeCode() *host {
	return &host{
		name: "claude", title: "Claude Code", version: newest,
		argv: func(_, _, prompt string) []string { return []string{"-p", prompt, "--dangerously-skip-permissions"} },
		env: func(url, _ string) []string {
			return []string{"IS_SANDBOX=1", "ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-stand-in"}
		},
	}
}

// Copilot reads the project's .claude/settings.json too, where the directory is trusted. A plugin that is on there and
// for the user decides once at each stop.
func TestCopilotDecidesOnce(t *testing.T) {
	t.Parallel()
	h := hostNamed("copilot")
	w := hosted(t, h)
	suite := newSuite(w)
	w.on(h, "ned-flanders", suite)
	command, err := json.Marshal(`"` + hook(suite) + `"`)
	must(t, err)
	write(t, w.settings("project"), `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": `+string(command)+`, "timeout": 10}]}]}}`)
	texts := endless(8)
	w.In(h, Session{Script: says(texts...), Args: []string{"--trust-folder"}}, texts[3], 4)
	w.decidedIn(h, "continue progress", "continue progress", "continue progress", "stop budget")
	scratch.Equal(t, len(w.history()), 4, "decisions for 4 stops", w.history())
}
