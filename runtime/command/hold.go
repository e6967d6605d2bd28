// Holds: a person orders agents to be let stop, and takes that back. Setting a
// hold asks no one. Lifting and shortening one asks for a terminal, where the
// person types a code that is shown only there.
//
// A hold stands in every state directory that this call knows, because the hooks of a
// host look into the host's own: with CLAUDE_CONFIG_DIR set these are two.

package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
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
// duration lasts until it is lifted. A hold that is in force is shortened only
// by a person at a terminal.
func (d *Console) Hold(session string, duration time.Duration) error {
	session, err := d.held(session)
	if err != nil {
		return err
	}
	by := d.means("")
	if d.Caller == nil {
		by = d.means(terminal.Name())
	}
	h, err := d.set(session, duration, by)
	if err == ledger.ErrShorter {
		return d.shorten(session, h, duration)
	}
	return d.holding(session, h, err)
}

// set sets a hold in every state directory. A longer one in one of them stays, and is an
// error if it does in the first: that is the one that a person is shown.
func (d *Console) set(session string, duration time.Duration, by ledger.Means) (h ledger.Hold, err error) {
	now := d.Now()
	for i, dir := range d.dirs() {
		one, fault := ledger.SetHold(dir, key(session), now, duration, by)
		if i == 0 {
			h = one
		}
		if fault != nil && err == nil && (i == 0 || fault != ledger.ErrShorter) {
			err = fault
		}
		if fault != nil && i == 0 && fault == ledger.ErrShorter {
			return h, err // nothing is set before a person has agreed
		}
	}
	return h, err
}

// held is the session that a hold is about, "" for all.
func (d *Console) held(session string) (string, error) {
	if session == "" {
		return "", nil
	}
	return d.session(session)
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

// shorten has a longer hold end earlier.
func (d *Console) shorten(session string, old ledger.Hold, duration time.Duration) error {
	again := d.call("hold", session) + " " + typed(duration)
	from, err := d.confirm("Shorten the hold on "+whom(session)+", which is in force"+d.until(old)+", to "+moment.Length(duration.Milliseconds())+"?",
		"a longer hold is in force"+d.until(old), "shortens", again)
	if err != nil {
		return err
	}
	h := ledger.NewHold(d.Now(), duration)
	for i, dir := range d.dirs() {
		if i > 0 {
			old, _ = ledger.HoldOf(dir, key(session), d.Now())
		}
		fault := ledger.Shorten(dir, key(session), old, h, d.means(from))
		if fault == ledger.ErrNoHold {
			_, fault = ledger.SetHold(dir, key(session), time.UnixMilli(h.Since), duration, d.means(from))
		}
		if err == nil {
			err = fault
		}
	}
	return d.holding(session, h, meanwhile(err, again))
}

// typed is a length of time as a person types it: 1h30m.
func typed(duration time.Duration) string {
	s := duration.String()
	for _, unit := range []string{"m", "h"} {
		if whole, ok := strings.CutSuffix(s, unit+"0"+map[string]string{"m": "s", "h": "m"}[unit]); ok {
			s = whole + unit
		}
	}
	return s
}

// holding says that a hold is in force.
func (d *Console) holding(session string, h ledger.Hold, err error) error {
	if err != nil && err != ledger.ErrUnnoted {
		if _, ok := err.(*adviceError); ok || err == terminal.ErrCancelled {
			return err
		}
		return &adviceError{"write hold: " + d.obstacle(err), "until that is fixed, start the agent with SPRINGFIELD=off in its environment: then hooks always let it stop; springfield disable PLUGIN switches a plugin off"}
	}
	if d.JSON {
		d.unnoted(err)
		return d.encode(&holdShape{session, true, h.Since, h.Until})
	}
	d.line("holding " + whom(session) + d.until(h) + ": " + d.heldAgent(session) + " may stop, whatever is left to do")
	d.line("lift it from a terminal of your own: " + d.call("resume", session))
	d.unnoted(err)
	return nil
}

// heldAgent is whom a hold lets stop.
func (d *Console) heldAgent(session string) string {
	if session != "" {
		for r := range ledger.Back(d.dirs(), ledger.Scope{Session: key(session)}) {
			return registry.Agent(r.Host)
		}
		return "the agent"
	}
	for _, h := range registry.Hosts() {
		dir := d.dirOf(h)
		if h == registry.ClaudeCode() || dir == "" {
			continue
		}
		if f, err := os.Open(dir); err == nil {
			f.Close()
			return "every agent"
		}
	}
	return registry.ClaudeCode().Agent
}

// obstacle is what keeps a file of the state directory from being written: the
// nearest place above it that is there.
func (d *Console) obstacle(err error) string {
	for at := d.Dir; ; at = filepath.Dir(at) {
		f, missing := os.Open(at)
		if to, err := os.Readlink(at); err == nil && os.IsNotExist(missing) {
			return d.path(at) + " is a link to " + d.path(to) + ", which is not there"
		}
		if missing != nil && filepath.Dir(at) != at {
			continue
		}
		if missing != nil {
			return err.Error()
		}
		_, other := f.Readdirnames(1)
		f.Close()
		path, ok := err.(*os.PathError) // not errors.As, which costs 9 KB of binary
		switch {
		case other != nil && other != io.EOF:
			return d.path(at) + " is a file, not a directory"
		case ok && !os.IsNotExist(err):
			return "in " + d.path(at) + ": " + path.Err.Error()
		}
		return "nothing can be written in " + d.path(at)
	}
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
	session, err := d.held(session)
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
	from, err := d.confirm("Lift the hold on "+whom(session)+", which is in force"+d.until(h)+"?", "", "lifts", again)
	if err != nil {
		return err
	}
	err = d.lift(session, asked, from)
	switch err {
	case nil, ledger.ErrUnnoted:
		d.unnoted(err)
		return d.resumed(session, "lifted the hold on "+whom(session))
	case ledger.ErrNoHold:
		return d.resumed(session, "the hold on "+whom(session)+" is no longer in force"+d.lastHold(session))
	}
	return meanwhile(err, again)
}

// lift lifts the hold in every state directory that it was asked about in. Of several
// errors it is the one that says that a hold stays.
func (d *Console) lift(session string, asked map[string]ledger.Hold, from string) (err error) {
	now, gone := d.Now(), 0
	for _, dir := range d.dirs() {
		old, held := asked[dir]
		if !held {
			continue
		}
		switch fault := ledger.Lift(dir, key(session), old, now, d.means(from)); {
		case fault == ledger.ErrNoHold:
			gone++
		case fault != nil && (err == nil || err == ledger.ErrUnnoted):
			err = fault
		}
	}
	if err == nil && gone == len(asked) {
		return ledger.ErrNoHold
	}
	return err
}

// confirm asks the person at the terminal and returns the terminal's name. problem
// is said first to who may not answer.
func (d *Console) confirm(question, problem, does, again string) (from string, err error) {
	if problem != "" {
		problem += ", and "
	}
	if d.Caller != nil {
		return "", &adviceError{problem + "only a person " + does + " a hold, not " + d.Caller.Agent, "open a terminal outside " + d.Caller.Title + " and run: " + again}
	}
	t, err := terminal.Open()
	if err != nil {
		return "", &adviceError{problem + "only a person at a terminal " + does + " a hold: this command has no controlling terminal", "open a terminal and run: " + again}
	}
	defer t.Close()
	switch err := t.Confirm(d.folded(question, 2), d.Interrupt); err {
	case nil:
		return t.Name, nil
	case terminal.ErrCancelled:
		return "", err
	case terminal.ErrMistyped:
		return "", &adviceError{"the hold stays: " + err.Error(), "run it again, with new letters: " + again}
	default:
		return "", err
	}
}

// meanwhile is about a hold that another program has changed while the person typed.
func meanwhile(err error, again string) error {
	if err == ledger.ErrOtherHold {
		return &adviceError{"the hold in the question is no longer in force: " + err.Error(), "run it again to be asked about the new one: " + again}
	}
	return err
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

// heldAt says what a decision has to do with holds: the one that made it a stop,
// or the end of one since the stop before.
func (d *Console) heldAt(r ledger.Record) {
	all := slices.DeleteFunc(d.holds(), func(e ledger.HoldEvent) bool { return e.Of != "" && e.Of != key(r.Session) })
	if len(all) == 0 {
		return
	}
	since := d.stopBefore(r)
	var set, end *ledger.HoldEvent
	for i, e := range all {
		switch ends := e.Did != ledger.HoldSet && e.Did != ledger.HoldShortened; {
		case r.Rule == "hold" && !ends && e.At <= r.At:
			set, end = &all[i], nil
		case r.Rule == "hold" && ends && set != nil && e.Of == set.Of && end == nil:
			end = &all[i]
		case r.Rule != "hold" && ends && since < e.At && e.At <= r.At:
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

// stopBefore is when the decision before one was made: in its session, or for a
// session's first one in any, in the time that the end of a hold is news.
func (d *Console) stopBefore(r ledger.Record) int64 {
	since := r.At - freshly.Milliseconds()
	of, first := ledger.Scope{Session: key(r.Session)}, r.State.Number <= 1
	if first {
		of = ledger.Scope{}
	}
	for old := range ledger.Back(d.dirs(), of) {
		if first && old.At < since {
			return since
		}
		if ofPrompt(old) == ofPrompt(r) && old.At < r.At && (first || old.Session == r.Session) {
			return old.At
		}
	}
	return 0
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
		switch e.Did {
		case ledger.HoldSet, ledger.HoldShortened:
			set = happened(e, now)
		case ledger.HoldLifted, ledger.HoldEnded:
			if now.UnixMilli()-e.At < freshly.Milliseconds() {
				news = append(news, "the hold on "+ofWhom(e)+" "+happened(e, now))
			}
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
	case e.Did != ledger.HoldSet && e.Did != ledger.HoldShortened:
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
