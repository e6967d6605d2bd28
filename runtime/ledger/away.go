// Away: the user's order to keep agents at work while no one is there. An order says for
// which project, until when, and how many continues it may bring; what an order has
// brought is a line each in one file for all, which is what the order's limit counts and
// what the report in the morning is made of.
//
// An agent can write both files. It gains no more than turns, which are counted here.

package ledger

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
)

// The bounds of an order. They hold for a file that another program has written, too.
const (
	MostAway      = 24 * time.Hour
	MostContinues = 500 // that an order can bring
	// MaxCheck bounds a check, in bytes: as much as a log's reader keeps of a call.
	MaxCheck    = 120
	mostOrders  = 16
	maxEventLen = 4 << 10 // bytes
)

type AwayOrder struct {
	ID      string // names it in the lines of what it has brought
	At      int64  // Unix milliseconds, when it was set
	Until   int64  // Unix milliseconds
	Ended   int64  // Unix milliseconds, when the user was back; 0: has not been said
	Looked  int64  // Unix milliseconds, when the user has seen what it has brought; 0: not yet
	Project string // directory whose sessions it is for, "" for all
	Most    int    // continues, over all sessions
	Check   string // the command that tells whether the work is done, "" for none
	From    string // the terminal that it was typed at, "" where nothing says so
	// Head and Kept are commits of the project's repository: what was checked out, and a
	// snapshot of what was not committed. "" for none.
	Head, Kept string
}

func (o *AwayOrder) Members(m *codec.Members) {
	m.KeepEmpty().Text("id", &o.ID)
	codec.Number(m.KeepEmpty(), "at", &o.At)
	codec.Number(m.KeepEmpty(), "until", &o.Until)
	codec.Number(m, "ended", &o.Ended)
	codec.Number(m, "looked", &o.Looked)
	m.Text("project", &o.Project)
	codec.Number(m.KeepEmpty(), "most", &o.Most)
	m.Text("check", &o.Check)
	m.Text("from", &o.From)
	m.Text("head", &o.Head)
	m.Text("kept", &o.Kept)
}

// IsInForce tells whether an order holds at a time. One that lasts longer than an order may, or
// begins in the future, was written by something else.
func (o AwayOrder) IsInForce(now time.Time) bool {
	at := now.UnixMilli()
	return o.ID != "" && o.Ended == 0 && 0 < o.At && o.At <= at && at < o.Until && o.Until <= o.At+MostAway.Milliseconds() && o.Most > 0 && o.Most <= MostContinues && len(o.Check) <= MaxCheck
}

// Covers tells whether an order is for a directory.
func (o AwayOrder) Covers(dir string) bool { return o.Project == "" || file.LiesWithin(dir, o.Project) }

// What an order has brought.
const (
	AwayAnswered  = "answered"  // a question, in the user's place
	AwayContinued = "continued" // the strategy said so
	AwayChecked   = "checked"   // the agent was told to run the check
	AwayLeft      = "left"      // a question that is the user's alone, or was asked again
	AwayPassed    = "passed"    // the check; the agent may stop
	AwaySeen      = "seen"      // what the check brought, at a stop that needs the user: it was denied, for instance
	AwayFailed    = "failed"    // the check, as often as it may; the agent may stop
	AwayDenied    = "denied"    // a permission; the check, for want of one
	AwayDialog    = "dialog"    // a dialog, with the words to decide it in the user's place
	AwayStands    = "stands"    // a permission prompt that is not denied any more
	AwaySpent     = "spent"     // the order's continues
	AwayPresent   = "present"   // the user has typed a prompt in the session
	AwayShown     = "shown"     // that the order is in force, at a session's start
)

// AwayEvent is one of these.
type AwayEvent struct {
	At      int64 // Unix milliseconds
	Order   string
	Session string
	Did     string
	// Key names the stop or the request that it is about: of two plugins that are asked
	// about the same, one answers.
	Key  string
	By   string // the plugin
	Text string // the question, the tool and what for, the command
	// Same names the question by its words or its options, so that it is known when it is asked
	// again.
	Same string
	Word string // in the question, that makes it the user's alone to decide
	// Work counts what had been done in the session: files changed and tests run.
	Work int
	// Used counts the order's continues so far, with this one: lines before it may be gone.
	Used int
	// Check is what the check had brought at that stop: passed, failed or denied, "" if it was not run
	// since the last change.
	Check string
}

func (e *AwayEvent) Members(m *codec.Members) {
	codec.Number(m.KeepEmpty(), "at", &e.At)
	m.KeepEmpty().Text("order", &e.Order)
	m.Text("session", &e.Session)
	m.KeepEmpty().Text("did", &e.Did)
	m.Text("key", &e.Key)
	m.Text("by", &e.By)
	m.Text("check", &e.Check)
	m.Quoted("text", &e.Text)
	m.Text("same", &e.Same)
	m.Text("word", &e.Word)
	codec.Number(m, "work", &e.Work)
	codec.Number(m, "used", &e.Used)
}

// IsContinue tells that an event is a continue, of which an order has so many.
func (e AwayEvent) IsContinue() bool {
	return e.Did == AwayAnswered || e.Did == AwayContinued || e.Did == AwayChecked
}

// besides is how long two plugins may take that are asked about the same, in milliseconds.
const besides = 15_000

// IsByAnother tells that another plugin has just answered what an event is about.
func (e AwayEvent) IsByAnother(of AwayEvent) bool {
	return e.Session == of.Session && e.Key == of.Key && e.By != of.By && of.At-e.At < besides
}

// Away is an order in force, and what it has brought.
type Away struct {
	Order AwayOrder
	Past  []AwayEvent
}

// CountContinues counts those that the order has brought.
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

func (f *awayFile) Members(m *codec.Members) { codec.ListOf(m, "orders", &f.Orders) }

// AwayFile is where the orders lie.
func AwayFile(dir string) string { return filepath.Join(dir, "away.json") }

// awayLines is what orders have brought: halved at some thousand events.
func awayLines(dir string) lines {
	return lines{dir, filepath.Join(dir, "away.jsonl"), 1 << 20, maxEventLen}
}

// AwayOrders are the orders on file, the newest last. A file that cannot be read has none.
func AwayOrders(dir string) []AwayOrder {
	var f awayFile
	if _, err := readSmall(AwayFile(dir), &f); err != nil {
		return nil
	}
	return f.Orders[max(0, len(f.Orders)-mostOrders):]
}

// OrderInForce is the newest order in force for a directory.
func OrderInForce(dir, project string, now time.Time) (o AwayOrder, ok bool) {
	for _, one := range AwayOrders(dir) {
		if !one.IsInForce(now) {
			continue
		}
		real, err := filepath.EvalSymlinks(project) // an order names its project without links
		if one.Covers(project) || err == nil && one.Covers(real) {
			o, ok = one, true
		}
	}
	return o, ok
}

// SetOrders replaces the orders by what change makes of them.
func SetOrders(dir string, change func([]AwayOrder) []AwayOrder) error {
	makeAll(filepath.Dir(dir))
	makeDirs(dir)
	lock, err := TakeLock(dir, "away", holdWait)
	if err != nil {
		return err
	}
	defer lock.Close()
	orders := change(AwayOrders(dir))
	return replaceFile(AwayFile(dir), &awayFile{orders[max(0, len(orders)-mostOrders):]})
}

func NewOrderID(now time.Time) string { return strconv.FormatInt(now.UnixMilli(), 36) }

// AwayEvents are what an order has brought, oldest first; of all orders for an empty name.
func AwayEvents(dir, order string) (all []AwayEvent, err error) {
	err = awayLines(dir).eachLine(func(line []byte) {
		var e AwayEvent
		if codec.ReadObject(line, &e) == nil && e.Did != "" && (order == "" || e.Order == order) {
			all = append(all, e)
		}
	})
	return all, err
}

// AwayLog is what an order has brought, locked: one stop or request at a time looks at it and
// adds to it.
type AwayLog struct {
	Away
	dir  string
	lock *os.File
}

// OpenAway locks what an order has brought, and reads it.
func OpenAway(dir string, o AwayOrder) (*AwayLog, error) {
	lock, err := TakeLock(dir, "away", holdWait)
	if err != nil {
		return nil, err
	}
	past, err := AwayEvents(dir, o.ID)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &AwayLog{Away{o, past}, dir, lock}, nil
}

// Close gives the lock back.
func (l *AwayLog) Close() { l.lock.Close() }

// AddEvent writes down what the order has brought.
func (l *AwayLog) AddEvent(e AwayEvent) error {
	e.Order, e.Used = l.Order.ID, l.CountContinues()
	if e.IsContinue() {
		e.Used++
	}
	return awayLines(l.dir).addLine(&e)
}
