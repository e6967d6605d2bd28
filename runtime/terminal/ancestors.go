package terminal

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// maxAncestors bounds the walk to the first process.
const maxAncestors = 64

// process is what the system tells of one. What it does not tell is empty.
type process struct {
	id, parent int
	// session is the process that leads its session; 0 where the system has no sessions, -1
	// where that process cannot be seen from here.
	session int
	// terminal tells that one controls it, and pseudo that a program has made that one.
	terminal, pseudo bool

	name    string   // as lists of processes show it
	program string   // the path of its file
	args    []string // as it was started
	environ []string // as it was started
	closed  bool     // environ is not to be read: another user's process

	born int64 // on Windows, where a parent's number can have been given to another
}

func (p process) String() string { return p.name + " (pid " + strconv.Itoa(p.id) + ")" }

func (p process) variable(name string) string {
	for _, v := range p.environ {
		if key, value, _ := strings.Cut(v, "="); key == name {
			return value
		}
	}
	return ""
}

// makers are programs that make a terminal for another program, or become the parents of
// what others have left behind: behind their terminal is a person only if they have one
// themselves. Not node, in which editors run.
var makers = []string{
	"script", "expect", "unbuffer", "socat", "perl", "ruby", // Python has many names
	"init", "systemd", "launchd", "tini", "dumb-init", "docker-init", "catatonit",
	"sh", "bash", "dash", "zsh", "sleep", "tail",
}

func (p process) isMaker() bool {
	name := strings.ToLower(p.name)
	if len(p.args) > 0 && p.args[0] == "/init" { // of Windows' Linux, on whose terminals people sit
		return false
	}
	return slices.Contains(makers, name) || strings.HasPrefix(name, "python")
}

var errUnfollowed = errors.New("the parents of this command cannot be followed to the terminal's session leader")

// OwnTerminal opens the controlling terminal, and proves as far as that goes that a person
// sits there: no agent is among the parents of this process, and one of these leads the
// terminal's session. The error says what was found; ErrNone if there is no terminal.
func OwnTerminal() (*Terminal, error) {
	t, err := openTerminal()
	if err != nil {
		return nil, err
	}
	if err := findAgent(lookUp, os.Getpid()); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// HangsOnAgent reports whether the agent whose client has started this program is itself started by
// another: that one can type into it. It is not seen of a client that has left its parents behind.
func HangsOnAgent() bool { return findTwoAgents(lookUp, os.Getpid()) }

func findTwoAgents(lookUp func(id int) (process, error), own int) bool {
	var child process
	inside, left := false, false // the client's own processes; behind them
	for n, id := 0, own; id > 0 && n < maxAncestors; n++ {
		p, err := lookUp(id)
		if err != nil || n > 0 && p.born > child.born {
			return false
		}
		client := registry.HostOfProgram(p.program, p.name, p.args) != nil
		if client && left {
			return true
		}
		inside, left = inside || client, inside && !client
		h, _ := registry.CallingHost(func(name string) string {
			if name == "CLAUDE_CODE_ENTRYPOINT" { // editors and programs give it to a client of their own
				return ""
			}
			return p.variable(name)
		})
		if inside && h != nil {
			return true
		}
		child, id = p, p.parent
	}
	return false
}

// findAgent follows the parents of a process to the first one, and returns an error where an
// agent can have started it: which agent, if that is seen, else what makes it possible.
func findAgent(lookUp func(id int) (process, error), own int) error {
	var child process
	var doubt error
	leader := 0 // who is still to be found
	for n, id := 0, own; id > 0; n++ {
		p, err := lookUp(id)
		if n == maxAncestors || err != nil && n == 0 {
			return errUnfollowed
		}
		if err != nil || n > 0 && p.born > child.born {
			break // another user's that are hidden from us, or not the parent, which has ended
		}
		if h := registry.HostOfProgram(p.program, p.name, p.args); h != nil {
			return errors.New("an ancestor of this command is " + h.Program + " (pid " + strconv.Itoa(id) + ")")
		}
		if h, _ := registry.CallingHost(p.variable); h != nil {
			who := "this command"
			if n > 0 {
				who = p.String() + ", an ancestor of this command,"
			}
			return errors.New(who + " has variables of " + h.Title + " in its environment")
		}
		left := leader == 0 && child.id == child.session && child.pseudo && p.isMaker()
		switch {
		case n == 0 || left && p.terminal:
			leader = p.session
		case left && doubt == nil:
			doubt = errors.New("no one sits at this terminal: " + p.String() + ", which it hangs on, has none itself")
		case p.closed && leader != 0 && id != leader && p.parent != 0 && doubt == nil:
			doubt = errors.New("the environment of " + p.String() + ", an ancestor of this command, cannot be read")
		}
		if id == leader {
			leader = 0
		}
		child, id = p, p.parent
	}
	if doubt == nil && leader != 0 {
		return errUnfollowed
	}
	return doubt
}
