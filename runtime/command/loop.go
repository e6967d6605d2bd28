// The words about goal loops: start one, change it, stop it. What they write is
// the loop's own file in the workspace, under the lock that the hook takes, so
// that neither undoes what the other has just done; it takes effect at the next
// stop.
//
// Claude may say all of them. None raises the ceiling, which is in the user's own
// settings.

package command

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/moment"
	"github.com/cameronsjo/springfield/runtime/process"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/workspace"

	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

const (
	// loopWait is how long a person waits for a stop that is being decided.
	loopWait = 5 * time.Second
	// maxGoal bounds the text of a goal, in bytes.
	maxGoal = 64 << 10
	// manyIterations is where a loop is larger than advised.
	manyIterations = 20
)

// Driver is the plugin that drives the goal loops of a workspace.
type Driver struct {
	Settings hook.Settings
	// Problem is why none does, as far as is known, and Fix what to do about it.
	Problem, Fix string
}

// goalStrategy drives goal loops.
const goalStrategy = wiggum.Name

// DriverAround is the plugin that a hook lies in, if that drives loops.
func DriverAround(executable, state, dir string) Driver {
	settings, err := hook.Around(executable, state, dir)
	switch {
	case err != nil:
		return NoDriver(state, dir, "this hook is not in a plugin, so Claude Code does not call it", "run the one in the hooks directory of a plugin")
	case settings.Strategy.Name != goalStrategy:
		return NoDriver(state, dir, "this is the hook of "+settings.Plugin+", which does not drive goal loops", goalStrategy+" does")
	}
	return Driver{Settings: settings}
}

// NoDriver is where no plugin drives loops; what the user set for one counts.
func NoDriver(state, dir, problem, fix string) Driver {
	return Driver{hook.Unplugged(wiggum.Strategy(), state, dir), problem, fix}
}

// Drives tells whether a plugin of this strategy drives goal loops.
func Drives(strategy string) bool { return strategy == goalStrategy }

// loopHere is the loop of a workspace, and who drives it.
type loopHere struct {
	*Console
	space  *workspace.Space
	driver Driver
	file   strategy.File
	goal   wiggum.Goal
	fault  error // why the file is no loop
}

// here opens the workspace, the one that the hook would find from this directory,
// and reads its loop.
func (d *Console) here() (*loopHere, error) {
	return d.at(func(dir string) string {
		return workspace.Nearest(dir, wiggum.Strategy().Marks, d.Home)
	})
}

// place is where a new loop goes: the directory that is named, or the one where
// the hook would look for it.
func (d *Console) place(named bool) (*loopHere, error) {
	if !named {
		return d.here()
	}
	return d.at(func(dir string) string { return dir })
}

func (d *Console) at(workspaceOf func(dir string) string) (*loopHere, error) {
	here := *d
	if d.Caller == nil {
		here.Session = "" // a user starts loops for the next session that comes
	}
	dir, err := filepath.EvalSymlinks(d.Work) // as Claude Code names its directory
	if err != nil {
		return nil, &adviceError{"open workspace: " + err.Error(), "name the directory of the project: --dir DIR"}
	}
	here.Work = dir
	space, err := workspace.Open(workspaceOf(dir))
	if err != nil {
		return nil, &adviceError{"open workspace: " + err.Error(), "name the project's directory: --dir DIR"}
	}
	l := &loopHere{Console: &here, space: space, driver: d.Driver(space.Dir)}
	l.read()
	return l, nil
}

// read reads the loop's file as it is now.
func (l *loopHere) read() {
	l.goal, l.fault = wiggum.Goal{}, nil
	l.file = l.space.Read(strategy.Want{Name: wiggum.File})
	switch {
	case !l.file.Found && l.file.Problem == "":
	case l.file.Problem != "":
		l.fault = errors.New(l.file.Problem)
	default:
		if l.goal, l.fault = wiggum.Read(l.file.Data); !fact.IsLoopID(l.goal.ID) {
			l.goal.ID = "" // as the hook takes it
		}
	}
}

// missing tells that there is no file.
func (l *loopHere) missing() bool { return !l.file.Found && l.fault == nil }

// limit is the iteration at which the loop ends: its own, or the ceiling.
func (l *loopHere) limit(goal wiggum.Goal) int {
	if c := l.ceiling(); c > 0 && c < goal.Max {
		return c
	}
	return goal.Max
}

func (l *loopHere) ceiling() int {
	rounds, _ := l.driver.Settings.Ceiling()
	return rounds
}

// unread is the error about a file that is no loop.
func (l *loopHere) unread(advice string) error {
	return &adviceError{"read loop: " + l.space.Dir + "/" + wiggum.File + ": " + l.fault.Error(), advice}
}

// takeAway is how to get rid of what no file can take the place of.
func (l *loopHere) takeAway() string {
	if l.file.Readable() {
		return ""
	}
	return "; " + l.Self + " loop stop --delete removes it"
}

// none is the error about a file that is not there.
func (l *loopHere) none() error {
	advice := "start one: " + l.Self + " loop start \"Fix the failing tests\""
	if above := l.above(); above != "" {
		advice = "there is one in " + above + ": --dir " + strconv.Quote(above)
	}
	return &adviceError{"there is no loop in " + l.space.Dir, advice}
}

// above is the nearest directory above that has a loop, "" if none has.
func (l *loopHere) above() string {
	for dir := filepath.Dir(l.space.Dir); ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(wiggum.File))); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// change edits the file under the lock. edit gets what is there then.
func (l *loopHere) change(edit func() ([]byte, error)) error {
	lock, err := ledger.LockWorkspace(l.Dir, l.space.Dir, loopWait)
	if err != nil {
		// The hook cannot lock either then, or is slow; an edit of another program's
		// is still never overwritten.
		l.note("cannot lock the workspace: " + err.Error())
	} else {
		defer lock.Close()
	}
	for range 5 {
		l.read()
		var data []byte
		if data, err = edit(); err != nil {
			return err
		}
		c := strategy.Change{Name: wiggum.File, Data: data}
		if l.file.Readable() {
			c.Was = l.file.Data
		}
		if err = l.space.Apply([]strategy.Change{c}); err == nil {
			l.read()
			return nil
		}
		if !strings.HasSuffix(err.Error(), workspace.ErrChanged.Error()) {
			break
		}
	}
	verb, says, _ := strings.Cut(err.Error(), " ")
	return &adviceError{verb + " loop: " + l.space.Dir + "/" + says, "the hook cannot change it either, so Claude may stop; " + l.Self + " loop status says more"}
}

// tell puts an event into the history and tells the user's command.
func (l *loopHere) tell(e fact.LoopEvent) {
	if err := hook.Tell(l.Dir, l.driver.Settings.Progress, e, l.Getenv, process.Patience); err != nil {
		l.note("report the loop: " + err.Error())
	}
}

func (l *loopHere) event(what string, goal wiggum.Goal) fact.LoopEvent {
	return fact.LoopEvent{
		Loop: goal.ID, At: l.Now().UnixMilli(), Event: what,
		Count: goal.Count, Max: l.limit(goal), Session: goal.Session, Dir: l.space.Dir,
	}
}

// begin writes a new loop, and keeps what was there before in the history.
func (l *loopHere) begin(draft []byte, replace bool) error {
	now := l.Now().UnixMilli()
	id := wiggum.NewLoopID(l.space.Dir, l.Session, now)
	fields := [][2]string{
		{"iteration_count", "1"}, {"active", "true"}, {"stopped_at", ""},
		{"session_id", ""}, {"loop_id", id}, {"started_at", moment.Write(now)},
	}
	if l.Session != "" {
		fields[3][1] = wiggum.Quote(l.Session)
	}
	draft, err := wiggum.Set(draft, fields...)
	if err != nil {
		return err
	}
	var before []fact.LoopEvent
	err = l.change(func() ([]byte, error) {
		switch {
		case l.fault != nil && !replace:
			return nil, l.unread("correct it, or replace it with --replace" + l.takeAway())
		case !l.missing() && l.fault == nil && l.goal.Active && !replace:
			return nil, &adviceError{"a loop is running here already: " + l.name(l.goal) + l.progress(l.goal), "stop it with " + l.Self + " loop stop, or replace it with --replace"}
		}
		before = l.farewell()
		return draft, nil
	})
	if err != nil {
		return err
	}
	l.bury(before)
	e := l.event(fact.LoopStarted, l.goal)
	e.File = wiggum.LoopFile(l.file.Data)
	l.tell(e)
	l.sayBegun()
	return nil
}

// farewell is what the history shall say of a loop that gives way: nothing, if it
// is over and known there.
func (l *loopHere) farewell() []fact.LoopEvent {
	if l.missing() || !l.file.Readable() {
		return nil
	}
	goal, text := l.goal, wiggum.LoopFile(l.file.Data)
	if l.fault != nil { // its text is kept, and nothing else is known of it
		goal.Count, goal.Max = 0, 0
	}
	if goal.ID == "" { // it was not told yet: what the user wrote is not lost
		goal.ID = wiggum.NewLoopID(l.space.Dir, "before", l.Now().UnixMilli())
		start := l.event(fact.LoopStarted, goal)
		start.File = text
		return []fact.LoopEvent{start, l.event(fact.LoopCancelled, goal)}
	}
	if !goal.Active {
		return nil
	}
	e := l.event(fact.LoopCancelled, goal)
	e.File = text
	return []fact.LoopEvent{e}
}

// bury puts a farewell into the history. A loop that never was at work is told to
// no other program.
func (l *loopHere) bury(events []fact.LoopEvent) {
	for _, e := range events {
		if len(events) == 1 {
			l.tell(e)
		} else if err := ledger.AppendLoop(l.Dir, e); err != nil {
			l.note("save the loop that was here before: " + err.Error())
		}
	}
}

func (l *loopHere) name(goal wiggum.Goal) string {
	if goal.ID == "" {
		return wiggum.File
	}
	return goal.ID
}

func (l *loopHere) progress(goal wiggum.Goal) string {
	return ", iteration " + strconv.Itoa(goal.Count) + " of " + strconv.Itoa(l.limit(goal))
}

func (l *loopHere) sayBegun() {
	g := l.goal
	l.line("loop " + l.name(g) + ": at most " + count(l.limit(g), "iteration") + ", " + untilSaid(g.Promises))
	l.line("  file     " + filepath.Join(l.space.Dir, filepath.FromSlash(wiggum.File)) + "; edits take effect at the next stop")
	if g.Session == "" {
		l.line("  starts   the next time Claude stops here; then the loop belongs to that session")
	} else {
		l.line("  starts   the next time this session stops")
	}
	l.line("  status   " + l.Self + " loop status")
	l.line("  stop it  " + l.Self + " loop stop")
	l.warn(g, true, true)
	if l.driver.Problem != "" {
		l.note("this loop does not run yet: " + l.driver.Problem + l.fix())
	}
}

func (l *loopHere) fix() string {
	if l.driver.Fix == "" {
		return ""
	}
	return "; " + l.driver.Fix
}

// untilSaid says what a loop waits for.
func untilSaid(promises []string) string {
	if len(promises) == 0 {
		return "without a promise that ends it earlier"
	}
	return "until Claude says " + anyOf(promises)
}

func anyOf(texts []string) string {
	var all []string
	for _, t := range texts {
		all = append(all, "“"+t+"”")
	}
	return strings.Join(all, " or ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// warn says what is unwise about a loop.
func (l *loopHere) warn(g wiggum.Goal, maximum, promises bool) {
	if promises {
		for _, p := range g.Promises {
			if isVague(p) {
				l.note("the promise “" + p + "” is vague: Claude may say it in passing, and that ends the loop; choose a sentence that is true only at the end, like “All tests passing”")
			}
		}
		if len(g.Promises) == 0 {
			l.note("without a promise, only the number of iterations or loop stop ends it")
		}
	}
	if !maximum {
		return
	}
	limit := l.limit(g)
	switch {
	case limit < g.Max:
		l.note("it asks for " + strconv.Itoa(g.Max) + " iterations, but it ends at your ceiling, " + strconv.Itoa(limit) + "; only you can raise \"ceiling\", in " + filepath.Join(l.Dir, l.driver.Settings.Plugin+".json"))
	case limit > manyIterations:
		l.note(strconv.Itoa(limit) + " iterations are a lot: 5 to 8 are enough for something simple, 10 to 15 for a bug, 15 to 20 for a feature; several small loops work better")
	}
	if g.Active && g.Count+1 >= limit {
		l.note("it ends at the next stop: every stop adds 1 to the count, which is " + strconv.Itoa(g.Count) + ", and at " + strconv.Itoa(limit) + " the loop is over")
	}
}

// isVague tells whether Claude would say a text without meaning the end.
func isVague(promise string) bool {
	words := wordsOf(promise)
	if len(words) == 0 {
		return len([]rune(strings.TrimSpace(promise))) < 2 // ✅ alone is in every other message
	}
	for _, w := range words {
		switch w.text {
		case "done", "ok", "okay", "finished", "finish", "complete", "completed", "ready", "yes", "success", "successful", "successfully",
			"good", "great", "fixed", "works", "working", "fine", "passed", "passing", "true", "end", "stop", "next", "now",
			"all", "is", "it", "s", "i", "am", "m", "are", "we", "re", "everything", "that", "this", "task", "the", "goal", "work", "job":
		default:
			return false
		}
	}
	return true
}

// SetLoop changes one thing about the loop that is here.
func (d *Console) SetLoop(key string, values []string) error {
	l, err := d.here()
	if err != nil {
		return err
	}
	defer l.space.Close()
	set, err := l.setting(key, values)
	if err != nil {
		return err
	}
	var was wiggum.Goal
	err = l.change(func() ([]byte, error) {
		switch {
		case l.missing():
			return nil, l.none()
		case l.fault != nil:
			return nil, l.unread("correct that line; loop set changes nothing else")
		}
		was = l.goal
		return set(l.file.Data)
	})
	if err != nil {
		return err
	}
	l.line(l.nowIs(key) + "; it takes effect at the next stop")
	if was.Active && !l.goal.Active && was.ID != "" {
		e := l.event(fact.LoopCancelled, l.goal)
		e.File = wiggum.LoopFile(l.file.Data)
		l.tell(e)
	}
	l.warn(l.goal, key == "max" || key == "count" || key == "active", key == "promise")
	return nil
}

// LoopKeys are what loop set can change, with what each takes.
func LoopKeys() [][2]string {
	return [][2]string{
		{"max", "how many iterations"},
		{"promise", "what Claude says at the end; of several, any one; none: no promise"},
		{"timeout", "how long the loop may take: 30m, 2h; none: no limit"},
		{"iteration-timeout", "how long one iteration may take: 10m; none: no limit"},
		{"active", "true or false"},
		{"goal", "the text of the goal"},
		{"count", "the current iteration"},
		{"session", "the session that the loop belongs to; none: the next one that stops here"},
	}
}

// LoopKey is the name of a key, which may be given as the file has it.
func LoopKey(key string) string {
	key = strings.ReplaceAll(key, "_", "-")
	switch key {
	case "max-iterations":
		return "max"
	case "completion-promise":
		return "promise"
	case "iteration-count":
		return "count"
	case "session-id":
		return "session"
	}
	return key
}

// setting is the edit that a key and its values ask for.
func (l *loopHere) setting(key string, values []string) (func([]byte) ([]byte, error), error) {
	value := strings.Join(values, " ")
	field, text := "", ""
	switch key {
	case "max", "count":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1_000_000 {
			return nil, misused(key+": "+strconv.Quote(value)+" is not a number of iterations", "write it like: "+l.Self+" loop set "+key+" 15")
		}
		field, text = map[string]string{"max": "max_iterations", "count": "iteration_count"}[key], value
	case "promise":
		if value == "none" {
			values = nil
		}
		field, text = "completion_promise", promiseField(values)
	case "timeout", "iteration-timeout":
		if value != "none" {
			if _, ok := moment.Span(value); !ok {
				return nil, notSpan(key, value)
			}
			text = value
		}
		field = strings.ReplaceAll(key, "-", "_")
	case "active":
		field, text = "active", strings.ToLower(value)
		switch text {
		case "true":
			return func(data []byte) ([]byte, error) {
				return wiggum.Set(data, [2]string{"active", "true"}, [2]string{"stopped_at", ""})
			}, nil
		case "false":
			return l.pause, nil
		}
		return nil, misused("active: "+strconv.Quote(value)+" is neither true nor false", "false pauses the loop, true lets it go on")
	case "session":
		if value != "none" {
			text = wiggum.Quote(value)
		}
		field = "session_id"
	case "goal":
		body, err := goalText(value)
		if err != nil {
			return nil, err
		}
		return func(data []byte) ([]byte, error) { return wiggum.SetBody(data, body) }, nil
	default:
		var names []string
		for _, k := range LoopKeys() {
			names = append(names, k[0])
		}
		return nil, misused("loop set has no key "+strconv.Quote(key), "the keys are "+strings.Join(names, ", "))
	}
	return func(data []byte) ([]byte, error) { return wiggum.Set(data, [2]string{field, text}) }, nil
}

// pause is the edit that stops a loop and leaves its file.
func (l *loopHere) pause(data []byte) ([]byte, error) {
	fields := [][2]string{{"active", "false"}}
	if l.goal.ID != "" { // the hook has told of it, and shall not tell of this again
		fields = append(fields, [2]string{"stopped_at", moment.Write(l.Now().UnixMilli())})
	}
	return wiggum.Set(data, fields...)
}

// nowIs is what a key says after it was set.
func (l *loopHere) nowIs(key string) string {
	g := l.goal
	switch key {
	case "max":
		return "max is " + strconv.Itoa(g.Max)
	case "count":
		return "count is " + strconv.Itoa(g.Count)
	case "promise":
		if len(g.Promises) == 0 {
			return "the loop has no promise now"
		}
		return "promise is " + anyOf(g.Promises)
	case "timeout":
		return "timeout is " + spanOr(g.Timeout, "none")
	case "iteration-timeout":
		return "iteration-timeout is " + spanOr(g.IterationTimeout, "none")
	case "active":
		return "active is " + strconv.FormatBool(g.Active)
	case "session":
		if g.Session == "" {
			return "the loop belongs to the next session that stops here"
		}
		return "session is " + g.Session
	}
	return "goal is “" + title(g.Body) + "”"
}

func spanOr(ms int64, none string) string {
	if ms == 0 {
		return none
	}
	return moment.Length(ms)
}

func notSpan(key, value string) error {
	return misused(key+": "+strconv.Quote(value)+" is not a duration", "write it like 30m, 2h or 1d")
}

// StopLoop ends the loop that is here, or takes its file away, too.
func (d *Console) StopLoop(remove bool) error {
	l, err := d.here()
	if err != nil {
		return err
	}
	defer l.space.Close()
	file := filepath.Join(l.space.Dir, filepath.FromSlash(wiggum.File))
	var was wiggum.Goal
	var before []fact.LoopEvent
	var paused, gone bool
	err = l.change(func() ([]byte, error) {
		was, paused, gone, before = l.goal, false, false, nil
		switch {
		case l.missing():
			gone = true
			return nil, errNothing
		case remove:
			before = l.farewell()
			return nil, nil
		case l.fault != nil:
			return nil, l.unread("this is not a loop, so Claude may stop anyway; loop stop --delete removes the file")
		case !l.goal.Active:
			paused = true
			return nil, errNothing
		}
		return l.pause(l.file.Data)
	})
	switch {
	case gone:
		l.line("there is no loop in " + l.space.Dir)
		if above := l.above(); above != "" {
			l.note("there is one in " + above + ": --dir " + strconv.Quote(above))
		}
		return nil
	case paused:
		l.line("the loop is paused already: active is false in " + file)
		return nil
	case err != nil:
		return err
	case remove:
		l.bury(before)
		l.line("stopped the loop and deleted " + file + ": Claude may stop")
		if len(before) > 0 {
			l.line("it is kept in the history: " + l.Self + " loop history show " + before[0].Loop)
		}
		return nil
	}
	if was.ID != "" {
		e := l.event(fact.LoopCancelled, was)
		e.File = wiggum.LoopFile(l.file.Data)
		l.tell(e)
	}
	l.line("stopped the loop" + l.progress(was) + ": Claude may stop")
	l.line("its file stays, with active: false; to go on: " + l.Self + " loop set active true")
	return nil
}
