package terminal

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/registry"
)

const maxAncestors = 64

// process has empty fields where the system has no answer.
type process struct {
	id, parent int
	// session is the ID of the session leader, 0 on systems without sessions, or -1 if this process is invisible.
	session          int
	terminal, pseudo bool // has a controlling terminal; it is a pseudo-terminal

	name    string
	program string // path
	args    []string
	environ []string
	closed  bool // environ cannot be read, since this is a different user's process

	born int64 // on Windows, which reuses the id of a parent
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

// makers are programs that make a terminal for other programs or adopt orphans. A person uses such a terminal
// only if the maker itself has one. Node is not a maker, because editors run in it.
var makers = []string{
	"script", "expect", "unbuffer", "socat", "perl", "ruby",
	"init", "systemd", "launchd", "tini", "dumb-init", "docker-init", "catatonit",
	"sh", "bash", "dash", "zsh", "sleep", "tail",
}

// isMaker reports whether p is, by name, one of makers or Python. On Windows' Linux, /init is none.
func (p process) isMaker() bool {
	name := strings.ToLower(p.name)
	if len(p.args) > 0 && p.args[0] == "/init" { // Linux on Windows makes terminals for people
		return false
	}
	return slices.Contains(makers, name) || strings.HasPrefix(name, "python")
}

// lookUpFunc finds a process. Reading the environment takes most of the time, and is done only if environ is set.
type lookUpFunc func(id int, environ bool) (process, error)

var errUnfollowed = errors.New("the parents of this command cannot be followed to the terminal's session leader")

// UserTerminal opens the controlling terminal if a person seems to use it: its session leader is this process or an
// ancestor, and no ancestor is an agent. It returns ErrNone without a terminal. Callers close it.
func UserTerminal() (*Terminal, error) {
	t, err := openTerminal()
	if err != nil {
		return nil, err
	}
	if err := ruleOutAgent(lookUp, os.Getpid()); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// nearest exceeds the number of processes between a client and its hook, such as a shell or a launcher.
const nearest = 4

// NearAncestors returns the IDs of up to four ancestors, the parent first.
func NearAncestors() (ids []int) {
	for id := os.Getpid(); len(ids) < nearest; {
		p, err := lookUp(id, false)
		if err != nil || p.parent <= 0 {
			break
		}
		id = p.parent
		ids = append(ids, id)
	}
	return ids
}

// IsClientNested reports whether an agent started this program's client, and could type into it. It misses orphaned
// clients.
func IsClientNested() bool { return findTwoAgents(lookUp, os.Getpid()) }

func findTwoAgents(lookUp lookUpFunc, pid int) bool {
	var child process
	inside, left := false, false // among the client's processes, or above them
	for n, id := 0, pid; id > 0 && n < maxAncestors; n++ {
		p, err := lookUp(id, inside)
		client := err == nil && registry.HostOfProgram(p.program, p.name, p.args) != nil
		if client && !inside {
			p, err = lookUp(id, true)
		}
		if err != nil || n > 0 && p.born > child.born {
			return false
		}
		if client && left {
			return true
		}
		inside, left = inside || client, inside && !client
		if h, _ := registry.CallingHost(func(name string) string {
			if name == "CLAUDE_CODE_ENTRYPOINT" { // editors set it for a client of their own
				return ""
			}
			return p.variable(name)
		}); inside && h != nil {
			return true
		}
		child, id = p, p.parent
	}
	return false
}

// ruleOutAgent returns an error if pid or an ancestor is, or was started by, an agent, or if uncertain.
func ruleOutAgent(lookUp lookUpFunc, pid int) error {
	var child process
	var doubt error
	leader := 0 // the session leader that is still to be found
	for n, id := 0, pid; id > 0; n++ {
		p, err := lookUp(id, true)
		if n == maxAncestors || err != nil && n == 0 {
			return errUnfollowed
		}
		if err != nil || n > 0 && p.born > child.born {
			break // a different user's process is hidden, or an id was reused
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
