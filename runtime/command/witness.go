// The second witness: what Claude Code has in a session's log of a hook that did not
// come to decide. A hook that is missing, or is not a program any more, leaves
// nothing else.

package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// ruleClient is the rule of what only Claude Code knows of.
const ruleClient = "fault:client"

// nearly is how far apart, in milliseconds, the hooks of one stop start.
const nearly = 250

// witnessed is the newest hook that did not come to decide, after a decision.
type witnessed struct {
	transcript.DeadHook
	session string
	newer   bool // it began after that decision, so at another stop
}

// witness looks for one in the logs of the sessions that are asked about.
func (d *Console) witness(newest ledger.Record, v view, a Asked) (w witnessed) {
	if a.Host != "" && a.Host != registry.ClaudeCode().Name {
		return w
	}
	sessions := []string{v.session()}
	var paths []string
	if v.session() == "" {
		sessions = []string{newest.Session}
		if d.Logs != nil {
			paths = d.Logs(newest.At, v.Project)
		}
	}
	for _, id := range sessions {
		paths = append(paths, d.logsOf(id)...)
	}
	slices.Sort(paths)
	any := newest.Decision == "" || ofPrompt(newest) && !a.Prompts // no stop is recorded
	for _, path := range slices.Compact(paths) {
		all, err := registry.HostOfLog(path).Log.DeadHooks(path)
		if err != nil {
			continue // most of them are not there
		}
		for _, f := range all {
			if f.Ended >= newest.At && f.Ended > w.Ended && (any || a.Prompts == (f.Event == "UserPromptSubmit")) {
				w = witnessed{f, strings.TrimSuffix(filepath.Base(path), ".jsonl"), f.Began > newest.At+nearly}
			}
		}
	}
	return w
}

// record is what the ledger would have of it.
func (w witnessed) record() ledger.Record {
	r := ledger.Record{At: w.Ended, Session: w.session, Decision: ledger.None, Rule: ruleClient, Evidence: "Claude Code says: " + w.Says}
	if w.Event != "Stop" {
		r.Event = w.Event
	}
	return r
}
