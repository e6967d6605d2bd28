// An away order keeps agents at work without their user: in a project, until a time, for a number of continues. The
// report is made from the file of events. An agent can write both files, but gains only turns, which are counted.

package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// Limits for an order, even if a different program wrote it.
const (
	MostAway      = 24 * time.Hour
	MostContinues = 500
	MaxNote       = 1000 // bytes
	mostOrders    = 16
	maxEventLen   = 4 << 10 // bytes
)

type AwayOrder struct {
	ID      string
	At      int64  // Unix milliseconds
	Until   int64  // Unix milliseconds
	Ended   int64  // Unix milliseconds, 0 until the user is back
	Looked  int64  // Unix milliseconds, 0 until the user has read the report
	Project string // directory, "" for all
	Most    int    // continues, over all sessions
	Check   string // the command that proves the work done, "" for none
	Note    string // the user's wishes, for one project only
	From    string // the terminal, "" if unknown
	// Head and Kept are commits in the project's repository, or "": the checked-out one, and a snapshot of
	// the uncommitted changes.
	Head, Kept string
}

func (o *AwayOrder) Members(m *codec.Coder) {
	m.EvenEmpty().Text("id", &o.ID)
	codec.Number(m.EvenEmpty(), "at", &o.At)
	codec.Number(m.EvenEmpty(), "until", &o.Until)
	codec.Number(m, "ended", &o.Ended)
	codec.Number(m, "looked", &o.Looked)
	m.Text("project", &o.Project)
	codec.Number(m.EvenEmpty(), "most", &o.Most)
	m.Text("check", &o.Check)
	m.Text("note", &o.Note)
	m.Text("from", &o.From)
	m.Text("head", &o.Head)
	m.Text("kept", &o.Kept)
}

// IsInForce reports whether an order applies now, not one that starts in the future or exceeds a limit. It checks
// neither the project (see Covers) nor the number of continues.
func (o AwayOrder) IsInForce(now time.Time) bool {
	at := now.UnixMilli()
	return o.ID != "" && o.Ended == 0 && 0 < o.At && o.At <= at && at < o.Until && o.Until <= o.At+MostAway.Milliseconds() && o.Most > 0 && o.Most <= MostContinues && len(o.Check) <= activity.MaxCheck && len(o.Note) <= MaxNote
}

// Covers reports whether dir is in the order's project, or the order is for all projects. Callers resolve symlinks in
// dir.
func (o AwayOrder) Covers(dir string) bool {
	return o.Project == "" || file.WithinByName(dir, o.Project)
}

// The kinds of events.
const (
	AwayAnswered  = "answered"  // a question, in the user's place
	AwayContinued = "continued" // by the strategy
	AwayChecked   = "checked"   // a continue to run the check
	AwayWoken     = "woken"
	AwayLeft      = "left"    // for the user to answer, or repeated
	AwayPassed    = "passed"  // the check, so the agent can stop
	AwaySeen      = "seen"    // check result, when the user is needed
	AwayFailed    = "failed"  // the check, for the last time; the agent may stop
	AwayDenied    = "denied"  // a permission, perhaps the check's
	AwayDialog    = "dialog"  // a dialog, so that the agent decides it
	AwayStands    = "stands"  // a permission prompt that is no longer denied
	AwaySpent     = "spent"   // the order's continues
	AwayPresent   = "present" // the user typed a prompt in the session
	AwayShown     = "shown"   // at session start
)

// AwayEvent is an event under an away order.
type AwayEvent struct {
	At      int64 // Unix milliseconds
	Order   string
	Session string
	Did     string
	// Key identifies the stop or the request. Only one of several plugins answers it.
	Key  string
	By   string // the plugin
	Text string // the question, tool and input, or command
	// Same identifies the question, to recognise a repetition.
	Same string
	Word string // the word of the question that reserves it for the user
	// Work counts the session's changed files and test runs.
	Work int
	// Used counts the order's continues so far, because earlier lines can be lost.
	Used int
	// Check is the result of the check since the last change: passed, failed, denied or "".
	Check string
}

func (e *AwayEvent) Members(m *codec.Coder) {
	codec.Number(m.EvenEmpty(), "at", &e.At)
	m.EvenEmpty().Text("order", &e.Order)
	m.Text("session", &e.Session)
	m.EvenEmpty().Text("did", &e.Did)
	m.Text("key", &e.Key)
	m.Text("by", &e.By)
	m.Text("check", &e.Check)
	m.Masked("text", &e.Text)
	m.Text("same", &e.Same)
	m.Text("word", &e.Word)
	codec.Number(m, "work", &e.Work)
	codec.Number(m, "used", &e.Used)
}

func (e AwayEvent) IsContinue() bool {
	return e.Did == AwayAnswered || e.Did == AwayContinued || e.Did == AwayChecked || e.Did == AwayWoken
}

// besides bounds the time between two plugins' questions about the same stop, in milliseconds.
const besides = 15_000

// IsSameByAnother reports whether e and later, by different plugins, answer the same stop or request within 15 seconds.
func (e AwayEvent) IsSameByAnother(later AwayEvent) bool {
	return e.Session == later.Session && e.Key == later.Key && e.By != later.By && later.At-e.At < besides
}

// Away is an order with its events.
type Away struct {
	Order AwayOrder
	Past  []AwayEvent
}

func (a *Away) CountContinues() (n int) {
	for _, e := range a.Past {
		if e.IsContinue() {
			n++
		}
		n = max(n, e.Used)
	}
	return n
}

type awayFile struct{ Orders []AwayOrder }

func (f *awayFile) Members(m *codec.Coder) { codec.ListOf(m, "orders", &f.Orders) }

const awayName = "away.json" // the file of the orders

func awayLines(dir string) lineFile {
	return lineFile{dir, filepath.Join(dir, "away.jsonl"), 1 << 20, maxEventLen}
}

// AwayOrders returns the file's latest mostOrders orders, oldest first, or none if it cannot be read. Some may have
// ended.
func AwayOrders(stateDir string) []AwayOrder {
	var f awayFile
	if _, err := readSmall(filepath.Join(stateDir, awayName), &f); err != nil {
		return nil
	}
	return f.Orders[max(0, len(f.Orders)-mostOrders):]
}

// SetOrders replaces the current orders by those change returns, under a lock. It keeps only the last mostOrders,
// creates a missing directory, and returns ErrBusy if the lock is not free in two seconds.
func SetOrders(stateDir string, change func([]AwayOrder) []AwayOrder) error {
	makeAll(filepath.Dir(stateDir))
	makeStateDirs(stateDir)
	lock, err := TakeLock(stateDir, "away", holdWait)
	if err != nil {
		return err
	}
	defer lock.Close()
	orders := change(AwayOrders(stateDir))
	return replaceFile(filepath.Join(stateDir, awayName), &awayFile{orders[max(0, len(orders)-mostOrders):]})
}

func NewOrderID(now time.Time) string { return strconv.FormatInt(now.UnixMilli(), 36) }

// AwayEvents returns the events of an order, or of all if ofOrAll is "", oldest first.
func AwayEvents(stateDir, ofOrAll string) (all []AwayEvent, err error) {
	err = awayLines(stateDir).eachLine(func(line []byte) {
		var e AwayEvent
		if codec.ReadObject(line, &e) == nil && e.Did != "" && (ofOrAll == "" || e.Order == ofOrAll) {
			all = append(all, e)
		}
	})
	return all, err
}

// AwayLog is an order with its events, locked until Close.
type AwayLog struct {
	Away
	dir  string
	lock *os.File
}

// LockAwayLog locks the away orders and reads o's events. It returns ErrBusy if the lock is not free in two seconds.
// Callers close the log.
func LockAwayLog(stateDir string, o AwayOrder) (*AwayLog, error) {
	lock, err := TakeLock(stateDir, "away", holdWait)
	if err != nil {
		return nil, err
	}
	past, err := AwayEvents(stateDir, o.ID)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &AwayLog{Away{o, past}, stateDir, lock}, nil
}

func (l *AwayLog) Close() { l.lock.Close() }

// AddEvent writes an event to the file, with the order's ID and the number of continues. Callers add only one.
func (l *AwayLog) AddEvent(e AwayEvent) error {
	e.Order, e.Used = l.Order.ID, l.CountContinues()
	if e.IsContinue() {
		e.Used++
	}
	return awayLines(l.dir).addLine(&e)
}
