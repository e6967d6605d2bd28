// What the verbs about past sessions share: where those lie, from when on, and how
// far reading them is.

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// parseSince reads a day like 2026-01-31, or how long ago, like 90d.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36_500 {
			return now.AddDate(0, 0, -n), nil
		}
	} else if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, &usageError{fmt.Errorf("--since %q is neither a date nor a duration", text), "write it like 2026-01-31 or 90d"}
}

// read has a replay read the sessions that are meant: those given, else all of the user's
// in the places of every host that is here; of one host, if one is named.
func (a *app) read(o *replay.Options, args []string, name string) (err error) {
	o.Host = name
	if len(args) > 0 {
		o.Paths, err = a.typedLogs(args)
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	for _, known := range hosts.All() {
		h, ok := registry.HostNamed(known.Name)
		at := known.At(a.owner())
		if ok && known.Name != hosts.Claude && at.Dir != "" && (name == "" || name == known.Name) {
			if _, err := os.Stat(at.Dir); err == nil {
				o.Kept = append(o.Kept, replay.Kept{Host: h, Dir: at.Dir})
			}
		}
	}
	projects := replay.Projects(places.Config)
	if _, err := os.Stat(projects); name == hosts.Claude || name == "" && (err == nil || len(o.Kept) == 0) {
		o.Paths = []string{projects}
	}
	return nil
}

// typedLogs are session logs, and directories of them, that the user names.
func (a *app) typedLogs(args []string) (paths []string, err error) {
	for _, arg := range args {
		if arg == "" {
			return nil, &usageError{errors.New("a path is empty"), "name session logs, or directories of them"}
		}
		path := a.absolute(arg)
		if _, err := os.Stat(path); err != nil {
			return nil, &hinted{fmt.Errorf("find session logs: %w", err), "name logs or directories of them; without a path all of yours are read"}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// nothingNamed says where session logs are, where there is none in the paths that were
// given.
func (a *app) nothingNamed(r replay.Report) error {
	if len(r.Rows) > 0 || r.Partial {
		return nil
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	a.talk("springfield: note: Claude Code keeps its session logs below %s", replay.Projects(places.Config))
	return nil
}

// mostSkipped is how many files that could not be read are named.
const mostSkipped = 10

// noteSkipped names the files that could not be read.
func (a *app) noteSkipped(r replay.Report, whereMore string) {
	for i, s := range r.Skipped {
		if i == mostSkipped {
			a.talk("springfield: note: skipped %d more%s", len(r.Skipped)-i, whereMore)
			return
		}
		a.talk("springfield: note: skipped %s: %s", s.File, s.Why)
	}
}

// watch shows how far a replay is, on a terminal.
func (a *app) watch(what string) (progress func(replay.Progress), done func()) {
	done = a.working(what)
	return func(p replay.Progress) {
		a.step(fmt.Sprintf("%s: %d of %d logs, %d of %d MB", what, p.Files, p.FilesTotal, p.Bytes>>20, p.BytesTotal>>20))
	}, done
}
