package console

import (
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// aftermath is a session's log around a decision, up to the plugin's next one.
type aftermath struct {
	failure string // of the API after the decision, without words of the agent after it
	at      int64  // of the failure
	// Since the prompt, other hooks have made the agent go on. Clients record that in one or both of two forms.
	blocks, feedback int
	blocker          string // the last one's command and words
}

// maxAftermath is the most that is read of a log, from its end.
const maxAftermath = 4 << 20

// findAftermath reads the log after a decision. An unreadable log has none.
func (d *Console) findAftermath(r ledger.Record) (a aftermath) {
	path, until := d.findLog(r.Session), int64(0)
	if path == "" {
		return a
	}
	for later := range ledger.Backwards(d.stateDirs(), ledger.Scope{Session: sessionKey(r.Session)}) {
		if later.ID == r.ID && later.Plugin == r.Plugin {
			break
		}
		if later.Plugin == r.Plugin {
			until = later.At
		}
	}
	_ = registry.HostOfLog(path).Log.EachLastLine(path, maxAftermath, func(c *transcript.Cursor) bool {
		at := c.LineTime()
		if until > 0 && at >= until {
			return false
		}
		a.takeLine(c, at)
		if at < r.At {
			a.failure = ""
		}
		return true
	})
	return a
}

func (a *aftermath) takeLine(c *transcript.Cursor, at int64) {
	switch c.What {
	case transcript.Failed:
		a.failure, a.at = shortWords(c.AgentWords()), at
	case transcript.Spoke, transcript.Called:
		a.failure = ""
	case transcript.Prompted:
		a.blocks, a.feedback = 0, 0
	}
	for _, p := range c.Entry.Parts {
		switch said := codec.ValidText(p.Name); {
		case p.Ours:
		case p.Kind == transcript.HookBlock:
			a.blocks++
			a.blocker = shortWords("[" + said + "]: " + c.PersonWords())
		case p.Kind == transcript.HookWords && strings.HasPrefix(said, ":\n[") && strings.Contains(said, "]: "): // of a command
			a.feedback++
			a.blocker = shortWords(said[2:])
		}
	}
}

// shortWords returns the beginning of a log's text on one line, with secrets masked.
func shortWords(s string) string { return strings.TrimSpace(display.OneLine(shorten(secret.Mask(s)))) }

func (d *Console) printAftermath(r ledger.Record) {
	if ofPrompt(r) {
		return
	}
	a, agent := d.findAftermath(r), registry.AgentName(r.Host)
	if n := max(a.blocks, a.feedback); n > 0 {
		times := strconv.Itoa(n) + " times"
		if n == 1 {
			times = "once"
		}
		d.printField("  besides  ", "another hook told "+agent+" to go on, "+times+" since the prompt: "+a.blocker)
	}
	if a.failure != "" {
		d.printField("  then     ", "the session failed: "+a.failure)
	}
}

// FailureAfter returns the API's error that ended a session after a decision, or "".
func (d *Console) FailureAfter(r ledger.Record) string { return d.findAftermath(r).failure }

// rowsOfFailure returns the row of a session that failed after its last decision, if it did.
func (l *list) rowsOfFailure(r ledger.Record) []row {
	a := l.findAftermath(r)
	if a.failure == "" {
		return nil
	}
	return []row{{when: l.when(a.at), did: "failed", who: registry.AgentName(r.Host), rule: "error", text: a.failure, place: l.placeOf(r)}}
}
