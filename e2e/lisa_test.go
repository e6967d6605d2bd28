//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A whole stop of lisa-simpson: the client ends its turn where no rule is sure, the hook asks through a second
// client of the same home, or by the API, and the turn goes on or ends as the answer says.
func TestLisaAsks(t *testing.T) {
	t.Parallel()
	const unsure = "Line 58 has bytes, which should be a slice of them."
	script := append([]Turn{calls("Looking.", "Bash", map[string]any{"command": "echo looked", "description": "Look"})}, says(unsure, "All of it is done.")...)
	for _, backend := range []string{"claude", "api"} {
		t.Run(backend, func(t *testing.T) {
			aClient(t, func(t *testing.T, version string) {
				w, _ := with(t, version, "lisa-simpson")
				write(t, filepath.Join(w.Home, ".claude", "springfield", "lisa-simpson.json"), `{"judge": {"backend": "`+backend+`"}}`)
				run := func(answer string) (r Result, asked []Request) {
					r = w.Run(Session{Script: script, Prompt: "fix the types", Side: func(request Request) string {
						if len(request.Messages) > 0 && strings.Contains(request.Messages[0].Text, "DECIDE:") {
							return answer
						}
						return "{}"
					}})
					for _, a := range r.Aside {
						if len(a.Messages) > 0 && strings.Contains(a.Messages[0].Text, "DECIDE:") {
							asked = append(asked, a)
						}
					}
					return r, asked
				}

				r, asked := run(`{"why": "a fault is named and not mended", "continue": true}`)
				ends(t, r, "All of it is done.", 3)
				if len(asked) != 1 {
					t.Fatalf("the judge was asked %d times", len(asked))
				}
				q := asked[0]
				saw(t, q, "  Last tools: [Bash(echo looked → looked)]\n", "  Latest request: \"fix the types\"\n", "  Last message: \""+unsure+"\"\n", "DECIDE: Should Claude continue working autonomously?")
				if !strings.Contains(q.Model, "haiku") || !strings.Contains(q.System, "In doubt: stop.") {
					t.Errorf("%s was asked with\n%s", q.Model, q.System)
				}
				if last := r.Asked[len(r.Asked)-1]; !strings.Contains(string(last.Body), "The work does not look finished.") {
					t.Error("Claude was not told to go on")
				}
				for _, request := range r.Asked {
					if strings.Contains(string(request.Body), "a fault is named and not mended") {
						t.Error("the judge's words have come before Claude")
					}
				}
				why := w.Springfield("why").Stdout // the last stop, which a rule decides
				if !strings.Contains(why, "lisa-simpson let Claude stop") || !strings.Contains(why, "cost $0\n") {
					t.Errorf("why says\n%s", why)
				}
				log := w.Springfield("log").Stdout
				if strings.Count(log, " judge  ") != 1 || !strings.Contains(log, "a fault is named and not mended") || !strings.Contains(log, "$0.00") {
					t.Errorf("log says\n%s", log)
				}
				if status := w.Springfield("status").Stdout; !strings.Contains(status, "judges, today: 1 question, $0.0") {
					t.Errorf("status says\n%s", status)
				}

				r, asked = run(`{"why": "it is a finding", "continue": false}`)
				ends(t, r, unsure, 2)
				if len(asked) != 1 {
					t.Errorf("the judge was asked %d times", len(asked))
				}
				if why := w.Springfield("why").Stdout; !strings.Contains(why, "it is a finding") || !strings.Contains(why, "tokens in") || !strings.Contains(why, "by "+backend) {
					t.Errorf("why says\n%s", why)
				}

				// One that gives no answer leaves the turn to the user.
				r, _ = run(`{"continue": "yes"}`)
				ends(t, r, unsure, 2)
				if why := w.Springfield("why").Stdout; !strings.Contains(why, "unanswered") || !strings.Contains(why, "junk") {
					t.Errorf("why says\n%s", why)
				}
				// The judges' own sessions leave no decision, and no session.
				ledgers, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "springfield", "sessions", "*.jsonl"))
				sessions, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
				if len(ledgers) != 3 || len(sessions) != 3 {
					t.Errorf("%d ledgers and %d sessions of 3", len(ledgers), len(sessions))
				}
			})
		})
	}
}
