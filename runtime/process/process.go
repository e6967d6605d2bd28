// Package process runs a program of the user or the plugin, with a line on standard input and a time limit.
//
// An untrusted project can set the environment. The program is therefore run by absolute path, with a new
// PATH and only a few variables.
package process

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Patience bounds the time of a program, which is then killed with its children.
const Patience = 5 * time.Second

type Child struct {
	Argv   []string // the first is an absolute path
	Dir    string   // "" for the working directory
	Stdin  []byte
	Getenv func(string) string // for the few variables that it gets
	Set    []string            // more variables, KEY=value
	Env    []string            // the whole environment, if not nil; Getenv and Set are then unused
	Within time.Duration       // the time limit; that of Run is Patience at most
	Quit   <-chan struct{}     // if closed, the program is killed before
}

var ErrSlow = errors.New("it took too long, and was killed")

// Run runs the program without output. When p.Within (up to Patience) is over or p.Quit closes, it kills the program
// and returns ErrSlow. It does not start the program if p.Within is not positive.
func (p Child) Run() error {
	p.Within = min(p.Within, Patience)
	return p.runInto(nil)
}

// AskOutput runs the program and returns its output. It returns an error if the program fails, prints more than
// errOverBytes or leaves a process that keeps the output open. When p.Within is over or p.Quit closes, it kills the
// program and returns ErrSlow. p.Within is positive, and can exceed Patience.
func (p Child) AskOutput(errOverBytes int) ([]byte, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	var data []byte
	done := make(chan error, 1)
	go func() {
		var err error
		data, err = io.ReadAll(io.LimitReader(out, int64(errOverBytes)+1))
		if err == nil && len(data) > errOverBytes {
			err = errors.New("it printed more than " + strconv.Itoa(errOverBytes) + " bytes")
			out.Close() // ends the program
		}
		done <- err
	}()
	err = p.runInto(in)
	in.Close()
	if err != nil {
		return nil, err
	}
	select {
	case err := <-done:
		return data, err
	case <-time.After(linger):
		return nil, errors.New("a program that it started keeps its output open")
	}
}

// linger is the wait for more output after the program has ended.
const linger = 250 * time.Millisecond

// runInto runs the program to its end, or kills it and returns ErrSlow. It discards the output if stdout is nil. The
// caller closes stdout.
func (p Child) runInto(stdout *os.File) error {
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
	go func() { // the program may not read, and pipes are small on Windows
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
	select {
	case err := <-ended:
		return err
	case <-p.Quit:
	case <-time.After(p.Within):
	}
	end()
	return ErrSlow
}

func (p Child) environment() []string {
	if p.Env != nil {
		return p.Env
	}
	env := append([]string{"PATH=" + searchPath}, p.Set...)
	// None of these can make a program load code.
	for _, name := range []string{
		"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR",
		"DBUS_SESSION_BUS_ADDRESS", "SystemRoot", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP",
	} {
		if value := p.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
