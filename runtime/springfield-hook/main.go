// Command springfield-hook is the hook of a springfield plugin. An agent
// starts it with one event on standard input; called with a word it
// answers a person: why, log, hold, resume, page, loop.
package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/terminal"
)

func main() {
	hook.ArmourProcess()
	growStack()
	home, _ := os.UserHomeDir()   // "" matters only without a transcript
	program, _ := os.Executable() // "": CLAUDE_PLUGIN_ROOT says which plugin it belongs to
	if len(os.Args) > 1 {
		os.Exit(answerPerson(home, program, os.Args[1:]))
	}
	if isTerminal(os.Stdin) {
		io.WriteString(display.SafeWriter(safeOutput(os.Stderr)), console.Usage)
		os.Exit(0)
	}
	os.Exit(hook.Process{
		Stdin: os.Stdin, Stdout: display.SafeWriter(safeOutput(os.Stdout)), Stderr: safeOutput(os.Stderr),
		Executable: program,
		PluginRoot: os.Getenv("CLAUDE_PLUGIN_ROOT"),
		Project:    os.Getenv(registry.DefaultHost().ProjectVariable),
		Home:       home,
		Getenv:     os.Getenv,
		Hangs:      terminal.HangsOnAgent,
		Environ:    os.Environ,
		Off:        hook.IsOffWord(os.Getenv("SPRINGFIELD")) || os.Getenv(judge.InJudge) != "",
		Now:        time.Now(),
		Up:         ledger.RunningTime(),
		Self:       ownCall,
		Answer: func(e hook.Event, state, word, arguments string) string {
			person := newConsole(home, program)
			person.Dir, person.Session, person.Work, person.Caller = state, e.SessionID, e.Cwd, e.Host
			return person.AnswerAtOnce(word, arguments)
		},
	}.Run())
}

// isTerminal tells that a person has started the hook without a word: no agent sends an event through a terminal.
func isTerminal(stdin *os.File) bool {
	in, err := stdin.Stat()
	if err != nil || in.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(in, null)
}

// growStack has the stack grow once, while there is little on it to copy, and not five
// times on the way down: a fortieth of a decision.
//
//go:noinline
func growStack() byte {
	var room [48 << 10]byte
	return room[len(os.Args)]
}

// ownCall is how a person calls this program: springfield, where that is on PATH.
func ownCall() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) { // by hand: os/exec makes the hook larger
		if program := filepath.Join(dir, "springfield"); file.IsReadable(program) || file.IsReadable(program+".exe") {
			return "springfield"
		}
	}
	return strconv.Quote(os.Args[0])
}

// newConsole is one for a person whose words are in the environment or in an event.
func newConsole(home, program string) *console.Console {
	person := &console.Console{
		Also: ledger.StateDir("", home), Now: time.Now, Self: ownCall(), Home: home,
		Project: os.Getenv(registry.DefaultHost().ProjectVariable),
		Off:     hook.IsOffWord(os.Getenv("SPRINGFIELD")), Getenv: os.Getenv,
	}
	person.Driver = func(dir string) console.Driver { return console.DriverAround(program, person.Dir, dir) }
	person.Plugin = func() (hook.Settings, error) { return hook.FindSettings(program, person.Dir, person.Work) }
	return person
}

// answerPerson answers a person. No fault exits 2 here either: a hook that is called
// with words by mistake must not block Claude.
func answerPerson(home, program string, args []string) int {
	config := cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude"))
	person, said := newConsole(home, program), display.SafeWriter(safeOutput(os.Stderr))
	person.Out, person.Err, person.Dir = display.SafeWriter(safeOutput(os.Stdout)), said, filepath.Join(config, "springfield")
	person.Caller, person.Session = registry.CallingHost(os.Getenv)
	person.Work, _ = os.Getwd() // "" is the same when it is opened
	err := person.AnswerCall(args)
	switch err {
	case nil:
		return 0
	case console.ErrCancelled:
		io.WriteString(said, "springfield-hook: cancelled\n")
		return 130
	case console.ErrUsage:
		io.WriteString(said, console.Usage)
	default:
		io.WriteString(said, "springfield-hook: error: "+err.Error()+"\n")
		if advice := console.AdviceOn(err); advice != "" {
			io.WriteString(said, "springfield-hook: hint: "+advice+"\n")
		}
	}
	return 1
}
