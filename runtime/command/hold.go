// Holds: a person orders agents to be let stop, and takes that back. Setting a
// hold asks no one. Lifting one asks for a terminal, where the person says yes.
//
// A hold stands in every state directory that this call knows, because the hooks of a
// host look into the host's own: with CLAUDE_CONFIG_DIR set these are two.

package command

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/terminal"
)

// ErrCancelled says that the person has taken back what they asked for.
var ErrCancelled = terminal.ErrCancelled

// Hold orders sessions to stop: one, or all with an empty session. A zero
// duration lasts until it is lifted. A hold that is in force for longer stays: in the
// first state directory, which is the one that a person is shown, that is an error.
func (d *Console) Hold(session string, duration time.Duration) error {
	session, err := d.session(session)
	if err != nil {
		return err
	}
	by := d.means("")
	if d.Caller == nil {
		by = d.means(terminal.Name())
	}
	var h ledger.Hold
	now := d.Now()
	for i, dir := range d.dirs() {
		one, fault := ledger.SetHold(dir, key(session), now, duration, by)
		if i == 0 {
			h = one
		}
		if fault == ledger.ErrShorter && i == 0 {
			return &adviceError{fault.Error() + d.until(h),
				"only a person lifts it, in a terminal: " + d.call("resume", session)}
		}
		if fault != nil && err == nil && fault != ledger.ErrShorter {
			err = fault
		}
	}
	if err != nil && err != ledger.ErrUnnoted {
		return &adviceError{"write hold: " + err.Error(), "until that is fixed, start the agent with " +
			"SPRINGFIELD=off in its environment: then hooks always let it stop; springfield disable PLUGIN switches one off"}
	}
	if d.JSON {
		d.unnoted(err)
		return d.encode(&holdShape{session, true, h.Since, h.Until})
	}
	agents := "every agent"
	if session != "" {
		agents = "its agent"
	}
	d.line("holding " + whom(session) + d.until(h) + ": " + agents + " may stop, whatever is left to do")
	d.line("lift it from a terminal of your own: " + d.call("resume", session))
	d.unnoted(err)
	return nil
}

// Holds lists the holds in force.
func (d *Console) Holds() error {
	all, err := ledger.HoldsInForce(d.dirs(), d.Now())
	if err != nil {
		return err
	}
	if d.JSON {
		var shapes [][]byte
		for _, h := range all {
			shapes = append(shapes, codec.Append(nil, &holdShape{strings.TrimPrefix(h.Of, "session:"), true, h.Since, h.Until}))
		}
		_, err := d.Out.Write([]byte("[" + string(bytes.Join(shapes, []byte{','})) + "]\n"))
		return err
	}
	if len(all) == 0 {
		d.line("no hold is in force")
	}
	for _, h := range all {
		session, since := strings.TrimPrefix(h.Of, "session:"), ""
		if h.Since > 0 { // else its file cannot be read
			since = ", set " + d.ago(h.Since)
		}
		d.line(whom(session) + ": held" + d.until(h.Hold) + since + "; lift it with " + d.call("resume", session))
	}
	return nil
}

// holdShape is the JSON of what hold and resume come to.
type holdShape struct {
	Session string // "" for all
	Held    bool
	Since   int64 // Unix milliseconds
	Until   int64 // 0 and left out: until resume
}

func (h *holdShape) Members(m *codec.Members) {
	m.Keep().Text("session", &h.Session)
	m.Keep().Bool("held", &h.Held)
	codec.Number(m, "since", &h.Since)
	codec.Number(m, "until", &h.Until)
}

// resumed says that no hold is in force.
func (d *Console) resumed(session, says string) error {
	if d.JSON {
		return d.encode(&holdShape{Session: session})
	}
	d.line(says)
	return nil
}

// Resume lifts a hold, which only a person at a terminal does.
func (d *Console) Resume(session string) error {
	session, err := d.session(session)
	if err != nil {
		return err
	}
	h, held := ledger.LongestHold(d.dirs(), key(session), d.Now())
	if !held && d.Caller == nil {
		return d.resumed(session, "no hold is in force for "+whom(session)+d.lastHold(session))
	}
	asked := map[string]ledger.Hold{} // by the state directory
	for _, dir := range d.dirs() {
		if one, ok := ledger.HoldOf(dir, key(session), d.Now()); ok {
			asked[dir] = one
		}
	}
	again := d.call("resume", session)
	if d.Caller != nil {
		return &adviceError{"only a person lifts a hold, not " + d.Caller.Agent,
			"open a terminal outside " + d.Caller.Title + " and run: " + again}
	}
	t, err := terminal.Open()
	if err != nil {
		return &adviceError{"only a person at a terminal lifts a hold: this command has no controlling terminal",
			"open a terminal and run: " + again}
	}
	defer t.Close()
	if err := t.Confirm(d.folded("Lift the hold on "+whom(session)+", which is in force"+d.until(h)+"?", 2),
		d.Interrupt); err != nil {
		return err
	}
	// Of several errors the one counts that says that a hold stays.
	now, gone := d.Now(), 0
	for _, dir := range d.dirs() {
		old, held := asked[dir]
		if !held {
			continue
		}
		switch fault := ledger.Lift(dir, key(session), old, now, d.means(t.Name)); {
		case fault == ledger.ErrNoHold:
			gone++
		case fault != nil && (err == nil || err == ledger.ErrUnnoted):
			err = fault
		}
	}
	switch {
	case err == ledger.ErrOtherHold:
		return &adviceError{"the hold in the question is no longer in force: " + err.Error(), "run it again to be asked about the new one: " + again}
	case err != nil && err != ledger.ErrUnnoted:
		return err
	case err == nil && gone == len(asked):
		return d.resumed(session, "the hold on "+whom(session)+" is no longer in force"+d.lastHold(session))
	}
	d.unnoted(err)
	return d.resumed(session, "lifted the hold on "+whom(session))
}

func (d *Console) unnoted(err error) {
	if err == ledger.ErrUnnoted {
		d.note(err.Error() + ", so why and log do not show it")
	}
}

// means is how this call changes holds: from a terminal, or from Claude.
func (d *Console) means(from string) ledger.Means {
	m := ledger.Means{Program: "springfield", From: from}
	if d.Caller != nil {
		m.From = d.Caller.Name
	}
	if d.Plugin != nil {
		m.Program = "springfield-hook"
		if settings, err := d.Plugin(); err == nil {
			m.Program = settings.Plugin
		}
	}
	return m
}

// call is a word about holds as a person types it.
func (d *Console) call(word, session string) string {
	if session == "" {
		return d.Self + " " + word
	}
	return d.Self + " " + word + " --session " + quote(session)
}

// quote is a session's id as a person types it.
func quote(session string) string {
	if strings.ContainsFunc(session, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		session = "'" + strings.ReplaceAll(session, "'", `'\''`) + "'"
	}
	return session
}

func (d *Console) until(h ledger.Hold) string {
	if h.Until == 0 {
		return " until you resume"
	}
	return " for " + moment.Length(h.Until-d.Now().UnixMilli())
}

// holds is what happened to holds. Without it decisions are told all the same.
func (d *Console) holds() []ledger.HoldEvent {
	all, err := ledger.HoldEvents(d.dirs(), d.Now())
	if err != nil {
		d.note("read the history of holds: " + err.Error())
	}
	return all
}

// lastHold is what happened to the last hold on a session, in a half sentence.
func (d *Console) lastHold(session string) string {
	all := d.holds()
	for _, e := range slices.Backward(all) {
		if e.Of == key(session) {
			return "; the last one " + happened(e, d.Now())
		}
	}
	return ""
}

// heldAt says what a decision has to do with holds: which one made it a stop, and what
// became of that.
func (d *Console) heldAt(r ledger.Record) {
	var set, end *ledger.HoldEvent
	all := d.holds()
	for i, e := range all {
		switch {
		case r.Rule != "hold" || e.Of != "" && e.Of != key(r.Session):
		case e.Begins() && e.At <= r.At:
			set, end = &all[i], nil
		case !e.Begins() && set != nil && e.Of == set.Of && end == nil:
			end = &all[i]
		}
	}
	for _, e := range []*ledger.HoldEvent{set, end} {
		if e != nil {
			d.line("  hold     on " + ofWhom(*e) + " " + happened(*e, d.Now()))
		}
	}
	for _, s := range removed(all, end, d.Now()) {
		d.line("note: " + s)
	}
}

// freshly is how long a hold's end is news.
const freshly = 24 * time.Hour

// removed tells of the holds that ended without resume, lately and last, but for
// the one that is told already. A person should hear of them whatever they ask.
func removed(all []ledger.HoldEvent, told *ledger.HoldEvent, now time.Time) (said []string) {
	seen := map[string]bool{}
	for _, e := range slices.Backward(all) {
		if !seen[e.Of] && (told == nil || e != *told) && e.Did == ledger.HoldRemoved && now.UnixMilli()-e.At < freshly.Milliseconds() {
			said = append(said, "the hold on "+ofWhom(e)+" "+happened(e, now))
		}
		seen[e.Of] = true
	}
	return said
}

// HoldNews is what status says about holds: who set the one on all that is in
// force, else how the last one ended, and which were removed without resume.
func HoldNews(dirs []string, now time.Time) (set string, news []string) {
	all, err := ledger.HoldEvents(dirs, now)
	if err != nil {
		return "", []string{"read the history of holds: " + err.Error()}
	}
	for _, e := range slices.Backward(all) {
		if e.Of != "" {
			continue
		}
		switch {
		case e.Begins():
			set = happened(e, now)
		case e.Did != ledger.HoldRemoved && now.UnixMilli()-e.At < freshly.Milliseconds():
			news = append(news, "the hold on "+ofWhom(e)+" "+happened(e, now))
		}
		break
	}
	return set, append(news, removed(all, nil, now)...)
}

// happened is what an event says of its hold: lifted 3 min ago from /dev/pts/3.
func happened(e ledger.HoldEvent, now time.Time) string {
	ago := moment.Ago(now.UnixMilli() - e.At)
	switch e.Did {
	case ledger.HoldEnded:
		return "ran out " + ago
	case ledger.HoldRemoved:
		return "was removed without resume, noticed " + ago + ": its file was deleted or rewritten"
	}
	s := "was " + short(e.Did) + " " + ago + lasting(e) + from(e)
	if e.Program != "" {
		s += ", through " + short(e.Program)
	}
	return display.Line(s)
}

// lasting is how long a hold that is set lasts.
func lasting(e ledger.HoldEvent) string {
	switch {
	case !e.Begins():
		return ""
	case e.Until == 0:
		return " until resume"
	}
	return " for " + moment.Length(e.Until-e.Since)
}

// from is where an event came from.
func from(e ledger.HoldEvent) string {
	switch {
	case e.Did == ledger.HoldEnded || e.Did == ledger.HoldRemoved:
		return ""
	case e.From == "":
		return " without a terminal"
	}
	if h, ok := registry.HostNamed(e.From); ok {
		return " from " + h.Agent
	}
	return " from " + short(e.From)
}

func ofWhom(e ledger.HoldEvent) string {
	return display.Line(whom(short(strings.TrimPrefix(e.Of, "session:"))))
}

// short bounds what a file says of itself.
func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
