// After an API error Claude Code ends the turn and runs the StopFailure hook in the background. Exit status 2 wakes the
// session. The hook waits without a lock, checks that the session is unchanged, and decides within the usual limits.

package hook

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/wake"
)

const stopFailure = "StopFailure"

// settling is enough for Claude Code to write the log and the state after a failed turn.
const settling = 2 * time.Second

// wakeAfterError waits after an API error, then decides again and records it. To wake the session, it prints the reason
// to stderr and returns 2, otherwise 0.
func (s *start) wakeAfterError(settings Settings) (code int) {
	s.quiet = true
	kind, _ := codec.ExactString(s.event.Failure)
	_, isAway := s.orderInForce()
	if !wake.IsOutage(kind) || s.event.Subagent != nil || !isAway && !settings.AfterError || s.Sleep == nil || !s.sleepAndRestart(settling) {
		return 0
	}
	settings.Prepared = verdictOfWake
	before, wait, failed := s.claimWait(settings)
	if failed != nil {
		s.recordUndecided(*failed)
	}
	if wait == 0 || !s.sleepAndRestart(wait) {
		return 0
	}
	own, err := ReadPlugin(s.root)
	if err == nil {
		settings = own.ReadSettings(s.state, s.projectDir())
		settings.Prepared = verdictOfWake
	}
	s.rest = func(now *Snapshot) (veto guard.Veto) {
		why := "its plugin was removed"
		if err == nil {
			why = wake.WhyNot(before, s.momentOf(now), wait)
		}
		if why != "" {
			veto = guard.Veto{Rule: wake.Rule, Evidence: wake.NotWoken + ": " + why}
		}
		return veto
	}
	a := s.decideAndRecord(settings)
	if a.fault != nil {
		s.recordUndecided(*a.fault)
	}
	if a.fault != nil || a.Decision != strategy.Continue {
		return 0
	}
	if _, err := io.WriteString(s.Stderr, defuseSystemTags(display.DropInvisible(a.Reason))+"\n"); err != nil {
		s.recordUndecided(fault{faultAnswer, newFailure("the answer could not be passed to "+s.event.Host.Title, err)})
		return 0
	}
	return 2
}

// sleepAndRestart waits, updates s.Now and s.Up, and restarts the hook's time limit. s.Sleep is not nil.
func (s *start) sleepAndRestart(d time.Duration) (clientAlive bool) {
	s.Now, s.Up, clientAlive = s.Sleep(d)
	s.begun = time.Now()
	s.finish = s.begun.Add(maxTime)
	return clientAlive
}

func verdictOfWake(of strategy.Situation) strategy.Verdict {
	return strategy.Verdict{
		Decision: strategy.Continue, Rule: wake.Rule, Sure: 100, Evidence: quotation.ClipBytes(quotation.OneLine(of.Message.Text), 160),
		Reason: "An API error ended your turn, and you were woken after a while. Nobody has typed anything. Continue your work.",
	}
}

// claimWait claims and records the API error for this start. It returns the session's state and the wait, 0 if this
// start must not wake the session. settings has verdictOfWake prepared.
func (s *start) claimWait(settings Settings) (atClaim wake.Moment, wait time.Duration, failed *fault) {
	session, err := ledger.OpenUnlocked(s.state, ledgerIDOf(s.event))
	if err != nil {
		return atClaim, 0, &fault{faultLedger, newFailure("read ledger", err)}
	}
	defer session.Close()
	snapshot := s.examineStop(s.stopOf(settings, session.State))
	atClaim = s.momentOf(&snapshot)
	if snapshot.yieldsAwayOrder() {
		return atClaim, 0, nil
	}
	if err := session.LockAndRead(); err != nil {
		return atClaim, 0, &fault{faultBusy, newFailure("write ledger", err)}
	}
	claim, ok := wake.Claim(session.State.Outage, ledger.Outage{At: atClaim.At, Since: atClaim.Since, Turns: atClaim.Turns, Calls: atClaim.Calls})
	if !ok {
		return atClaim, 0, nil
	}
	verdict, cannot := snapshot.Verdict, atClaim.WhyNoWake(s.event.SessionID)
	if snapshot.Veto.Rule == "" {
		wait, _ = wake.WaitAfter(claim.Times)
		next, why := wake.Coming+timestamp.LengthInWords(wait.Milliseconds()), cannot
		switch {
		case why != "":
		case atClaim.Turns == 0 || !snapshot.Situation.Turn.Known:
			why = "your prompt is not in its log"
		case session.State.Stood == atClaim.Turns+snapshot.View.Feedback.All:
			why = "it had stopped, and you have sent no prompt since"
		case wait == 0:
			why = "after " + strconv.Itoa(claim.Times) + " such failures in a row"
		}
		if why != "" {
			next, wait = wake.NotWoken+": "+why, 0
		}
		verdict = strategy.StopBy(wake.Rule, "“"+verdict.Evidence+"”; "+next)
	}
	snapshot.Before = session.State
	settled := Settled{Verdict: verdict, Next: snapshot.meetPrompt(session.State)}
	settled.Next.Log, settled.Next.Clock = snapshot.Log, session.State.Clock.Advance(s.Now, s.Up)
	if snapshot.Veto.Rule == "" && cannot == "" { // else an event that is not the client's could restart the count
		settled.Next.Outage = claim
	}
	if _, err := session.AppendRecord(s.recordOf(settled, settings.Plugin)); err != nil {
		return atClaim, 0, &fault{faultLedger, newFailure("write ledger", err)}
	}
	return atClaim, wait, nil
}

func (s *start) momentOf(of *Snapshot) wake.Moment {
	return wake.Moment{
		Client: s.ownClient(), At: s.Now.UnixMilli(), Turns: of.View.Turns, Calls: of.View.CallsInTurn,
		Words: of.View.Text, Typed: s.lastTyped(), Switches: s.readEnabled(),
	}
}

// lastTyped returns the time of the session's last prompt in Claude Code's history ("" if none), as raw JSON only for
// comparison.
func (s *start) lastTyped() (at string) {
	end, _ := file.ReadEnd(filepath.Join(filepath.Dir(s.state), "history.jsonl"), 0, maxEnd)
	for line := range bytes.Lines(end) {
		if id, _ := codec.ExactString(codec.FindMember(line, "sessionId")); id != "" && id == s.event.SessionID {
			at = string(codec.FindMember(line, "timestamp"))
		}
	}
	return at
}

func (s *start) ownClient() (own wake.Client) {
	config := filepath.Dir(s.state)
	for _, id := range s.Ancestors() {
		if p, ok := claude.FindProcess(config, id); ok {
			own.Process = p
			break
		}
	}
	own.Shared = slices.ContainsFunc(claude.RunningProcesses(config), func(p claude.Process) bool { return p.Session == own.Session && p.ID != own.ID })
	return own
}

// readEnabled returns a string to compare, with the Claude Code settings to enable plugins and disable hooks, and the
// installed plugins. Unreadable files count as changed.
func (s *start) readEnabled() (toCompare string) {
	var all []string
	config, project := filepath.Dir(s.state), filepath.Join(s.projectDir(), ".claude")
	for _, path := range []string{
		filepath.Join(config, "settings.json"), filepath.Join(config, "plugins", "installed_plugins.json"),
		filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json"),
	} {
		data, err := file.ReadRegular(path, maxConfig)
		if !os.IsNotExist(err) && !codec.IsValid(data) {
			all = append(all, strconv.FormatInt(s.Now.UnixNano(), 10))
		}
		all = append(all, string(codec.FindMember(data, "enabledPlugins", "plugins")), string(codec.FindMember(data, "disableAllHooks")))
	}
	return strings.Join(all, "\x00")
}
