package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/cameronsjo/springfield/internal/absence"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
)

func newWatch(a *app) *cobra.Command {
	var asJSON, once bool
	var tell string
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Show all sessions as they work",
		Long: `Shows every session of every project on one line, until Ctrl-C: its state and
the time of its last change, the plugin that decided last, and the continues left. Away orders and
holds come first. Sessions of Claude Code are live; other agents are shown as last seen, usually at
their last stop.

--tell runs your own command when a session has waited for you, failed or finished for five seconds.
The command gets one line of text as its last argument, and the line that --json prints as its
standard input.`,
		Example: `  springfield watch --once
  springfield watch --tell 'notify-send springfield'`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t := teller{env: a.env, find: a.findProgram, given: cmd.Flags().Changed("tell")}
			if err := t.setCommandIfGiven(tell, once); err != nil {
				return err
			}
			if a.caller != nil && !once {
				return check.Advise(errors.New(a.caller.Agent+" would wait forever for watch to end"), "run springfield watch --once to print the sessions")
			}
			d, err := a.newConsole(cmd.Context(), a.work)
			if err != nil {
				return err
			}
			p, err := a.absencePlaces(&d)
			if err != nil {
				return err
			}
			return (&watcher{app: a, watch: p.NewWatch(), json: asJSON, once: once, tell: t}).run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&once, "once", false, "print the sessions once and exit")
	f.BoolVar(&asJSON, "json", false, "print one JSON object per line for each change")
	f.StringVar(&tell, "tell", "", "command to run when a session waits for you, has failed or has finished")
	return cmd
}

// watcher shows sessions: in place on a terminal, otherwise a line per change.
type watcher struct {
	*app
	watch      *absence.Watch
	json, once bool
	tell       teller

	seen  absence.View // the last view
	width int          // of the terminal at the last drawing
	high  int
	shown []byte
}

// Sessions are read once a second, the size of the terminal five times.
const (
	tick     = 200 * time.Millisecond
	perTicks = 5
)

func (w *watcher) run(ctx context.Context) error {
	defer w.tell.killRunning()
	show := w.printChanges
	switch {
	case w.json:
	case w.once:
		show = w.printView
	case isTerminal(w.stdout) && enableColours(w.stdout) && !w.plain:
		show = w.draw
		fmt.Fprint(w.stdout, "\x1b[?1049h\x1b[?25l") // the alternate screen, without a cursor
		defer fmt.Fprint(w.stdout, "\x1b[?25h\x1b[?1049l")
	}
	view := w.watch.Look(time.Now())
	for n := 1; ; n++ {
		if err := show(view); err != nil || w.once {
			return err
		}
		w.seen = view
		if failure := w.tell.startIfIdle(view); failure != nil && w.width == 0 {
			w.printError("springfield: note: ", failure, "")
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tick):
		}
		if n%perTicks == 0 {
			view = w.watch.Look(time.Now())
		}
	}
}

// printChanges prints each change from w.seen to view. As text it prints only sessions that are new, gone or in a
// different state. The caller sets w.seen.
func (w *watcher) printChanges(view absence.View) (err error) {
	enc := json.NewEncoder(w.out)
	enc.SetEscapeHTML(false)
	for _, c := range view.ChangesSince(w.seen) {
		switch {
		case w.json:
			err = enc.Encode(c)
		case c.Sight != nil && !c.Same:
			_, err = fmt.Fprintln(w.out, withDateIfOld(time.UnixMilli(c.At))+" "+view.SightLine(*c.Sight))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// widest is the width of output that is not for a terminal.
const widest = 200

// printView prints all of view as text.
func (w *watcher) printView(view absence.View) error {
	out := w.resultPrinter()
	out.Width = cmp.Or(widthOf(w.stdout), w.columns, widest)
	view.WriteText(out, 0)
	return nil
}

func (w *watcher) draw(view absence.View) error {
	width, high, err := term.GetSize(int(w.stdout.Fd()))
	if err != nil || width == w.width && high == w.high && view.Now == w.seen.Now {
		return err
	}
	width = cmp.Or(width, columns)
	var frame bytes.Buffer
	out := w.resultPrinter()
	out.W, out.Width = &display.SafeWriter{To: &frame}, width
	if out.Colours != nil {
		out.Colours = &frame
	}
	failure := w.tell.failure
	if failure == nil {
		view.WriteText(out, high-1)
	} else {
		view.WriteText(out, high-2)
		out.InRed().PrintUnbroken(layout.ClipText(display.OneLine(failure.Error()), width))
	}
	if w.width == width && w.high == high && bytes.Equal(w.shown, frame.Bytes()) {
		return nil
	}
	w.width, w.high, w.shown = width, high, frame.Bytes()
	// A terminal with synchronized output shows all of it at once.
	lines := strings.ReplaceAll(frame.String(), "\n", "\x1b[K\n")
	_, err = fmt.Fprint(w.stdout, "\x1b[?2026h\x1b[H"+lines+"\x1b[J\x1b[?2026l")
	return err
}

func withDateIfOld(t time.Time) string {
	if t = t.Local(); t.Format(time.DateOnly) != time.Now().Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format(time.TimeOnly)
}
