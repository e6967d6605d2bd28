// A start of the hook that comes to no decision is on file all the same, with the
// reason, and the user hears of it once in a session. Claude may stop.

package hook

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// Why a start came to no decision: the rules of the records about it. One that
// did not live to say so is ledger.Killed.
const (
	faultPlugin    = "fault:plugin"    // the hook found no plugin that it serves
	faultSettings  = "fault:settings"  // strategy.json cannot be read, or names no strategy
	faultEvent     = "fault:event"     // the event cannot be read
	faultPanic     = "fault:panic"     // the hook's own mistake
	faultLedger    = "fault:ledger"    // the decision could not be written down
	faultBusy      = "fault:busy"      // another hook held the session's ledger
	faultWorkspace = "fault:workspace" // another stop held the strategy's files
	faultAnswer    = "fault:answer"    // Claude Code did not read the answer
)

// fault is why a decision is not on file.
type fault struct {
	rule string
	err  error
}

// start is this start of the hook: what is known of it, and its mark.
type start struct {
	plugin   string
	event    Event
	state    string // directory
	mark     *ledger.Mark
	answered bool // standard output has an answer
}

// begin leaves the mark of a start, before its work.
func (h Host) begin(event Event, answers, plugin string) {
	s := h.start
	s.event, s.plugin, s.state = event, plugin, h.stateOf(event)
	s.mark = ledger.Begin(s.state, event.key(), ledger.Start{
		At: h.Now.UnixMilli(), Plugin: plugin, Event: answers, Session: short(event.SessionID, 100),
	}, h.Now)
}

// stateOf is the state directory of an event's session. Claude Code 2.1.197 lets a
// project move its configuration directory, and with it the transcript: a directory
// that the project can have brought along is not the user's, unless the project
// holds their home.
func (h Host) stateOf(event Event) string {
	own, state := ledger.Dir("", h.Home), ledger.Dir(event.TranscriptPath, h.Home)
	if own == "" || state == own {
		return state
	}
	for _, project := range []string{h.Project, event.Cwd, "/proc"} {
		if project != "" && lies(state, project) && !lies(h.Home, project) {
			return own
		}
	}
	return state
}

// lies tells whether a path is a directory or lies in it, as both are written.
func lies(path, dir string) bool {
	path, dir = filepath.Clean(path), filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// end completes the mark. An answer that nothing has read is a fault, which the
// next start files and tells.
func (h Host) end(written error) {
	if written != nil {
		h.note("write answer: %v", written)
		h.start.mark.Fail(faultAnswer, "the answer could not be handed to Claude Code: "+written.Error())
		return
	}
	h.start.mark.End()
}

// undecided files a start that came to no decision, and completes its mark. What it
// returns is for the user.
func (h Host) undecided(f fault) (told string) {
	s := h.start
	evidence := short(f.err.Error(), 1000)
	if f.rule == faultBusy {
		s.mark.Fail(f.rule, evidence) // the next start files it, and tells
		return ""
	}
	told, err := s.file(h, f.rule, evidence)
	switch {
	case err == nil:
		s.mark.End()
		return told
	case err == ledger.ErrBusy:
		s.mark.Fail(f.rule, evidence)
		return ""
	}
	s.mark.Fail(f.rule, evidence)
	// Nothing but the transcript says now whether the user was told.
	if transcript.EndHas(s.event.TranscriptPath, s.message("", "")) {
		return ""
	}
	return s.message("", evidence)
}

// file appends the record of a start that came to no decision. told is what the
// user has not heard yet, of this fault and of earlier ones.
func (s *start) file(h Host, rule, evidence string) (told string, err error) {
	session, err := ledger.Open(s.state, s.event.key())
	if err != nil {
		return "", err
	}
	defer session.Close()
	if err := session.Lock(); err != nil {
		return "", err
	}
	told = h.left(session)
	r := ledger.Start{At: h.Now.UnixMilli(), Plugin: s.plugin, Event: s.answers(), Session: short(s.event.SessionID, 200), Rule: rule, Evidence: evidence}.Record()
	r.Cwd, r.State = short(s.event.Cwd, 1000), session.State
	if r.State.Tell(s.plugin, rule, r.At) {
		r.Told = s.message("", evidence)
	}
	if _, err = session.Append(r); err != nil {
		return "", err
	}
	return both(told, r.Told), nil
}

// left files the earlier starts of the session that came to no decision and could
// not say so. The session is locked. What it returns is for the user.
func (h Host) left(session *ledger.Session) (told string) {
	for _, earlier := range h.start.mark.Left() {
		r := earlier.Record()
		r.Cwd, r.State = short(h.start.event.Cwd, 1000), session.State
		r.State.Unsaid(earlier.At)
		if r.State.Tell(r.Plugin, r.Rule, h.Now.UnixMilli()) {
			r.Told = (&start{plugin: r.Plugin, event: Event{Name: earlier.Event}}).message(" earlier in this session", r.Evidence)
		}
		if _, err := session.Append(r); err != nil {
			h.note("%v", unledgered(err))
			return told
		}
		h.start.mark.Filed(earlier)
		told = both(told, r.Told)
	}
	return told
}

// message is what the user is told of a fault.
func (s *start) message(when, evidence string) string {
	did := ": I let Claude stop without a decision"
	if s.answers() == "UserPromptSubmit" {
		did = ": I said nothing before a prompt"
	}
	return short(s.plugin+did+when+": "+evidence, 2000)
}

// answers is the event that the start was to answer.
func (s *start) answers() string {
	if s.event.Name == "UserPromptSubmit" {
		return s.event.Name
	}
	return "Stop"
}

// both are two messages in one.
func both(one, two string) string {
	if one == "" || two == "" {
		return one + two
	}
	return one + "\n" + two
}

// nameOf is what a plugin is called whose strategy.json does not say: the name in
// its manifest.
func nameOf(root string) string {
	var manifest struct{ Name string }
	if data, err := readConfig(filepath.Join(root, ".claude-plugin", "plugin.json"), maxConfig); err == nil && json.Unmarshal(data, &manifest) == nil && isName(manifest.Name) {
		return manifest.Name
	}
	if name := filepath.Base(root); isName(name) {
		return name
	}
	return "springfield"
}
