package replay

import (
	"errors"
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

// Bounds of the texts in a row, in bytes.
const (
	maxText = 1000
	maxNext = 300
)

type session struct {
	path  string
	host  *host.Host
	size  int64
	other bool  // of another project
	cut   bool  // reading was stopped
	old   int   // places before Options.Since
	start int64 // first time in the log
	until int64 // last one so far
	first key   // of its first message
	copy  bool  // a fork, or starts with lines from a different session
	rows  []Row
	keys  []key // of the rows
	err   error
	given bool // by the user
}

// key identifies a line and copies in other logs. It is 0 if the line has no ID.
type key uint64

// keyOfLine returns the line's key (0 without an ID).
func (w *walker) keyOfLine(c *transcript.Cursor) key {
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

type walker struct {
	session
	follower
	voters  []voter
	since   int64
	project string
	tick    func(bytes int64) bool // receives the bytes read since the last call; false stops

	id, dir string // of the session
	met     bool   // a person or the agent has written
	isText  bool   // the last line is no JSON object, and none had a time
	mode    string // permission mode

	row      Row // of the open place
	key      key
	scene    *scene
	opinions []opinion
	skip     bool // the open place is before Options.Since
}

const span = 1 << 20

// read reads the log with windows of this many lines, and sets rows and err. tick is set. If it stops the read, the
// rows so far are kept.
func (w *walker) read(lines int) {
	told := int64(0)
	if w.host == nil {
		w.host = registry.ReadLogHost(w.path)
	}
	w.whole = w.host.Log.Whole
	w.err = w.host.Log.EachLine(w.path, lines, func(c *transcript.Cursor) bool {
		if w.size = c.Log.Offset; w.size-told > span {
			w.cut = !w.tick(w.size - told)
			told = w.size
		}
		return !w.cut && w.noteLine(c)
	})
	w.tick(w.size - told)
	if w.err == nil && (w.isText || w.given && !w.met && !w.cut) {
		w.size, w.err = 0, errors.New("not a session log: no message of a session is in it")
	}
	if w.open && !w.cut && w.err == nil {
		w.closePlace(followed{label: Ended})
	}
}

func (w *walker) noteLine(c *transcript.Cursor) (inProject bool) {
	if w.start == 0 {
		w.start = c.LineTime()
	}
	w.isText = w.start == 0 && len(c.Entry.Line) > 0 && c.Entry.Line[0] != '{'
	what := c.What
	switch {
	case what == transcript.Prompted || what == transcript.Spoke:
		if !w.noteOrigin(c) {
			return false
		}
	case w.id == "" && what == transcript.Nothing: // the head of a log
		w.noteSession(c)
	case what == transcript.Called:
		if does, _ := c.LastCall(); does == transcript.BeginsPlan {
			w.mode = "plan"
		}
	case what == transcript.Returned && w.mode == "plan":
		if does, done := c.LastCall(); done && does == transcript.EndsPlan {
			w.mode = "" // the log does not record the mode chosen instead
		}
	case what == transcript.Nothing && codec.ValidText(c.Entry.Mode) != "":
		w.mode = codec.ValidText(c.Entry.Mode)
	}
	if t := c.LineTime(); t != 0 && what != transcript.Nothing {
		w.until = t
	}
	end, spoke := w.follower.takeLine(c)
	if end.label != "" {
		w.closePlace(end)
	}
	if spoke {
		w.beginRow(c)
	}
	return true
}

// noteOrigin reads the session's mode, ID and directory from the entry at c. It returns false for a different project's
// session.
func (w *walker) noteOrigin(c *transcript.Cursor) (inProject bool) {
	if mode := codec.ValidText(c.Entry.Mode); mode != "" {
		w.mode = mode
	}
	id := w.noteSession(c)
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
		w.first = w.keyOfLine(c)
		w.copy = c.Entry.Fork || !strings.HasSuffix(w.logName(), id)
	}
	if w.id == "" {
		w.id = w.logName()
	}
	return true
}

// noteSession notes the directory and ID in the entry at c. It returns the entry's ID ("" if none, even if w.id is
// known).
func (w *walker) noteSession(c *transcript.Cursor) (id string) {
	if w.dir == "" {
		w.dir = codec.ValidText(c.Entry.Cwd)
	}
	if id = codec.ValidText(c.Entry.Session); id != "" && id != w.id {
		w.id = strings.Clone(id)
	}
	return id
}

func (w *walker) logName() (idInPath string) {
	name := strings.TrimSuffix(filepath.Base(w.path), ".jsonl")
	if pattern := w.host.Sessions; !strings.Contains(path.Base(pattern), "*") {
		name = filepath.Base(filepath.Dir(w.path))
	}
	return name
}

func (w *walker) beginRow(c *transcript.Cursor) {
	said := strings.TrimSpace(c.AgentWords())
	w.open, w.last, w.blocked = true, spot{line: c.Number, text: said, at: w.until}, false
	if w.skip = w.until < w.since; w.skip {
		return
	}
	view := c.ViewAfterLine()
	w.key = w.keyOfLine(c)
	w.row = Row{
		File: w.path, Line: c.Number, Session: w.id, Host: w.host.RecordName(), Project: w.dir,
		Text: strings.Clone(quotation.Tail(said, maxText)), Skill: view.Skill.Name, LastTool: view.LastTool,
	}
	if len(view.Todos) > 0 {
		w.row.Todos = activity.CountTodos(view.Todos).String()
	}
	if w.until != 0 {
		w.row.At = time.UnixMilli(w.until).UTC()
	}
	w.scene = &scene{event: w.eventAt(said, view), view: view, now: w.row.At, lines: c.WindowOf}
	w.opinions = w.opinions[:0]
	for i := range w.voters {
		w.opinions = append(w.opinions, w.voters[i].examineStop(w.scene))
	}
}

func (w *walker) closePlace(end followed) {
	w.open = false
	if w.skip {
		w.old++
		return
	}
	row := w.row
	row.Label, row.Means, row.Next = end.label, end.label.MeaningOf(), strings.Clone(quotation.Head(strings.TrimSpace(end.next), maxNext))
	if end.label != MidWork { // the setting leave never answers about a grave act
		said, asks := lastmessage.ReadMessage(w.last.text).FindAct(lastmessage.Leave, false)
		_, isGrave := grave.Find(said)
		row.Leave = asks && !isGrave
	}
	if end.at > w.last.at && w.last.at > 0 {
		row.Idle = float64(end.at-w.last.at) / 1000
	}
	row.Choices = make([]Choice, 0, len(w.voters))
	for i := range w.voters {
		row.Choices = append(row.Choices, w.voters[i].voteNext(w.opinions[i], w.scene, end.label))
	}
	w.rows, w.keys = append(w.rows, row), append(w.keys, w.key)
}
