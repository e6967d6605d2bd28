// What ralph-specum and ralph-speckit share. Both drive a spec's tasks.md through
// a state file that the coordinator, a prompt in the session, keeps; the hook
// only reads it.
//
// The order: switched off in the plugin's own settings file, no spec, no state
// file, the completion signal, a broken state file, the limit of iterations, the
// phase, all tasks done, waiting for approval, somebody else's loop, no
// movement; else continue. So the signal beats a broken file, and errors beat
// the guard. Whatever is in doubt, Claude may stop.

package strategy

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// specCeiling is the most iterations without the user's own file,
	// maxSpecCeiling with it.
	specCeiling    = 100
	maxSpecCeiling = 1000
	// maxStalls is how many continues in a row may bring nothing forward: the
	// second is one too many.
	maxStalls = 2
	// maxErrors is how many different errors of one state file the model is told
	// of in a session. The ledger remembers no more.
	maxErrors = 8
	// orphanAge is how old the file of a task must be to be nobody's, in
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

// specs is what the two differ in.
type specs struct {
	name      string // of the strategy
	title     string // how its words to the user begin
	noun      string // what it calls a spec
	local     string // its own settings file in the project
	current   string // the file that names the active spec, at its usual place
	stateFile string // the name of the state file
	// find names the directories where the active spec may be, the likeliest
	// first, and what has to be read to know.
	find func(s Situation, local []string) ([]place, []Want)
	// blocks tells that the limit is an error which the model hears of; else it
	// is the end of the loop and said on standard error alone.
	blocks bool
	// groups tells that tasks marked [P] are handed over together.
	groups bool
	// script runs on completion.
	script []string
}

// place is a spec's directory.
type place struct {
	dir   string // relative to the workspace, clean
	shown string // as the original shows it
	name  string // what texts call the spec
}

func (k specs) strategy() Strategy {
	return Strategy{
		Name: k.name, Prefix: "[" + k.name + "] ", Placed: true, Marks: []string{k.current, k.local},
		Ceiling: specCeiling, MaxCeiling: maxSpecCeiling, Checks: []string{quickMode, uncheckedBoxes},
		Lines: func(Config) int { return 500 }, Word: allDone,
		Reads:  func(_ Config, s Situation) []Want { return k.reads(s) },
		Decide: k.decide,
	}
}

// reads names the settings file, then what leads to the spec, then its files.
func (k specs) reads(s Situation) []Want {
	wants := []Want{{Name: k.local}}
	local, asked := s.Workspace.Files[k.local]
	if !asked || off(local) {
		return wants
	}
	places, more := k.find(s, frontLines(local.Data))
	wants = append(wants, more...)
	for _, p := range places {
		wants = append(wants, Want{Name: p.dir + "/" + k.stateFile, Whole: wholeState})
	}
	p, ok := k.active(s, places)
	if !ok {
		return wants
	}
	wants = append(wants, Want{Name: p.dir + "/tasks.md"}, Want{Name: p.dir + "/"})
	for _, name := range orphans(s.Workspace.Files[p.dir+"/"]) {
		wants = append(wants, Want{Name: p.dir + "/" + name})
	}
	return wants
}

// active is the place whose state file is there.
func (k specs) active(s Situation, places []place) (place, bool) {
	for _, p := range places {
		if s.Workspace.Files[p.dir+"/"+k.stateFile].Found {
			return p, true
		}
	}
	return place{}, false
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

// off tells whether the settings file switches the hook off: only "false" does.
// One that cannot be read does, too: it may say so.
func off(local File) bool {
	if local.Found && local.Problem != "" {
		return true
	}
	for _, line := range frontLines(local.Data) {
		if value, ok := strings.CutPrefix(line, "enabled:"); ok {
			value, _, _ = strings.Cut(value, ":")
			return strings.ToLower(without(value, " \t\r\v\f\"'")) == "false"
		}
	}
	return false
}

// without is a text without some characters.
func without(s, cut string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

// name is what a file names, all white space left out, "" if it cannot be a
// name.
func nameIn(f File) string {
	if !f.Readable() || len(f.Data) > 1000 {
		return ""
	}
	name := without(strings.ToValidUTF8(string(f.Data), ""), " \t\r\n\v\f")
	return strings.TrimRight(strings.TrimPrefix(name, "\ufeff"), "/")
}

// placeAt is a directory, if it can be in the workspace.
func placeAt(shown string) (place, bool) {
	dir := path.Clean(shown)
	if path.IsAbs(dir) || dir == ".." || strings.HasPrefix(dir, "../") || strings.ContainsRune(dir, 0) {
		return place{}, false
	}
	return place{dir: dir, shown: plainPath(shown), name: plainName(path.Base(dir))}, true
}

// plainName is a name as texts may hold it: one line, short, no markup.
func plainName(name string) string { return plain(name, 200) }

// plainPath is a path likewise.
func plainPath(path string) string { return plain(path, 400) }

func plain(name string, most int) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '`' || r == '<' || r == '>' {
			return '?'
		}
		return r
	}, name)
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "") + "…"
	}
	return name
}

// orphans are the files that tasks which ran side by side may have left.
func orphans(dir File) []string {
	var names []string
	for _, name := range dir.Names {
		if strings.HasPrefix(name, ".progress-task-") && strings.HasSuffix(name, ".md") && len(names) < maxOrphans {
			names = append(names, name)
		}
	}
	return names
}

func (k specs) decide(c Config, s Situation) Verdict {
	local := s.Workspace.Files[k.local]
	if off(local) {
		v := stops("disabled", k.local+" says enabled: false")
		if local.Problem != "" {
			v = stops("settings", k.local+": "+local.Problem)
			v.Notes = []string{"I cannot read " + k.local + " (" + local.Problem + "), so I let Claude stop"}
		}
		return v
	}
	places, _ := k.find(s, frontLines(local.Data))
	if len(places) == 0 {
		return stops("no-"+k.noun, "there is no active "+k.noun)
	}
	p, ok := k.active(s, places)
	if !ok {
		return stops("no-state", "there is no "+places[0].shown+"/"+k.stateFile)
	}
	if s.Workspace.Away {
		p.shown = plainPath(s.Workspace.Dir + "/" + p.dir)
	}
	r := round{specs: k, s: s, place: p, file: s.Workspace.Files[p.dir+"/"+k.stateFile], ceiling: c.Ceiling}
	if r.ceiling <= 0 {
		r.ceiling = specCeiling
	}
	r.memory, _ = s.Memory(memoryKey(s.Workspace.Dir + "/" + p.dir + "/" + k.stateFile))
	return r.decide(c)
}

// round is one stop in the life of a spec.
type round struct {
	specs
	s       Situation
	place   place
	file    File
	ceiling int
	memory  Memory
	state   specState
}

func (r round) decide(c Config) Verdict {
	if where := signalled(r.s); where != "" {
		v := stops("signal", allDone+" in "+where)
		v.Notes, v.Script = []string{allDone + " detected in " + where}, r.script
		return v
	}
	if r.file.Problem != "" {
		return r.unreadable()
	}
	state, err := readState(r.file.Data)
	if err != nil {
		return r.corrupt(err)
	}
	r.state = state
	if state.Global >= r.limit() {
		return r.limited(state.Global)
	}
	if state.Phase != "execution" {
		if state.Quick && slices.Contains(c.Checks, quickMode) && !isOver(state.Phase) {
			return r.guarded("", r.goOnWithPhase)
		}
		return r.tidy(stops("phase", "the phase is "+short(state.Phase)))
	}
	var v Verdict
	switch open := boxes(r.tasks()); {
	case state.Index < state.Total && state.Awaiting:
		v = stops("approval", "the state file says awaitingApproval")
		v.Notes = []string{"awaitingApproval=true: it is the user's turn"}
	case state.Index < state.Total:
		v = r.guarded("", r.goOnWithTask)
	case state.Total > 0 && open > 0 && slices.Contains(c.Checks, uncheckedBoxes):
		v = r.guarded(strconv.Itoa(open), func() Verdict { return r.goOnWithBoxes(open) })
	default:
		v = r.tidy(stops("done", "task "+r.task()+": none is left"))
	}
	v.Notes = append([]string{"Session stopped during " + r.noun + ": " + r.place.name + " | Task: " + r.task() + " | Attempt: " + strconv.Itoa(state.Attempt)}, v.Notes...)
	return v
}

// guarded continues, unless somebody else drives, or nothing moves, or we have
// done so often enough. more is what else can move.
func (r round) guarded(more string, goOn func() Verdict) Verdict {
	m := r.memory
	mark := r.mark() + more
	if r.s.Turn.Active && m.Mark == "" { // we have not blocked for this state file in this session
		v := stops("another", "stop_hook_active, and it was not me")
		v.Notes = []string{"stop_hook_active=true, and it was not me who kept Claude going: I stay out of it"}
		return v
	}
	switch {
	case !r.s.Turn.Active: // a new turn
		m.Stalls = 0
		if prompt := hashOf(r.s.Turn.PromptID); m.Prompt != prompt {
			m.Prompt, m.Rounds = prompt, 0
		}
	case m.Mark != mark:
		m.Stalls = 0
	case r.s.Turn.Known: // else nobody can tell, and the limit is what ends it
		m.Stalls++
	}
	if m.Stalls >= maxStalls {
		v := stops("stagnation", "task "+r.task()+": two continues in a row moved neither the task nor an iteration")
		if m.Stalls == maxStalls {
			v.Told = r.title + ": stopped at task " + r.task() + " of " + r.place.name + ": I have made Claude go on twice, and neither the task nor an iteration has moved. " +
				"Look at " + r.place.shown + "/.progress.md; /" + r.plugin() + ":implement goes on."
			v.Notes = []string{"Stagnation at task " + r.task() + ": two continues in a row moved neither the task nor an iteration"}
		}
		v.Remember = m
		return v
	}
	if m.Rounds+1 >= r.limit() {
		return r.limited(m.Rounds + 1)
	}
	m.Mark, m.Calls, m.At = mark, r.s.Turn.Count, r.s.Session.Now
	m.Rounds++
	if m.Rounds == 1 {
		m.Began = m.At
	}
	v := goOn()
	v.Decision, v.Sure, v.Remember = Continue, 100, m
	return r.tidy(v)
}

// mark is where the loop stands.
func (r round) mark() string {
	return short(r.state.Phase) + " " + r.task() + " " + strconv.Itoa(r.state.Attempt) + " " + strconv.Itoa(r.state.Global) + " "
}

// task is the task as people count.
func (r round) task() string {
	return strconv.Itoa(r.state.Index+1) + "/" + strconv.Itoa(r.state.Total)
}

func (r round) tasks() []byte { return r.s.Workspace.Files[r.place.dir+"/tasks.md"].Data }

func (r round) plugin() string {
	if r.s.Session.Plugin == "" {
		return r.name
	}
	return r.s.Session.Plugin
}

// limit is how many iterations there may be: what the state file says, at most
// the ceiling.
func (r round) limit() int { return min(r.state.Limit, r.ceiling) }

// tidy deletes what tasks side by side have left long ago.
func (r round) tidy(v Verdict) Verdict {
	for _, name := range orphans(r.s.Workspace.Files[r.place.dir+"/"]) {
		name = r.place.dir + "/" + name
		if f := r.s.Workspace.Files[name]; f.Readable() && f.Age > orphanAge {
			v.Changes = append(v.Changes, Change{Name: name, Optional: true})
		}
	}
	return v
}

func stops(rule, evidence string) Verdict {
	return Verdict{Decision: Stop, Rule: rule, Sure: 100, Evidence: evidence}
}

func short(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return plainName(s)
}
