// Package wiggum implements ralph-wiggum: the goal loop. A file in the project contains the goal, the maximum
// of iterations, and the promises, one of which the agent states to end the loop. The file can come from a
// cloned repository, so the user's own ceiling limits the maximum.
package wiggum

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

const Name = "ralph-wiggum"

const (
	goalStalls  = 3        // continues in a row with the same text and no tool call
	goalBody    = 2000     // characters of the goal in the reason
	goalPromise = 1000     // characters of the promises there
	maxDir      = 1000     // bytes of a directory's path in the history
	goalFile    = 16 << 10 // bytes of a loop's file there
)

var Strategy = strategy.Strategy{
	Name: Name, Event: "Stop", Prefix: "[CONTINUATION LOOP] ", Owns: true, Marks: []string{File},
	Loop:    &strategy.Loop{Files: func(strategy.Situation) []strategy.WantedFile { return []strategy.WantedFile{{Name: File}} }, Armed: armedState},
	Special: [][2]string{{"ceiling", "has none"}},
	New:     func() strategy.Options { return &Options{strategy.Ceiling(25)} },
}

type Options struct{ Ceiling strategy.Number }

// MaxIterations returns the ceiling for the maximum in a loop's file.
func (o *Options) MaxIterations() int { return o.Ceiling.Value }

func (o *Options) Members(m *codec.Coder) { o.Ceiling.Member(m) }

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	o.Ceiling.PutOver(below.(*Options).Ceiling, l)
}

func (o *Options) Needs() strategy.Needs {
	return strategy.Needs{Memories: true, Calls: true, Files: func(strategy.Situation) []strategy.WantedFile {
		return []strategy.WantedFile{{Name: File, Whole: func(data []byte) bool { _, err := ReadLoop(data); return err == nil }}}
	}}
}

// armedState returns the state of this session's loop. A loop ending at this stop is still armed.
func armedState(s strategy.Situation) strategy.Armed {
	file := s.Workspace.Files[File]
	m, _ := s.Memory(strategy.MemoryKey(s.Workspace.Dir + "/" + File))
	id, count, running := parseMemory(m)
	switch {
	case !running && s.IsFromThisStop(m):
		return strategy.Armed{Evidence: "its loop ends at this stop", Running: true}
	case !file.Found && running:
		return strategy.Armed{Evidence: "its file has just been removed", Running: true}
	case !file.Readable():
		return strategy.Armed{}
	}
	goal, err := ReadLoop(file.Data)
	switch {
	case err != nil, goal.Session != "" && s.Session.ID != "" && goal.Session != s.Session.ID:
		return strategy.Armed{}
	case !goal.Active && (!running || goal.ID != id || goal.Count != count):
		return strategy.Armed{} // not paused since the last iteration
	}
	return strategy.Armed{Evidence: "its loop is in " + File, Running: running && goal.ID == id}
}

// Reminder begins each reason, verbatim from the original.
const Reminder = `[SYSTEM REMINDER - CONTINUATION LOOP ACTIVE]
This is an automated continuation loop. Review your progress:
- Check what has been completed
- Continue working towards the goal
- If complete, explicitly state the completion promise
- If blocked, explain the issue`

func (o *Options) Decide(s strategy.Situation) strategy.Verdict {
	l := goalLoop{s: s, file: s.Workspace.Files[File]}
	l.memory, _ = s.Memory(strategy.MemoryKey(s.Workspace.Dir + "/" + File))
	switch {
	case !l.file.Found:
		return l.noLoopOrGone()
	case l.file.Problem != "":
		return l.stopTellOnce("unreadable", File+": "+l.file.Problem)
	}
	var err error
	if l.Goal, err = ReadLoop(l.file.Data); err != nil {
		return l.stopTellOnce("frontmatter", File+": "+err.Error())
	}
	id, _, running := parseMemory(l.memory)
	if l.Session != "" && s.Session.ID != "" && l.Session != s.Session.ID {
		v := strategy.StopBy("other-session", "the loop belongs to another session")
		if running { // it was this session's until now
			v.Told = l.pluginName() + ": the loop is over here: its file is another session's now"
			v.Remember = l.rememberEnd(overMark + id)
		}
		return v
	}
	began := l.Started
	if running && id == l.ID {
		began = min(began, l.memory.At) // the file may be forged
	}
	if v, ok := l.asPausable().AtLastWord(s, began); ok && l.Active {
		return v
	}
	l.mergePast(o.MaxIterations())
	return l.decideIteration()
}

type goalLoop struct {
	Goal
	s      strategy.Situation
	file   strategy.File
	max    int // of the file, capped by the number that the user typed, or by the ceiling
	memory activity.Memory
	past   activity.LoopPast
	fresh  bool   // its first stop
	demand string // to run the check before the promise counts
	id     string
}

// mergePast completes the loop's ID, start, count and maximum from memory and history. Higher counts there win. ceiling
// limits the maximum unless the user typed one. A memory not from the last iteration is cleared.
func (l *goalLoop) mergePast(ceiling int) {
	if !activity.IsShortLowerID(l.ID) {
		l.ID = ""
	}
	l.id = l.ID
	if l.fresh = l.ID == "" || l.Started == 0; l.id == "" {
		l.id = NewLoopID(l.s.Workspace.Dir, l.s.Session.ID, l.s.Session.Now)
	}
	if id, count, known := parseMemory(l.memory); known && id == l.ID {
		l.past = activity.LoopPast{Continues: l.memory.Continues, Count: count, Typed: l.memory.Typed}
	}
	if l.s.Past != nil && l.ID != "" {
		past := l.s.Past(l.ID, quotation.ClipBytes(l.s.Workspace.Dir, maxDir))
		past.Continues, past.Count = max(past.Continues, l.past.Continues), max(past.Count, l.past.Count)
		l.past = past
	}
	l.Count, l.max = max(l.Count, l.past.Count), min(l.Max, cmp.Or(l.past.Typed, ceiling))
	if l.memory.Mark != l.markOfLoop(l.Count) {
		l.memory = activity.Memory{Key: l.memory.Key}
	}
	l.Started = cmp.Or(l.Started, l.s.Session.Now)
}

func (l *goalLoop) markOfLoop(count int) string { return l.id + " " + strconv.Itoa(count) }

const overMark = "over "

// parseMemory returns the ID and count of this session's loop at its last stop, if any.
func parseMemory(m activity.Memory) (id string, count int, running bool) {
	id, number, _ := strings.Cut(m.Mark, " ")
	count, err := strconv.Atoi(number)
	return id, count, err == nil && activity.IsShortLowerID(id) && m.Mark != overMark+number
}

func (l *goalLoop) asPausable() rules.Pausing {
	hold := cmp.Or(l.s.Session.Hold, "springfield hold")
	return rules.Pausing{Key: l.memory.Key, Title: l.pluginName(), End: strings.TrimSuffix(hold, "hold") + "loop stop"}
}

func (l *goalLoop) noLoopOrGone() strategy.Verdict {
	v := strategy.StopBy("no-loop", "there is no "+File)
	if id, count, ok := parseMemory(l.memory); ok {
		l.id, l.max = id, l.memory.Max
		v.Told = l.pluginName() + ": the loop is over: its file is gone"
		v.Events = []activity.LoopEvent{l.newEvent(activity.LoopCancelled, count)}
		v.Remember = l.rememberEnd(overMark + id)
	}
	return v
}

// stopTellOnce returns a stop that tells the user, once per evidence, that the file is not a loop. evidence names the
// file and the fault.
func (l *goalLoop) stopTellOnce(rule, evidence string) strategy.Verdict {
	v := strategy.StopBy(rule, evidence)
	if hash := quotation.HashText(evidence); !slices.Contains(l.memory.Told, hash) {
		v.Told = l.pluginName() + ": not a loop: " + evidence
		v.Remember = l.memory
		v.Remember.Told = append(slices.Clone(l.memory.Told), hash)
	}
	return v
}

func (l *goalLoop) pluginName() string { return cmp.Or(l.s.Session.Plugin, Name) }

func (l *goalLoop) decideIteration() strategy.Verdict {
	if !l.Active {
		v := strategy.StopBy("inactive", "active is false in "+File)
		if l.memory.Mark != "" { // it was running until now
			v.Remember = l.rememberEnd("")
			if l.Stopped == 0 { // otherwise the user knows
				v.Told = l.pluginName() + ": the loop is paused: " + v.Evidence
				v.Events = []activity.LoopEvent{l.newEvent(activity.LoopCancelled, l.Count)}
			}
		}
		return v
	}
	count := l.Count + 1
	text := strings.ToLower(l.textIfNew())
	for _, promise := range l.Promises {
		if strings.Contains(text, strings.ToLower(promise)) {
			if v, ends := l.endOrDemand(count, promise); ends {
				return v
			}
			break
		}
	}
	stalls, samePrompt := 0, l.memory.Prompt == l.s.Turn.PromptID
	if l.memory.Mark != "" && l.s.Turn.Known && samePrompt && l.memory.Calls == l.s.Turn.Count && l.memory.Form == l.hashNoDigits() {
		stalls = l.memory.Stalls
	}
	between := l.s.Session.Now - l.memory.At
	switch {
	case count >= l.max:
		v := l.endLoop(activity.LoopLimited, count, l.turnsDoneInWords(count), "Max iterations ("+strconv.Itoa(l.max)+") reached. Loop stopped.")
		v.Told += ". The history keeps the goal. To go on with it, run in a terminal in this project: springfield loop history rerun " + l.id +
			" --max " + strconv.Itoa(min(max(2, 2*l.max), activity.MostIterations))
		return v
	case l.Timeout > 0 && l.s.Session.Now-l.Started >= l.Timeout:
		return l.endLoop(activity.LoopTimedOut, count, "it began "+timestamp.LengthInWords(l.s.Session.Now-l.Started)+
			" ago, and timeout is "+timestamp.LengthInWords(l.Timeout), "Timeout reached. Loop stopped.")
	case l.IterationTimeout > 0 && l.memory.At > 0 && samePrompt && between >= l.IterationTimeout:
		return l.endLoop(activity.LoopTimedOut, count, "the iteration took "+timestamp.LengthInWords(between)+
			", and iteration_timeout is "+timestamp.LengthInWords(l.IterationTimeout),
			"Iteration timeout reached. Loop stopped.")
	case stalls >= goalStalls:
		return l.pauseLoop(count, strconv.Itoa(stalls)+" continues in a row produced the same words and no tool call")
	}
	if v, ok := l.asPausable().AtNeed(l.s); ok {
		return v
	}
	return l.continueLoop(count, stalls)
}

// endOrDemand ends the loop if there is no check, or if it has passed since the last file change. After a denied check,
// the agent may stop. Otherwise mayStop is false and the next reason demands the check.
func (l *goalLoop) endOrDemand(count int, saidPromise string) (v strategy.Verdict, mayStop bool) {
	evidence := l.s.Session.AgentName() + " said " + quotation.QuoteEvidence(saidPromise)
	check, dir := activity.Check{Command: l.Check, Project: l.s.Workspace.Dir}, l.s.Workspace.Dir
	if l.s.Workspace.CwdDiffers {
		dir = ""
	}
	call, ran := check.LastShell(l.s.Turn.Calls, dir)
	switch {
	case l.Check == "":
	case ran && !call.Error:
		evidence += ", and the check has passed: " + l.Check
	case check.LastIsDenied(l.s.Turn.Calls, dir):
		v = strategy.StopBy("check-denied", evidence+", but the check was denied, so it did not run: "+l.Check+"; "+activity.AllowHintFor(l.Check))
		v.Told = l.pluginName() + ": " + v.Evidence
		return v, true
	default:
		l.demand = "\n\nYour promise counts once the check of this loop has passed. " + check.Demand(ran, dir) + "\n\nThen state the promise again."
		return v, false
	}
	return l.endLoop(activity.LoopPromised, count, evidence, "Completion promise detected. Loop stopped successfully."), true
}

// hashNoDigits returns the message's hash, ignoring numbers' values except under the original's protocol.
func (l *goalLoop) hashNoDigits() string {
	if l.s.Session.Protocol == "exit2" {
		return quotation.HashText(l.s.Message.Text)
	}
	between := strings.FieldsFunc("^"+l.s.Message.Text+"$", unicode.IsDigit)
	return quotation.HashText(strings.Join(between, "0"))
}

// textIfNew returns the message's text, or "" if older than the last continue.
func (l *goalLoop) textIfNew() (lastMessage string) {
	if !l.s.Message.FromEvent && (l.s.Message.Earlier || l.memory.Text == quotation.HashText(l.s.Message.Text)) {
		return ""
	}
	return l.s.Message.Text
}

// continueLoop returns a continue that writes the count to the file. count includes the ending turn. stalls excludes
// this continue.
func (l *goalLoop) continueLoop(count, stalls int) strategy.Verdict {
	fields := [][2]string{{"iteration_count", strconv.Itoa(count)}}
	if l.Session == "" && l.s.Session.ID != "" {
		fields = append(fields, [2]string{"session_id", QuoteValue(l.s.Session.ID)})
	}
	if l.Stopped != 0 { // it is active again
		fields = append(fields, [2]string{"stopped_at", ""})
	}
	if l.fresh {
		if l.ID == "" {
			fields = append(fields, [2]string{"loop_id", l.id})
		}
		fields = append(fields, [2]string{"started_at", timestamp.FormatTime(l.Started)})
	}
	data, err := SetFields(l.file.Data, fields...)
	if err != nil {
		return strategy.StopBy("frontmatter", err.Error())
	}
	reason := Reminder + "\n\n" + TurnsInWords(count, l.max) + "."
	if len(l.Promises) > 0 {
		reason += " Completion promise: " + quotation.ClipRunes(strings.Join(l.Promises, " | "), goalPromise)
	}
	if l.Body != "" {
		reason += "\n\n" + quotation.ClipRunes(l.Body, goalBody)
	}
	reason += l.demand
	if l.s.Session.Protocol == "exit2" {
		reason = "\n\n" + reason // as the original wrote it
	}
	v := strategy.Verdict{
		Decision: strategy.Continue, Rule: "loop", Sure: 100,
		Evidence: l.turnsDoneInWords(count),
		Reason:   reason,
		Told:     l.pluginName() + ": " + l.turnsDoneInWords(count) + l.untilPromise(),
		Changes:  []strategy.Change{{Name: File, Data: data, Was: l.file.Data}},
		Remember: activity.Memory{
			Key: l.memory.Key, Mark: l.markOfLoop(count), Max: l.max, Text: quotation.HashText(l.s.Message.Text), Form: l.hashNoDigits(), Calls: l.s.Turn.Count, Prompt: l.s.Turn.PromptID,
			Stalls: stalls + 1, Continues: l.past.Continues + 1, Typed: l.past.Typed, At: l.s.Session.Now,
		},
	}
	if l.memory.Mark == "" && l.max < l.Max {
		v.Told += "; for more, type in a terminal in this project: springfield loop set max " + strconv.Itoa(min(l.Max, activity.MostIterations))
	}
	kind := activity.LoopGoesOn
	if count == l.max-1 {
		kind = activity.LoopLastRound
	}
	v.Events = l.withStartIfNew(l.newEvent(kind, count))
	return v
}

// untilPromise returns how the loop ends, as a clause beginning with a comma or semicolon.
func (l *goalLoop) untilPromise() string {
	if len(l.Promises) == 0 {
		return "; it names no promise, so it ends with the last turn"
	}
	says := ", until " + l.s.Session.AgentName() + " says " + quotation.QuoteEvidence(l.Promises[0])
	if len(l.Promises) > 1 {
		says += " or another of its promises"
	}
	return says
}

// turnsDoneInWords returns "3 of 25 turns done", and why the maximum is below the file's.
func (l *goalLoop) turnsDoneInWords(count int) string {
	says := TurnsInWords(count, l.max)
	if l.max < l.Max {
		says += " (the file asks for " + strconv.Itoa(l.Max) + "; " + CapOriginInWords(l.past.Typed, l.max) + ")"
	}
	return says
}

// TurnsInWords formats a loop's count: "3 of 25 turns done".
func TurnsInWords(done, most int) string {
	return strconv.Itoa(done) + " of " + strconv.Itoa(most) + " turns done"
}

// CapOriginInWords describes a maximum's cap: the number that the user typed, or the ceiling if typed is 0.
func CapOriginInWords(typed, ceiling int) string {
	if typed > 0 {
		return "you typed " + strconv.Itoa(typed)
	}
	return "your ceiling is " + strconv.Itoa(ceiling)
}

// endLoop returns a stop that removes the loop's file. event is the rule and the history entry. evidence is a clause
// for the user, note a line for standard error.
func (l *goalLoop) endLoop(event string, count int, evidence, note string) strategy.Verdict {
	return strategy.Verdict{
		Decision: strategy.Stop, Rule: event, Sure: 100, Evidence: evidence,
		Told:     l.pluginName() + ": the loop is over: " + evidence,
		Notes:    []string{note},
		Changes:  []strategy.Change{{Name: File, Was: l.file.Data}},
		Remember: l.rememberEnd(overMark + l.id),
		Events:   l.withStartIfNew(l.newEvent(event, count)),
	}
}

// pauseLoop returns a stop that sets active to false in the file.
func (l *goalLoop) pauseLoop(count int, evidence string) strategy.Verdict {
	data, err := SetFields(l.file.Data, [2]string{"active", "false"})
	if err != nil {
		return strategy.StopBy("frontmatter", err.Error())
	}
	return strategy.Verdict{
		Decision: strategy.Stop, Rule: activity.LoopStalled, Sure: 100, Evidence: evidence,
		Told:     l.pluginName() + ": the loop is paused: " + evidence + ". Its file stays, with active: false. To go on, run in a terminal in this project: springfield loop set active true",
		Notes:    []string{"No progress. Loop stopped."},
		Changes:  []strategy.Change{{Name: File, Data: data, Was: l.file.Data}},
		Remember: l.rememberEnd(""),
		Events:   l.withStartIfNew(l.newEvent(activity.LoopStalled, count)),
	}
}

// rememberEnd returns the memory for a loop no longer running in this session. mark is overMark plus the loop's ID, or
// "" if paused.
func (l *goalLoop) rememberEnd(mark string) activity.Memory {
	return activity.Memory{Key: l.memory.Key, Mark: mark, Text: quotation.HashText(l.s.Message.Text), At: l.s.Session.Now}
}

func (l *goalLoop) withStartIfNew(e activity.LoopEvent) []activity.LoopEvent {
	if !l.fresh {
		return []activity.LoopEvent{e}
	}
	start := l.newEvent(activity.LoopStarted, l.Count)
	start.Text, start.File = "", ShortenFile(l.file.Data)
	return []activity.LoopEvent{start, e}
}

func (l *goalLoop) newEvent(event string, count int) activity.LoopEvent {
	words := "" // the last sentence
	if all := rules.Sentences(l.textIfNew()); len(all) > 0 {
		words = quotation.ClipToTail(strings.TrimSpace(all[len(all)-1]), 300)
	}
	return activity.LoopEvent{
		Loop: l.id, At: l.s.Session.Now, Event: event, Count: count, Max: l.max,
		Session: quotation.ClipBytes(l.s.Session.ID, 200), Dir: quotation.ClipBytes(l.s.Workspace.Dir, maxDir), Text: words,
	}
}

// ShortenFile returns a loop file's content for a history: at most 16 KiB, followed by … if cut.
func ShortenFile(data []byte) string { return quotation.ClipBytes(string(data), goalFile) }
