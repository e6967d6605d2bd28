// Command springfield-hook is the hook of a springfield plugin. An agent
// starts it with one event on standard input; called with a word it
// answers a person: why, log, hold, resume, page, loop.
package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func main() {
	hook.ArmourProcess()
	growStack()
	home, _ := os.UserHomeDir()   // "" matters only without a transcript
	program, _ := os.Executable() // "": CLAUDE_PLUGIN_ROOT says which plugin it belongs to
	if len(os.Args) > 1 {
		os.Exit(answerPerson(home, program, os.Args[1:]))
	}
	os.Exit(hook.Process{
		Stdin: os.Stdin, Stdout: display.SafeWriter(safeOutput(os.Stdout)), Stderr: safeOutput(os.Stderr),
		Executable: program,
		PluginRoot: os.Getenv("CLAUDE_PLUGIN_ROOT"),
		Project:    os.Getenv(registry.DefaultHost().ProjectVariable),
		Home:       home,
		Getenv:     os.Getenv,
		Environ:    os.Environ,
		Off:        hook.IsOffWord(os.Getenv("SPRINGFIELD")) || os.Getenv(judge.InJudge) != "",
		Now:        time.Now(),
		Up:         ledger.RunningTime(),
	}.Run())
}

// growStack has the stack grow once, while there is little on it to copy, and not five
// times on the way down: a fortieth of a decision.
//
//go:noinline
func growStack() byte {
	var room [48 << 10]byte
	return room[len(os.Args)]
}

// answerPerson answers a person. No fault exits 2 here either: a hook that is called
// with words by mistake must not block Claude.
func answerPerson(home, program string, args []string) int {
	config := os.Getenv("CLAUDE_CONFIG_DIR")
	if config == "" {
		config = filepath.Join(home, ".claude")
	}
	out, said := display.SafeWriter(safeOutput(os.Stdout)), display.SafeWriter(safeOutput(os.Stderr))
	caller, session := registry.CallingHost(os.Getenv)
	person := console.Console{
		Out: out, Err: said, Dir: filepath.Join(config, "springfield"), Also: ledger.StateDir("", home), Now: time.Now,
		Self: strconv.Quote(os.Args[0]), Caller: caller,
		Home: home, Session: session,
		Off: hook.IsOffWord(os.Getenv("SPRINGFIELD")), Getenv: os.Getenv,
	}
	person.Work, _ = os.Getwd() // "" is the same when it is opened
	person.Driver = func(dir string) console.Driver { return console.DriverAround(program, person.Dir, dir) }
	person.Plugin = func() (hook.Settings, error) { return hook.FindSettings(program, person.Dir, person.Work) }
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
