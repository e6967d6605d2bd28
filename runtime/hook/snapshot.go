// Studying a stop: everything that is known about it, what the guards say, and
// what the strategy would do. It writes nothing, so explaining a decision and
// taking it are the same code.

package hook

import (
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/guard"
	"github.com/cameronsjo/springfield/runtime/ledger"
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

// Snapshot is a stop as it was found.
type Snapshot struct {
	Event     Event
	View      transcript.View
	Log       transcript.Log // how far the transcript has been read
	Situation strategy.Situation
	// Veto is what a guard said; if it has a rule, the strategy was not asked.
	Veto    guard.Veto
	Verdict strategy.Verdict
	// Faults are what could not be read.
	Faults []string
	known  bool // the transcript was read
}

// Examine looks at a stop. prior is how far the session's transcript has been
// read before. With alone set no guard is asked, only the strategy.
// space is the workspace whose files the strategy reads, nil for none.
func Examine(event Event, settings Settings, prior ledger.State, space *workspace.Space, now time.Time, alone bool) Snapshot {
	return ExamineBy(fromFile(event.TranscriptPath), event, settings, prior, space, now, alone)
}

// Reading reads a session's transcript: what is new in it since a Log, and its last
// lines. Whoever goes through many stops of one reads it once.
type Reading interface {
	Read(since transcript.Log) (transcript.Log, transcript.View, error)
	Window(lines int, word string) (fact.Window, error)
}

// fromFile reads the file at its path.
type fromFile string

func (f fromFile) Read(since transcript.Log) (transcript.Log, transcript.View, error) {
	return transcript.Read(string(f), since)
}

func (f fromFile) Window(lines int, word string) (fact.Window, error) {
	return transcript.About(string(f), lines, word)
}

// ExamineBy is Examine by somebody's own reading of the transcript, which the event
// has to name all the same.
func ExamineBy(reading Reading, event Event, settings Settings, prior ledger.State, space *workspace.Space, now time.Time, alone bool) Snapshot {
	s := Snapshot{Event: event, Log: prior.Log}
	moment := event.moment()
	if !alone {
		if s.Veto = guard.Before(moment); s.Veto.Rule != "" {
			return s.vetoed(settings)
		}
	}
	s.read(reading, settings)
	if !alone {
		s.Veto = guard.Waiting(moment, s.View.Earlier)
		// Another loop is in nobody's way before a prompt: only at Stop does any
		// block win.
		if s.Veto.Rule == "" && settings.Strategy.Answers() == "Stop" && guard.RalphArmed(event.Cwd, event.SessionID) {
			s.Veto = guard.Veto{Rule: "ralph-loop", Evidence: "ralph-loop drives this session: its state file is armed"}
		}
		if s.Veto.Rule == "" && settings.Strategy.Answers() == "Stop" && settings.Strategy.MaxCeiling == 0 {
			s.Veto = guard.Answer(settings.Plugin, s.View.PromptText, s.View.CallsInTurn)
		}
		if s.Veto.Rule != "" {
			return s.vetoed(settings)
		}
	}
	s.Situation.Session.Now, s.Situation.Memories = now.UnixMilli(), prior.Loops
	s.files(settings, space)
	s.Verdict = settings.Strategy.Decide(settings.Config, s.Situation)
	for _, err := range s.Verdict.Faults {
		s.Faults = append(s.Faults, err.Error())
	}
	return s
}

// lag is by how much the transcript may be behind the event.
const lag = 100 * time.Millisecond

// lags tells that the transcript has not the message yet, or not the newest call's
// result.
func (s Snapshot) lags() bool {
	n := len(s.View.Calls)
	return s.Situation.Message.Lags || n > 0 && !s.View.Calls[n-1].Done
}

func (s Snapshot) vetoed(settings Settings) Snapshot {
	s.Verdict = strategy.Verdict{Decision: settings.Strategy.Silence(), Rule: s.Veto.Rule, Sure: 100, Evidence: s.Veto.Evidence}
	return s
}

// files reads what the strategy wants, which may depend on what it has read.
func (s *Snapshot) files(settings Settings, space *workspace.Space) {
	if settings.Strategy.Reads == nil || space == nil {
		return
	}
	files := map[string]strategy.File{}
	s.Situation.Workspace = strategy.Workspace{Dir: space.Dir, Files: files}
	if cwd, err := filepath.Abs(s.Event.Cwd); err == nil {
		s.Situation.Workspace.Away = cwd != space.Dir
	}
	for range maxAsks {
		news := false
		for _, want := range settings.Strategy.Reads(settings.Config, s.Situation) {
			if _, ok := files[want.Name]; !ok && len(files) < maxWants {
				files[want.Name] = space.Read(want)
				news = true
			}
		}
		if !news {
			return
		}
	}
}

// read takes in the transcript. What cannot be read is not there: the event's
// text may be enough.
func (s *Snapshot) read(reading Reading, settings Settings) {
	path := s.Event.TranscriptPath
	if path != "" {
		log, view, err := reading.Read(s.Log)
		if os.IsNotExist(err) {
			// Nothing is written yet at the first stop of a session.
		} else if err != nil {
			s.Faults = append(s.Faults, "read transcript: "+err.Error())
		} else {
			s.Log, s.View, s.known = log, view, true
		}
	}
	s.Situation = situation(s.Event, s.View)
	s.Situation.Turn.Known = s.known
	s.Situation.Session.Plugin, s.Situation.Turn.PromptID = settings.Plugin, s.prompt()
	if settings.Strategy.Lines == nil {
		return
	}
	if lines := settings.Strategy.Lines(settings.Config); lines > 0 && path != "" {
		w, err := reading.Window(lines, settings.Strategy.Word)
		if err != nil {
			return // said above
		}
		s.Situation.Window = w
		if s.Event.LastMessage == "" {
			s.Situation.Message.Text = clip(w.Text)
		}
	}
}

// situation puts the event before the transcript, which may lag.
func situation(event Event, view transcript.View) strategy.Situation {
	s := strategy.Situation{
		Message: strategy.Message{Text: event.LastMessage, Own: event.LastMessage != ""},
		Turn: strategy.Turn{
			Prompt: view.PromptText, Count: view.CallsInTurn, Calls: view.Calls, LastTool: view.LastTool, Asked: view.Asked,
			Running: len(view.Started), Active: bool(event.Active),
		},
		Session: strategy.Session{ID: event.SessionID, Cap: event.blockCap},
		Todos:   strategy.Todos{List: view.Todos, Turns: view.TodosTurns, Team: view.Team},
		Skill:   view.Skill,
		Plans:   plans(event.LastMessage, view.Plans),
	}
	m := &s.Message
	m.Lags = m.Own && (!view.Spoken || !strings.HasSuffix(strings.TrimSpace(m.Text), strings.TrimSpace(view.Text)))
	if m.Text == "" {
		m.Text, m.Earlier = view.Text, !view.Spoken
	}
	m.Text = clip(m.Text)
	return s
}

// plans are those that the transcript names, and before them those of the last
// message, which it may not have yet.
func plans(text string, known []fact.Plan) []fact.Plan {
	var all []fact.Plan
	for _, name := range transcript.PlansIn(text) {
		all = append(all, fact.Plan{Name: name})
	}
	for _, p := range known {
		i := slices.IndexFunc(all, func(other fact.Plan) bool { return other.Name == p.Name })
		if i < 0 {
			all = append(all, p)
		} else {
			all[i].Written = p.Written
		}
	}
	return all
}

func clip(text string) string {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[len(text)-maxText:], "")
	}
	return text
}

// prompt names the user's prompt that this stop belongs to. The event's own id
// is new when a finished background task wakes Claude, which is no prompt of
// the user's; so the transcript's counts where there is one.
func (s *Snapshot) prompt() string {
	switch {
	case s.View.PromptID != "":
		return "id:" + short(s.View.PromptID, 100)
	case s.View.Prompt != "":
		return "uuid:" + short(s.View.Prompt, 100)
	}
	return "id:" + short(s.Event.PromptID, 100) // no transcript yet: the same id as it will have
}

// knownPrompt is the same, "" if nobody knows which prompt it is.
func (s *Snapshot) knownPrompt() string {
	if p := s.prompt(); p != "id:" {
		return p
	}
	return ""
}

// progress is what this stop is compared by with the one before it.
func (s *Snapshot) progress() guard.Progress {
	h := fnv.New64a()
	io.WriteString(h, s.Situation.Message.Text)
	for _, t := range s.Situation.Todos.List {
		io.WriteString(h, "\x00"+t.Status+"\x00"+t.Content)
	}
	io.WriteString(h, "\x00"+strconv.Itoa(s.View.CallsInTurn))
	return guard.Progress{Seen: strconv.FormatUint(h.Sum64(), 36), Tools: s.View.CallsInTurn}
}

// witness is what the transcript knows of our own continues.
func (s *Snapshot) witness() guard.Witness {
	return guard.Witness{Times: s.View.Feedback.Ours, InPrompt: s.View.Feedback.InTurn}
}

// Settle is what the host makes of a snapshot, without writing it down: the budget, or
// a loop's own rounds, have their say. It returns what happens and what the
// session's next stop has to know.
func (s *Snapshot) Settle(before ledger.State, settings Settings, now time.Time) (strategy.Verdict, ledger.State) {
	a := Host{Now: now}.settle(before, settings, s)
	return a.Verdict, a.next
}
