//go:build e2e

// Plugins with state in the project, in sessions of the real client, made by init and enabled.
// The scripted model writes the results of its work by tool calls.

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// shared are directories that the tests of one run have in common, by what is in them: suites, and homes.
var shared = struct {
	sync.Mutex
	made map[string]bool
}{made: map[string]bool{}}

// share is such a directory. The first test that wants it makes it, and the others wait.
func share(of string, fill func(dir string)) string {
	shared.Lock()
	defer shared.Unlock()
	dir := scratch.PackageTempPath(filepath.FromSlash(of))
	if !shared.made[of] {
		fill(dir)
		shared.made[of] = true
	}
	return dir
}

func (w *World) sharedSuite(plugins ...string) string {
	w.t.Helper()
	return share("suites of a user/"+strings.Join(plugins, " and ")+"/continuation-hooks", func(dir string) {
		w.Springfield(initOf(dir, plugins...)...)
	})
}

// with is a world in which these plugins are on for the user. The suite is shared: it is not to be changed. The home is
// a copy of one in which springfield enable has switched them on, once per run.
func with(t *testing.T, version string, plugins ...string) (w *World, suite string) {
	t.Helper()
	w = newWorld(t, version)
	suite = w.sharedSuite(plugins...)
	home := share("homes/"+version+" with "+strings.Join(plugins, " and "), func(dir string) {
		first := newWorld(t, version)
		for _, plugin := range plugins {
			first.Springfield("enable", plugin, "--suite", suite, "--scope", "user", "--keep")
		}
		must(t, errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), os.Rename(first.Home, dir)))
	})
	must(t, os.RemoveAll(w.Home))
	out, err := exec.Command("cp", "-Rp", home, w.Home).CombinedOutput()
	must(t, err, "the home is not copied", out)
	return w, suite
}

func (w *World) path(name string) string { return filepath.Join(w.Project, filepath.FromSlash(name)) }

func (w *World) exists(name string) bool {
	_, err := os.Lstat(w.path(name))
	return err == nil
}

func shell(command string) Turn {
	return calls("", "Bash", map[string]any{"command": command, "description": "Write it down"})
}

// spec is a plugin that carries out tasks.md.
type spec struct{ plugin, dir, current, state, title, status string }

var specs = []spec{
	{"ralph-specum", "specs/demo", "specs/.current-spec", ".ralph-state.json", "Continue spec: demo", "Ralph-specum iteration"},
	{"ralph-speckit", ".specify/specs/demo", ".specify/.current-feature", ".speckit-state.json", "Continue feature: demo", "Ralph-speckit iteration"},
}

// eachSpec runs a scenario for both, each in a world of its own in which it is on.
func eachSpec(t *testing.T, scenario func(t *testing.T, w *World, s spec)) {
	aClient(t, func(t *testing.T, version string) {
		for _, s := range specs {
			t.Run(s.plugin, func(t *testing.T) {
				t.Parallel()
				w, _ := with(t, version, s.plugin)
				scenario(t, w, s)
			})
		}
	})
}

// begin writes a spec with so many tasks, none of them begun.
func (s spec) begin(w *World, tasks int) (state string) {
	w.t.Helper()
	write(w.t, w.path(s.current), "demo\n")
	var list strings.Builder
	for n := range tasks {
		fmt.Fprintf(&list, "- [ ] 1.%d Do the thing number %d\n", n+1, n+1)
	}
	write(w.t, w.path(s.dir+"/tasks.md"), "# Tasks\n\n"+list.String())
	write(w.t, w.path(s.dir+"/.progress.md"), "# Progress\n")
	return s.dir + "/" + s.state
}

func at(task, tasks, iteration int) string {
	return fmt.Sprintf(`{"phase":"execution","taskIndex":%d,"totalTasks":%d,"taskIteration":1,"globalIteration":%d,"maxGlobalIterations":100}`, task, tasks, iteration)
}

// Five tasks, started with a slash command, and no user there: the state file that the model advances brings
// the loop to its end, and the words that the hook sends tell where it stands.
func TestSpecRunsToItsEnd(t *testing.T) {
	eachSpec(t, func(t *testing.T, w *World, s spec) {
		state := s.begin(w, 5)
		script := []Turn{shell("printf '%s' '" + at(0, 5, 1) + "' > " + state), says("The coordinator is at work.")[0]}
		for n := range 4 {
			script = append(script, shell("printf '%s' '"+at(n+1, 5, n+2)+"' > "+state), says(fmt.Sprintf("Task %d is done.", n+1))[0])
		}
		end := "All five are done.\n\nALL_TASKS_COMPLETE"
		script = append(script, shell("rm "+state), says(end)[0])
		talk := w.Talk(Session{})
		r := talk.Say("/"+s.plugin+":implement", script...)
		ends(t, r, end, len(script))
		last := r.Asked[len(r.Asked)-1]
		saw(t, last, s.title+" (Task 1/5, Iter 1)", s.title+" (Task 5/5, Iter 5)", "tasks.md", "spec-executor")
		ends(t, talk.Say("hello", says("Hello.")...), "Hello.", 1)
		talk.End()
		scratch.Holds(t, "the user was not told", read(t, r.Transcript), s.status+" 5 | Task 5/5", "Claude Code calls each round a problem of the Stop hook; it is none.")
		errorIf(t, !w.exists(s.dir+"/.progress.md"), ".progress.md is gone")
	})
}

const goalFile = ".stravinsky/continuation-loop.md"

// The goal loop reaches its promise, and its maximum.
func TestGoalLoop(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "ralph-wiggum")
		w.Springfield("loop", "start", "Make the tests pass", "--max", "10", "--promise", "All tests passing")
		done := "Now ✅ all TESTS passing, everywhere."
		talk := w.Talk(Session{})
		r := talk.Say("begin", says("One of them fails.", "Another one fails.", done)...)
		ends(t, r, done, 3)
		saw(t, r.Asked[2], "[SYSTEM REMINDER - CONTINUATION LOOP ACTIVE]", "explicitly state the completion promise", "Make the tests pass")
		errorIf(t, w.exists(goalFile), "the loop's file is there after the promise")

		w.Springfield("loop", "start", "Never done", "--max", "12", "--promise", "pigs fly")
		texts := endless(20)
		for i := range texts { // a loop takes messages that differ in numbers alone for the same
			texts[i] = strings.Repeat("Well. ", i) + texts[i]
		}
		// Twelve turns: the first and eleven continues.
		ends(t, talk.Say("begin again", says(texts...)...), texts[11], 12)
		errorIf(t, w.exists(goalFile), "the loop's file is there after its maximum")
		ends(t, talk.Say("hello", says("Hello.")...), "Hello.", 1)
	})
}

// A loop begun inside Claude Code: the slash command lets Claude call the plugin's own hook, and nothing else,
// without asking; the same turn is the loop's first.
func TestGoalLoopFromASlashCommand(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, suite := with(t, version, "ralph-wiggum")
		hook := filepath.Join(suite, "ralph-wiggum", "hooks", "springfield-hook")
		r := w.Run(Session{
			Prompt: `/ralph-wiggum:loop start "Do it" --promise "It is done"`, Mode: "default",
			Script: []Turn{shell(`"` + hook + `" loop start "Do it" --promise "It is done"`), says("I have begun.")[0], says("It is done.")[0]},
		})
		ends(t, r, "It is done.", 3)
		saw(t, r.Asked[0], `start "Do it" --promise "It is done"`, hook)
		saw(t, r.Asked[1], "10 turns: this one and 9 continues, until Claude writes “It is done”")
		saw(t, r.Asked[2], "[SYSTEM REMINDER - CONTINUATION LOOP ACTIVE]")
	})
}

// Bart's markers, and announcements that count.
func TestMarkers(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "bart-simpson")
		end := "That was the last of it. <!-- el-barto:stop -->"
		talk := w.Talk(Session{})
		half, counts := "Half of it is there. <!-- el-barto:continue -->", "I'm using executing-plans. Task 2/3."
		ends(t, talk.Say("begin", says(half, counts, end)...), end, 3)
		last := "I'm using executing-plans. Task 3/3."
		ends(t, talk.Say("go on", says(counts, last)...), last, 2)
		code := "Write it like this:\n\n```\n<!-- el-barto:continue -->\n```"
		ends(t, talk.Say("show me", says(code)...), code, 1)
		if d := w.last(); d.Rule == "budget" {
			t.Errorf("the marker in code is not what ended the turn: %+v", d)
		}
	})
}

// Marge follows the ledger that superpowers' skill keeps, to its end; the plan says how many tasks there
// are, and nothing in it is ticked.
func TestLedgerIsFollowed(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "marge-simpson")
		const plan, ledger = "docs/superpowers/plans/2026-11-01-loop.md", ".superpowers/sdd/2026-11-01-loop/progress.md"
		write(t, w.path(plan), "# Loop\n\n### Task 1: Parser\n\n- [ ] Write the test\n\n### Task 2: Printer\n\n- [ ] Write the test\n\n### Task 3: Docs\n\n- [ ] Write them\n")
		write(t, w.path(ledger), "# SDD ledger — plan: "+plan+"\n")
		done := func(n int) Turn {
			return shell(fmt.Sprintf("echo 'Task %d: complete (commits 1a2b3c4..5d6e7f8, review clean)' >> %s", n, ledger))
		}
		talk := w.Talk(Session{})
		r := talk.Say("execute the plan",
			done(1), says("The first part is in.")[0],
			done(2), says("The second part is in.")[0],
			done(3), says("That was the last part.")[0])
		ends(t, r, "That was the last part.", 6)
		saw(t, r.Asked[2], "Next is task 2", "Printer", plan)
		ends(t, talk.Say("hello", says("Hello.")...), "Hello.", 1)

		// A person is needed, whatever the ledger says.
		write(t, w.path(ledger), "# SDD ledger — plan: "+plan+"\nTask 1: complete (commits 1a2b3c4..5d6e7f8, review clean)\n")
		ends(t, talk.Say("go on", says("Should I use tabs or spaces?")...), "Should I use tabs or spaces?", 1)
	})
}

// validate runs the client's strict validation and accepts one warning, that CLAUDE.md is not loaded. The client's
// directory of plugins would accept the plugin, too.
func TestValidateAsksTheClient(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w := newWorld(t, version)
		suite := newSuite(w)
		for _, accepted := range []string{suite, w.sharedSuite("ralph-specum", "ralph-speckit")} {
			out := w.Springfield("validate", accepted, "--strict")
			scratch.Holds(t, accepted, out.Stdout,
				"Claude Code "+version+": claude plugin validate --strict accepts it", "that is expected")
		}
		if version == newest { // older clients have no profile
			w.claude("plugin", "validate", filepath.Join(suite, "ned-flanders"), "--profile", "directory")
		}
		write(t, filepath.Join(suite, "ned-flanders", "commands", "why.md"), "---\ndescription: \"x\n---\n")
		if out := w.TrySpringfield("validate", suite, "--strict"); out.Code == 0 || !strings.Contains(out.Stdout, "failure  client       ned-flanders/commands/why.md: frontmatter: ") {
			t.Errorf("exit %d\n%s%s", out.Code, out.Stdout, out.Stderr)
		}
	})
}

// A whole stop of lisa-simpson: the client ends its turn where no rule is sure, the hook asks through a second
// client of the same home, and the turn goes on or ends as the answer says.
func TestLisaAsks(t *testing.T) {
	aClient(t, func(t *testing.T, version string) {
		w, _ := with(t, version, "lisa-simpson")
		var answers string
		talk := w.Talk(Session{Side: func(request Request) string {
			if len(request.Messages) > 0 && strings.Contains(request.Messages[0].Text, "DECIDE:") {
				return answers
			}
			return "{}"
		}})
		run := func(unsure, answer string) (r Result, asked []Request) {
			answers = answer
			look := calls("Looking.", "Bash", map[string]any{"command": "echo looked", "description": "Look"})
			r = talk.Say("fix the types", append([]Turn{look}, says(unsure, "All of it is done.")...)...)
			for _, a := range r.Aside {
				if len(a.Messages) > 0 && strings.Contains(a.Messages[0].Text, "DECIDE:") {
					asked = append(asked, a)
				}
			}
			return r, asked
		}

		unsure := "Line 58 has bytes, which should be a slice of them."
		r, asked := run(unsure, `{"reason": "a fault is named and not mended", "continue": true}`)
		ends(t, r, "All of it is done.", 3)
		if len(asked) != 1 {
			t.Fatalf("the judge was asked %d times", len(asked))
		}
		q := asked[0]
		saw(t, q, "  Last tools: [Bash(echo looked → looked)]\n", "  Latest request: \"fix the types\"\n", "  Last message: \""+unsure+"\"\n", "DECIDE: Should Claude continue working autonomously?")
		if !strings.Contains(q.Model, "haiku") || !strings.Contains(q.System, "In doubt: stop.") {
			t.Errorf("%s was asked with\n%s", q.Model, q.System)
		}
		if last := r.Asked[len(r.Asked)-1]; !strings.Contains(string(last.Body), "The work does not look finished.") {
			t.Error("Claude was not told to go on")
		}
		for _, request := range r.Asked {
			if strings.Contains(string(request.Body), "a fault is named and not mended") {
				t.Error("the judge's words have come before Claude")
			}
		}
		why := w.Springfield("why").Stdout // the last stop, which a rule decides
		if !strings.Contains(why, "lisa-simpson let Claude stop") || !strings.Contains(why, "cost $0\n") {
			t.Errorf("why says\n%s", why)
		}
		log := w.Springfield("log").Stdout
		if strings.Count(log, " judge  ") != 1 || !strings.Contains(log, "a fault is named and not mended") || !strings.Contains(log, "$0.00") {
			t.Errorf("log says\n%s", log)
		}
		scratch.Holds(t, "status says", w.Springfield("status").Stdout, "judge today: 1 question, $0.0")

		unsure = "Line 59 has bytes, which should be a slice of them." // each case asks something of its own
		r, asked = run(unsure, `{"reason": "it is a finding", "continue": false}`)
		ends(t, r, unsure, 2)
		scratch.Equal(t, len(asked), 1, "the judge was asked", "times")
		if why := w.Springfield("why").Stdout; !strings.Contains(why, "it is a finding") || !strings.Contains(why, "tokens in") || !strings.Contains(why, "by claude") {
			t.Errorf("why says\n%s", why)
		}

		// One that gives no answer leaves the turn to the user.
		unsure = "Line 60 has bytes, which should be a slice of them."
		r, _ = run(unsure, `{"continue": "yes"}`)
		ends(t, r, unsure, 2)
		if why := w.Springfield("why").Stdout; !strings.Contains(why, "unanswered") || !strings.Contains(why, "junk") {
			t.Errorf("why says\n%s", why)
		}
		// The judges' own sessions leave no decision, and no session: there is the one of the user.
		ledgers, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "springfield", "sessions", "*.jsonl"))
		sessions, _ := filepath.Glob(filepath.Join(w.Home, ".claude", "projects", "*", "*.jsonl"))
		if len(ledgers) != 1 || len(sessions) != 1 {
			t.Errorf("%d ledgers and %d sessions of one", len(ledgers), len(sessions))
		}
	})
}

const todoTag = "[SYSTEM REMINDER - TODO CONTINUATION]"

// Open todos come up before the next prompt, beside a goal loop that goes its own way, and are not spoken of
// when there are none: in both of the shapes that the list has had.
func TestTodosBesideTheLoop(t *testing.T) {
	t.Parallel()
	task := func(subject string) Turn {
		return calls("", "TaskCreate", map[string]any{"subject": subject, "description": subject})
	}
	list := func(first, second string) Turn {
		return calls("", "TodoWrite", map[string]any{"todos": []map[string]string{
			{"content": "Write the tests", "status": first, "activeForm": "Writing the tests"},
			{"content": "Update the docs", "status": second, "activeForm": "Updating the docs"},
		}})
	}
	update := func(id int, status string) Turn {
		return calls("", "TaskUpdate", map[string]any{"taskId": fmt.Sprint(id), "status": status})
	}
	for name, tools := range map[string]struct {
		env         []string // newer models have neither without it
		made, ended []Turn
	}{
		"tasks": {[]string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1"},
			[]Turn{task("Write the tests"), task("Update the docs"), update(1, "in_progress")}, []Turn{update(1, "completed"), update(2, "completed")}},
		"list": {[]string{"CLAUDE_CODE_ENABLE_TODO_TOOLS=1", "CLAUDE_CODE_ENABLE_TASKS=0"},
			[]Turn{list("in_progress", "pending")}, []Turn{list("completed", "completed")}},
	} {
		t.Run(name, func(t *testing.T) {
			aClient(t, func(t *testing.T, version string) {
				w, _ := with(t, version, "todo-continuation", "ralph-wiggum")
				w.With = tools.env
				reminded := func(r Result) (n int) {
					for _, m := range r.Asked[0].Messages {
						n += strings.Count(m.Text, todoTag+"\n") // why shows one, in one line
					}
					return n
				}

				talk := w.Talk(Session{})
				r := talk.Say("make a list", append(tools.made, says("I have made a list of two.")...)...)
				ends(t, r, "I have made a list of two.", len(tools.made)+1)
				scratch.Equal(t, reminded(r), 0, "reminded", "times before there was a list")

				write(t, w.path(goalFile), "---\niteration_count: 1\ncompletion_promise: \"All tests passing\"\n---\n\nMake the tests pass\n")
				r = talk.Say("go on", says("Not yet.", "Nearly.", "All tests passing")...)
				ends(t, r, "All tests passing", 3)
				saw(t, r.Asked[0], todoTag, "IN PROGRESS (1 items):\n  - Write the tests\nPENDING (1 items):\n  - Update the docs\n", "go on")
				saw(t, r.Asked[2], "[SYSTEM REMINDER - CONTINUATION LOOP ACTIVE]")
				scratch.Equal(t, reminded(Result{Asked: r.Asked[2:]}), 1, "reminded", "times at one prompt")
				errorIf(t, w.exists(goalFile), "the loop's file is there after the promise")

				if name == "tasks" { // whatever the list's shape
					r = talk.Say("/todo-continuation:why", says("Hold on.")...)
					if scratch.Holds(t, "why", r.Text, "todo-continuation reminded Claude before a prompt"); len(r.Asked) > 0 {
						t.Errorf("why asks the model %d times", len(r.Asked))
					}
				}

				r = talk.Say("finish it", append(tools.ended, says("Both are done.")...)...)
				ends(t, r, "Both are done.", len(tools.ended)+1)
				r = talk.Say("anything else?", says("Nothing.")...)
				if n := reminded(r); n != 2 { // at "go on" and at "finish it"
					t.Errorf("with nothing open the session has %d reminders, not the two from before", n)
				}
			})
		})
	}
}
