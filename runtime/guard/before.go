// Package guard holds what every strategy inherits: the situations in which
// it is not asked, and the budget, above which no rule stands.
package guard

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Moment is what the event itself says about the stop.
type Moment struct {
	PermissionMode string
	Crons          int          // scheduled wake-ups of the session
	Tasks          []Background // work that runs in the background
}

// Background is one task of the session that still runs.
type Background struct {
	ID          string
	Type        string // shell, subagent, monitor, …
	Description string
	Command     string // of a shell task
}

// Members are a task as Claude Code writes it.
func (b *Background) Members(m *codec.Members) {
	m.Text("id", &b.ID)
	m.Text("type", &b.Type)
	m.Text("description", &b.Description)
	m.Text("command", &b.Command)
}

// Veto is a stop without asking the strategy. The zero Veto is none.
type Veto struct {
	Rule, Evidence string
	// Next is what brings the next continue, for the user to do or to wait for, "" if
	// nothing is known that does. Limit is the one of the budget's that ended it, by its name
	// in settings. Evidence of a limit is read behind the plugin's name.
	Next, Limit string
}

// CheckEvent looks at the event alone: a session that plans or waits is not done and must
// not be pushed. Shell tasks do not count here, because a development server
// runs all day; see Waiting.
func CheckEvent(m Moment) Veto {
	if m.PermissionMode == "plan" {
		return Veto{Rule: "plan-mode", Evidence: "permission mode is plan"}
	}
	if m.Crons > 0 {
		return Veto{Rule: "scheduled", Evidence: "a scheduled prompt will wake the agent"}
	}
	for _, t := range m.Tasks {
		if t.Type != "shell" {
			return Veto{Rule: "background", Evidence: t.Type + " in the background: " + quotation.QuoteEvidence(t.Description)}
		}
	}
	return Veto{}
}

// Waiting looks at shell tasks: one that this turn started will wake the agent
// when it ends, unless it is a server, which does not end. Earlier are the ids
// of what turns before this one started. A task that is not known counts as
// started just now: the transcript may not have it yet.
func Waiting(m Moment, earlier []string) Veto {
	for _, t := range m.Tasks {
		if t.Type == "shell" && !slices.Contains(earlier, t.ID) && !isServer(t.Command) {
			return Veto{Rule: "background", Evidence: "shell command in the background: " + quotation.QuoteEvidence(t.Description)}
		}
	}
	return Veto{}
}

// CheckWork looks at the work that this turn has begun and that goes on: what it is about. It
// will wake the agent when it ends, unless it is a server.
func CheckWork(work []string) Veto {
	for _, about := range work {
		if !isServer(about) {
			return Veto{Rule: "background", Evidence: "in the background: " + quotation.QuoteEvidence(about)}
		}
	}
	return Veto{}
}

// CheckTeam looks at a lead's teammates: a message of one that is at work will wake the agent,
// and the plan and the todos of a lead are its team's until then. It is asked while there are some.
func CheckTeam(atWork []string) Veto {
	const named = 3
	if n := len(atWork); n > named {
		atWork = append(slices.Clone(atWork[:named]), strconv.Itoa(n-named)+" more")
	}
	return Veto{Rule: "team", Evidence: "at work in the team: " + strings.Join(atWork, ", ")}
}

// isServer knows commands that run until they are stopped.
func isServer(command string) bool {
	for _, sign := range []string{
		"run dev", "run start", "npm start", "yarn start", "yarn dev", "pnpm dev", "pnpm start", "bun dev", "vite", "next dev", "webpack serve",
		"--watch", "nodemon", "http.server", "runserver", "flask run", "uvicorn", "gunicorn", "rails s", "compose up", "tail -f", "tail -F",
		"serve", "air", "ngrok", "port-forward",
	} {
		if strings.Contains(" "+command+" ", " "+sign+" ") || strings.Contains(command, sign) && strings.ContainsAny(sign, " -.") {
			return true
		}
	}
	return false
}

// Commands are the slash commands of our plugins by which the user looks at one, holds it, or
// begins and ends a loop: all but those that start a spec's tasks.
func Commands() []string { return []string{"why", "log", "hold", "page", "loop", "cancel"} }

// CheckPrompt looks at the prompt: after a slash command of the plugin that only asks
// for something, what Claude says is the answer, and work that remains elsewhere
// waits. A loop is not asked: it goes on until it is told otherwise.
func CheckPrompt(plugin, prompt string, calls int) Veto {
	if calls > 0 || !strings.Contains(prompt, "<command-name>") {
		return Veto{}
	}
	for _, word := range Commands() {
		command := "/" + plugin + ":" + word
		if strings.Contains(prompt, "<command-name>"+command+"</command-name>") {
			return Veto{Rule: "answer", Evidence: "you asked " + command + ", and this is the answer"}
		}
	}
	return Veto{}
}

// ralph-loop: another plugin's loop, armed by a file in the project. Stop hooks
// run in parallel and any block wins, so while it drives this session we stand
// aside. The file is only looked at, never followed.

// maxRalph bounds what is read of the state file: its frontmatter is short.
const maxRalph = 16 << 10

// RalphArmed tells whether ralph-loop drives this session in this directory. A
// file that names another session is another session's loop; one that names
// none is any session's, as ralph-loop has it.
func RalphArmed(dir, session string) bool {
	if dir == "" {
		return false
	}
	data, err := file.ReadBeginning(filepath.Join(dir, ".claude", "ralph-loop.local.md"), 0, maxRalph)
	if err != nil {
		return false
	}
	owner := frontMatterValue(data, "session_id")
	return owner == "" || owner == session
}

// frontMatterValue is the value of a key between the first two lines "---".
func frontMatterValue(data []byte, key string) string {
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if (line == "---") != (n == 0) {
			return ""
		}
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}
