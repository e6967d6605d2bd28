// Package process runs a program beside a decision: the command by which a user
// wants to hear of a loop's progress, or a script of the plugin's own. It gets one
// line on standard input, is waited for a bounded time, and its failure changes
// nothing.
//
// The environment may come from a project that the user does not trust, so the
// program gets a few named variables and a PATH of its own, and is named by an
// absolute path.
package process

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Patience is how long a program may take at most; then it is ended, and what it
// started.
const Patience = 5 * time.Second

type Program struct {
	Argv  []string // the first an absolute path
	Dir   string   // "" for the working directory
	Stdin []byte
	// Getenv reads the environment, of which it gets little.
	Getenv func(string) string
	// Set are more variables, KEY=value.
	Set []string
	// Env is its whole environment in place of these, nil for none.
	Env []string
	// Within is how long it may take; Run waits Patience at most.
	Within time.Duration
}

var ErrSlow = errors.New("it took too long, and was killed")

// Run runs it to its end.
func (p Program) Run() error {
	p.Within = min(p.Within, Patience)
	return p.runInto(nil)
}

// AskOutput runs it to its end and returns what it printed, of which at most so many
// bytes are taken; more is an error. Who still holds its output when it has ended
// is not waited for.
func (p Program) AskOutput(most int) ([]byte, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	type printed struct {
		data []byte
		err  error
	}
	said := make(chan printed, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(out, int64(most)+1))
		if err == nil && len(data) > most {
			err = errors.New("it printed more than " + strconv.Itoa(most) + " bytes")
			out.Close() // so that it ends
		}
		said <- printed{data, err}
	}()
	err = p.runInto(in)
	in.Close()
	if err != nil {
		return nil, err
	}
	select {
	case p := <-said:
		return p.data, p.err
	case <-time.After(linger):
		return nil, errors.New("a program that it started keeps its output open")
	}
}

// linger is how long the rest of the output may take when the program has ended.
const linger = 250 * time.Millisecond

// runInto runs it with a file for what it prints, nil for none.
func (p Program) runInto(stdout *os.File) error {
	if len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]) {
		return errors.New("a program must be named by its absolute path")
	}
	if p.Within <= 0 {
		return errors.New("no time is left for it")
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	if stdout == nil {
		stdout = null
	}
	in, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	child, err := os.StartProcess(p.Argv[0], p.Argv, &os.ProcAttr{
		Dir: p.Dir, Env: p.environment(), Files: []*os.File{in, stdout, null}, Sys: separateGroup(),
	})
	in.Close()
	if err != nil {
		feed.Close()
		return err
	}
	end := groupEnder(child)
	ended := make(chan error, 1)
	go func() {
		// Beside the waiting: it need not read, and pipes are small on Windows.
		_, _ = feed.Write(p.Stdin)
		feed.Close()
	}()
	go func() {
		state, err := child.Wait()
		if err == nil && !state.Success() {
			err = errors.New("it failed: " + state.String())
		}
		ended <- err
	}()
	late := time.NewTimer(p.Within)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		end()
		return ErrSlow
	}
}

func (p Program) environment() []string {
	if p.Env != nil {
		return append(p.Env, p.Set...)
	}
	env := append([]string{"PATH=" + searchPath}, p.Set...)
	// None of these can make a program load something.
	for _, name := range []string{
		"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
		"SystemRoot", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP",
	} {
		if value := p.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
