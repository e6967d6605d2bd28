package hook

import (
	"cmp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	permissionRequest = "PermissionRequest"
	sessionStart      = "SessionStart"
)

func (s *start) answerRequest(settings Settings) {
	order, ok := s.orderInForce()
	if !ok || s.holdVeto().Rule != "" {
		return
	}
	session, err := ledger.OpenSession(s.state, sessionKey(s.event))
	if err != nil {
		s.noteForDebug("read ledger: " + err.Error())
		return
	}
	defer session.Close()
	snapshot := Snapshot{Stop: Stop{Event: s.event, Settings: settings, Before: session.State, Away: &ledger.Away{Order: order}, Now: s.Now}, Log: session.State.Log}
	snapshot.readTranscript(strategy.Needs{})
	brought, err := ledger.OpenAway(s.safeAwayDir(), order)
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
		Present: away.IsPresent(&brought.Away, id, snapshot.View.OwnAt, snapshot.View.Turns), Calls: snapshot.View.Calls,
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

func aboutInput(input []byte) string {
	for _, name := range []string{"command", "file_path", "path", "url", "query", "pattern", "description"} {
		if raw := codec.FindMember(input, name); raw != nil {
			return shortenText(codec.ExactText(codec.InsideQuotes(raw)), 500)
		}
	}
	return ""
}

func questionsOf(e Event) string {
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

// greetUser shows the away order and the hold in force when a session starts, and records that, unless some other
// plugin has just done so.
func (s *start) greetUser() {
	var lines []string
	if order, ok := s.orderInForce(); ok {
		past, _ := ledger.AwayEvents(s.safeAwayDir(), order.ID)
		used := ledger.Away{Order: order, Past: past}
		lines = append(lines, away.Describe(order, used.CountContinues(), s.Now.UnixMilli())+"; springfield back ends it")
	}
	if veto := s.holdVeto(); veto.Rule != "" {
		lines = append(lines, veto.Evidence+", so "+s.event.Host.Agent+" may stop whatever is left; "+s.Self()+" resume lifts it")
	}
	if len(lines) == 0 {
		return
	}
	o := ledger.AwayOrder{ID: sessionStart}
	shown, err := ledger.OpenAway(cmp.Or(s.safeAwayDir(), s.state), o)
	if err != nil {
		return
	}
	defer shown.Close()
	e := ledger.AwayEvent{At: s.Now.UnixMilli(), Session: shortenText(s.event.SessionID, 200), Did: ledger.AwayShown}
	for _, old := range shown.Past {
		if old.Session == e.Session && e.At-old.At < 5000 {
			return
		}
	}
	_ = shown.AddEvent(e)
	_ = s.printAnswer(said{systemMessage: strings.Join(lines, "\n")})
}
