package hook

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	permissionRequest = "PermissionRequest"
	sessionStart      = "SessionStart"
)

func (s *start) denyDialogIfAway(settings Settings) {
	order, ok := s.orderInForce()
	if !ok || s.holdVeto().Rule != "" {
		return
	}
	session, err := ledger.OpenUnlocked(s.state, ledgerIDOf(s.event))
	if err != nil {
		s.noteForDebug("read ledger: " + err.Error())
		return
	}
	defer session.Close()
	snapshot := Snapshot{Stop: Stop{Event: s.event, Settings: settings, Before: session.State, Away: &ledger.Away{Order: order}, Now: s.Now}, Log: session.State.Log}
	snapshot.readTranscript(strategy.Needs{})
	brought, err := ledger.LockAwayLog(s.safeAwayDir(), order)
	if err != nil {
		s.noteForDebug("read away: " + err.Error())
		return
	}
	defer brought.Close()
	id := shortenText(s.event.SessionID, 200)
	words, e := away.AnswerRequest(&brought.Away, away.Request{
		Tool: shortenText(s.event.Tool, 100), About: aboutInput(s.event.Input), Questions: questionsOf(s.event), Session: id,
		Key:    quotation.HashText(s.event.Tool + "\x00" + string(s.event.Input)),
		Plugin: settings.Plugin, Plan: s.event.PermissionMode == "plan" || s.event.Tool == "ExitPlanMode", Now: s.Now.UnixMilli(),
		Present: away.CameBack(&brought.Away, id, snapshot.View.OwnAt, snapshot.View.Turns), Calls: snapshot.View.Calls,
	})
	if e.Did != "" {
		if err := brought.AddEvent(e); err != nil {
			s.noteForDebug("write away: " + err.Error())
			return
		}
	}
	if words != "" {
		_ = s.printAnswer(said{event: permissionRequest, behavior: "deny", message: words})
	}
}

func aboutInput(toolInput []byte) string {
	for _, name := range []string{"command", "file_path", "path", "url", "query", "pattern", "description"} {
		if raw := codec.FindMember(toolInput, name); raw != nil {
			return shortenText(codec.ExactText(codec.InsideQuotes(raw)), 500)
		}
	}
	return ""
}

// questionsOf returns an AskUserQuestion call's questions and options, or the tool's name if none. It returns "" for
// different tools.
func questionsOf(e Event) (textOrTool string) {
	if e.Tool != "AskUserQuestion" {
		return ""
	}
	var parts []string
	codec.Elements(codec.FindMember(e.Input, "questions"), func(question []byte) {
		var labels []string
		codec.Elements(codec.FindMember(question, "options"), func(option []byte) {
			for _, name := range []string{"label", "description"} {
				labels = append(labels, codec.ExactText(codec.InsideQuotes(codec.FindMember(option, name))))
			}
		})
		parts = append(parts, codec.ExactText(codec.InsideQuotes(codec.FindMember(question, "question")))+" ("+strings.Join(labels, ", ")+")")
	})
	if len(parts) == 0 {
		return e.Tool
	}
	return shortenText(strings.Join(parts, " "), 2000)
}

// showOrderAndHold shows the away order and the hold, unless another plugin has just done so.
func (s *start) showOrderAndHold() {
	var lines []string
	if order, ok := s.orderInForce(); ok {
		past, _ := ledger.AwayEvents(s.safeAwayDir(), order.ID)
		lines = append(lines, away.Describe(order, (&ledger.Away{Order: order, Past: past}).CountContinues(), s.Now.UnixMilli())+"; springfield back ends it")
	}
	if veto := s.holdVeto(); veto.Rule != "" {
		lines = append(lines, veto.Evidence+", so "+s.event.Host.Agent+" may stop whatever is left; "+s.Self()+" resume lifts it")
	}
	if len(lines) > 0 && !s.noteShown() {
		_ = s.printAnswer(said{systemMessage: strings.Join(lines, "\n")})
	}
}

// noteShown reports whether another plugin has just shown the greeting, and records that this one does.
func (s *start) noteShown() (already bool) {
	shown, err := ledger.LockAwayLog(cmp.Or(s.safeAwayDir(), s.state), ledger.AwayOrder{ID: sessionStart})
	if err != nil {
		s.noteForDebug("write away: " + err.Error())
		return false
	}
	defer shown.Close()
	e := ledger.AwayEvent{At: s.Now.UnixMilli(), Session: shortenText(s.event.SessionID, 200), Did: ledger.AwayShown}
	for _, old := range shown.Past {
		if old.Session == e.Session && e.At-old.At < 5000 {
			return true
		}
	}
	_ = shown.AddEvent(e)
	return false
}

// safeAwayDir returns the away orders' directory in the home directory, or "" if home is relative, missing, below
// /proc, or in the project, by name or symlinks.
func (s *start) safeAwayDir() string {
	home, err := filepath.EvalSymlinks(filepath.Clean(s.Home)) // StateDir cleans it, too
	project := s.projectDir()
	real, _ := filepath.EvalSymlinks(project)
	if err != nil || !filepath.IsAbs(s.Home) || file.WithinByName(s.Home, "/proc") ||
		project != "" && (file.WithinByName(s.Home, project) || real != "" && file.WithinByName(home, real)) {
		return ""
	}
	return ledger.StateDir("", s.Home)
}

func (s *start) orderInForce() (o ledger.AwayOrder, ok bool) {
	dir, project := s.safeAwayDir(), s.projectDir()
	if dir == "" {
		return o, false
	}
	for _, one := range ledger.AwayOrders(dir) {
		if !one.IsInForce(s.Now) {
			continue
		}
		real, err := filepath.EvalSymlinks(project) // orders name their project without links
		if one.Covers(project) || err == nil && one.Covers(real) {
			o, ok = one, true
		}
		for dir := real; dir != one.Project && file.WithinByName(dir, one.Project); dir = filepath.Dir(dir) {
			_, common := file.LinkedWorktree(filepath.Join(dir, ".git"))
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && filepath.Dir(common) != one.Project { // another repository
				o.Note = ""
			}
		}
	}
	return o, ok
}

// yieldsAwayOrder reports whether the plugin of a loop not driving the session leaves an away order to a daily plugin.
// Examine sets s.drives first.
func (s *Snapshot) yieldsAwayOrder() bool {
	isDaily := func(known *strategy.Strategy) bool {
		return known.KindOf() == strategy.Daily && s.stillDecides(known.Name)
	}
	return s.Away != nil && s.Settings.Strategy.Loop != nil && !s.drives && slices.ContainsFunc(registry.Strategies, isDaily)
}

// askAway returns the away order's answer, or the strategy's verdict. The order cannot override guards or a loop's
// continue. s.Away is set.
func (s *Snapshot) askAway() away.Answer {
	if s.Veto.Rule != "" || s.Settings.Strategy.Event != "Stop" || s.Verdict.Decision == strategy.Continue && s.Verdict.Remember.Key != "" || s.yieldsAwayOrder() {
		return away.Answer{Verdict: s.Verdict}
	}
	count, dir := s.stopToCount(), s.Event.Cwd
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // orders name their project without links
	}
	return away.AnswerStop(s.Away, away.Stop{
		Situation: &s.Situation, Verdict: s.Verdict,
		Session: shortenText(s.Event.SessionID, 200), Key: count.Seen, Plugin: s.Settings.Plugin, Now: s.Now.UnixMilli(),
		Typed: s.View.OwnAt, Turns: s.View.Turns, Work: s.View.Work, Dir: dir,
	})
}
