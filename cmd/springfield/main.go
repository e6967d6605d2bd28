// Command springfield generates, installs, measures and publishes continuation
// plugins for coding agents, Claude Code first.
//
// This file is the one place that reads the environment, prints errors and
// exits. Every verb is a file of its own: flags in, calls out.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/term"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func main() {
	os.Exit(runCommand(context.Background(), os.Args[1:], generator.Prebuilt(), buildOfBinary()))
}

// unread is the exit code when the reader of the result has gone away, with the
// work done: what a shell shows of a program that SIGPIPE has ended.
const unread = 128 + 13

// runCommand is main without the exit, and without what the compiler has put into the program:
// the compiled hooks that a release carries, and its version. So tests can call it.
func runCommand(ctx context.Context, args []string, prebuilt fs.FS, built buildInfo) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// What is being written is not left half done because nothing reads what is
	// printed: a write to a pipe without a reader fails, and ends nothing.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	screen := screen{forced: os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0"}
	screen.columns, _ = strconv.Atoi(os.Getenv("COLUMNS"))
	plain := os.Getenv("TERM") == "dumb"
	screen.colours = os.Getenv("NO_COLOR") == "" && !plain
	screen.shows = isTerminal(os.Stderr) && !plain
	said := display.SafeWriter(os.Stderr)
	work, err := os.Getwd()
	if err != nil {
		work = os.Getenv("PWD") // it has been deleted: a stop order works there, too
	}
	if err != nil && !filepath.IsAbs(work) {
		fmt.Fprintln(said, "springfield: error:", err)
		return 1
	}
	home, _ := os.UserHomeDir() // "" is refused where it matters
	if !filepath.IsAbs(home) {
		home = ""
	}
	cache, _ := os.UserCacheDir()
	a := &app{
		in: os.Stdin, out: display.SafeWriter(os.Stdout), err: said, screen: os.Stderr, shown: screen, prebuilt: prebuilt, built: built,
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		plain:    plain,
		work:     work, home: home, cache: cache,
		user: cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"), loginName()),
		env:  os.Environ(),

		getenv: os.Getenv,
		off:    hook.IsOffWord(os.Getenv("SPRINGFIELD")),
	}
	a.caller, a.session = registry.CallingHost(os.Getenv)
	return a.execute(ctx, args)
}

// execute runs one command line, reports its error, and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) int {
	out := &results{w: a.out}
	a.out = out
	a.args = args
	root := newRoot(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case errors.Is(out.err, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)):
		return unread
	case err == nil && out.err != nil:
		err = fmt.Errorf("print the result: %w", out.err)
	}
	return a.reportError(err, !out.begun && asksJSON(cmd, args))
}

// results is standard output that remembers whether something was written, and
// whether all of it was: a result in a file on a full disk is not whole.
type results struct {
	w     io.Writer
	begun bool
	err   error
}

func (r *results) Write(p []byte) (int, error) {
	r.begun = r.begun || len(p) > 0
	n, err := r.w.Write(p)
	if err != nil && r.err == nil {
		r.err = err
	}
	return n, err
}

// app is what the verbs work with.
type app struct {
	in       *os.File
	out, err io.Writer // by package display: what others wrote can be printed as it is
	screen   *os.File  // for what moves the cursor
	shown    screen    // how the terminal shows text
	terminal bool      // the user can be asked
	plain    bool      // ask line by line, without moving the cursor
	prebuilt fs.FS     // compiled hooks that are carried
	built    buildInfo
	places   client.Places // of the user's settings, once findPlaces has been called

	args  []string // as they were typed
	work  string   // working directory
	home  string   // the user's home, "" if unknown
	cache string   // the user's cache directory, "" if unknown
	user  string   // login name
	env   []string // all of the environment, for the claude command

	caller  *host.Host // whose agent calls, nil: a person does
	session string     // that calls
	getenv  func(string) string
	off     bool // SPRINGFIELD=off: hooks let the agent stop
}

// talk says something to the person; results go to a.out.
func (a *app) talk(format string, args ...any) { a.notePrinter().PrintText(format, args...) }

// say prints a result.
func (a *app) say(format string, args ...any) { a.resultPrinter().PrintText(format, args...) }

// loginName is what the system calls the user, "" if it does not say.
func loginName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}
