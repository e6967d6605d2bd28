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

	"github.com/cameronsjo/springfield/replay"
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

// logs are the paths that are meant: those given, else all of the user's.
func (a *app) logs(args []string) ([]string, error) {
	if len(args) == 0 {
		places, err := a.places()
		if err != nil {
			return nil, err
		}
		return []string{replay.Projects(places.Config)}, nil
	}
	var paths []string
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
