// By default, why and log cover the session that calls them. Outside of sessions, they cover the current
// project. The flags --session and --all change that.

package console

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/workspace"
)

// Asked contains the options of why and log.
type Asked struct {
	Session string // an ID or its prefix
	All     bool
	// Prompts selects decisions about prompts. Otherwise why prefers stops, and log omits prompts at which
	// the plugin was silent.
	Prompts bool
	JSON    bool
}

func (a Asked) wantsRecord(r ledger.Record) bool {
	if a.Prompts {
		return ofPrompt(r)
	}
	return r.Decision != "pass"
}

type view struct {
	ledger.Scope
	name    string // "session 3f2a", "~/p" or ""
	implied bool   // not chosen by a flag
}

func (d *Console) dirAndAlso() []string {
	if d.Also == "" || d.Also == d.Dir {
		return []string{d.Dir}
	}
	return []string{d.Dir, d.Also}
}

func (v view) sessionID() string { return strings.TrimPrefix(v.Scope.Session, "session:") }

func (d *Console) scopeOf(a Asked) (view, error) {
	for _, dir := range d.dirAndAlso() {
		if err := ledger.Readable(dir); err != nil {
			return view{}, err
		}
	}
	if a.Session != "" {
		id, err := d.resolveSession(a.Session)
		return view{Scope: ledger.Scope{Session: ledgerIDOf(id)}, name: "session " + id}, err
	}
	if a.All {
		return view{}, nil
	}
	if d.Session != "" {
		return view{Scope: ledger.Scope{Session: ledgerIDOf(d.Session)}, name: "this session", implied: true}, nil
	}
	dir, _ := workspace.Nearest(d.Work, "", []string{".git"}, d.Home)
	if real, err := filepath.EvalSymlinks(dir); err == nil { // Claude Code resolves links
		dir = real
	}
	return view{Scope: ledger.Scope{Project: dir}, name: dir, implied: true}, nil
}

// printImplied prints which session or project v covers, and how to see every project, unless a flag chose the view.
func (d *Console) printImplied(v view, word string) {
	if v.implied {
		d.printLine("in " + v.name + "; " + d.wordToType(word+" --all") + " shows every project")
	}
}

// wordToType returns the command for a word: /PLUGIN:why if an agent calls a plugin's hook, otherwise with d.Self.
// Blanks are glued until printLine or AdviceOn.
func (d *Console) wordToType(word string) string {
	if d.Caller != nil && d.Plugin != nil {
		if settings, err := d.Plugin(); err == nil {
			return display.GlueBlanks("/" + settings.Plugin + ":" + word)
		}
	}
	return d.commandTo(word)
}

// sayNothingDecided prints that the view has no decisions. For non-agents, it prints how to see others, or calls
// d.SayNext if nothing is recorded. hasPrompts means that the view has prompt records.
func (d *Console) sayNothingDecided(v view, a Asked, word string, hasPrompts bool) {
	of := ""
	if v.name != "" {
		of = " for " + v.name
	}
	what := "no decision is recorded" + of + " yet; springfield plugins record one at every stop"
	if a.Prompts {
		what = "no prompt is recorded" + of + " yet; a plugin that adds reminders to prompts, like todo-continuation, records each one"
	}
	if hasPrompts {
		what = "only prompts are recorded" + of + "; to see them, run " + d.wordToType(word+" --prompts")
	}
	d.printLine(what)
	if d.Caller != nil {
		return // other sessions do not concern this conversation
	}
	for range ledger.Backwards(d.dirAndAlso(), ledger.Scope{}) {
		d.printImplied(v, word)
		return
	}
	if d.SayNext != nil && !hasPrompts {
		d.SayNext()
	}
}

// findDecision returns the decision with this ID, for "" or "last" the latest, preferring stops, or only among prompts
// if ask.Prompts. It ignores stops that answer just a command. errNothing means none is left.
func (d *Console) findDecision(id string, v view, ask Asked) (lastIfNoID ledger.Record, err error) {
	if id != "" && id != "last" {
		if v.implied {
			v.Scope = ledger.Scope{} // the id is enough
		}
		if r, ok := ledger.DecisionByID(d.dirAndAlso(), v.Scope, id); ok {
			return r, nil
		}
		return ledger.Record{}, &adviceError{"there is no decision " + strconv.Quote(id), d.commandTo("log --all") + " lists them with their IDs; last means the latest"}
	}
	var other ledger.Record
	all, _ := ledger.Newest(d.dirAndAlso(), v.Scope, 1, false, func(r ledger.Record) bool {
		if r.Rule == "answer" {
			return false
		}
		if ofPrompt(r) && other.Decision == "" {
			other = r
		}
		return ofPrompt(r) == ask.Prompts
	})
	if len(all) > 0 {
		return all[0], nil
	}
	if other.Decision == "" {
		return other, errNothing
	}
	return other, nil
}

// knownSessions returns up to n sessions with this ID prefix, each with any last decision. If prefix is "", sessions
// known only from a log are skipped.
func (d *Console) knownSessions(prefix string, n int) (all []ledger.Record) {
	add := func(a ledger.Record) {
		if len(all) < n && !slices.ContainsFunc(all, func(b ledger.Record) bool { return a.Session == b.Session }) {
			all = append(all, a)
		}
	}
	for _, r := range ledger.LastOfEachSession(d.dirAndAlso(), prefix, n) {
		add(r)
	}
	if prefix == "" {
		return all // there are many logs
	}
	for _, project := range namesIn(d.claudeProjectsDir()) {
		for _, name := range namesIn(filepath.Join(d.claudeProjectsDir(), project)) {
			if id, ok := strings.CutSuffix(name, ".jsonl"); ok && strings.HasPrefix(id, prefix) {
				add(ledger.Record{Session: id})
			}
		}
	}
	return all
}

// resolveSession returns the ID of the only session whose ID starts with id ("" for "").
func (d *Console) resolveSession(id string) (string, error) {
	if id == "" || id == d.Session || slices.ContainsFunc(d.dirAndAlso(), func(dir string) bool { return ledger.HasSession(dir, ledgerIDOf(id)) }) {
		return id, nil
	}
	const enough = 5
	switch all := d.knownSessions(id, enough+1); len(all) {
	case 1:
		return all[0].Session, nil
	case 0:
		advice := "no session is known yet; omit --session, or see below " + d.shortPath(d.claudeProjectsDir())
		if all := d.knownSessions("", enough); len(all) > 0 {
			advice = "the latest sessions are " + d.nameSessions(all)
		}
		return "", &adviceError{"no session " + strconv.Quote(id) + " is known", advice}
	default:
		more := ""
		if len(all) > enough {
			all, more = all[:enough], ", and more"
		}
		return "", &adviceError{"more than one session begins with " + strconv.Quote(id), "give more characters of the ID: " + d.nameSessions(all) + more}
	}
}

// nameSessions lists sessions as in 3f2a51c7-… (~/p, 3 min ago).
func (d *Console) nameSessions(all []ledger.Record) string {
	var said []string
	for _, a := range all {
		s := a.Session
		if a.At > 0 { // else only its log is known
			s += " (" + d.shortPath(a.ProjectOrCwd()) + ", " + d.agoOf(a.At) + ")"
		}
		said = append(said, s)
	}
	return strings.Join(said, ", ")
}

// Decision returns the decision with this ID, for "" or "last" the latest in this session or project.
func (d *Console) Decision(id string) (ledger.Record, error) {
	v, err := d.scopeOf(Asked{})
	if err != nil {
		return ledger.Record{}, err
	}
	r, err := d.findDecision(id, v, Asked{})
	if err == errNothing {
		err = &adviceError{"no decision is recorded for " + d.shortPath(v.name) + " yet", d.commandTo("log --all") + " lists the decisions of every project"}
	}
	return r, err
}

// shortID is the length of the ID prefix that some hosts use in names of logs.
const shortID = 8
