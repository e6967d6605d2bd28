// The page: what a judge is shown, or would be, of a session's end. No judge
// is asked.

package console

import (
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// PrintPage prints the page of a session log, by default that of the session that
// asks, and below it what the rules say.
func (d *Console) PrintPage(path string, settings hook.Settings) error {
	if path == "" {
		if path = d.findLog(d.Session); path == "" {
			return &adviceError{"which session?", "name its log: page ~/.claude/projects/…/SESSION.jsonl"}
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Work, path)
	}
	f, _, err := file.OpenRegular(path, 0)
	if err != nil {
		return &adviceError{"read session log: " + err.Error(), "name a log: ~/.claude/projects/…/SESSION.jsonl"}
	}
	f.Close()
	event := hook.Event{Host: registry.HostOfLog(path), SessionID: strings.TrimSuffix(filepath.Base(path), ".jsonl"), TranscriptPath: path, Cwd: d.Work}
	snapshot := hook.Stop{Event: event, Settings: settings, Now: d.Now(), Alone: true}.Examine()
	if len(snapshot.Faults) > 0 && snapshot.Log == nil {
		return &adviceError{snapshot.Faults[0], "name a session log of Claude Code"}
	}
	if _, err := io.WriteString(d.Out, judge.PageFor(snapshot.Situation)); err != nil {
		return err
	}
	d.printLine("")
	d.printLine(WouldAsk(settings.Strategy, snapshot.Verdict))
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
