// Package notice runs a program beside a decision: the command by which a user
// wants to hear of a loop's progress, or a script of the plugin's own. It gets one
// line on standard input, is waited for a bounded time, and its failure changes
// nothing.
//
// The environment may come from a project that the user does not trust, so the
// program gets a few named variables and a PATH of its own, and is named by an
// absolute path.
package notice

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Patience is how long a program may take at most; then it is ended, and what it
// started.
const Patience = 5 * time.Second

// Program is what to run.
type Program struct {
	Argv  []string // the first an absolute path
	Dir   string   // "" for the working directory
	Stdin []byte
	// Getenv reads the environment; only a main has one. nil: there is none.
	Getenv func(string) string
	// Set are more variables, KEY=value.
	Set []string
	// Within is how long it may take, at most Patience.
	Within time.Duration
}

// passed are the variables that a program gets. None of them can make it load
// something.
func passed() []string {
	return []string{"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
		"SystemRoot", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP"}
}

var errSlow = errors.New("it took too long, and was ended")

// Run runs it to its end.
func (p Program) Run() error {
	if len(p.Argv) == 0 || !filepath.IsAbs(p.Argv[0]) {
		return errors.New("a program is named by its absolute path")
	}
	if p.Within <= 0 {
		return errors.New("no time is left for it")
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	in, feed, err := os.Pipe()
	if err != nil {
		return err
	}
	child, err := os.StartProcess(p.Argv[0], p.Argv, &os.ProcAttr{Dir: p.Dir, Env: p.env(), Files: []*os.File{in, null, null}, Sys: apart()})
	in.Close()
	if err != nil {
		feed.Close()
		return err
	}
	end := group(child)
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
	late := time.NewTimer(min(p.Within, Patience))
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		end()
		return errSlow
	}
}

func (p Program) env() []string {
	env := append([]string{"PATH=" + searchPath}, p.Set...)
	for _, name := range passed() {
		if p.Getenv == nil {
			break
		}
		if value := p.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
