// A hold needs no confirmation, but lifting it needs a yes at a terminal. Holds are set in all known state
// directories, because hooks of different hosts can read different ones.

package console

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/terminal"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

const unattendedHold = 12 * time.Hour

// defaultHold returns how long a new hold lasts, and a line on how it ends. For the user's own terminal it returns 0
// (no end) and "". Otherwise, holds last until the last away order in force ends, but at least unattendedHold.
func (d *Console) defaultHold() (orNoEnd time.Duration, ends string) {
	if d.Caller == nil {
		if t, err := terminal.UserTerminal(); err == nil {
			t.Close()
			return 0, ""
		}
	}
	orNoEnd, ends = unattendedHold, "by itself"
	for _, dir := range d.dirAndAlso() {
		for _, o := range ledger.AwayOrders(dir) {
			if left := time.UnixMilli(o.Until).Sub(d.Now()); left > orNoEnd && o.IsInForce(d.Now()) {
				orNoEnd, ends = left, "with your away order"
			}
		}
	}
	return orNoEnd, "it then ends " + ends + ", because it was not set at your own terminal"
}

// HoldSessions sets and prints a hold on a session ("" for all). If duration is 0, defaultHold chooses. A longer hold
// stays in force, an error if a duration was given.
func (d *Console) HoldSessions(session string, duration time.Duration) error {
	session, err := d.resolveSession(session)
	if err != nil {
		return err
	}
	by := d.askedBy(terminal.TerminalName())
	var h ledger.Hold
	now, ends := d.Now(), ""
	if duration == 0 {
		duration, ends = d.defaultHold()
	}
	for i, dir := range d.dirAndAlso() {
		one, fault := ledger.SetHold(dir, ledgerIDOf(session), now, duration, by)
		if i == 0 {
			h = one
		}
		if fault == ledger.ErrShorter && i == 0 {
			if ends != "" {
				ends = "it was already in force"
				continue
			}
			return &adviceError{fault.Error() + d.holdEnd(h), "lift it from a terminal of your own: " + d.resumeCall(session)}
		}
		if fault != nil && err == nil && fault != ledger.ErrShorter {
			err = fault
		}
	}
	if err != nil && err != ledger.ErrUnnoted {
		return &adviceError{"write hold: " + err.Error(), "until that is fixed, start the agent with " +
			"SPRINGFIELD=off in its environment, so that hooks always let it stop; or run " + display.GlueBlanks("springfield disable PLUGIN")}
	}
	if d.JSON {
		d.noteIfUnnoted(err)
		return d.printJSON(&holdShape{session, true, h.Since, h.Until})
	}
	agents := "every agent"
	if session != "" {
		agents = "its agent"
	}
	d.printLine("holding " + sessionOrAll(session) + d.holdEnd(h) + ": " + agents + " may stop, even if work is left")
	if ends != "" {
		d.printLine(ends)
	}
	d.printLine("lift it from a terminal of your own: " + d.resumeCall(session))
	d.noteIfUnnoted(err)
	return nil
}

func (d *Console) ListHolds() error {
	all, err := ledger.HoldsInForce(d.dirAndAlso(), d.Now())
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
		d.printLine("no hold is in force")
	}
	for _, h := range all {
		session, since := strings.TrimPrefix(h.Of, "session:"), ""
		if h.Since > 0 { // else its file cannot be read
			since = ", set " + d.agoOf(h.Since)
		}
		d.printLine(sessionOrAll(session) + ": held" + d.holdEnd(h.Hold) + since + "; lift it with " + d.resumeCall(session))
	}
	return nil
}

type holdShape struct {
	Session string // "" for all
	Held    bool
	Since   int64 // Unix milliseconds
	Until   int64 // 0, and omitted, until resume
}

func (h *holdShape) Members(m *codec.Coder) {
	m.EvenEmpty().Text("session", &h.Session)
	m.EvenEmpty().Bool("held", &h.Held)
	codec.Number(m, "since", &h.Since)
	codec.Number(m, "until", &h.Until)
}

func (d *Console) printNoHold(session, says string) error {
	if d.JSON {
		return d.printJSON(&holdShape{Session: session})
	}
	d.printLine(says)
	return nil
}

// OwnTerminal opens a person's terminal. Callers close it. It is an error for an agent or without terminal. does
// follows "can" in the error. The hint ends with command.
func OwnTerminal(caller *host.Host, does, command string) (*terminal.Terminal, error) {
	if caller != nil {
		return nil, &adviceError{"only a person can " + does + ", not " + caller.Agent,
			"open a terminal outside " + caller.Title + " and run: " + command}
	}
	t, err := terminal.UserTerminal()
	if err != nil {
		return nil, &adviceError{"only a person at a terminal can " + does + ": " + err.Error(),
			"open a terminal yourself, not from an agent or a program, and run: " + command}
	}
	return t, nil
}

// AskToLift lifts a hold (session "" for all) when confirmed on a user's terminal. Otherwise, and for agents, it is an
// error. If no hold is in force, it only prints a line, except for agents.
func (d *Console) AskToLift(session string) error {
	session, err := d.resolveSession(session)
	if err != nil {
		return err
	}
	h, held := ledger.LongestExact(d.dirAndAlso(), ledgerIDOf(session), d.Now())
	if !held && d.Caller == nil {
		return d.printNoHold(session, "no hold is in force for "+sessionOrAll(session)+d.lastHoldSuffix(session))
	}
	t, err := OwnTerminal(d.Caller, "lift a hold", d.resumeCall(session))
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.Confirm(d.foldLine("Lift the hold on "+sessionOrAll(session)+", which is in force"+d.holdEnd(h)+"?", 2),
		d.Interrupt); err != nil {
		return err
	}
	// Prefer an error that leaves a hold in force to ErrUnnoted.
	for _, dir := range d.dirAndAlso() {
		fault := ledger.LiftHoldIfAny(dir, ledgerIDOf(session), d.Now(), d.askedBy(t.Name))
		if fault != nil && (err == nil || err == ledger.ErrUnnoted) {
			err = fault
		}
	}
	if err != nil && err != ledger.ErrUnnoted {
		return err
	}
	d.noteIfUnnoted(err)
	return d.printNoHold(session, "lifted the hold on "+sessionOrAll(session))
}

func (d *Console) noteIfUnnoted(err error) {
	if err == ledger.ErrUnnoted {
		d.printNoteToErr(err.Error() + ", so why and log will not show it")
	}
}

func (d *Console) askedBy(terminalName string) ledger.Means {
	m := ledger.Means{Program: "springfield", From: terminalName}
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

// resumeCall returns the command that lifts a hold, with glued blanks.
func (d *Console) resumeCall(session string) string {
	if session == "" {
		return d.commandTo("resume")
	}
	return d.commandTo("resume --session " + quoteSession(session))
}

func quoteSession(session string) string {
	if strings.Trim(session, "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		session = quotation.ShellWord(session)
	}
	return session
}

// holdEnd returns " until you resume" or " for 2 h".
func (d *Console) holdEnd(h ledger.Hold) (forOrUntil string) {
	if h.Until == 0 {
		return " until you resume"
	}
	return " for " + timestamp.LengthInWords(h.Until-d.Now().UnixMilli())
}

// noteAndListHolds records unrecorded hold ends and returns all hold events. It prints an error as a note.
func (d *Console) noteAndListHolds() (all []ledger.HoldEvent) {
	all, err := ledger.NoteAndReadHolds(d.dirAndAlso(), d.Now())
	if err != nil {
		d.printNoteToErr("read the history of holds: " + err.Error())
	}
	return all
}

// lastHoldSuffix returns a suffix on the last hold of a session, and records ends of holds ("" without any).
func (d *Console) lastHoldSuffix(session string) (suffixOrEmpty string) {
	for _, e := range d.noteAndListHolds() {
		if e.Of == ledgerIDOf(session) {
			suffixOrEmpty = "; the last one " + holdEventInWords(e, d.Now())
		}
	}
	return suffixOrEmpty
}

// noteAndPrintHold prints the last change to all sessions' and the session's hold, if the decision is due to a hold or
// another program removed it in the last 24 hours.
func (d *Console) noteAndPrintHold(r ledger.Record) {
	for _, e := range ledger.LastHoldEvents(d.noteAndListHolds()) {
		tells := r.Rule == "hold" || e.Did == ledger.HoldRemoved && d.Now().UnixMilli()-e.At < freshly.Milliseconds()
		if tells && (e.Of == "" || e.Of == ledgerIDOf(r.Session)) {
			d.printLine("  hold     on " + holdScopeInWords(e) + " " + holdEventInWords(e, d.Now()))
		}
	}
}

// Time for which the end of a hold is reported, after it ran out and after another program removed it.
const (
	lately  = 5 * time.Minute
	freshly = 24 * time.Hour
)

// HoldNews returns how the hold on all sessions was set, or "", and news: this hold's end in the last five minutes,
// holds removed in the last 24 hours, or the error. It records hold ends.
func HoldNews(dirs []string, now time.Time) (howSet string, news []string) {
	all, err := ledger.NoteAndReadHolds(dirs, now)
	if err != nil {
		return "", []string{"read the history of holds: " + err.Error()}
	}
	for _, e := range ledger.LastHoldEvents(all) {
		ago := time.Duration(now.UnixMilli()-e.At) * time.Millisecond
		switch {
		case e.Of == "" && e.BeginsHold():
			howSet = strings.Replace(holdEventInWords(e, now), forHowLong(e), "", 1)
		case e.Did == ledger.HoldRemoved && ago < freshly, e.Did == ledger.HoldEnded && e.Of == "" && ago < lately:
			news = append(news, "the hold on "+holdScopeInWords(e)+" "+holdEventInWords(e, now))
		}
	}
	return howSet, news
}

// holdEventInWords returns text like "was lifted 3 min ago from /dev/tty".
func holdEventInWords(e ledger.HoldEvent, now time.Time) string {
	ago := timestamp.AgoInWords(now.UnixMilli() - e.At)
	switch e.Did {
	case ledger.HoldEnded:
		return "ran out " + ago
	case ledger.HoldRemoved:
		return "was removed without resume, as noticed " + ago + ": its file was deleted or rewritten"
	}
	s := "was " + clipTo99(e.Did) + " " + ago + forHowLong(e) + originOf(e)
	if e.Program != "" && e.Program != "springfield" {
		s += ", through " + clipTo99(e.Program)
	}
	return display.OneLine(s)
}

// forHowLong returns " until resume" or " for 2 h" ("" if the event begins no hold).
func forHowLong(e ledger.HoldEvent) string {
	if !e.BeginsHold() {
		return ""
	}
	if e.Until == 0 {
		return " until resume"
	}
	return " for " + timestamp.LengthInWords(e.Until-e.Since)
}

// originOf returns a suffix like " from /dev/tty" for a hold set or lifted, else "".
func originOf(e ledger.HoldEvent) string {
	if e.Did == ledger.HoldEnded || e.Did == ledger.HoldRemoved {
		return ""
	}
	if e.From == "" {
		return " without a terminal"
	}
	if h, ok := registry.HostNamed(e.From); ok {
		return " from " + h.Agent
	}
	return " from " + clipTo99(e.From)
}

func holdScopeInWords(e ledger.HoldEvent) string {
	return display.OneLine(sessionOrAll(clipTo99(strings.TrimPrefix(e.Of, "session:"))))
}

// ParseHoldDuration parses up to 365 days (0 for "": default end).
func ParseHoldDuration(s string) (lasts time.Duration, err error) {
	if s == "" {
		return 0, nil
	}
	ms, ok := timestamp.ParseSpan(s)
	if _, isNumber := timestamp.ParseSpan(s + "m"); isNumber && !ok {
		return 0, &adviceError{strconv.Quote(s) + " has no unit", "for minutes, write " + s + "m"}
	} else if !ok {
		return 0, &adviceError{strconv.Quote(s) + " is not a duration of at most 365 days", "write it like 30m, 2h, 1h30m or 1d; without a duration, a hold from your own terminal lasts until you resume, any other for 12 hours"}
	}
	return time.Duration(ms) * time.Millisecond, nil
}
