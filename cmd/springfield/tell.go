package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/process"
)

// teller runs the user's command for the changes of sessions, one at a time.
type teller struct {
	given  bool
	argv   []string
	env    []string
	find   func(program string) string
	choose absence.Teller
	queue  []absence.Sight
	ended  chan error // nil if no command is running
	quit   chan struct{}

	failure error // of the last command
}

// setCommandIfGiven sets t.argv to typed, split as by a shell, with the program's path. Without t.given it does
// nothing. No shell runs the command.
func (t *teller) setCommandIfGiven(typed string, hasOnceFlag bool) (err error) {
	const example = "springfield watch --tell 'notify-send springfield'"
	if !t.given {
		return nil
	}
	if hasOnceFlag {
		return check.Misuse(errors.New("--once and --tell cannot be used together"), "use one of them")
	}
	if t.argv, err = shellquote.Split(typed); err != nil {
		return check.Misuse(fmt.Errorf("read --tell: %w", err), example)
	}
	if len(t.argv) == 0 {
		return check.Misuse(errors.New("--tell is empty"), example)
	}
	program := t.find(t.argv[0])
	if program == "" {
		return check.Advise(fmt.Errorf("there is no program %q for --tell", t.argv[0]), "install it, or choose another program: "+example)
	}
	t.argv[0], t.quit = program, make(chan struct{})
	return nil
}

// killRunning kills the running command, if any, and waits for it. The teller cannot be used afterwards.
func (t *teller) killRunning() {
	if t.ended != nil {
		close(t.quit)
		<-t.ended //nolint:errcheck // it was killed
	}
}

// startIfIdle queues the changes in view and starts the user's command for the next one if idle. It returns the error
// from a command finished since the last call.
func (t *teller) startIfIdle(view absence.View) (ofEarlier error) {
	if !t.given {
		return nil
	}
	for _, seen := range t.choose.ChooseToNotify(view) { // the latest change of each session
		t.queue = append(slices.DeleteFunc(t.queue, func(old absence.Sight) bool { return old.Session == seen.Session }), seen)
	}
	t.queue = t.queue[max(0, len(t.queue)-absence.MostSessions):]
	ended := false
	select {
	case err := <-t.ended: // never without a command
		if ended, t.ended, t.failure = true, nil, nil; err != nil {
			t.failure = fmt.Errorf("run %s: %w", strings.Join(t.argv, " "), err)
		}
	default:
	}
	if t.ended == nil && len(t.queue) > 0 {
		seen := t.queue[0]
		details, err := json.Marshal(absence.Change{At: view.Now, Sight: &seen})
		run := process.Child{Argv: append(slices.Clone(t.argv), view.SightLine(seen)), Stdin: append(details, '\n'), Env: t.env, Within: process.Patience, Quit: t.quit}
		t.queue, t.ended = t.queue[1:], make(chan error, 1)
		go func(ended chan<- error) { ended <- cmp.Or(err, run.Run()) }(t.ended)
	}
	if !ended {
		return nil
	}
	return t.failure
}
