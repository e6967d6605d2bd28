// Examine and Settle write nothing, so that explaining, replaying and taking a decision share this code.

package hook

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/lastprompt"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
	"github.com/cameronsjo/springfield/runtime/wake"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// maxText bounds the part of the last message that the rules read, in bytes from its end.
const maxText = 256 << 10

// maxAsks bounds the rounds in which a strategy wants files, maxWants the files.
const (
	maxAsks  = 8
	maxWants = 64
)

// Stop is a stop and everything that a decision depends on.
type Stop struct {
	Event     Event
	Settings  Settings
	Before    ledger.State     // after the session's earlier stops
	Space     *workspace.Space // nil for none
	Reading   Reading          // nil: reads the file that the event names
	Now       time.Time
	Past      func(loop, dir string) activity.LoopPast
	Self      func() string // see Process; nil: springfield
	Home      string        // "" skips the search for loops of other plugins
	Project   string        // directory in which the session started, "" if unknown
	Unguarded bool          // skip the guards
	Attended  bool          // person at the terminal
	Headless  bool          // the host exits at the first result, so nothing wakes the agent
	Hangs     func() bool   // see Process
	Away      *ledger.Away  // if in force
}

// Reading reads a session's transcript: the part after since, the log of an earlier stop, and the last lines.
// prompt is the event's prompt ID. A replay reads each transcript only once.
type Reading interface {
	ReadNew(since []byte, prompt string) (log []byte, view transcript.View, err error)
	LastLines(lines int) (activity.Window, error)
}

// Snapshot is an examined stop.
type Snapshot struct {
	Stop
	View      transcript.View
	Log       []byte // for the next stop's Reading
	Situation strategy.Situation
	Veto      guard.Veto // with a rule, the strategy was not asked
	Verdict   strategy.Verdict
	Faults    []string     // read errors
	met       ledger.State // Before, moved to this stop's prompt
	drives    bool         // its own loop drives the session
	read      []reading
}

// Examine reads the log and, unless vetoed, the strategy's files, and asks the strategy for its verdict. It writes
// nothing.
func (stop Stop) Examine() Snapshot {
	s := Snapshot{Stop: stop, Log: stop.Before.Log}
	if s.Event.Host == nil {
		s.Event.Host = registry.DefaultHost()
	}
	needs := s.Settings.Options.Needs()
	if needs.Files != nil && s.Space == nil {
		needs.Lines = 0 // without its files it does not read the last lines
	}
	s.readTranscript(needs)
	if !s.Unguarded && s.applyVeto(s.vetoAndNoteDrives()) {
		s.goOnIfNoWake()
		return s
	}
	if needs.Files != nil && s.Space != nil {
		s.readWorkspace(s.Space, needs.Files, &s.Situation)
	}
	decide := s.Settings.Options.Decide
	if s.Settings.Prepared != nil {
		decide = s.Settings.Prepared
	}
	s.Verdict = decide(s.Situation)
	for _, err := range s.Verdict.Faults {
		s.Faults = append(s.Faults, err.Error())
	}
	if !s.Unguarded && s.Situation.Team.Role == activity.Teammate {
		s.applyVeto(s.vetoUnlessAnnounced())
	}
	return s
}

// vetoUnlessAnnounced returns a veto for a teammate, unless the hook would be silent anyway, or the last message
// announces the next action. The caller has checked for a teammate, and has set s.Verdict.
func (s *Snapshot) vetoUnlessAnnounced() guard.Veto {
	v := &s.Verdict
	if v.Decision == s.Settings.Strategy.NoEffect() && v.Page == "" ||
		lastmessage.ReadMessage(s.Situation.Message.Text).AnnouncesWork() {
		return guard.Veto{}
	}
	return guard.Veto{Rule: "team",
		Evidence: "the lead of the team wakes this session, whose message does not say what it does now"}
}

// vetoAndNoteDrives returns the veto caused by the event or transcript. For Stop strategies it also checks other loops,
// a removed ledger and the user's last word, and sets s.drives. readTranscript is called first.
func (s *Snapshot) vetoAndNoteDrives() guard.Veto {
	h := s.Event.Host
	veto := guard.CheckPending(s.Event.Moment, s.View.Earlier)
	switch {
	case veto.Rule != "":
		return veto
	case s.View.Wakes:
		return guard.CheckPending(guard.Moment{Crons: 1}, nil)
	case s.View.Team.Role != activity.Teammate && len(s.View.Team.AtWork) > 0:
		return guard.VetoOfTeam(s.View.Team.AtWork)
	case s.View.Subagent:
		return guard.Veto{Rule: "subagent", Evidence: "the session is a subagent's: what it says is not to you"}
	case s.View.Mode == "plan" && (h.Plans || s.Event.Name == stopFailure || h.Logged && s.Event.PermissionMode == ""):
		return guard.CheckPending(guard.Moment{PermissionMode: s.View.Mode}, nil)
	case h.Logged:
		var work []string
		for _, task := range s.View.Started {
			work = append(work, task.What)
		}
		veto = guard.CheckRunning(work)
	}
	switch {
	case veto.Rule != "" || s.Settings.Strategy.Event != "Stop":
		return veto
	case s.View.Driven:
		return guard.Veto{Rule: "host-loop", Evidence: h.Title + " works on a goal that you have set, and goes on by itself"}
	case h.NoWitness && s.Event.Active && s.Before.Number == 0: // else removing the ledger would remove the limits
		return guard.Veto{Rule: "ledger-gone", Evidence: "a Stop hook has kept the agent going, and the ledger of this session has nothing of it"}
	case guard.RalphArmed(s.Event.Cwd, s.Event.SessionID):
		return guard.Veto{Rule: "ralph-loop", Evidence: "ralph-loop drives this session: its state file is armed"}
	}
	driver, evidence := s.findDrivingStrategy()
	if s.drives = driver == s.Settings.Strategy.Name; driver != "" && !s.drives {
		return guard.Veto{Rule: "another-loop", Evidence: driver + " drives this session: " + evidence}
	}
	if s.Settings.Strategy.Loop == nil {
		veto = guard.CheckOwnCommand(s.Settings.Plugin, s.View.PromptText, s.View.CallsInTurn)
	}
	failed := s.Event.Name == stopFailure // there is no answer yet, and no strategy is asked
	if turn := &s.Situation.Turn; veto.Rule == "" && (s.Settings.Strategy.Loop == nil || failed) {
		word := turn.Word
		if failed { // its message is the error
			word.Held = ""
		}
		veto = guard.CheckPrompt(word, s.View.CallsInTurn > 0 || failed, turn.Changed || failed, func() *lastmessage.Closing { return lastmessage.ReadMessage(s.Situation.Message.Text) })
	}
	return veto
}

// goOnIfNoWake applies to hosts that cannot wake the agent. Once per prompt, for Stop strategies with no loop, it
// replaces the verdict of a veto for background or scheduled work with a continue. s.Veto stays set, with the rule
// headless.
func (s *Snapshot) goOnIfNoWake() {
	waits := s.Veto.Rule == "background" || s.Veto.Rule == "scheduled"
	if !waits || !s.Headless || s.Settings.Strategy.Event != "Stop" || s.Settings.Strategy.Loop != nil || s.Before.Waits == toldWaitKey(s.met) {
		return
	}
	s.Veto.Rule = headless
	s.Verdict = strategy.Verdict{
		Decision: strategy.Continue, Rule: headless, Sure: 100, Evidence: s.Veto.Evidence,
		Reason: "Nothing will wake you: this program ends when you hand the turn back. Wait for it in the foreground, and finish the work.",
	}
}

const headless = "headless"

// toldWaitKey returns the Waits value for a prompt where the agent was told to wait in the foreground. state is from
// this prompt, like s.met. The value is never empty.
func toldWaitKey(state ledger.State) string { return "for " + state.Prompt }

func (s *Snapshot) applyVeto(veto guard.Veto) bool {
	if veto.Rule == "" {
		return false
	}
	s.Veto = veto
	s.Verdict = strategy.Verdict{Decision: s.Settings.Strategy.NoEffect(), Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence}
	return true
}

// lag bounds the delay of the transcript after the event. lagAway bounds the wait for the result of a check
// while no user waits.
const (
	lag     = 100 * time.Millisecond
	lagAway = 2 * time.Second
)

// lagBlind bounds the wait for a session's first prompt. Tests shorten it, because their logs often contain none.
var lagBlind = 500 * time.Millisecond //nolint:gochecknoglobals

func (s *Snapshot) maxLag() time.Duration {
	if s.blindToPrompt() {
		return lagBlind
	}
	if n := len(s.View.Calls); s.Away != nil && n > 0 && !s.View.Calls[n-1].Done {
		return lagAway
	}
	return lag
}

// blindToPrompt reports whether we would continue without having seen the prompt. After a session's first decision, a
// log without prompt IDs is trusted.
func (s *Snapshot) blindToPrompt() bool {
	return s.hasPromptLineID() && !s.View.Opening.Found && (s.Before.Number == 0 || s.View.PromptID != "") && s.Event.TranscriptPath != "" && s.Verdict.Decision == strategy.Continue
}

// lagMatters reports whether the transcript may lack the prompt, or lacks a message or last result that matters.
func (s *Snapshot) lagMatters() bool {
	event, known := s.Event.PromptID, s.View.PromptID
	if s.hasPromptLineID() && !s.View.Opening.Found && known != "" {
		return true
	}
	n := len(s.View.Calls)
	if !s.Situation.Message.Lags && (n == 0 || s.View.Calls[n-1].Done) {
		return false
	}
	late := !s.hasPromptLineID() && !s.Event.Host.Prompts && event != "" && known != "" && event != known
	return late || s.blindToPrompt() || s.Verdict.Page != "" || s.Settings.Options.Needs().Calls || s.Away != nil && s.Away.Order.Check != ""
}

// readWorkspace sets situation.Workspace and reads up to maxWants files requested by wants. It calls wants up to
// maxAsks times.
func (s *Snapshot) readWorkspace(space *workspace.Space, wants func(strategy.Situation) []strategy.WantedFile, situation *strategy.Situation) {
	files := map[string]strategy.File{}
	situation.Workspace = strategy.Workspace{Dir: space.Dir, Files: files}
	if cwd, err := filepath.Abs(s.Event.Cwd); err == nil {
		situation.Workspace.CwdDiffers = cwd != space.Dir
	}
	project := workspace.ProjectSpelledLike(space.Dir, s.Project)
	if project == space.Dir {
		project = ""
	}
	situation.Workspace.Project = filepath.ToSlash(project)
	for range maxAsks {
		news := false
		for _, want := range wants(*situation) {
			if _, ok := files[want.Name]; !ok && len(files) < maxWants {
				files[want.Name] = readFile(space, situation.Workspace.Project, want)
				news = true
			}
		}
		if !news {
			return
		}
	}
}

// readFile reads a file from space, or from the directory project if the file's name begins with project and a slash.
// project is a path with slashes, or "". It returns the zero File if project cannot be opened.
func readFile(space *workspace.Space, project string, want strategy.WantedFile) strategy.File {
	name, whole := strings.CutPrefix(want.Name, project+"/")
	if project == "" || !whole {
		return space.ReadWanted(want)
	}
	around, err := workspace.OpenSpace(project)
	if err != nil {
		return strategy.File{}
	}
	defer around.Close()
	want.Name = name
	return around.ReadWanted(want)
}

// readTranscript reads the transcript's new part and builds the situation. An unreadable one is only added to s.Faults.
func (s *Snapshot) readTranscript(needs strategy.Needs) {
	path, reading, known := s.Event.TranscriptPath, s.Reading, false
	if reading == nil {
		brief := !s.Settings.Strategy.Judges && !needs.Calls && !s.Unguarded && s.Away == nil
		reading = transcript.File{Format: &s.Event.Host.Log, Path: path, Brief: brief}
	}
	if path != "" {
		prompt := ""
		if s.hasPromptLineID() {
			prompt = s.Event.PromptID
		}
		log, view, err := reading.ReadNew(s.Log, prompt)
		if err == nil {
			// If we skipped the prompt, the turn is unknown.
			s.Log, s.View, known = log, view, view.Skipped == 0 || view.Turns > 1
		} else if !os.IsNotExist(err) { // at the first stop there might not yet be a log
			s.Faults = append(s.Faults, "read transcript: "+err.Error())
		}
		if s.View.Skipped > 0 {
			s.Faults = append(s.Faults, "the first "+strconv.FormatInt(s.View.Skipped/1e6, 10)+" MB of the log were not read")
		}
	}
	s.buildSituation(needs)
	s.Situation.Turn.Known = known
	s.Situation.Turn.Changed = s.Situation.Turn.Changed || !known
	if needs.Lines > 0 && path != "" {
		w, err := reading.LastLines(needs.Lines)
		if err != nil {
			return // ReadNew has reported it
		}
		s.Situation.Window = w
		if s.Event.LastMessage == "" {
			s.Situation.Message.Text = secret.Mask(quotation.Tail(w.Text, maxText))
		}
	}
}

func (s *Snapshot) buildSituation(needs strategy.Needs) {
	event, view, h := s.Event, &s.View, s.Event.Host
	s.met = s.meetPrompt(s.Before)
	s.Situation = strategy.Situation{
		Past:    s.Past,
		Message: strategy.Message{Text: event.LastMessage, FromEvent: event.LastMessage != ""},
		Turn: strategy.Turn{
			Prompt: view.PromptText, PromptID: s.met.Prompt, Own: s.met.Own, Count: view.CallsInTurn, Calls: view.Calls, LastTool: view.LastTool, Asked: view.Asked,
			Question: rules.EndsWithSign(strings.TrimSpace(view.PromptEnd), "?？؟", nil),
			Running:  len(view.Started), Active: event.Active || h.Forgets && view.Feedback.InTurn > 0,
			Ours: s.met.InPrompt > 0,
			Word: lastprompt.Word{Kind: lastprompt.Kind(s.met.Said.Kind), Evidence: s.met.Said.Evidence, Held: s.met.Said.Held}, WordAt: s.met.Said.At,
			Changed: view.Changed, Leave: s.whyMayGoOn(), Attended: s.Attended, Away: s.Away != nil,
		},
		Team: view.Team,
		Session: strategy.Session{
			ID: event.SessionID, Plugin: s.Settings.Plugin, Agent: h.Agent,
			Hold: h.CommandToType(s.Settings.Plugin, "hold"), Now: s.Now.UnixMilli(),
		},
	}
	if h.Context != nil { // otherwise the host can only continue in a single way
		s.Situation.Session.Protocol = s.Settings.Protocol
	}
	if needs.Todos && !slices.ContainsFunc(view.Todos, func(t activity.Todo) bool { return t.Content == "" }) {
		s.Situation.Todos = strategy.Todos{List: view.Todos, Turns: view.TodosTurns}
	}
	if needs.Skill {
		s.Situation.Skill = view.Skill
	}
	if needs.Plans {
		s.Situation.Plans = mergePlans(event.LastMessage, view.Plans)
	}
	if needs.Memories {
		s.Situation.Memories = s.Before.Loops
	}
	m := &s.Situation.Message
	m.Lags = m.FromEvent && (!view.Spoken || !strings.HasSuffix(strings.TrimSpace(m.Text), strings.TrimSpace(view.Text)))
	if m.Text == "" {
		m.Text, m.Earlier = view.Text, !view.Spoken
	}
	m.Text = secret.Mask(quotation.Tail(m.Text, maxText)) // so that no rule quotes a secret
}

// mergePlans returns the plans named in text, the last message, then the others of older.
func mergePlans(text string, older []activity.Plan) (all []activity.Plan) {
	for _, name := range transcript.PlansIn(text) {
		all = append(all, activity.Plan{Name: name})
	}
	for _, p := range older {
		i := slices.IndexFunc(all, func(other activity.Plan) bool { return other.Name == p.Name })
		if i < 0 {
			all = append(all, p)
		} else {
			all[i].Written = p.Written
		}
	}
	return all
}

func (s *Snapshot) stopToCount() guard.Count {
	seen := []string{s.Situation.Message.Text}
	for _, t := range s.View.Todos {
		seen = append(seen, t.Status, t.Content)
	}
	calls, ours := s.View.CallsInTurn, s.View.Feedback
	hash := quotation.HashText(strings.Join(append(seen, strconv.Itoa(calls)), "\x00"))
	inPrompt := ours.InTurn
	if s.hasPromptLineID() || s.Event.Host.Prompts && s.View.Opening.ID != "" { // this prompt is from the user
		inPrompt = ours.InOwn
	}
	return guard.Count{
		Prompt: s.met.Prompt, Own: s.met.Own, Seen: hash, Tools: calls, Now: s.Now,
		Witness: guard.Witness{Times: ours.Ours, All: ours.All, InPrompt: inPrompt, InOwn: ours.InOwn},
	}
}

// Settled is a verdict within the limits.
type Settled struct {
	strategy.Verdict
	Left *ledger.Left // of the budget, nil if none was spent
	Next ledger.State
	Away ledger.AwayEvent // without Did, the order did nothing
}

// Settle applies the away order and the limits to the verdict. A continue beyond a limit becomes a stop that changes no
// files. It writes nothing. After Examine, the caller updates Before, Away and Now.
func (s *Snapshot) Settle() Settled {
	s.met = s.meetPrompt(s.Before) // Before may have changed since Examine
	ordered := away.Answer{Verdict: s.Verdict}
	if s.Away != nil {
		ordered = s.askAway()
	}
	out := Settled{Verdict: ordered.Verdict, Next: s.met, Away: ordered.Event}
	var veto guard.Veto
	loop, goesOn := out.Remember.Key != "", out.Decision == strategy.Continue
	if loop && goesOn {
		rounds, _ := s.Settings.MaxIterations()
		out.Next, veto = guard.TakeRound(s.met, s.stopToCount(), rounds, out.Remember.Typed)
	} else if goesOn {
		limits := s.Settings.Limits
		if out.Once {
			limits.Same = 1
		}
		if ordered.Counts {
			limits.Burst, limits.PerPrompt = ledger.MostContinues, ledger.MostContinues
		}
		if s.Event.Name == stopFailure { // wakes have a limit of their own
			limits.Same, limits.Idle = math.MaxInt, math.MaxInt
		}
		if s.Event.Name == stopFailure && !ordered.Counts && !s.Settings.AfterError {
			veto = guard.Veto{Rule: wake.Rule, Evidence: "no away order applies to this session any more"}
		} else {
			var left ledger.Left
			if out.Next, left, veto = guard.SpendContinue(s.met, limits, s.stopToCount()); veto.Rule == "" {
				out.Left = &left
			}
		}
	}
	if veto.Rule != "" {
		out.Away.Did = ""
		out.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence, Told: s.sayLimit(veto)}
	} else if loop {
		out.Next.Remember(out.Remember)
	}
	if loop := s.Settings.Strategy.Loop; out.Decision == strategy.Continue && (loop == nil || !loop.Spec) { // specs keep the original texts
		s.sayContinue(&out, ordered.Counts)
	}
	if ordered.Counts {
		out.Left = nil // the limit in the order was used instead
	}
	if strings.Contains(out.Told, cliName+" loop") {
		out.Told = strings.ReplaceAll(out.Told, cliName+" loop", s.cliCommand()+" loop")
	}
	s.updateNextState(&out)
	out.Next.Log = s.Log
	return out
}

const cliName = "springfield"

func (s *Snapshot) cliCommand() string {
	if s.Self == nil {
		return cliName
	}
	return s.Self()
}

// sayContinue puts the plugin's name, limit and evidence in front of out.Reason, unless Protocol is exit2. Evidence of
// an order or judge goes only to the user. out.Told, for the user, is set only at a prompt's or loop's first continue.
// The caller has set out.Next, and out.Left if limits apply.
func (s *Snapshot) sayContinue(out *Settled, byOrder bool) {
	count, told := "", s.Settings.Plugin+" kept "+s.Event.Host.Agent+" going"
	first := out.Left != nil && out.Next.InPrompt == 1 || out.Left == nil && out.Remember.Continues == 1
	if byOrder {
		count = ", away " + strconv.Itoa(s.Away.CountContinues()+1) + " of " + strconv.Itoa(s.Away.Order.Most)
	} else if left, l := out.Left, s.Settings.Limits; left != nil {
		rest, limit, span := left.Burst, l.Burst, " in 5 min" // the limit with the fewest continues left
		if left.Hour < min(left.Burst, left.Prompt) {
			rest, limit, span = left.Hour, l.PerHour, " in an hour"
		} else if left.Prompt < left.Burst {
			rest, limit, span = left.Prompt, l.PerPrompt, " for this prompt"
		}
		count = ", " + strconv.Itoa(limit-rest) + " of " + strconv.Itoa(limit) + span
	}
	if out.Rule == away.Rule || out.Page != "" { // the agent must not read a judge's words
		told += ": " + out.Evidence
	} else {
		count += ": " + quotation.ClipBytes(quotation.OneLine(out.Evidence), 160)
	}
	if s.Settings.Protocol != "exit2" { // which keeps the original text
		out.Reason = "[" + s.Settings.Plugin + count + "] " + out.Reason
	}
	if first {
		out.Told = cmp.Or(out.Told, told) + " (" + s.Event.Host.CommandToType(s.Settings.Plugin, "hold") + " to stop)"
	} else {
		out.Told = ""
	}
}

// sayLimit returns the message to the user about a veto whose evidence follows the plugin's name, with the ways to go
// on. It prints nothing.
func (s *Snapshot) sayLimit(v guard.Veto) string {
	log := ""
	if s.Event.Host.Default {
		log = s.Event.TranscriptPath
	}
	ways := slices.DeleteFunc([]string{v.Next, s.Settings.raiseCommand(v.Limit, ledger.StateDir(log, s.Home), s.Home, s.cliCommand())}, func(way string) bool { return way == "" })
	return s.Settings.Plugin + " " + v.Evidence + strings.TrimSuffix("; "+strings.Join(ways, ", or "), "; ")
}
