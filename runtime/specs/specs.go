// Package specs is what ralph-specum and ralph-speckit share. Both drive a spec's tasks.md through
// a state file that the coordinator, a prompt in the session, keeps; the hook
// only reads it.
//
// The order: switched off in the plugin's own settings file, no spec, no state
// file, the completion signal, a broken state file, the limit of iterations, the
// phase, all tasks done, waiting for approval, another loop, no
// movement; else continue. So the signal beats a broken file, and errors beat
// the guard. Whatever is in doubt, Claude may stop.
package specs

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const (
	// maxStalls is how many continues in a row may bring nothing forward: the
	// second is one too many.
	maxStalls = 2
	// maxErrors is how many different errors of one state file the model is told
	// of in a session. The ledger remembers no more.
	maxErrors = 8
	// orphanAge is how old the file of a task must be to be left over, in
	// milliseconds; maxOrphans how many are deleted at a stop.
	orphanAge  = 60 * 60 * 1000
	maxOrphans = 40
	// maxBlock bounds what of tasks.md comes into the reason, in bytes, maxGroup
	// how many tasks side by side.
	maxBlock = 2000
	maxGroup = 5
)

const (
	quickMode      = "quick-mode"      // go on in every phase that quickMode is set in
	uncheckedBoxes = "unchecked-boxes" // tasks.md has the last word on what is done
)

// Kind is what the two differ in.
type Kind struct {
	Name      string // of the strategy
	Title     string // how its words to the user begin
	Noun      string // what it calls a spec
	Local     string // its own settings file in the project
	Current   string // the file that names the active spec, at its usual place
	StateFile string // the name of the state file
	// Find names the directories where the active spec may be, the likeliest
	// first, and what has to be read to know.
	Find func(s strategy.Situation, local []string) ([]Place, []strategy.Want)
	// Blocks makes the limit an error for the model. Else it ends the loop, with a
	// line on standard error alone.
	Blocks bool
	// Groups hands tasks marked [P] over together.
	Groups bool
	// Script runs on completion.
	Script []string
}

// Place is a spec's directory.
type Place struct {
	Dir   string // relative to the workspace, clean
	Shown string // as the original shows it
	Name  string // what texts call the spec
}

func StrategyOf(k *Kind) strategy.Strategy {
	return strategy.Strategy{
		Name: k.Name, Prefix: "[" + k.Name + "] ", Placed: true, Blocks: true, Marks: []string{k.Current, k.Local},
		Loop:    &strategy.Loop{Spec: true, Files: k.filesToLookAt, Armed: k.armedState},
		Special: [][2]string{{"ceiling", "has none"}, {"checks", "has none"}},
		New:     func() strategy.Options { return &Options{kind: k, Ceiling: strategy.Ceiling(100)} },
	}
}

// Options are the most iterations that a state file can ask for, and more to look at
// before Claude may stop, which a project cannot choose.
type Options struct {
	kind    *Kind
	Ceiling strategy.Number
	Checks  []string
}

func (o *Options) MaxIterations() int { return o.Ceiling.Value }

func (o *Options) Members(m *codec.Members) {
	o.Ceiling.Member(m)
	m.Texts("checks", &o.Checks)
}

// maxChecks is how many names a file can have.
const maxChecks = 400

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	under := below.(*Options)
	o.Ceiling.OverlayNumber(under.Ceiling, l)
	if len(o.Checks) > maxChecks {
		l.NoteFault("checks: more than " + strconv.Itoa(maxChecks) + " names")
		o.Checks = o.Checks[:maxChecks]
	}
	if o.Checks == nil || l.By == strategy.Project {
		o.Checks = under.Checks
		return
	}
	o.Checks = slices.DeleteFunc(o.Checks, func(name string) bool {
		known := name == quickMode || name == uncheckedBoxes
		if !known {
			l.NoteFault("checks: " + l.Strategy + " has none called " + strconv.Quote(name))
		}
		return !known
	})
}

// Needs are the files of the spec, what is remembered of its loop, and the word that
// ends it.
func (o *Options) Needs() strategy.Needs {
	return strategy.Needs{Memories: true, Files: o.kind.filesToRead, Lines: 500, Word: allDone}
}

// filesToRead names the settings file, then what leads to the spec, then its files.
func (k Kind) filesToRead(s strategy.Situation) []strategy.Want {
	wants := k.filesThatLead(s)
	p, ok := k.activePlace(s, k.possiblePlaces(s))
	if !ok {
		return wants
	}
	wants = append(wants, strategy.Want{Name: p.Dir + "/tasks.md"}, strategy.Want{Name: p.Dir + "/"})
	for _, name := range orphanFiles(s.Workspace.Files[p.Dir+"/"]) {
		wants = append(wants, strategy.Want{Name: p.Dir + "/" + name})
	}
	return wants
}

// filesThatLead names the settings file, then what leads to the spec, then the state file.
func (k Kind) filesThatLead(s strategy.Situation) []strategy.Want {
	wants := []strategy.Want{{Name: k.Local}}
	local, asked := s.Workspace.Files[k.Local]
	if !asked || isSwitchedOff(local) {
		return wants
	}
	places, more := k.Find(s, frontLines(local.Data))
	wants = append(wants, more...)
	for _, p := range places {
		wants = append(wants, strategy.Want{Name: p.Dir + "/" + k.StateFile, Whole: isWholeState})
	}
	return wants
}

// possiblePlaces are where the active spec may be, none if the settings file switches the hook
// off.
func (k Kind) possiblePlaces(s strategy.Situation) []Place {
	local := s.Workspace.Files[k.Local]
	if isSwitchedOff(local) {
		return nil
	}
	places, _ := k.Find(s, frontLines(local.Data))
	return places
}

func (k Kind) activePlace(s strategy.Situation, places []Place) (Place, bool) {
	for _, p := range places {
		if s.Workspace.Files[p.Dir+"/"+k.StateFile].Found {
			return p, true
		}
	}
	return Place{}, false
}

// frontLines is what stands between lines of three dashes, as the originals read it:
// wherever in the file.
func frontLines(data []byte) []string {
	var lines []string
	in := false
	for line := range strings.SplitSeq(string(data), "\n") {
		switch line = strings.TrimSuffix(line, "\r"); {
		case line == "---":
			in = !in
		case in:
			lines = append(lines, line)
		}
	}
	return lines
}

// isSwitchedOff tells whether the settings file switches the hook off: only "false" does.
// One that cannot be read does, too: it may say so.
func isSwitchedOff(local strategy.File) bool {
	if local.Found && local.Problem != "" {
		return true
	}
	for _, line := range frontLines(local.Data) {
		if value, ok := strings.CutPrefix(line, "enabled:"); ok {
			value, _, _ = strings.Cut(value, ":")
			return strings.ToLower(RemoveChars(value, " \t\r\v\f\"'")) == "false"
		}
	}
	return false
}

// RemoveChars is a text without some characters.
func RemoveChars(s, cut string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

// NameIn is what a file names, all white space left out, "" if it cannot be a
// name.
func NameIn(f strategy.File) string {
	if !f.Readable() || len(f.Data) > 1000 {
		return ""
	}
	name := RemoveChars(strings.ToValidUTF8(string(f.Data), ""), " \t\r\n\v\f")
	return strings.TrimRight(strings.TrimPrefix(name, "\ufeff"), "/")
}

// PlaceAt is a directory, if it can be in the workspace.
func PlaceAt(shown string) (Place, bool) {
	dir := path.Clean(shown)
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.ContainsRune(dir, 0) {
		return Place{}, false
	}
	return Place{Dir: dir, Shown: quotation.ShownName(shown, maxShownPath), Name: quotation.PlainName(path.Base(dir))}, true
}

// maxShownPath bounds a path that texts hold, in bytes.
const maxShownPath = 400

// orphanFiles are the files that tasks which ran side by side may have left.
func orphanFiles(dir strategy.File) []string {
	var names []string
	for _, name := range dir.Names {
		if strings.HasPrefix(name, ".progress-task-") && strings.HasSuffix(name, ".md") && len(names) < maxOrphans {
			names = append(names, name)
		}
	}
	return names
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict {
	k := *o.kind
	local := s.Workspace.Files[k.Local]
	if isSwitchedOff(local) {
		v := stopBy("disabled", k.Local+" says enabled: false")
		if local.Problem != "" {
			v = stopBy("settings", k.Local+": "+local.Problem)
			v.Notes = []string{"I cannot read " + k.Local + " (" + local.Problem + "), so " + s.Session.AgentName() + " may stop"}
		}
		return v
	}
	places := k.possiblePlaces(s)
	if len(places) == 0 {
		return k.withLost(s, stopBy("no-"+k.Noun, "there is no active "+k.Noun), "")
	}
	p, ok := k.activePlace(s, places)
	if !ok {
		return k.withLost(s, stopBy("no-state", "there is no "+places[0].Shown+"/"+k.StateFile), k.memoryKey(s, places[0]))
	}
	if s.Workspace.CwdDiffers {
		p.Shown = quotation.ShownName(s.Workspace.Dir+"/"+p.Dir, maxShownPath)
	}
	r := round{Kind: k, s: s, place: p, file: s.Workspace.Files[p.Dir+"/"+k.StateFile], ceiling: o.MaxIterations()}
	r.memory, _ = s.Memory(k.memoryKey(s, p))
	v := r.pauseOr(r.decideRound(o.Checks))
	if v.Decision == strategy.Continue { // for other plugins, which may decide later
		v.Remember.Text, v.Remember.At, v.Remember.Paused = quotation.HashText(s.Message.Text), s.Session.Now, ""
	}
	if last, _ := s.NewestMemory(k.StateFile); last.Key != r.memory.Key {
		return k.withLost(s, v, "")
	}
	return v
}

// pauseOr lets the agent stop for its user where the verdict continues.
func (r round) pauseOr(v strategy.Verdict) strategy.Verdict {
	if v.Decision != strategy.Continue {
		return v
	}
	p := rules.Pausing{Key: r.memory.Key, Title: r.Title, End: r.commandToType("cancel")}
	paused, ok := p.AtWord(r.s, 0)
	if !ok {
		paused, ok = p.AtNeed(r.s)
	}
	if !ok {
		return v
	}
	paused.Notes = v.Notes
	return paused
}

// withLost adds to a verdict that the newest spec which this session was in is left, once. here names the
// loop of the spec that is active and has no state file. A spec that has said its last word is not lost.
func (k Kind) withLost(s strategy.Situation, v strategy.Verdict, here string) strategy.Verdict {
	last, _ := s.NewestMemory(k.StateFile)
	if last.Mark == "" {
		return v
	}
	why := k.Current + " does not name it any more"
	switch {
	case last.Key == here:
		why = "its state file is gone"
	case !strings.HasPrefix(last.Key, s.Workspace.Dir+"/"):
		why = "the session is in " + quotation.ShownName(s.Workspace.Dir, maxShownPath) + " now"
	}
	if whereSignalled(s) == "" {
		told := k.Title + ": the loop of " + quotation.PlainName(path.Base(path.Dir(last.Key))) + " is left: " + why
		v.Told = strings.TrimSuffix(told+". "+v.Told, ". ")
	}
	if last.Mark = ""; v.Remember.Key == "" {
		v.Remember = last
	}
	return v
}

// memoryKey names the loop of a spec.
func (k Kind) memoryKey(s strategy.Situation, p Place) string {
	return strategy.MemoryKey(s.Workspace.Dir + "/" + p.Dir + "/" + k.StateFile)
}

// round is one stop in the life of a spec.
type round struct {
	Kind
	s       strategy.Situation
	place   Place
	file    strategy.File
	ceiling int
	memory  activity.Memory
	state   specState
}

func (r round) decideRound(checks []string) strategy.Verdict {
	if where := whereSignalled(r.s); where != "" {
		v := stopBy("signal", allDone+" in "+where)
		v.Notes, v.Script = []string{allDone + " detected in " + where}, r.Script
		if v.Remember = r.memory; r.memory.Mark == "" {
			v.Remember.Key = ""
		}
		v.Remember.Mark, v.Remember.Text, v.Remember.At = "", quotation.HashText(r.s.Message.Text), r.s.Session.Now
		return v
	}
	if r.file.Problem != "" {
		file := r.place.Shown + "/" + r.StateFile
		v := stopBy("unreadable", file+": "+r.file.Problem)
		v.Told = r.Title + ": I cannot read " + file + " (" + r.file.Problem + "), so " + r.s.Session.AgentName() + " may stop"
		return r.tellOnce(v, quotation.HashText("unreadable "+r.file.Problem))
	}
	state, err := readState(r.file.Data)
	if err != nil {
		return r.stopCorrupt(err)
	}
	r.state = state
	if state.Global >= r.iterationLimit() {
		return r.stopAtLimit(state.Global)
	}
	if state.Phase != "execution" {
		if state.Quick && slices.Contains(checks, quickMode) && !isFinalPhase(state.Phase) {
			return r.continueGuarded("", r.goOnWithPhase)
		}
		return r.tidyProgress(stopBy("phase", "the phase is "+shortenText(state.Phase)))
	}
	var v strategy.Verdict
	switch open := countOpenBoxes(r.tasksFile()); {
	case state.Index < state.Total && state.Awaiting:
		v = stopBy("approval", "the state file says awaitingApproval")
		v.Notes = []string{"awaitingApproval=true: it is the user's turn"}
	case state.Index < state.Total:
		v = r.continueGuarded("", r.goOnWithTask)
	case state.Total > 0 && open > 0 && slices.Contains(checks, uncheckedBoxes):
		v = r.continueGuarded(strconv.Itoa(open), func() strategy.Verdict { return r.goOnWithBoxes(open) })
	default:
		v = r.tidyProgress(stopBy("done", "task "+r.state.currentTask()+": none is left"))
	}
	v.Notes = append([]string{"Session stopped during " + r.Noun + ": " + r.place.Name + " | Task: " + r.state.currentTask() + " | Attempt: " + strconv.Itoa(state.Attempt)}, v.Notes...)
	return v
}

// continueGuarded continues, unless another loop drives, or nothing moves, or we have
// done so often enough. more is what else can move.
func (r round) continueGuarded(more string, goOn func() strategy.Verdict) strategy.Verdict {
	m := r.memory
	st := r.state
	numbers := strconv.Itoa(st.Attempt) + " " + strconv.Itoa(st.Global)
	mark := shortenText(st.Phase) + " " + st.currentTask() + " " + numbers + " " + more
	// Another springfield plugin that kept Claude going stands aside from now on.
	active := r.s.Turn.Active && (m.Mark != "" || !r.s.Turn.Ours)
	if active && m.Mark == "" { // we have not blocked for this state file in this session
		v := stopBy("another", "stop_hook_active is set, and not by this plugin")
		v.Notes = []string{"stop_hook_active=true, and another hook kept " + r.s.Session.AgentName() + " going, so this one does not"}
		return v
	}
	if prompt := quotation.HashText(r.s.Turn.Own); m.Prompt != prompt && r.s.Turn.Own != "" {
		m.Prompt, m.Continues = prompt, 0
	}
	switch {
	case !active, m.Mark != mark: // a new turn, or it moves
		m.Stalls = 0
	case r.s.Turn.Known: // else it is not known, and the limit is what ends it
		m.Stalls++
	}
	if m.Stalls >= maxStalls {
		v := stopBy("stagnation", "task "+r.state.currentTask()+": two continues in a row moved neither the task nor an iteration")
		if m.Stalls == maxStalls {
			v.Told = r.Title + ": stopped at task " + r.state.currentTask() + " of " + r.place.Name + ": two continues in a row moved neither the task nor an iteration. " +
				"Look at " + r.place.Shown + "/.progress.md, then go on with " + r.commandToType("implement") + "."
			v.Notes = []string{"Stagnation at task " + r.state.currentTask() + ": two continues in a row moved neither the task nor an iteration"}
		}
		v.Remember = m
		return v
	}
	if m.Continues+1 >= r.iterationLimit() {
		return r.stopAtLimit(m.Continues + 1)
	}
	m.Mark, m.Calls = mark, r.s.Turn.Count
	m.Continues++
	v := goOn()
	if m.Continues == 1 && r.state.Limit > r.ceiling {
		v.Told += " (the state file asks for " + strconv.Itoa(r.state.Limit) + " iterations; your ceiling is " + strconv.Itoa(r.ceiling) + ")"
	}
	v.Decision, v.Sure, v.Remember = strategy.Continue, 100, m
	return r.tidyProgress(v)
}

func (s specState) currentTask() string { return strconv.Itoa(s.Index+1) + "/" + strconv.Itoa(s.Total) }

func (r round) tasksFile() []byte { return r.s.Workspace.Files[r.place.Dir+"/tasks.md"].Data }

func (r round) pluginName() string { return cmp.Or(r.s.Session.Plugin, r.Name) }

// commandToType is what the user types for one of the plugin's commands, as its host has them.
func (r round) commandToType(word string) string {
	if before, ok := strings.CutSuffix(r.s.Session.Hold, "hold"); ok && strings.HasPrefix(before, "/") {
		return before + word
	}
	return "/" + r.pluginName() + ":" + word
}

// iterationLimit is how many iterations there may be: what the state file says, at most
// the ceiling.
func (r round) iterationLimit() int { return min(r.state.Limit, r.ceiling) }

// tidyProgress deletes what tasks side by side have left long ago.
func (r round) tidyProgress(v strategy.Verdict) strategy.Verdict {
	for _, name := range orphanFiles(r.s.Workspace.Files[r.place.Dir+"/"]) {
		name = r.place.Dir + "/" + name
		if f := r.s.Workspace.Files[name]; f.Readable() && f.Age > orphanAge {
			v.Changes = append(v.Changes, strategy.Change{Name: name, Optional: true})
		}
	}
	return v
}

func stopBy(rule, evidence string) strategy.Verdict {
	return strategy.Verdict{Decision: strategy.Stop, Rule: rule, Sure: 100, Evidence: evidence}
}

func shortenText(s string) string { return quotation.ShownName(s, 60) }
