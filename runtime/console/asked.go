// What why and log are about: a session, a project, or everything. A user who asks without
// saying so asks about the session that asks, and outside of one about the project of
// the current directory.

package console

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// Asked is what why and log are asked for.
type Asked struct {
	Session string // a session, or how its id begins
	All     bool   // every project
	// Prompts asks for what happened before prompts, also where nothing was said.
	// Without it why is about stops, as long as there is one, and log leaves out
	// the prompts before which nothing was said: they would be most of it.
	Prompts bool
	JSON    bool
}

func (a Asked) wantsRecord(r ledger.Record) bool {
	if a.Prompts {
		return ofPrompt(r)
	}
	return r.Decision != "pass"
}

// view is what an answer is about.
type view struct {
	ledger.Scope
	name    string // in words: "session 3f2a", "~/p"; "" for everything
	implied bool   // it was not said
}

// stateDirs are the state directories, Claude Code's first.
func (d *Console) stateDirs() []string {
	if d.Also == "" || d.Also == d.Dir {
		return []string{d.Dir}
	}
	return []string{d.Dir, d.Also}
}

// session is the id of the session that a view is about, "" for several.
func (v view) session() string { return strings.TrimPrefix(v.Scope.Session, "session:") }

func (d *Console) scopeOf(a Asked) (view, error) {
	for _, dir := range d.stateDirs() {
		if err := ledger.Readable(dir); err != nil {
			return view{}, err
		}
	}
	switch {
	case a.Session != "":
		id, err := d.resolveSession(a.Session)
		return view{Scope: ledger.Scope{Session: sessionKey(id)}, name: "session " + id}, err
	case a.All:
		return view{}, nil
	case d.Session != "":
		return view{Scope: ledger.Scope{Session: sessionKey(d.Session)}, name: "this session", implied: true}, nil
	}
	dir := workspace.Nearest(d.Work, "", []string{".git"}, d.Home)
	if real, err := filepath.EvalSymlinks(dir); err == nil { // as Claude Code names it
		dir = real
	}
	return view{Scope: ledger.Scope{Project: dir}, name: dir, implied: true}, nil
}

// printScope says what an answer was about that did not say so, and how to ask for more.
func (d *Console) printScope(v view, word string) {
	switch {
	case !v.implied:
	case v.session() != "":
		d.printLine("of this session; " + d.wordToType(word+" --all") + " shows every project")
	default:
		d.printLine("in " + v.name + "; " + d.wordToType(word+" --all") + " shows every project")
	}
}

// wordToType is how one asks again: in Claude Code by the plugin's slash command.
func (d *Console) wordToType(word string) string {
	if d.Caller != nil && d.Plugin != nil {
		if settings, err := d.Plugin(); err == nil {
			return display.JoinWords("/" + settings.Plugin + ":" + word)
		}
	}
	return d.commandTo(word)
}

// sayNothingDecided says that there is no decision to tell about, but perhaps prompts before which
// nothing was said, and where there is one.
func (d *Console) sayNothingDecided(v view, a Asked, word string, prompts bool) {
	of := ""
	if v.name != "" {
		of = " for " + v.name
	}
	what := "no decision is recorded" + of + " yet; a springfield plugin records one at every stop"
	if a.Prompts {
		what = "no prompt is recorded" + of + " yet; a springfield plugin that speaks before prompts, like todo-continuation, records one each time"
	}
	if prompts {
		what = "only prompts are recorded" + of + ": " + d.wordToType(word+" --prompts")
	}
	d.printLine(what)
	if d.Caller != nil {
		return // what another session does is not for this conversation
	}
	for other := range ledger.Backwards(d.stateDirs(), ledger.Scope{}) {
		if v.session() != "" && other.Session != v.session() || v.Project != "" && !v.HasProject(other.ProjectPlace()) {
			where := ""
			if v.session() == "" {
				where = " in " + other.ProjectPlace()
			}
			d.printLine("another session was at work" + where + " " + d.agoOf(other.At) + ": " + d.commandTo(word+" --all"))
		}
		return
	}
	if d.SayNext != nil && !prompts {
		d.SayNext()
	}
}

// findDecision is the decision with an id, or the last one: of a stop if there is one, and not
// of one at which Claude only answered why, log or the like.
func (d *Console) findDecision(id string, v view, a Asked) (ledger.Record, error) {
	if id != "" && id != "last" {
		if v.implied {
			v.Scope = ledger.Scope{} // the id says which
		}
		if r, ok := ledger.FindDecision(d.stateDirs(), v.Scope, id); ok {
			return r, nil
		}
		return ledger.Record{}, &adviceError{"there is no decision " + strconv.Quote(id), d.hintAtDecision(id, d.commandTo("log --all")+" lists them with their ids; last is the newest")}
	}
	var other ledger.Record
	all, _ := ledger.Newest(d.stateDirs(), v.Scope, 1, false, func(r ledger.Record) bool {
		if r.Rule == "answer" {
			return false
		}
		if ofPrompt(r) && other.Decision == "" {
			other = r
		}
		return ofPrompt(r) == a.Prompts
	})
	switch {
	case len(all) > 0:
		return all[0], nil
	case other.Decision == "":
		return other, errNothing
	}
	return other, nil
}

// hintAtDecision names the newest decision whose ID begins with what was typed.
func (d *Console) hintAtDecision(part, otherwise string) string {
	all, _ := ledger.Newest(d.stateDirs(), ledger.Scope{}, 1, true, func(r ledger.Record) bool {
		return strings.HasPrefix(r.ID, part)
	})
	if len(all) == 0 {
		return otherwise
	}
	return "did you mean " + all[0].ID + ", the newest that begins so?"
}

// knownSessions are at most n sessions whose ids begin like that, each with its last decision if
// there is one: of the ledger, of Claude Code's logs, of holds.
func (d *Console) knownSessions(beginning string, n int) (all []ledger.Record) {
	add := func(a ledger.Record) {
		if len(all) < n && !slices.ContainsFunc(all, func(b ledger.Record) bool { return a.Session == b.Session }) {
			all = append(all, a)
		}
	}
	for _, r := range ledger.SessionsNamed(d.stateDirs(), beginning, n) {
		add(r)
	}
	held, _ := ledger.HoldsInForce(d.stateDirs(), d.Now())
	for _, h := range held {
		if id, ok := strings.CutPrefix(h.Of, "session:"); ok && strings.HasPrefix(id, beginning) {
			add(ledger.Record{At: h.Since, Session: id})
		}
	}
	if beginning == "" {
		return all // logs are many
	}
	for _, project := range namesIn(d.projectsDir()) {
		for _, name := range namesIn(filepath.Join(d.projectsDir(), project)) {
			if id, ok := strings.CutSuffix(name, ".jsonl"); ok && strings.HasPrefix(id, beginning) {
				add(ledger.Record{Session: id})
			}
		}
	}
	return all
}

// projectsDir is where Claude Code keeps the logs of sessions, a directory per project.
func (d *Console) projectsDir() string { return filepath.Join(filepath.Dir(d.Dir), "projects") }

// namesIn are the entries of a directory, sorted.
func namesIn(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	all, _ := f.Readdirnames(-1)
	slices.Sort(all)
	return all
}

// resolveSession is the session that an id, or the beginning of one, means; "" is none.
func (d *Console) resolveSession(id string) (string, error) {
	if id == "" || id == d.Session || slices.ContainsFunc(d.stateDirs(), func(dir string) bool { return ledger.HasSession(dir, sessionKey(id)) }) {
		return id, nil
	}
	const enough = 5
	switch all := d.knownSessions(id, enough+1); len(all) {
	case 1:
		return all[0].Session, nil
	case 0:
		advice := "no session is known yet; without --session it applies to all of them"
		if all := d.knownSessions("", enough); len(all) > 0 {
			advice = "the newest are " + d.listSessions(all)
		}
		return "", &adviceError{"no session " + strconv.Quote(id) + " is known", advice}
	default:
		more := ""
		if len(all) > enough {
			all, more = all[:enough], ", and more"
		}
		return "", &adviceError{"several sessions begin with " + strconv.Quote(id), "give more of the id: " + d.listSessions(all) + more}
	}
}

// listSessions lists sessions by the beginnings of their ids, which are enough: 3f2a51c7 (~/p, 3 min ago).
func (d *Console) listSessions(all []ledger.Record) string {
	var said []string
	enough := shortID
	for i, a := range all {
		for _, b := range all[:i] {
			for enough < 99 && quotation.Head(a.Session, enough) == quotation.Head(b.Session, enough) {
				enough++
			}
		}
	}
	for _, a := range all {
		var about []string
		if place := a.ProjectPlace(); place != "" {
			about = append(about, d.shortPath(place))
		}
		if a.At > 0 {
			about = append(about, timestamp.AgoInWords(d.Now().UnixMilli()-a.At))
		}
		s := quotation.Head(a.Session, enough)
		if len(about) > 0 {
			s += " (" + strings.Join(about, ", ") + ")"
		}
		said = append(said, s)
	}
	return strings.Join(said, ", ")
}

// Decision is a decision: by its ID, or the last one here.
func (d *Console) Decision(id string) (ledger.Record, error) {
	v, err := d.scopeOf(Asked{})
	if err != nil {
		return ledger.Record{}, err
	}
	r, err := d.findDecision(id, v, Asked{})
	if err == errNothing {
		err = &adviceError{"no decision is recorded for " + d.shortPath(v.name) + " yet", d.commandTo("log --all") + " lists those of every project"}
	}
	return r, err
}

// FindLog is the log of a session: by its id, or the beginning of it.
func (d *Console) FindLog(session string) (string, error) {
	id, err := d.resolveSession(session)
	if err != nil {
		if paths := d.otherLogsOf(session); len(paths) == 1 {
			return paths[0], nil
		}
	}
	if advice, ok := err.(*adviceError); ok && len(d.knownSessions(session, 1)) == 0 {
		advice.advice = d.hintAtDecision(session, advice.advice)
	}
	if advice, ok := err.(*adviceError); ok && len(d.knownSessions("", 1)) == 0 {
		advice.advice = "name its log: a file in a directory of " + d.shortPath(d.projectsDir())
	}
	if err != nil {
		return "", err
	}
	if path := d.findLog(id); path != "" {
		return path, nil
	}
	title, in := registry.DefaultHost().Title, d.projectsDir()
	for r := range ledger.Backwards(d.stateDirs(), ledger.Scope{Session: sessionKey(id)}) {
		if h, ok := registry.HostNamed(r.Host); ok && r.Host != "" {
			title, in = h.Title, d.dirOfHost(h)
		}
		break
	}
	return "", &adviceError{"session " + shorten(id) + " has no log in " + d.shortPath(in) + ": " + title + " removes the logs of old sessions", d.commandTo("log --session "+quoteSession(id)) + " lists what is recorded of it"}
}

// findLog is the log of a session that is there, "" for none.
func (d *Console) findLog(id string) string {
	if id == "" || strings.ContainsAny(id, `/\*?[`) {
		return ""
	}
	var paths []string
	for _, project := range namesIn(d.projectsDir()) {
		paths = append(paths, filepath.Join(d.projectsDir(), project, id+".jsonl"))
	}
	for _, path := range append(paths, d.otherLogsOf(id)...) {
		if file.IsReadable(path) {
			return path
		}
	}
	return ""
}

// otherLogsOf are the logs that other hosts than Claude Code keep of the sessions whose ids
// begin like that.
func (d *Console) otherLogsOf(id string) (paths []string) {
	if id == "" || strings.ContainsAny(id, `/\*?[`) {
		return nil
	}
	for _, h := range registry.Hosts {
		dir := d.dirOfHost(h)
		if h.Default || dir == "" {
			continue
		}
		for _, named := range []string{id, id[:min(len(id), shortID)]} {
			found, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(h.SessionNamed(named+"*"))))
			paths = append(paths, found...)
			if len(found) > 0 {
				break
			}
		}
	}
	return paths
}

// shortID is how much of a session's id some hosts have in the names of logs.
const shortID = 8

// dirOfHost is the directory of a host's own files, "" if it is not known.
func (d *Console) dirOfHost(h *host.Host) string {
	if d.Getenv != nil && h.DirVariable != "" {
		if dir := d.Getenv(h.DirVariable); filepath.IsAbs(dir) {
			return dir
		}
	}
	if rest, ok := strings.CutPrefix(h.Dir, "~/"); ok && d.Home != "" {
		return filepath.Join(d.Home, rest)
	}
	return ""
}
