// The user's templates are loop files, <state>/loops/templates/NAME.md, in which the goal replaces {goal}.

package console

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
	"github.com/cameronsjo/springfield/runtime/transcript"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// LoopStart contains the options of loop start.
type LoopStart struct {
	Goal                      string
	Max                       int      // 0: the template's
	Promises                  []string // nil: the template's; "" for none
	Check                     string
	Timeout, IterationTimeout string
	Template                  string
	FromTodos                 bool
	Replace                   bool
	Named                     bool // the user named the directory, so no directory above is used
}

type template struct {
	name    string
	max     int
	promise string
	goal    string // default, "" if one is required
	steps   []string
}

const defaultPromise = "Goal achieved"

var templates = []template{
	{"tests", 15, "✅ All tests passing", "Make all tests pass.", []string{
		"Run the tests and read the failures.",
		"Find the cause of one failure and fix that, not the test.",
		"Run the tests again. Repeat until nothing fails.",
	}},
	{"feature", 20, "Feature complete and tested", "", []string{
		"List its parts, and do them one after the other.",
		"Write tests for each part, and run them before you start the next.",
		"At the end, run all tests and update the documentation.",
	}},
	{"debug", 12, "Root cause identified and fixed", "", []string{
		"Reproduce it with the smallest example you can find.",
		"State your suspicion, and measure before you change anything.",
		"Fix the cause. Show with a test that the bug was there, and that it is gone.",
	}},
	{"quick", 8, defaultPromise, "", nil},
	{"docs", 10, "Documentation complete", "Bring the documentation up to date with the code.", []string{
		"Compare each page with the code.",
		"Add missing parts, correct mistakes, and try every example.",
	}},
}

// StartLoop writes the loop file, records the start and prints the loop. If no plugin drives loops, it calls SwitchOn,
// which can ask the user. A loop that is active, invalid or without ID is an error unless o.Replace.
func (d *Console) StartLoop(o LoopStart) error {
	l, err := d.openLoopSpace(o.Named)
	if err != nil {
		return err
	}
	defer l.space.Close()
	draft, err := l.draftLoop(o)
	if err != nil {
		return err
	}
	return l.beginLoop(draft, o)
}

// draftLoop returns a new loop file's content, without ID, session and start. It writes no file. With o.FromTodos it
// prints a note to stderr.
func (l *loopHere) draftLoop(o LoopStart) ([]byte, error) {
	goal, err := trimGoal(o.Goal)
	if err != nil {
		return nil, err
	}
	if o.FromTodos {
		todos, err := l.openTodoList()
		if err != nil {
			return nil, err
		}
		goal = cmp.Or(goal, "Finish the open items of this list.") + "\n\n" + todos
	}
	draft := template{max: wiggum.DefaultMax, promise: defaultPromise}.loopFile()
	if o.Template != "" {
		own, fault := l.userTemplateIfAny(o.Template)
		i := slices.IndexFunc(templates, func(t template) bool { return t.name == o.Template })
		switch {
		case fault != nil:
			return nil, fault
		case own != nil:
			draft = own
		case i < 0:
			return nil, misused("there is no template "+strconv.Quote(o.Template),
				"choose from "+strings.Join(AllTemplateNames(l.Dir), ", ")+
					"; add your own as files like "+filepath.Join(templateDir(l.Dir), "NAME.md"))
		default:
			draft = templates[i].loopFile()
			goal = cmp.Or(goal, templates[i].goal)
		}
	}
	g, err := wiggum.ReadLoop(draft)
	switch needs := strings.Contains(g.Body, "{goal}"); {
	case err != nil:
		return nil, err
	case needs && goal == "":
		return nil, misused("a loop needs a goal",
			"write it like: "+l.commandTo(`loop start "Fix the failing tests in test_auth.py"`))
	case needs:
		draft, err = wiggum.SetBody(draft, strings.ReplaceAll(g.Body, "{goal}", goal))
	case goal != "":
		draft, err = wiggum.SetBody(draft, "Goal: "+goal+"\n\n"+g.Body)
	}
	if err != nil {
		return nil, err
	}
	return applyChoices(draft, o)
}

// loopFile returns a loop file's content, with {goal} not yet replaced.
func (t template) loopFile() []byte {
	var b strings.Builder
	b.WriteString("---\niteration_count: 0\nmax_iterations: " + strconv.Itoa(t.max) +
		"\ncompletion_promise: " + wiggum.QuoteValue(t.promise) + "\nactive: true\n---\n\nGoal: {goal}\n")
	if len(t.steps) > 0 {
		b.WriteString("\n")
	}
	for _, s := range t.steps {
		b.WriteString("- " + s + "\n")
	}
	b.WriteString("\nWrite the completion promise only when you have checked that it is true. If something blocks you, report it.\n")
	return []byte(b.String())
}

func applyChoices(draft []byte, o LoopStart) ([]byte, error) {
	var fields [][2]string
	for _, c := range []struct {
		key    string
		is     bool
		values []string
	}{
		{"max", o.Max != 0, []string{strconv.Itoa(o.Max)}},
		{"promise", o.Promises != nil, o.Promises},
		{"check", o.Check != "", []string{o.Check}},
		{"timeout", o.Timeout != "", []string{o.Timeout}},
		{"iteration-timeout", o.IterationTimeout != "", []string{o.IterationTimeout}},
	} {
		if !c.is {
			continue
		}
		field, err := parseLoopKey(c.key, c.values)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	return wiggum.SetFields(draft, fields...)
}

// trimGoal trims a goal. Over 64 KiB, invalid UTF-8 and NUL bytes are errors, "" is not.
func trimGoal(text string) (goal string, err error) {
	text = strings.TrimSpace(text)
	if len(text) > 64<<10 {
		return "", misused("the goal is longer than 64 KiB",
			"Claude sees its first 2,000 characters; put the rest into a file and name that file")
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", misused("the goal is not UTF-8 text", "save or type it as UTF-8")
	}
	return text, nil
}

func templateDir(state string) string { return filepath.Join(state, "loops", "templates") }

func (l *loopHere) userTemplateIfAny(name string) ([]byte, error) {
	if !canNameTemplate(name) {
		return nil, nil
	}
	path := filepath.Join(templateDir(l.Dir), name+".md")
	data, err := file.ReadRegular(path, workspace.MaxFile)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err == nil {
		if _, err = wiggum.ReadLoop(data); err != nil {
			err = errors.New(path + ": " + err.Error())
		}
	}
	if err != nil {
		return nil, &adviceError{"read template: " + err.Error(),
			"a template is a file of at most 256 KiB: fields between two \"---\" lines, then the text"}
	}
	return data, nil
}

func canNameTemplate(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// AllTemplateNames returns the names of all templates, the user's own last.
func AllTemplateNames(state string) (builtInFirst []string) {
	for _, t := range templates {
		builtInFirst = append(builtInFirst, t.name)
	}
	for _, file := range namesIn(templateDir(state)) {
		if name, ok := strings.CutSuffix(file, ".md"); ok && canNameTemplate(name) && !slices.Contains(builtInFirst, name) {
			builtInFirst = append(builtInFirst, name)
		}
	}
	return builtInFirst
}

// openTodoList returns the current, else the newest session's open todos as Markdown, and prints that session to
// stderr. None is an error.
func (l *loopHere) openTodoList() (string, error) {
	path, at := l.ownOrNewestLog()
	if path == "" {
		return "", &adviceError{"no session of " + l.space.Dir + " was found", "sessions are in " + l.transcriptDirs()[0] + "; start Claude Code once in this directory, or write the goal yourself"}
	}
	session := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	_, view, err := transcript.File{Format: &registry.ReadLogHost(path).Log, Path: path}.ReadNew(nil, "")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	open := 0
	for _, t := range view.Todos {
		if t.Status != "pending" && t.Status != "in_progress" {
			continue
		}
		open++
		b.WriteString("- " + strings.Join(strings.Fields(display.DropInvisible(t.Content)), " "))
		if t.Status == "in_progress" {
			b.WriteString(" (in progress)")
		} else if t.Blocked {
			b.WriteString(" (waits for another item)")
		}
		b.WriteString("\n")
	}
	if open == 0 {
		return "", &adviceError{"the latest session here has no open todos: " + session + ", " + l.agoOf(at), "write the goal yourself; recent models keep a todo list only with CLAUDE_CODE_ENABLE_TODO_TOOLS=1"}
	}
	l.printNoteToErr(strconv.Itoa(open) + " open todos of session " + session + ", " + l.agoOf(at))
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// transcriptDirs returns Claude Code's log directories of sessions started in the workspace or l.Work.
func (l *loopHere) transcriptDirs() []string {
	all := []string{filepath.Join(l.claudeProjectsDir(), claude.LogDirName(l.space.Dir))}
	if l.Work != l.space.Dir {
		all = append(all, filepath.Join(l.claudeProjectsDir(), claude.LogDirName(l.Work)))
	}
	return all
}

// ownOrNewestLog returns the current session's log, else the newest ("" if none). mtime is in milliseconds.
func (l *loopHere) ownOrNewestLog() (path string, mtime int64) {
	var newest time.Time
	for _, dir := range l.transcriptDirs() {
		for _, name := range namesIn(dir) {
			if !strings.HasSuffix(name, ".jsonl") || strings.HasPrefix(name, "agent-") {
				continue // older clients keep the logs of subagents here
			}
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			asks := l.Session != "" && name == l.Session+".jsonl"
			if asks || info.ModTime().After(newest) {
				newest, path = info.ModTime(), filepath.Join(dir, name)
			}
			if asks {
				return path, newest.UnixMilli()
			}
		}
	}
	return path, newest.UnixMilli()
}
