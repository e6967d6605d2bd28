// The page: what a judge is shown, or would be, of a session's end. No judge
// is asked.

package command

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Page prints the page of a session log, by default that of the session that
// asks, and below it what the rules say.
func (d *Console) Page(path string, settings hook.Settings) error {
	if path == "" {
		var err error
		if path, err = d.sessionLog(); err != nil {
			return err
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Work, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return &adviceError{"read session log: " + err.Error(), "name a log: ~/.claude/projects/…/SESSION.jsonl"}
	}
	f.Close()
	event := hook.Event{Host: registry.HostOfLog(path), SessionID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), TranscriptPath: path, Cwd: d.Work}
	snapshot := hook.Stop{Event: event, Settings: settings, Now: d.Now(), Alone: true}.Examine()
	if len(snapshot.Faults) > 0 {
		return &adviceError{snapshot.Faults[0], "name a session log of Claude Code"}
	}
	if _, err := io.WriteString(d.Out, judge.PageOf(snapshot.Situation)); err != nil {
		return err
	}
	d.line("")
	d.line(WouldAsk(settings.Strategy, snapshot.Verdict))
	return nil
}

// WouldAsk says whether a judge would be asked about a stop.
func WouldAsk(known strategy.Strategy, v strategy.Verdict) string {
	by := " (rule " + v.Rule + ", " + strconv.Itoa(v.Sure) + " % sure: " + v.Evidence + ")"
	switch {
	case !known.Judges:
		return "no judge is asked: " + known.Name + " decides by itself" + by
	case v.Page != "":
		return "the judge would be asked: no rule is sure enough" + by
	}
	return "no judge would be asked" + by
}

// sessionLog finds the log of the session that asks.
func (d *Console) sessionLog() (string, error) {
	for _, path := range append(d.logsOf(d.Session), d.otherLogsOf(d.Session)...) {
		if f, err := os.Open(path); err == nil {
			f.Close()
			return path, nil
		}
	}
	return "", &adviceError{"which session?", "name its log: page ~/.claude/projects/…/SESSION.jsonl"}
}

// logsOf is where the log of a session may lie.
func (d *Console) logsOf(id string) (paths []string) {
	if id == "" || strings.ContainsAny(id, `/\*?[`) {
		return nil
	}
	projects := filepath.Join(filepath.Dir(d.Dir), "projects")
	dir, err := os.Open(projects)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		paths = append(paths, filepath.Join(projects, n, id+".jsonl"))
	}
	return paths
}
