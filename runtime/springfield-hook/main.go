// Command springfield-hook is the hook of a springfield plugin. It answers an event on standard input. Called
// with a word, it answers a person: why, log, hold, resume, page, loop.
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
	hook.AbortOnCrash()
	growStack()
	home, _ := os.UserHomeDir()
	program, _ := os.Executable() // without it, CLAUDE_PLUGIN_ROOT names the plugin
	if real, err := filepath.EvalSymlinks(program); err == nil && program != "" {
		program = real
	}
	if len(os.Args) > 1 {
		os.Exit(answerPerson(home, program, os.Args[1:]))
	}
	if isTerminal(os.Stdin) {
		io.WriteString(&display.SafeWriter{To: withoutSigpipe(os.Stderr)}, console.Usage)
		os.Exit(0)
	}
	os.Exit(hook.Process{
		Stdin: os.Stdin, Stdout: &display.SafeWriter{To: withoutSigpipe(os.Stdout)}, Stderr: withoutSigpipe(os.Stderr),
		Executable: program,
		PluginRoot: os.Getenv("CLAUDE_PLUGIN_ROOT"),
		Project:    os.Getenv(registry.DefaultHost().ProjectVariable),
		Home:       home,
		Getenv:     os.Getenv,
		Hangs:      terminal.IsClientNested,
		Environ:    os.Environ,
		Off:        hook.IsOffWord(os.Getenv("SPRINGFIELD")) || os.Getenv(judge.InJudge) != "",
		Now:        time.Now(),
		Up:         ledger.MachineUptime(),
		Self:       cliOrSelf,
		Sleep:      sleepBesideClient,
		Ancestors:  terminal.NearAncestors,
		Answer: func(e hook.Event, state, word, arguments string) string {
			person := newConsole(home, program)
			person.Dir, person.Session, person.Work, person.Caller = state, e.SessionID, e.Cwd, e.Host
			return person.AnswerAtOnce(word, arguments)
		},
	}.Run())
}

// sleepBesideClient waits for d or until the client ends, and returns the time and the machine's running time then. ok
// reports whether the client still runs.
func sleepBesideClient(d time.Duration) (now time.Time, upMillis int64, ok bool) {
	client, end := os.Getppid(), time.Now().Add(d)
	for left := d; left > 0 && os.Getppid() == client; left = time.Until(end) {
		time.Sleep(min(left, time.Second))
	}
	return time.Now(), ledger.MachineUptime(), os.Getppid() == client
}

// isTerminal reports whether stdin is a terminal. The null device is none.
func isTerminal(stdin *os.File) bool {
	in, err := stdin.Stat()
	if err != nil || in.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(in, null)
}

// growStack makes the stack grow once while little is on it, instead of five times later.
//
//go:noinline
func growStack() byte {
	var room [48 << 10]byte
	return room[len(os.Args)]
}

// cliOrSelf returns the command to type: springfield if on PATH, otherwise this program's path in double quotes.
func cliOrSelf() string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) { // exec.LookPath would make the hook larger
		if program := filepath.Join(dir, "springfield"); file.IsReadable(program) || file.IsReadable(program+".exe") {
			return "springfield"
		}
	}
	return strconv.Quote(os.Args[0])
}

// newConsole returns a console for a person's command. program is this program's path. Callers set Dir, Work, Session
// and Caller, and for AnswerCall Out and Err.
func newConsole(home, program string) *console.Console {
	person := &console.Console{
		Also: ledger.StateDir("", home), Now: time.Now, Self: cliOrSelf(), Home: home,
		Project: os.Getenv(registry.DefaultHost().ProjectVariable),
		Off:     hook.IsOffWord(os.Getenv("SPRINGFIELD")), Getenv: os.Getenv,
	}
	person.Driver = func(dir string) console.LoopDriver { return console.DriverOfHook(program, person.Dir, dir) }
	person.Plugin = func() (hook.Settings, error) { return hook.FindSettings(program, person.Dir, person.Work) }
	return person
}

// answerPerson answers a command and returns the exit status, never 2, which blocks the agent.
func answerPerson(home, executable string, args []string) int {
	config, _ := filepath.Abs(cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude")))
	person, said := newConsole(home, executable), &display.SafeWriter{To: withoutSigpipe(os.Stderr)}
	person.Out, person.Err = &display.SafeWriter{To: withoutSigpipe(os.Stdout)}, said
	person.Dir = filepath.Join(config, "springfield")
	person.Caller, person.Session = registry.CallingHost(os.Getenv)
	person.Work, _ = os.Getwd()
	err := person.AnswerCall(args)
	switch err {
	case nil:
		return 0
	case terminal.ErrCancelled:
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
