// Package specs implements ralph-specum and ralph-speckit. Both work through the tasks.md of a spec. The
// coordinator, a prompt in the session, maintains a state file, which the hook only reads.
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
	maxStalls  = 2              // consecutive continues without progress
	maxErrors  = 8              // errors about a state file for the model in a session; the ledger remembers no more
	orphanAge  = 60 * 60 * 1000 // of a task's progress file, in milliseconds
	maxOrphans = 40             // deleted at a stop
	maxBlock   = 2000           // bytes of tasks.md in the reason
	maxGroup   = 5              // parallel tasks
)

const quickMode = "quick-mode" // continue in every phase with quickMode set

type Kind struct {
	Name      string // of the strategy
	Title     string // begins its messages to the user
	Noun      string // for a spec
	Local     string // the plugin's settings file in the project
	Current   string // default path of the file that names the active spec
	StateFile string // base name
	// Find returns the directories where the active spec might be, most likely first, and the files to read
	// to find them.
	Find func(s strategy.Situation, local []string) ([]Place, []strategy.WantedFile)
	// Blocks makes the limit an error for the model, instead of a line on standard error.
	Blocks bool
	// Groups makes consecutive tasks marked [P] one parallel group.
	Groups bool
	// Script runs on completion.
	Script []string
}

// Place is a spec's directory.
type Place struct {
	Dir   string // relative to the workspace, clean
	Shown string // as the original prints it
	Name  string // of the spec
}

func StrategyOf(k *Kind) strategy.Strategy {
	return strategy.Strategy{
		Name: k.Name, Event: "Stop", Prefix: "[" + k.Name + "] ", Placed: true, Blocks: true, Marks: []string{k.Current, k.Local},
		Loop:    &strategy.Loop{Spec: true, Armed: k.armedState, Files: func(s strategy.Situation) []strategy.WantedFile { return k.filesUpToState(s, nil) }},
		Special: [][2]string{{"ceiling", "has none"}, {"checks", "has none"}},
		New:     func() strategy.Options { return &Options{kind: k, Ceiling: strategy.Ceiling(100)} },
	}
}

// Options are the ceiling for the maximum in a state file, and the optional checks, which a project cannot set.
type Options struct {
	kind    *Kind
	Ceiling strategy.Number
	Checks  []string
}

// MaxIterations returns the ceiling for the maximum in a state file.
func (o *Options) MaxIterations() int { return o.Ceiling.Value }

func (o *Options) Members(m *codec.Coder) {
	o.Ceiling.Member(m)
	m.Texts("checks", &o.Checks)
}

const maxChecks = 400

func (o *Options) Over(below strategy.Options, l *strategy.Layer) {
	under := below.(*Options)
	o.Ceiling.PutOver(under.Ceiling, l)
	if len(o.Checks) > maxChecks {
		l.NoteFault("checks: more than " + strconv.Itoa(maxChecks) + " names")
		o.Checks = o.Checks[:maxChecks]
	}
	if o.Checks == nil || l.By == strategy.Project {
		o.Checks = under.Checks
		return
	}
	o.Checks = slices.DeleteFunc(o.Checks, func(name string) bool {
		if name != quickMode {
			l.NoteFault("checks: " + l.Strategy + " has none called " + strconv.Quote(name))
		}
		return name != quickMode
	})
}

func (o *Options) Needs() strategy.Needs {
	return strategy.Needs{Memories: true, Files: o.kind.filesToRead, Lines: 500}
}

func (k Kind) filesToRead(s strategy.Situation) []strategy.WantedFile {
	wants := k.filesUpToState(s, isWholeState)
	p, ok := k.activePlace(s)
	if !ok {
		return wants
	}
	wants = append(wants, strategy.WantedFile{Name: p.Dir + "/tasks.md"}, strategy.WantedFile{Name: p.Dir + "/"})
	for _, name := range taskProgressFiles(s.Workspace.Files[p.Dir+"/"]) {
		wants = append(wants, strategy.WantedFile{Name: p.Dir + "/" + name})
	}
	return wants
}

// filesUpToState returns the files to read, as far as known: first k.Local; unless it switches the loop off, also those
// that find the spec, and each possible state file. A state file that has just changed is read again until isWhole
// accepts it.
func (k Kind) filesUpToState(s strategy.Situation, isWhole func([]byte) bool) []strategy.WantedFile {
	wants := []strategy.WantedFile{{Name: k.Local}}
	local, asked := s.Workspace.Files[k.Local]
	if !asked || isOffOrBroken(local) {
		return wants
	}
	places, more := k.Find(s, linesBetweenDashes(local.Data))
	wants = append(wants, more...)
	for _, p := range places {
		wants = append(wants, strategy.WantedFile{Name: p.Dir + "/" + k.StateFile, Whole: isWhole})
	}
	return wants
}

// possiblePlaces returns the directories that can contain a state file, or nil if the settings disable the plugin.
func (k Kind) possiblePlaces(s strategy.Situation) []Place {
	local := s.Workspace.Files[k.Local]
	if isOffOrBroken(local) {
		return nil
	}
	places, _ := k.Find(s, linesBetweenDashes(local.Data))
	return places
}

// activePlace returns the first possible place that contains a state file.
func (k Kind) activePlace(s strategy.Situation) (Place, bool) {
	for _, p := range k.possiblePlaces(s) {
		if s.Workspace.Files[p.Dir+"/"+k.StateFile].Found {
			return p, true
		}
	}
	return Place{}, false
}

func linesBetweenDashes(data []byte) (lines []string) {
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

// isOffOrBroken reports whether the settings file's front matter contains "enabled: false", or the file exists but
// cannot be read.
func isOffOrBroken(config strategy.File) bool {
	if config.Found && config.Problem != "" {
		return true
	}
	for _, line := range linesBetweenDashes(config.Data) {
		if value, ok := strings.CutPrefix(line, "enabled:"); ok {
			value, _, _ = strings.Cut(value, ":")
			return strings.ToLower(RemoveChars(value, " \t\r\v\f\"'")) == "false"
		}
	}
	return false
}

func RemoveChars(s, cut string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

// WholeAsName returns the name in a file, without white space and trailing slashes, or "" if the file is unreadable or
// exceeds 1000 bytes.
func WholeAsName(f strategy.File) string {
	if !f.Readable() || len(f.Data) > 1000 {
		return ""
	}
	name := RemoveChars(strings.ToValidUTF8(string(f.Data), ""), " \t\r\n\v\f")
	return strings.TrimRight(strings.TrimPrefix(name, "\ufeff"), "/")
}

// PlaceAt returns the Place of givenDir, relative to the workspace, or false for an absolute path or one outside.
func PlaceAt(givenDir string) (p Place, inside bool) {
	dir := path.Clean(givenDir)
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.ContainsRune(dir, 0) {
		return Place{}, false
	}
	return Place{Dir: dir, Shown: quotation.ShownName(givenDir, maxShownPath), Name: quotation.PlainName(path.Base(dir))}, true
}

const maxShownPath = 400 // bytes of a path in messages

func taskProgressFiles(dir strategy.File) (names []string) {
	names = slices.DeleteFunc(slices.Clone(dir.Names), func(name string) bool {
		return !strings.HasPrefix(name, ".progress-task-") || !strings.HasSuffix(name, ".md")
	})
	return names[:min(len(names), maxOrphans)]
}

func (o *Options) Decide(s strategy.Situation) strategy.Verdict {
	k := *o.kind
	local := s.Workspace.Files[k.Local]
	if isOffOrBroken(local) {
		v := strategy.StopBy("disabled", k.Local+" says enabled: false")
		if local.Problem != "" {
			v = strategy.StopBy("settings", k.Local+": "+local.Problem)
			v.Notes = []string{"I cannot read " + k.Local + " (" + local.Problem + "), so " + s.Session.AgentName() + " may stop"}
		}
		return v
	}
	p, ok := k.activePlace(s)
	if !ok {
		places := k.possiblePlaces(s)
		if len(places) == 0 {
			return k.tellIfLoopLeft(s, strategy.StopBy("no-"+k.Noun, "there is no active "+k.Noun))
		}
		return k.tellIfLoopLeft(s, strategy.StopBy("no-state", "there is no "+places[0].Shown+"/"+k.StateFile))
	}
	if s.Workspace.CwdDiffers {
		p.Shown = quotation.ShownName(s.Workspace.Dir+"/"+p.Dir, maxShownPath)
	}
	r := round{Kind: k, s: s, place: p, file: s.Workspace.Files[p.Dir+"/"+k.StateFile], ceiling: o.MaxIterations()}
	r.memory, _ = s.Memory(k.memoryKey(s, p))
	v := r.pauseNowOr(r.decideRound(o.Checks))
	if v.Decision == strategy.Continue { // for plugins that decide later at this stop
		v.Remember.Text, v.Remember.At, v.Remember.Paused = quotation.HashText(s.Message.Text), s.Session.Now, ""
	}
	if last, _ := s.NewestMemory(k.StateFile); last.Key != r.memory.Key {
		return k.tellIfLoopLeft(s, v)
	}
	return v
}

func (r *round) pauseNowOr(v strategy.Verdict) strategy.Verdict {
	p := rules.Pausing{Key: r.memory.Key, Title: r.Title, End: r.commandToType("cancel")}
	paused, ok := p.AtLastWord(r.s, 0)
	if !ok {
		paused, ok = p.AtNeed(r.s)
	}
	if !ok || v.Decision != strategy.Continue {
		return v
	}
	paused.Notes = v.Notes
	return paused
}

// tellIfLoopLeft adds a message to v, once, if the session left its last loop before the completion signal. The caller
// has checked that this stop is not that loop's.
func (k Kind) tellIfLoopLeft(s strategy.Situation, v strategy.Verdict) strategy.Verdict {
	last, _ := s.NewestMemory(k.StateFile)
	if last.Mark == "" {
		return v
	}
	if where := whereSignalled(s); where != "" {
		v.Rule, v.Evidence = "signal", allDone+" in "+where
	} else {
		told := k.Title + ": the loop of " + quotation.PlainName(path.Base(path.Dir(last.Key))) + " is left: its state file is gone, or " + k.Current + " does not name it here any more"
		v.Told = strings.TrimSuffix(told+". "+v.Told, ". ")
	}
	if last.Mark = ""; v.Remember.Key == "" {
		v.Remember = last
	}
	return v
}

func (k Kind) memoryKey(s strategy.Situation, p Place) string {
	return strategy.MemoryKey(s.Workspace.Dir + "/" + p.Dir + "/" + k.StateFile)
}

type round struct {
	Kind
	s       strategy.Situation
	place   Place
	file    strategy.File
	ceiling int
	memory  activity.Memory
	state   specState
}

func (r *round) decideRound(checkNames []string) strategy.Verdict {
	if where := whereSignalled(r.s); where != "" {
		v := strategy.StopBy("signal", allDone+" in "+where)
		v.Notes, v.Script = []string{allDone + " detected in " + where}, r.Script
		if v.Remember = r.memory; r.memory.Mark == "" {
			v.Remember.Key = ""
		}
		v.Remember.Mark, v.Remember.Text, v.Remember.At = "", quotation.HashText(r.s.Message.Text), r.s.Session.Now
		return v
	}
	if r.file.Problem != "" {
		file := r.place.Shown + "/" + r.StateFile
		v := strategy.StopBy("unreadable", file+": "+r.file.Problem)
		v.Told = r.Title + ": I cannot read " + file + " (" + r.file.Problem + "), so " + r.s.Session.AgentName() + " may stop"
		return r.tellOnce(v, quotation.HashText("unreadable "+r.file.Problem))
	}
	state, err := readState(r.file.Data)
	if err != nil {
		return r.goOnceToExplain(err)
	}
	r.state = state
	if state.Global >= r.iterationLimit() {
		return r.reportLimitOnce(state.Global)
	}
	if state.Phase != "execution" {
		if state.Quick && slices.Contains(checkNames, quickMode) && !isEndedPhase(state.Phase) {
			return r.continueGuarded(r.goOnWithPhase)
		}
		return r.addOrphanRemovals(strategy.StopBy("phase", "the phase is "+shortenText(state.Phase)))
	}
	var v strategy.Verdict
	switch {
	case state.Index < state.Total && state.Awaiting:
		v = strategy.StopBy("approval", "the state file says awaitingApproval")
		v.Notes = []string{"awaitingApproval=true: it is the user's turn"}
	case state.Index < state.Total:
		v = r.continueGuarded(r.goOnWithTask)
	default:
		v = r.addOrphanRemovals(strategy.StopBy("done", "task "+r.state.currentTask()+": none is left"))
	}
	v.Notes = append([]string{"Session stopped during " + r.Noun + ": " + r.place.Name + " | Task: " + r.state.currentTask() + " | Attempt: " + strconv.Itoa(state.Attempt)}, v.Notes...)
	return v
}

func (r *round) continueGuarded(goOn func() strategy.Verdict) strategy.Verdict {
	m := r.memory
	st := r.state
	mark := shortenText(st.Phase) + " " + st.currentTask() + " " + strconv.Itoa(st.Attempt) + " " + strconv.Itoa(st.Global)
	// If a different springfield plugin continued this turn, it defers to the loop from now on.
	active := r.s.Turn.Active && (m.Mark != "" || !r.s.Turn.Ours)
	if active && m.Mark == "" { // not by this loop in this session
		v := strategy.StopBy("another", "stop_hook_active is set, and not by this plugin")
		v.Notes = []string{"stop_hook_active=true, and another hook kept " + r.s.Session.AgentName() + " going, so this one does not"}
		return v
	}
	if prompt := quotation.HashText(r.s.Turn.Own); m.Prompt != prompt && r.s.Turn.Own != "" {
		m.Prompt, m.Continues = prompt, 0
	}
	switch {
	case !active, m.Mark != mark: // new turn or progress
		m.Stalls = 0
	case r.s.Turn.Known: // with no transcript, only the limit can end the loop
		m.Stalls++
	}
	if m.Stalls >= maxStalls {
		const stalled = ": two continues in a row moved neither the task nor an iteration"
		v := strategy.StopBy("stagnation", "task "+st.currentTask()+stalled)
		if m.Stalls == maxStalls {
			v.Told = r.Title + ": stopped at task " + st.currentTask() + " of " + r.place.Name + stalled + ". " +
				"Look at " + r.place.Shown + ", then go on with " + r.commandToType("implement") + "."
			v.Notes = []string{"Stagnation at task " + st.currentTask() + stalled}
		}
		v.Remember = m
		return v
	}
	if m.Continues+1 >= r.iterationLimit() {
		return r.reportLimitOnce(m.Continues + 1)
	}
	m.Mark, m.Calls = mark, r.s.Turn.Count
	m.Continues++
	v := goOn()
	if m.Continues == 1 && r.state.Limit > r.ceiling {
		v.Told += " (the state file asks for " + strconv.Itoa(r.state.Limit) + " iterations; your ceiling is " + strconv.Itoa(r.ceiling) + ")"
	}
	if m.Continues == 1 && r.s.Session.Protocol == "block" { // known in Claude Code only
		v.Told += ". Claude Code calls each round a problem of the Stop hook; it is none. For quiet rounds, run springfield set " + r.pluginName() + " protocol=context"
	}
	v.Decision, v.Sure, v.Remember = strategy.Continue, 100, m
	return r.addOrphanRemovals(v)
}

func (r *round) pluginName() string { return cmp.Or(r.s.Session.Plugin, r.Name) }

func (r *round) commandToType(word string) string {
	if before, ok := strings.CutSuffix(r.s.Session.Hold, "hold"); ok && strings.HasPrefix(before, "/") {
		return before + word
	}
	return "/" + r.pluginName() + ":" + word
}

// iterationLimit returns the lower of the state file's limit and the ceiling. 0 allows no iteration.
func (r *round) iterationLimit() int { return min(r.state.Limit, r.ceiling) }

func (r *round) addOrphanRemovals(v strategy.Verdict) strategy.Verdict {
	for _, name := range taskProgressFiles(r.s.Workspace.Files[r.place.Dir+"/"]) {
		name = r.place.Dir + "/" + name
		if f := r.s.Workspace.Files[name]; f.Readable() && f.Age > orphanAge {
			v.Changes = append(v.Changes, strategy.Change{Name: name, Optional: true})
		}
	}
	return v
}

func shortenText(s string) string { return quotation.ShownName(s, 60) }
