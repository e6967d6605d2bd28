package terminal

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// processes parses a process table, from the first process down to the command. Each is a child of the one before, with
// its name, its session and its properties.
func processes(line string) (all []process) {
	for i, said := range strings.Split(line, " > ") {
		words := strings.Fields(said)
		p := process{id: i + 1, parent: i, name: words[0]}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, ":")
			number, err := strconv.Atoi(word)
			switch {
			case err == nil:
				p.session = number
			case key == "pseudo", key == "console":
				p.terminal, p.pseudo = true, key == "pseudo"
			case key == "closed":
				p.closed = true
			case key == "is":
				p.program = value
			case key == "with":
				p.args = strings.Split(value, ",")
			case key == "has":
				p.environ = []string{"HOME=/", value + "=1"}
			case key == "born":
				born, _ := strconv.Atoi(value)
				p.born = int64(born)
			}
		}
		all = append(all, p)
	}
	return all
}

// findIn looks for an agent in a made table, of which the first processes are hidden.
func findIn(all []process, hidden int) error {
	return ruleOutAgent(func(id int, _ bool) (process, error) {
		if id <= hidden || id > len(all) {
			return process{}, fs.ErrPermission
		}
		return all[id-1], nil
	}, len(all))
}

// A person sits at the terminal of these.
func TestPersonAtTerminal(t *testing.T) {
	for name, line := range map[string]string{
		"a terminal's shell":       "systemd 1 > gnome-terminal- 2 > bash 3 pseudo > springfield 3 pseudo",
		"on Windows' Linux":        "init 0 with:/init > init 2 with:/init > bash 3 pseudo > springfield 3 pseudo",
		"a terminal's program":     "systemd 1 > xterm 1 > springfield 3 pseudo",
		"an editor's terminal":     "systemd 1 > code 2 > node 2 with:node,/opt/pty.js > zsh 4 pseudo > springfield 4 pseudo",
		"ssh":                      "systemd 1 > sshd 2 closed > sshd 3 closed > bash 4 pseudo > springfield 4 pseudo",
		"login of macOS":           "launchd 1 > Terminal 2 > login 3 pseudo closed > zsh 3 pseudo > springfield 3 pseudo",
		"tmux":                     "systemd 1 > tmux:server 2 > bash 3 pseudo > springfield 3 pseudo",
		"a container":              "bash 1 pseudo > springfield 1 pseudo",
		"a console of init":        "init 1 > sh 2 console > springfield 2 console",
		"a person who records":     "systemd 1 > xterm 2 > bash 3 pseudo > script 3 pseudo > sh 5 pseudo > springfield 5 pseudo",
		"no sessions":              "explorer.exe > cmd.exe > springfield.exe",
		"a number that was reused": "claude.exe born:9 > cmd.exe born:3 > springfield.exe born:4",
		"a name like Claude's":     "xterm 1 > bash 2 pseudo > claudette 2 pseudo with:claudette,claude > springfield 2 pseudo",
		"a file of that name":      "xterm 1 > bash 2 pseudo > vim 2 pseudo with:vim,claude > springfield 2 pseudo",
	} {
		scratch.Must(t, findIn(processes(line), 0), name)
	}
}

func TestAgentAtTerminal(t *testing.T) {
	const (
		claude = "an ancestor of this command is claude (pid 2)"
		row    = "xterm 1 > claude 2 pseudo > "
		lib    = "/n/node_modules/@qwen-code/qwen-code/index.js"
	)
	for name, test := range map[string]struct{ line, want string }{
		"Claude":                       {row + "springfield 2 pseudo", claude},
		"Claude, behind script":        {row + "sh 3 > script 3 > sh 5 pseudo > springfield 5 pseudo", claude},
		"Claude, not followed":         {row + "springfield 9 pseudo", claude},
		"Claude on Windows":            {"cmd.exe > Claude.exe > springfield.exe", claude},
		"Claude as it installs itself": {"xterm 1 > 2.1 2 pseudo is:/h/claude/versions/2.1 > springfield 2 pseudo", claude},
		"Gemini, a script":             {"xterm 1 > node 2 pseudo with:node,-x,/bin/gemini > springfield 2 pseudo", "is gemini (pid 2)"},
		"Qwen, by its place":           {"xterm 1 > bun 2 pseudo with:bun," + lib + " > springfield 2 pseudo", "is qwen (pid 2)"},
		"node without arguments":       {"xterm 1 > node 2 pseudo is:/bin/node > springfield 9 pseudo", "cannot be followed"},

		"a variable": {"xterm 1 > bash 2 pseudo has:CLAUDECODE > springfield 2 pseudo",
			"bash (pid 2), an ancestor of this command, has variables of Claude Code"},
		"a variable above": {"tmux:server 1 has:CLAUDE_CODE_ENTRYPOINT > bash 2 pseudo > springfield 2 pseudo",
			"tmux:server (pid 1), an ancestor"},
		"its own variable": {"xterm 1 > bash 2 pseudo > springfield 2 pseudo has:CODEX_SESSION_ID",
			"this command has variables of Codex"},

		"a leader that is no parent":    {"systemd 1 > springfield 77 pseudo", "cannot be followed"},
		"a leader of another namespace": {"sh -1 pseudo > springfield -1 pseudo", "cannot be followed"},
		"as many as are looked at": {strings.Repeat("sh 1 pseudo > ", maxAncestors) + "springfield 1 pseudo",
			"cannot be followed"},
		"another user between": {"xterm 1 > bash 2 pseudo > su 2 pseudo closed > springfield 2 pseudo",
			"the environment of su (pid 3), an ancestor of this command, cannot be read"},
		"left behind, with a terminal": {"systemd 1 > script 2 > sh 3 pseudo > springfield 3 pseudo",
			"no one sits at this terminal: script (pid 2)"},
		"left behind, with two terminals": {"init 1 > python3.11 2 > sh 3 pseudo > script 3 pseudo > springfield 5 pseudo",
			"no one sits at this terminal: python3.11 (pid 2)"},
		"left behind by its terminal": {"systemd 1 > springfield 2 pseudo", "no one sits at this terminal: systemd (pid 1)"},
		"script without its leader":   {"init 1 > script 9 pseudo > springfield 3 pseudo", "cannot be followed"},
	} {
		if err := findIn(processes(test.line), 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// Only processes above the session's leader may be hidden.
func TestHiddenAncestors(t *testing.T) {
	all := processes("sshd 1 > bash 2 pseudo > springfield 2 pseudo")
	for hidden, want := range []error{nil, nil, errUnfollowed, errUnfollowed} {
		scratch.Equal(t, findIn(all, hidden), want, hidden, "hidden")
	}
}

// An agent's client in the shell of another agent.
func TestHangsOnAgent(t *testing.T) {
	for line, want := range map[string]bool{
		"xterm 1 > bash 2 > claude 2 > springfield 2":                                      false,
		"xterm 1 > bash 2 > claude 2 > sh 2 has:CLAUDECODE > springfield 2 has:CLAUDECODE": false,
		"xterm 1 > node 2 with:node,/bin/claude > claude 2 > springfield 2":                false,
		"xterm 1 > claude 2 > bash 3 > claude 3 > springfield 3":                           true,
		"xterm 1 > codex 2 > bash 3 > claude 3 > sh 3 > springfield 3":                     true,
		"init 1 > claude 3 has:CLAUDECODE > springfield 3":                                 true,
		"init 1 > bash 3 has:CODEX_SESSION_ID > claude 3 > springfield 3":                  true,
		"xterm 1 > claude 2 > bash 3 > springfield 3":                                      false,
		"code 1 > claude 2 has:CLAUDE_CODE_ENTRYPOINT > springfield 2":                     false,
		"xterm 1 > springfield 2":                                                          false,
		"claude born:9 > bash born:3 > claude born:4 > springfield born:5":                 false,
	} {
		all := processes(line)
		got := findTwoAgents(func(id int, _ bool) (process, error) {
			if id > len(all) {
				return process{}, fs.ErrNotExist
			}
			return all[id-1], nil
		}, len(all))
		scratch.Equal(t, got, want, line)
	}
}
