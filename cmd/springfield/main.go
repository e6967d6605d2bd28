// Command springfield generates, installs, measures and publishes continuation plugins for coding agents,
// Claude Code first.
//
// Only this file reads the environment and exits. Each command is in a separate file.
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
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func main() {
	os.Exit(runCommand(context.Background(), os.Args[1:], generator.Prebuilt(), buildOfBinary()))
}

// brokenPipe is the exit code if standard output was closed, as after SIGPIPE.
const brokenPipe = 128 + 13

// runCommand runs the command in args (without the program's name) and returns the exit code. It changes PATH, signal
// handling and memory limits of the process.
func runCommand(ctx context.Context, args []string, prebuilt fs.FS, built buildInfo) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends a command that hangs
	// SIGPIPE would end the program in the middle of writing a file.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	// Most commands end before they have made 16 MB, and so need no collection.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(1 << 30)
	// Programs that start others, such as git, find none of the project's either.
	_ = os.Setenv("PATH", rooted.AbsoluteDirs(os.Getenv("PATH"))) // fails only for a name or value with a zero byte
	plain := os.Getenv("TERM") == "dumb"
	a := &app{prebuilt: prebuilt, built: built}
	a.streams = streams{
		in: os.Stdin, out: &display.SafeWriter{To: os.Stdout}, err: &display.SafeWriter{To: os.Stderr},
		stdout: os.Stdout, screen: os.Stderr,
		terminal: isTerminal(os.Stdin) && isTerminal(os.Stderr),
		plain:    plain,
		progress: isTerminal(os.Stderr) && !plain,
		colours:  os.Getenv("NO_COLOR") == "" && !plain,
		forced:   os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0",
	}
	a.columns, _ = strconv.Atoi(os.Getenv("COLUMNS"))
	work, err := os.Getwd()
	if err != nil {
		work = os.Getenv("PWD") // it was deleted; hold works there, too
	}
	if err != nil && !filepath.IsAbs(work) {
		return a.reportError(check.Advisef("cd into a directory that exists", "the working directory is gone: %w", err), asksJSON(&cobra.Command{}, args))
	}
	home, _ := os.UserHomeDir()
	if !filepath.IsAbs(home) {
		home = ""
	}
	a.tilde = home
	cache, _ := os.UserCacheDir()
	a.environment = environment{
		work: work, home: home, cache: cache,
		user: cmp.Or(os.Getenv("USER"), os.Getenv("USERNAME"), loginOrUID(user.Current())),
		env:  os.Environ(), getenv: os.Getenv, off: hook.IsOffWord(os.Getenv("SPRINGFIELD")),
	}
	a.caller, a.session = registry.CallingHost(os.Getenv)
	return a.execute(ctx, args)
}

func (a *app) execute(ctx context.Context, args []string) int {
	out := &results{w: a.out}
	a.out = out
	a.args = args
	root := newRoot(a)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case errors.Is(out.err, syscall.EPIPE) && (err == nil || errors.Is(err, syscall.EPIPE)):
		return brokenPipe
	case err == nil && out.err != nil:
		err = fmt.Errorf("print the result: %w", out.err)
	}
	return a.reportError(err, !out.begun && asksJSON(cmd, args))
}

// results is standard output. It records whether anything was written, and the first error.
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

type app struct {
	streams
	environment
	prebuilt fs.FS // compiled hooks
	built    buildInfo
	args     []string // as typed
}

func loginOrUID(u *user.User, err error) string {
	if err != nil { // a container's user can lack a name
		return "user " + strconv.Itoa(os.Getuid())
	}
	return u.Username
}
