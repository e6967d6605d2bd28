// One session log from its beginning to its end: what was said where, what came
// next, and what each candidate does there.

package replay

import (
	"hash/fnv"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/grave"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// What a row keeps of texts, in bytes.
const (
	maxText = 1000
	maxNext = 300
)

// session is what one log has brought.
type session struct {
	path  string
	host  *host.Host
	size  int64
	other bool  // it is of another project
	cut   bool  // the reading was told to stop
	old   int   // places that are too old
	start int64 // time of its first line that has one
	until int64 // and of its last
	first key   // of the first thing said in it
	copy  bool  // it says itself that it is a fork, or its lines name another session first
	rows  []Row
	keys  []key // of the rows
	err   error
}

// key names a line in whichever file it is, the zero key if nothing does.
type key uint64

// keyOf is the key of a line. Only Claude Code's ids are never used again; with the time
// of a line others are.
func (w *walker) keyOf(c *transcript.Cursor) key {
	id := string(c.Entry.ID)
	if id == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(id))
	if w.host.RecordName() != "" {
		h.Write([]byte(w.host.Name + strconv.FormatInt(c.LineTime(), 10)))
	}
	return key(h.Sum64())
}

// walker goes through one session log.
type walker struct {
	session
	follower
	voters  []voter
	since   int64
	project string
	tick    func(bytes int64) bool // hears how much more has been read; false: enough

	id, dir string // the session's, and its directory
	met     bool   // a person or the agent has said something
	mode    string // permission mode
	now     int64  // the newest time that is known

	row      Row // the open place
	key      key
	scene    *scene
	opinions []opinion
	skip     bool // the open place is too old
}

// span is how much is read between two ticks, in bytes.
const span = 1 << 20

// read goes through the log. What has been found when it is told to stop stays.
func (w *walker) read(lines int) {
	told := int64(0)
	if w.host == nil {
		w.host = registry.HostOfLog(w.path)
	}
	w.whole = w.host.Log.Whole
	w.err = w.host.Log.EachLine(w.path, lines, func(c *transcript.Cursor) bool {
		if w.size = c.Log.Offset; w.size-told > span {
			w.cut = !w.tick(w.size - told)
			told = w.size
		}
		return !w.cut && w.take(c)
	})
	w.tick(w.size - told)
	if w.open && !w.cut && w.err == nil {
		w.close(followed{label: Ended})
	}
}

// take goes behind a line. False: the log is of no interest.
func (w *walker) take(c *transcript.Cursor) bool {
	if w.start == 0 {
		w.start = c.LineTime()
	}
	what := c.What
	switch {
	case what == transcript.Prompted || what == transcript.Spoke:
		if !w.introduce(c) {
			return false
		}
	case w.id == "" && what == transcript.Nothing: // a log's head
		w.named(c)
	case what == transcript.Called:
		if does, _ := c.LastCall(); does == transcript.BeginsPlan {
			w.mode = "plan"
		}
	case what == transcript.Returned && w.mode == "plan":
		if does, done := c.LastCall(); done && does == transcript.EndsPlan {
			w.mode = "" // which one a person chose is not said
		}
	case what == transcript.Nothing && codec.ValidText(c.Entry.Mode) != "":
		w.mode = codec.ValidText(c.Entry.Mode)
	}
	if what != transcript.Nothing {
		if t := c.LineTime(); t != 0 {
			w.now, w.until = t, t
		}
	}
	end, ended, spoke := w.follower.takeLine(c)
	if ended {
		w.close(end)
	}
	if spoke {
		w.look(c)
	}
	return true
}

// introduce learns from the lines that people and Claude write.
func (w *walker) introduce(c *transcript.Cursor) bool {
	if mode := codec.ValidText(c.Entry.Mode); mode != "" {
		w.mode = mode
	}
	id := w.named(c)
	if !w.met {
		w.met = true
		if w.dir == "" && w.host.ProjectFile != "" {
			data, _ := file.ReadRegular(filepath.Join(filepath.Dir(w.path), filepath.FromSlash(w.host.ProjectFile)), 4<<10)
			if line, _, _ := strings.Cut(string(data), "\n"); filepath.IsAbs(line) {
				w.dir = line
			}
		}
		if w.other = w.project != "" && !rooted.HoldsPath(w.project, w.dir); w.other {
			return false
		}
	}
	if w.first == 0 {
		w.first = w.keyOf(c)
		w.copy = c.Entry.Fork || !strings.HasSuffix(w.nameOf(), id)
	}
	if w.id == "" {
		w.id = w.nameOf()
	}
	return true
}

// named learns the session's id and its directory from a line that says them, and returns
// that id.
func (w *walker) named(c *transcript.Cursor) (id string) {
	if w.dir == "" {
		w.dir = codec.ValidText(c.Entry.Cwd)
	}
	if id = codec.ValidText(c.Entry.Session); id != "" && id != w.id {
		w.id = strings.Clone(id)
	}
	return id
}

// nameOf is what the log's place says of the session: the name of its file, or of its
// directory where every session has one.
func (w *walker) nameOf() string {
	name := strings.TrimSuffix(filepath.Base(w.path), ".jsonl")
	if pattern := w.host.Sessions; !strings.Contains(path.Base(pattern), "*") {
		name = filepath.Base(filepath.Dir(w.path))
	}
	return name
}

// look opens a place: the line in which Claude has just said something.
func (w *walker) look(c *transcript.Cursor) {
	said := strings.TrimSpace(c.AgentWords())
	w.open, w.last, w.blocked = true, spot{line: c.Number, text: said, at: w.now}, false
	if w.skip = w.now < w.since; w.skip {
		return
	}
	view := c.ViewBehind()
	w.key = w.keyOf(c)
	w.row = Row{
		File: w.path, Line: c.Number, Session: w.id, Host: w.host.RecordName(), Project: w.dir,
		Text: strings.Clone(quotation.Tail(said, maxText)), Todos: tally(view.Todos), Skill: view.Skill.Name, LastTool: view.LastTool,
	}
	if w.now != 0 {
		w.row.At = time.UnixMilli(w.now).UTC()
	}
	w.scene = &scene{event: w.eventAt(said, view), view: view, now: w.row.At, lines: c.WindowOf}
	w.opinions = w.opinions[:0]
	for i := range w.voters {
		w.opinions = append(w.opinions, w.voters[i].look(w.scene))
	}
}

// close makes a row of the open place.
func (w *walker) close(end followed) {
	w.open = false
	if w.skip {
		w.old++
		return
	}
	row := w.row
	row.Label, row.Means, row.Next = end.label, end.label.MeaningOf(), strings.Clone(quotation.Head(strings.TrimSpace(end.next), maxNext))
	if end.label != MidWork { // the setting leave may answer all but a grave act
		said, asks := lastmessage.ReadMessage(w.last.text).FindAct(lastmessage.Leave, false)
		_, isGrave := grave.Find(said)
		row.Leave = asks && !isGrave
	}
	if end.at > w.last.at && w.last.at > 0 {
		row.Idle = float64(end.at-w.last.at) / 1000
	}
	row.Choices = make([]Choice, 0, len(w.voters))
	for i := range w.voters {
		row.Choices = append(row.Choices, w.voters[i].choose(w.opinions[i], w.scene, end.label))
	}
	w.rows, w.keys = append(w.rows, row), append(w.keys, w.key)
}

// tally counts a todo list, "" for none.
func tally(todos []activity.Todo) string {
	if len(todos) == 0 {
		return ""
	}
	return activity.CountTodos(todos).String()
}
