// A start of the hook that comes to no decision is recorded all the same, with the
// reason, and the user hears of it once in a session. Claude may stop.

package hook

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
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
	faultAnswer    = "fault:answer"    // the host did not read the answer
)

// fault is why a decision is not on file.
type fault struct {
	rule string
	err  error
}

// begin leaves the mark of a start, before its work.
func (s *start) begin() {
	s.state = s.stateOf()
	s.mark = ledger.Begin(s.state, key(s.event), ledger.Start{At: s.Now.UnixMilli(), Plugin: s.plugin, Event: s.answers, Session: short(s.event.SessionID, 100), Project: short(s.project(), 1000)}, s.Now)
}

// stateOf is the state directory of the event's session: one for all hosts, so that one
// hold stops the sessions of each of them. Claude Code 2.1.197 lets a
// project move its configuration directory, and with it the transcript: a directory
// that the project can have brought along is not the user's, unless the project
// holds their home.
func (s *start) stateOf() string {
	own := ledger.Dir("", s.Home)
	if hostOf(s.event) != registry.ClaudeCode() {
		return own
	}
	state := ledger.Dir(s.event.TranscriptPath, s.Home)
	if own == "" || state == own {
		return state
	}
	for _, project := range []string{s.Project, s.event.Cwd, "/proc"} {
		if project != "" && lies(state, project) && !lies(s.Home, project) {
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

// panicked ends a start by its own mistake.
func (s *start) panicked(p any) {
	err := errors.New("panic: " + worded(p))
	s.note(err.Error())
	if s.answered { // the next start tells
		s.mark.Fail(faultPanic, err.Error())
		return
	}
	_ = s.print(said{systemMessage: s.undecided(fault{faultPanic, err})})
}

// worded is what a panic says: an error, as of the runtime, or a text.
func worded(p any) string {
	switch p := p.(type) {
	case error:
		return p.Error()
	case string:
		return p
	}
	return "it says nothing"
}

// failure is an error with what was tried.
type failure struct {
	tried string
	err   error
}

func failed(tried string, err error) error { return &failure{tried, err} }

func (f *failure) Error() string { return f.tried + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// giveUp ends a start that came to no decision before its work began.
func (s *start) giveUp(f fault) {
	told := s.undecided(f)
	if f.rule == faultEvent {
		told = "" // it says no session in which to tell once
	}
	if err := s.print(said{systemMessage: told}); err != nil {
		s.note("write answer: " + err.Error())
	}
}

// undecided files a start that came to no decision, and completes its mark. What it
// returns is for the user.
func (s *start) undecided(f fault) (told string) {
	evidence := short(f.err.Error(), 1000)
	err := ledger.ErrBusy
	if f.rule != faultBusy {
		told, err = s.file(f.rule, evidence)
	}
	switch err {
	case nil:
		s.mark.End()
		return told
	case ledger.ErrBusy: // the next start files it, and tells
		s.mark.Fail(f.rule, evidence)
		return ""
	}
	s.mark.Fail(f.rule, evidence)
	// Nothing but the transcript says now whether the user was told.
	if transcript.EndHas(s.event.TranscriptPath, s.message(s.plugin, s.answers, "", "")) {
		return ""
	}
	return s.message(s.plugin, s.answers, "", evidence)
}

// file appends the record of a start that came to no decision. told is what the
// user has not heard yet, of this fault and of earlier ones.
func (s *start) file(rule, evidence string) (told string, err error) {
	session, err := ledger.Open(s.state, key(s.event))
	if err != nil {
		return "", err
	}
	defer session.Close()
	if err := session.Lock(); err != nil {
		return "", err
	}
	told = s.left(session)
	r := ledger.Start{At: s.Now.UnixMilli(), Plugin: s.plugin, Event: s.answers, Session: short(s.event.SessionID, 200), Project: short(s.project(), 1000), Rule: rule, Evidence: evidence}.Record()
	r.Host, r.Cwd, r.State = s.hostName(), short(s.event.Cwd, 1000), session.State
	if r.State.Tell(s.plugin, rule, r.At) {
		r.Told = s.message(s.plugin, s.answers, "", evidence)
	}
	if _, err = session.Append(r); err != nil {
		return "", err
	}
	return both(told, r.Told), nil
}

// left files the earlier starts of the session that came to no decision and could
// not say so. The session is locked. What it returns is for the user.
func (s *start) left(session *ledger.Session) (told string) {
	for _, earlier := range s.mark.Left() {
		r := earlier.Record()
		r.Host, r.Cwd, r.State = s.hostName(), short(s.event.Cwd, 1000), session.State
		r.State.Unsaid(earlier.At)
		if r.State.Tell(r.Plugin, r.Rule, s.Now.UnixMilli()) {
			r.Told = s.message(r.Plugin, earlier.Event, " earlier in this session", r.Evidence)
		}
		if _, err := session.Append(r); err != nil {
			s.note(unledgered(err).Error())
			return told
		}
		s.mark.Filed(earlier)
		told = both(told, r.Told)
	}
	return told
}

// message is what the user is told of a plugin's fault.
func (s *start) message(plugin, answers, when, evidence string) string {
	did := " let " + s.agent() + " stop without a decision"
	if answers == "UserPromptSubmit" {
		did = " said nothing before a prompt"
	}
	return short(plugin+did+when+": "+evidence, 2000)
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
	if data, err := file.Read(filepath.Join(root, ".claude-plugin", "plugin.json"), maxConfig); err == nil && codec.Valid(data) {
		if name, ok := codec.String(codec.Member(data, "name")); ok && isName(name) {
			return name
		}
	}
	if name := filepath.Base(root); isName(name) {
		return name
	}
	return "springfield"
}
