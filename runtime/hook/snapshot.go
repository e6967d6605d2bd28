// A stop is examined: everything that is known about it, what the guards say, and
// what the strategy would do. Then it is settled: the budget has its say. Both write
// nothing, so explaining a decision, replaying it and taking it are the same code.

package hook

import (
	"cmp"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/lastword"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// maxText bounds how much of the last message the rules look at, in bytes from
// its end.
const maxText = 256 << 10

// maxAsks is how often a strategy is asked what else it wants to read, maxWants
// how many files it gets.
const (
	maxAsks  = 8
	maxWants = 64
)

// Stop is where Claude would hand the turn back, and all that a decision depends on.
type Stop struct {
	Event    Event
	Settings Settings
	Before   ledger.State     // what the session's earlier stops have left
	Space    *workspace.Space // whose files the strategy reads, nil for none
	Reading  Reading          // nil: of the file that the event names
	Now      time.Time        // the time that counts
	Past     func(loop, dir string) activity.LoopPast
	Self     func() string // how a person calls the hook, see Process; nil: springfield
	Home     string        // the user's; "": loops of other plugins are not looked for
	Project  string        // the directory that the session was started in, "" if that is not known
	Alone    bool          // no guard is asked, only the strategy
	Attended bool          // a person sits at the session's terminal
	Headless bool          // the host leaves at the first result: nothing wakes the agent
	Hangs    func() bool   // reports whether the client hangs on another agent, nil: it does not
	// Away is the user's away order in force, nil for none.
	Away *ledger.Away
}

// Reading reads a session's transcript: what is new in it since an earlier stop, which
// it has left in log, and its last lines; prompt is the id of the prompt at hand, as the event has it. A replay, which goes through many stops of
// one transcript, reads it once.
type Reading interface {
	ReadNew(since []byte, prompt string) (log []byte, view transcript.View, err error)
	LastLines(lines int, word string) (activity.Window, error)
}

type fromFile struct {
	host  *host.Host
	path  string
	brief bool // the texts of calls are not wanted
}

func (f fromFile) ReadNew(since []byte, prompt string) (log []byte, view transcript.View, err error) {
	return f.host.Log.ReadNew(f.path, since, prompt, f.brief)
}

func (f fromFile) LastLines(lines int, word string) (activity.Window, error) {
	return f.host.Log.LinesAbout(f.path, lines, word)
}

// Snapshot is a stop as it was found.
type Snapshot struct {
	Stop
	View      transcript.View
	Log       []byte // for the next stop's Reading
	Situation strategy.Situation
	// Veto is what a guard said; if it has a rule, the strategy was not asked.
	Veto    guard.Veto
	Verdict strategy.Verdict
	// Faults are what could not be read.
	Faults []string
	met    ledger.State // the state before, at the prompt of this stop
	read   []reading
}

func (stop Stop) Examine() Snapshot {
	s := Snapshot{Stop: stop, Log: stop.Before.Log}
	if s.Event.Host == nil {
		s.Event.Host = registry.DefaultHost()
	}
	needs := s.Settings.Options.Needs()
	if needs.Files != nil && s.Space == nil {
		needs.Lines = 0 // without its files it decides before it looks at the last lines
	}
	s.readTranscript(needs)
	if !s.Alone && s.applyVeto(s.vetoOfTranscript()) {
		s.waitInForeground()
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
	if !s.Alone {
		s.applyVeto(s.vetoOfTeammate())
	}
	return s
}

// vetoOfTeammate looks at what the strategy wants of a teammate, which its lead wakes: plans,
// todos and counts are the team's. It goes on with what its own last words say it does now.
func (s *Snapshot) vetoOfTeammate() guard.Veto {
	v := &s.Verdict
	if s.Situation.Team.Role != activity.Teammate || v.Decision == s.Settings.Strategy.Silence() && v.Page == "" ||
		lastmessage.ReadMessage(s.Situation.Message.Text).SaysWhatNow() {
		return guard.Veto{}
	}
	return guard.Veto{Rule: "team",
		Evidence: "the lead of the team wakes this session, whose message does not say what it does now"}
}

// vetoOfTranscript asks the guards that know the transcript. Another loop, and an answer to
// the user, matter only at Stop, where any block wins.
func (s *Snapshot) vetoOfTranscript() guard.Veto {
	h := s.Event.Host
	veto := guard.CheckEvent(s.Event.Moment)
	if veto.Rule == "" {
		veto = guard.Waiting(s.Event.Moment, s.View.Earlier)
	}
	switch {
	case veto.Rule != "":
		return veto
	case s.View.Wakes:
		return guard.CheckEvent(guard.Moment{Crons: 1})
	case s.View.Team.Role != activity.Teammate && len(s.View.Team.AtWork) > 0:
		return guard.CheckTeam(s.View.Team.AtWork)
	case s.View.Subagent:
		return guard.Veto{Rule: "subagent", Evidence: "the session is a subagent's: what it says is not to you"}
	case s.View.Mode == "plan" && (h.Plans || h.Logged && s.Event.PermissionMode == ""):
		return guard.CheckEvent(guard.Moment{PermissionMode: s.View.Mode})
	case h.Logged:
		var work []string
		for _, task := range s.View.Started {
			work = append(work, task.What)
		}
		veto = guard.CheckWork(work)
	}
	switch {
	case veto.Rule != "" || s.Settings.Strategy.EventName() != "Stop":
		return veto
	case s.View.Driven:
		return guard.Veto{Rule: "host-loop", Evidence: h.Title + " works on a goal that you have set, and goes on by itself"}
	case h.NoWitness && s.Event.Active && s.Before.Number == 0: // else who removes the ledger would have no limit
		return guard.Veto{Rule: "ledger-gone", Evidence: "a Stop hook has kept the agent going, and the ledger of this session has nothing of it"}
	case guard.RalphArmed(s.Event.Cwd, s.Event.SessionID):
		return guard.Veto{Rule: "ralph-loop", Evidence: "ralph-loop drives this session: its state file is armed"}
	}
	veto = s.anotherLoop()
	if veto.Rule == "" && s.Settings.Strategy.Loop == nil {
		veto = guard.CheckPrompt(s.Settings.Plugin, s.View.PromptText, s.View.CallsInTurn)
	}
	if turn := &s.Situation.Turn; veto.Rule == "" && s.Settings.Strategy.Loop == nil {
		veto = guard.CheckWord(turn.Word, turn.Changed, func() bool {
			return lastmessage.ReadMessage(s.Situation.Message.Text).IntendsLast()
		})
	}
	return veto
}

// waitInForeground makes a continue of a stop at which the agent waits for what will not wake it,
// once for a prompt.
func (s *Snapshot) waitInForeground() {
	waits := s.Veto.Rule == "background" || s.Veto.Rule == "scheduled"
	if !waits || !s.Headless || s.Settings.Strategy.EventName() != "Stop" || s.Settings.Strategy.Loop != nil || s.Before.Waits == waitsFor(s.met) {
		return
	}
	s.Veto.Rule = headless
	s.Verdict = strategy.Verdict{
		Decision: strategy.Continue, Rule: headless, Sure: 100, Evidence: s.Veto.Evidence,
		Reason: "Nothing will wake you: this program ends when you hand the turn back. Wait for it in the foreground, and finish the work.",
	}
}

// headless is the rule of such a continue.
const headless = "headless"

// waitsFor names the prompt of such a continue, which may have no name.
func waitsFor(state ledger.State) string { return "for " + state.Prompt }

func (s *Snapshot) applyVeto(veto guard.Veto) bool {
	if veto.Rule == "" {
		return false
	}
	s.Veto = veto
	s.Verdict = strategy.Verdict{Decision: s.Settings.Strategy.Silence(), Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence}
	return true
}

// lag is by how much the transcript may be behind the event, and lagAway how long the result of a
// check is waited for: no one waits, and it decides.
const (
	lag     = 100 * time.Millisecond
	lagAway = 2 * time.Second
)

// lagBlind is how long a session's first prompt is waited for. Tests, whose logs often have none, wait less.
var lagBlind = 500 * time.Millisecond

// patience is how long a log that lags is waited for.
func (s Snapshot) patience() time.Duration {
	if s.isBlind() {
		return lagBlind
	}
	if n := len(s.View.Calls); s.Away != nil && n > 0 && !s.View.Calls[n-1].Done {
		return lagAway
	}
	return lag
}

// isBlind reports whether the agent would go on at a prompt that the log does not have yet and that
// may forbid it. Not every log names its prompts, so later in a session only one that does is waited for.
func (s Snapshot) isBlind() bool {
	return s.lacksPrompt() && (s.Before.Number == 0 || s.View.PromptID != "") && s.Event.TranscriptPath != "" && s.Verdict.Decision == strategy.Continue
}

// lacksPrompt reports whether the log has no line of the prompt that the event names.
func (s Snapshot) lacksPrompt() bool { return s.opens() && !s.View.Opening.Found }

// transcriptLags reports whether the transcript lacks the message or the newest call's result,
// where that can matter: a judge is to be asked, a check may have run, or the event is about a prompt that the
// transcript does not have yet. A new one brings a new budget, and one of our slash
// commands asks for no work. The answer to it may be the same text as the answer before.
func (s Snapshot) transcriptLags() bool {
	event, known := s.Event.PromptID, s.View.PromptID
	if s.lacksPrompt() && known != "" {
		return true
	}
	n := len(s.View.Calls)
	if !s.Situation.Message.Lags && (n == 0 || s.View.Calls[n-1].Done) {
		return false
	}
	late := !s.opens() && !s.Event.Host.Prompts && event != "" && known != "" && event != known
	return late || s.isBlind() || s.Verdict.Page != "" || s.Away != nil && s.Away.Order.Check != ""
}

// readWorkspace reads files of a workspace. What is wanted may depend on what was read.
func (s *Snapshot) readWorkspace(space *workspace.Space, wants func(strategy.Situation) []strategy.Want, situation *strategy.Situation) {
	files := map[string]strategy.File{}
	situation.Workspace = strategy.Workspace{Dir: space.Dir, Files: files}
	if cwd, err := filepath.Abs(s.Event.Cwd); err == nil {
		situation.Workspace.CwdDiffers = cwd != space.Dir
	}
	project := workspace.ProjectAround(space.Dir, s.Project)
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

// readFile reads a file of the workspace, or of the project around it.
func readFile(space *workspace.Space, project string, want strategy.Want) strategy.File {
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

// readTranscript takes in the transcript. What cannot be read is not there: the event's
// text may be enough.
func (s *Snapshot) readTranscript(needs strategy.Needs) {
	path, reading, known := s.Event.TranscriptPath, s.Reading, false
	if reading == nil {
		reading = fromFile{s.Event.Host, path, !s.Settings.Strategy.Judges && !s.Alone && s.Away == nil}
	}
	if path != "" {
		prompt := ""
		if s.opens() {
			prompt = s.Event.PromptID
		}
		log, view, err := reading.ReadNew(s.Log, prompt)
		if os.IsNotExist(err) {
			// Nothing is written yet at the first stop of a session.
		} else if err != nil {
			s.Faults = append(s.Faults, "read transcript: "+err.Error())
		} else {
			// Of a turn whose prompt was not read it is not known what was done in it.
			s.Log, s.View, known = log, view, view.Skipped == 0 || view.Turns > 1
		}
		if s.View.Skipped > 0 {
			s.Faults = append(s.Faults, "the first "+sizeInWords(s.View.Skipped)+" of the log were not read")
		}
	}
	s.buildSituation(needs)
	s.Situation.Turn.Known = known
	s.Situation.Turn.Changed = s.Situation.Turn.Changed || !known
	if needs.Lines > 0 && path != "" {
		w, err := reading.LastLines(needs.Lines, needs.Word)
		if err != nil {
			return // said above
		}
		s.Situation.Window = w
		if s.Event.LastMessage == "" {
			s.Situation.Message.Text = clipText(w.Text)
		}
	}
}

func sizeInWords(bytes int64) string {
	if bytes < 1e9 {
		return strconv.FormatInt(bytes/1e6, 10) + " MB"
	}
	return strconv.FormatFloat(float64(bytes)/1e9, 'f', 1, 64) + " GB"
}

// buildSituation puts the event before the transcript, which may lag. A strategy gets what it
// needs.
func (s *Snapshot) buildSituation(needs strategy.Needs) {
	event, view, h := s.Event, &s.View, s.Event.Host
	s.met = s.meetPrompt(s.Before)
	s.Situation = strategy.Situation{
		Past:    s.Past,
		Message: strategy.Message{Text: event.LastMessage, FromEvent: event.LastMessage != ""},
		Turn: strategy.Turn{
			Prompt: view.PromptText, PromptID: s.met.Prompt, Own: s.met.Own, Count: view.CallsInTurn, Calls: view.Calls, LastTool: view.LastTool, Asked: view.Asked,
			Question: rules.ClosesParagraph(strings.TrimSpace(view.PromptEnd), "?？؟"),
			Running:  len(view.Started), Active: event.Active || h.Forgets && view.Feedback.InTurn > 0,
			Ours: s.met.InPrompt > 0,
			Word: lastword.Word{Kind: lastword.Kind(s.met.Said.Kind), Evidence: s.met.Said.Evidence}, WordAt: s.met.Said.At,
			Changed: view.Changed, Leave: s.leave(), Attended: s.Attended, Away: s.Away != nil,
		},
		Team: view.Team,
		Session: strategy.Session{
			ID: event.SessionID, Cap: event.Cap, CapVariable: h.CapVariable, Plugin: s.Settings.Plugin, Agent: h.Agent,
			Host: h.Title, Hold: h.WordToType(s.Settings.Plugin, "hold"), Now: s.Now.UnixMilli(),
		},
	}
	if h.Context != nil { // else there is one way to say a continue
		s.Situation.Session.Protocol = s.Settings.Protocol
	}
	if needs.Todos && !slices.ContainsFunc(view.Todos, func(t activity.Todo) bool { return t.Content == "" }) {
		s.Situation.Todos = strategy.Todos{List: view.Todos, Turns: view.TodosTurns}
	}
	if needs.Skill {
		s.Situation.Skill = view.Skill
	}
	if needs.Plans {
		s.Situation.Plans = plansNamed(event.LastMessage, view.Plans)
	}
	if needs.Memories {
		s.Situation.Memories = s.Before.Loops
	}
	m := &s.Situation.Message
	m.Lags = m.FromEvent && (!view.Spoken || !strings.HasSuffix(strings.TrimSpace(m.Text), strings.TrimSpace(view.Text)))
	if m.Text == "" {
		m.Text, m.Earlier = view.Text, !view.Spoken
	}
	m.Text = clipText(m.Text)
}

// plansNamed are those that the transcript names, and before them those of the last
// message, which it may not have yet.
func plansNamed(text string, known []activity.Plan) []activity.Plan {
	var all []activity.Plan
	for _, name := range transcript.PlansIn(text) {
		all = append(all, activity.Plan{Name: name})
	}
	for _, p := range known {
		i := slices.IndexFunc(all, func(other activity.Plan) bool { return other.Name == p.Name })
		if i < 0 {
			all = append(all, p)
		} else {
			all[i].Written = p.Written
		}
	}
	return all
}

// clipText is what the rules see of a message: its end, without secrets, so that none is in what they quote.
func clipText(text string) string { return secret.Mask(quotation.Tail(text, maxText)) }

// stopToCount is what the budget counts this stop by.
func (s *Snapshot) stopToCount() guard.Count {
	h := fnv.New64a()
	io.WriteString(h, s.Situation.Message.Text)
	for _, t := range s.View.Todos {
		io.WriteString(h, "\x00"+t.Status+"\x00"+t.Content)
	}
	calls, ours := s.View.CallsInTurn, s.View.Feedback
	io.WriteString(h, "\x00"+strconv.Itoa(calls))
	inPrompt := ours.InTurn
	if s.opens() || s.Event.Host.Prompts && s.View.Opening.ID != "" { // the prompt is the user's own
		inPrompt = ours.InOwn
	}
	return guard.Count{
		Prompt: s.met.Prompt, Own: s.met.Own, Seen: strconv.FormatUint(h.Sum64(), 36), Tools: calls, Now: s.Now,
		Witness: guard.Witness{Times: ours.Ours, All: ours.All, InPrompt: inPrompt, InOwn: ours.InOwn},
	}
}

// Settled is a verdict after the budget, or a loop's own rounds, had their say.
type Settled struct {
	strategy.Verdict
	Left *ledger.Left     // of the budget, where it was spent from
	Next ledger.State     // what the session's next stop has to know
	Away ledger.AwayEvent // what an away order has brought, unless it did nothing
}

// Settle spends what the verdict costs, and makes a stop of a continue that is one too
// many. Nothing changes in the workspace then: another prompt goes on from there.
func (s *Snapshot) Settle() Settled {
	s.met = s.meetPrompt(s.Before) // the ledger may have gone on
	ordered := s.askAway()
	out := Settled{Verdict: ordered.Verdict, Next: s.met, Away: ordered.Event}
	var veto guard.Veto
	loop, goesOn := out.Remember.Key != "", out.Decision == strategy.Continue
	switch {
	case loop && goesOn:
		rounds, _ := s.Settings.MaxIterations()
		out.Next, veto = guard.TakeRound(s.met, s.stopToCount(), rounds, out.Remember.Typed)
	case goesOn:
		limits := s.Settings.Limits
		if out.Once {
			limits.Same = 1
		}
		if ordered.Counts {
			limits.Burst, limits.PerPrompt = ledger.MostContinues, ledger.MostContinues
		}
		var left ledger.Left
		if out.Next, left, veto = guard.SpendContinue(s.met, limits, s.stopToCount()); veto.Rule == "" {
			out.Left = &left
		}
	}
	switch {
	case veto.Rule != "":
		out.Away.Did = ""
		out.Verdict = strategy.Verdict{Decision: strategy.Stop, Rule: veto.Rule, Sure: 100, Evidence: veto.Evidence, Told: s.sayLimit(veto)}
	case loop:
		out.Next.Remember(out.Remember)
	}
	if loop := s.Settings.Strategy.Loop; out.Decision == strategy.Continue && (loop == nil || !loop.Spec) { // a spec's words and messages are its original's
		s.sayContinue(&out, ordered.Counts)
	}
	if ordered.Counts {
		out.Left = nil // of the order's own limit, which its words say
	}
	if strings.Contains(out.Told, cliName+" loop") {
		out.Told = strings.ReplaceAll(out.Told, cliName+" loop", s.selfCalled()+" loop")
	}
	s.noteLeave(&out)
	out.Next.Log = s.Log
	return out
}

const cliName = "springfield"

// selfCalled is how a person calls the hook.
func (s *Snapshot) selfCalled() string {
	if s.Self == nil {
		return cliName
	}
	return s.Self()
}

// sayContinue puts what the user wants to know of a continue before what the agent is told. Hosts show them
// these words, and a message of our own would be the same news again: it comes at a prompt's first continue
// alone, and says how to stop.
func (s *Snapshot) sayContinue(out *Settled, byOrder bool) {
	count, told := "", s.Settings.Plugin+" kept "+s.Event.Host.Agent+" going"
	first := out.Left != nil && out.Next.InPrompt == 1 || out.Left == nil && out.Remember.Continues == 1
	switch {
	case byOrder:
		count = ", away " + strconv.Itoa(s.Away.CountContinues()+1) + " of " + strconv.Itoa(s.Away.Order.Most)
	case out.Left != nil:
		count = ", " + s.spentInWords(*out.Left)
	}
	if out.Rule == away.Rule || out.Page != "" { // the words of an order or a judge are for the user
		told += ": " + out.Evidence
	} else {
		count += ": " + quotation.Beginning(quotation.OneLine(out.Evidence), 160)
	}
	if s.Settings.Protocol != "exit2" { // which says what the original says
		out.Reason = "[" + s.Settings.Plugin + count + "] " + out.Reason
	}
	switch {
	case first:
		out.Told = cmp.Or(out.Told, told) + " (" + s.Event.Host.WordToType(s.Settings.Plugin, "hold") + " to stop)"
	case !out.Pressing:
		out.Told = ""
	}
}

// sayLimit tells the user that a limit is reached, and what leads on.
func (s *Snapshot) sayLimit(v guard.Veto) string {
	log := ""
	if s.Event.Host.Default {
		log = s.Event.TranscriptPath
	}
	ways := slices.DeleteFunc([]string{v.Next, s.Settings.raiseLimit(v.Limit, ledger.StateDir(log, s.Home), s.Home, s.selfCalled())}, func(way string) bool { return way == "" })
	return s.Settings.Plugin + " " + v.Evidence + strings.TrimSuffix("; "+strings.Join(ways, ", or "), "; ")
}

// askAway asks the away order in force. A guard's word stands, and a loop has its own maximum:
// only its stops are the order's to answer.
func (s *Snapshot) askAway() away.Answer {
	if s.Away == nil || s.Veto.Rule != "" || s.Settings.Strategy.EventName() != "Stop" || s.Verdict.Decision == strategy.Continue && s.Verdict.Remember.Key != "" {
		return away.Answer{Verdict: s.Verdict}
	}
	count, dir := s.stopToCount(), s.Event.Cwd
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // an order names its project so
	}
	return away.AnswerStop(s.Away, away.Stop{
		Situation: &s.Situation, Verdict: s.Verdict, Stops: s.Verdict.Decision != strategy.Continue,
		Session: shortenText(s.Event.SessionID, 200), Key: count.Seen, Plugin: s.Settings.Plugin, Now: s.Now.UnixMilli(),
		Typed: s.View.OwnAt, Turns: s.View.Turns, Work: s.View.Work, Dir: dir,
	})
}

// spentInWords says how much of the limit that ends first is spent.
func (s *Snapshot) spentInWords(left ledger.Left) string {
	l := s.Settings.Limits
	of := func(left, limit int) string { return strconv.Itoa(limit-left) + " of " + strconv.Itoa(limit) }
	switch {
	case left.Hour < min(left.Burst, left.Prompt):
		return of(left.Hour, l.PerHour) + " in an hour"
	case left.Prompt < left.Burst:
		return of(left.Prompt, l.PerPrompt) + " for this prompt"
	}
	return of(left.Burst, l.Burst) + " in 5 min"
}
