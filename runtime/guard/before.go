// Package guard implements the vetoes and the budget of all strategies. No rule can override them.
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

// Moment is the state of the session at the stop, from the event.
type Moment struct {
	PermissionMode string
	Crons          int // scheduled wake-ups of the session
	Tasks          []Background
}

// Background is background work still running.
type Background struct {
	ID          string
	Type        string // shell, subagent, monitor, …
	Description string
	Command     string // of a shell task
}

// Members lists the members of a task in Claude Code's event.
func (b *Background) Members(m *codec.Coder) {
	m.Text("id", &b.ID)
	m.Text("type", &b.Type)
	m.Text("description", &b.Description)
	m.Text("command", &b.Command)
}

// Veto lets the agent stop whatever the strategy decides. The zero Veto is a no-op.
type Veto struct {
	Rule, Evidence string // the evidence of a limit follows the plugin's name
	// Next is the action or the time that allows the next continue, or "". Limit is the setting of the exhausted limit.
	Next, Limit string
}

// CheckPending returns a veto in plan mode, or when a schedule or background work will wake the agent. It ignores
// servers and earlier turns' shell commands. earlierTasks has earlier turns' IDs. Unknown IDs count as this turn's.
func CheckPending(m Moment, earlierTasks []string) Veto {
	if m.PermissionMode == "plan" {
		return Veto{Rule: "plan-mode", Evidence: "permission mode is plan"}
	}
	if m.Crons > 0 {
		return Veto{Rule: "scheduled", Evidence: "a scheduled prompt will wake the agent"}
	}
	for _, t := range m.Tasks {
		if t.Type != "shell" {
			about := t.Type + " in the background: " + quotation.QuoteEvidence(t.Description)
			return Veto{Rule: "background", Evidence: about}
		}
	}
	for _, t := range m.Tasks {
		if !slices.Contains(earlierTasks, t.ID) && !isServer(t.Command) {
			about := "shell command in the background: " + quotation.QuoteEvidence(t.Description)
			return Veto{Rule: "background", Evidence: about}
		}
	}
	return Veto{}
}

// CheckRunning returns a veto if any of this turn's background work (commands or other call summaries) is not a server.
func CheckRunning(running []string) Veto {
	for _, about := range running {
		if !isServer(about) {
			return Veto{Rule: "background", Evidence: "in the background: " + quotation.QuoteEvidence(about)}
		}
	}
	return Veto{}
}

// VetoOfTeam returns a veto for a lead whose teammates are at work. names is not empty.
func VetoOfTeam(names []string) Veto {
	const named = 3
	if n := len(names); n > named {
		names = append(slices.Clone(names[:named]), strconv.Itoa(n-named)+" more")
	}
	return Veto{Rule: "team", Evidence: "at work in the team: " + strings.Join(names, ", ")}
}

// servers are parts of commands that run until they are stopped.
var servers = []string{
	"run dev", "run start", "npm start", "yarn start", "yarn dev", "pnpm dev", "pnpm start", "bun dev", "vite",
	"next dev", "webpack serve", "--watch", "nodemon", "http.server", "runserver", "flask run", "uvicorn", "gunicorn",
	"rails s", "compose up", "tail -f", "tail -F", "serve", "air", "ngrok", "port-forward",
}

func isServer(command string) bool {
	return slices.ContainsFunc(servers, func(sign string) bool {
		return strings.Contains(" "+command+" ", " "+sign+" ") ||
			strings.Contains(command, sign) && strings.ContainsAny(sign, " -.")
	})
}

// Commands are our plugins' slash commands that inspect or hold a plugin, or start or end a loop. Commands
// that start a spec's tasks are not included.
var Commands = []string{"why", "log", "hold", "page", "loop", "cancel"}

// CheckOwnCommand returns a veto if prompt is one of the plugin's Commands and no tool was called. prompt is from the
// log, with the <command-name> tag. calls counts the turn's tool calls.
func CheckOwnCommand(plugin, prompt string, calls int) Veto {
	if calls > 0 || !strings.Contains(prompt, "<command-name>") {
		return Veto{}
	}
	for _, word := range Commands {
		command := "/" + plugin + ":" + word
		if strings.Contains(prompt, "<command-name>"+command+"</command-name>") {
			return Veto{Rule: "answer", Evidence: "you asked " + command + ", and this is the answer"}
		}
	}
	return Veto{}
}

const maxRalph = 16 << 10 // bytes of ralph-loop's state file

// RalphArmed reports whether the plugin ralph-loop drives this session by a state file in workDir's .claude. We must
// not decide then. A file without session applies to all.
func RalphArmed(workDir, session string) bool {
	if workDir == "" {
		return false
	}
	data, err := file.ReadBeginning(filepath.Join(workDir, ".claude", "ralph-loop.local.md"), 0, maxRalph)
	if err != nil {
		return false
	}
	owner := frontMatterValue(data, "session_id")
	return owner == "" || owner == session
}

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
