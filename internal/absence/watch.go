package absence

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Watch follows the sessions of all projects.
type Watch struct {
	reader Reader
	stamp  string // of the files of decisions, orders and holds
	orders []Order
	holds  []ledger.InForce
}

func (p Places) NewWatch() *Watch { return &Watch{reader: Reader{Places: p}} }

// span is a day at least, because the index has a line per session and day.
const span = 24 * time.Hour

// Look reads changes since the last call, and returns the current view, with up to MostSessions sessions.
func (w *Watch) Look(now time.Time) View {
	w.reader.Now = now
	if stamp := w.stampOfState(now); stamp != w.stamp {
		w.stamp = stamp
		w.reader.since = now.Add(-span).UnixMilli()
		w.reader.readDecided()
		w.orders = nil
		for _, o := range w.reader.OrdersInForce("", true) {
			w.orders = append(w.orders, w.reader.MaskOrder(o))
		}
		w.holds, _ = ledger.HoldsInForce(w.reader.States, now)
	}
	view := View{Now: now.UnixMilli(), Orders: w.orders, Holds: w.holds}
	sessions, more := w.reader.readSessions(nil)
	view.More = more
	for _, s := range sessions {
		seen := s.sightAt(view.Now)
		for _, o := range w.orders {
			if (ledger.AwayOrder{Project: o.Project}).Covers(seen.Project) {
				if left := max(0, o.Most-o.Used); !s.ended {
					seen.Left = &left
				}
			}
		}
		if s.isListed(seen, view.Now) {
			view.Sessions = append(view.Sessions, seen)
		}
	}
	slices.SortStableFunc(view.Sessions, func(a, b Sight) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Project, b.Project), cmp.Compare(a.Session, b.Session))
	})
	return view
}

// stampOfState returns a string that changes with the state, and every minute.
func (w *Watch) stampOfState(now time.Time) string {
	all := []string{now.Format("15:04")}
	for _, dir := range slices.Compact(append([]string{w.reader.Orders}, w.reader.States...)) {
		for _, name := range ledger.WatchPaths(dir) {
			all = append(all, stampOf(name))
		}
		for _, d := range w.reader.decided {
			all = append(all, stampOf(ledger.SessionFile(dir, "session:"+d.last.Session)))
		}
	}
	return strings.Join(all, "\n")
}

// Change is a change of one session, or of the orders and holds in force. watch --json prints one per line.
type Change struct {
	At int64 `json:"at"`
	*Sight
	*InForce
	Same bool `json:"-"` // the session's state is the same
}

type InForce struct {
	Orders []Order `json:"orders"`
	Holds  []Held  `json:"holds"`
}

type Held struct {
	Session string `json:"session"` // "" for all
	Until   int64  `json:"until"`   // 0: until it is lifted
}

func (s State) notifies() bool { return s == Waiting || s == Failed || s == Finished }

// ChangesSince returns the changes from before to v. If before is zero, it returns everything.
func (v View) ChangesSince(before View) (all []Change) {
	if now := v.inForce(); before.Now == 0 || !reflect.DeepEqual(now, before.inForce()) {
		all = append(all, Change{At: v.Now, InForce: now})
	}
	find := func(v View, id string) int {
		return slices.IndexFunc(v.Sessions, func(s Sight) bool { return s.Session == id })
	}
	for _, s := range v.Sessions {
		if i := find(before, s.Session); i < 0 || !reflect.DeepEqual(before.Sessions[i], s) {
			all = append(all, Change{At: v.Now, Sight: &s, Same: i >= 0 && before.Sessions[i].State == s.State})
		}
	}
	for _, s := range before.Sessions {
		if find(v, s.Session) < 0 {
			s.State = Gone
			all = append(all, Change{At: v.Now, Sight: &s})
		}
	}
	return all
}

// inForce returns the view's orders and holds for JSON, with no null lists.
func (v View) inForce() *InForce {
	out := InForce{Orders: append([]Order{}, v.Orders...), Holds: []Held{}}
	for _, h := range v.Holds {
		out.Holds = append(out.Holds, Held{maskedCut(strings.TrimPrefix(h.Of, "session:")), h.Until})
	}
	return &out
}

// Teller chooses the changes about which to notify the user: changes to a state that is a need and lasts.
type Teller struct {
	begun   bool
	pending map[string]pending // by session
}

type pending struct {
	known
	from int64 // when it was first seen
	at   int64 // when it was last seen
	live bool
	told bool
	last known // the last need that the user knows
}

type known struct {
	is    State
	since int64 // of the sight
	text  string
}

// lasting is the time that a change has to last, and missing the time after which a session that is no longer listed is
// forgotten, in milliseconds. A look may miss a file that is just written.
const (
	lasting = 5000
	missing = 60_000
)

// ChooseToNotify updates t and returns sessions to notify about: waiting for the user, finished or failed for five
// seconds or more. Each change is returned once. The first view's states are skipped.
func (t *Teller) ChooseToNotify(v View) (all []Sight) {
	now := map[string]pending{}
	for _, s := range v.Sessions {
		p, same := t.pending[s.Session], known{s.State, s.Since, s.Text}
		if p.at > 0 && p.is == s.State && (p.since == s.Since || p.text == s.Text) {
			p.known = same
		} else {
			closed := p.live && !s.Live && p.is.notifies() && s.State != Failed // by the user
			p = pending{known: same, from: v.Now, told: !t.begun || closed || p.last.is == s.State && p.last.since == s.Since, last: p.last}
		}
		p.live, p.at = s.Live, v.Now
		if !p.told && s.State.notifies() && v.Now-p.from >= lasting {
			p.told = true
			all = append(all, s)
		}
		if p.told && s.State.notifies() {
			p.last = same
		}
		now[s.Session] = p
	}
	for id, p := range t.pending {
		if _, listed := now[id]; !listed && v.Now-p.at < missing {
			now[id] = p
		}
	}
	t.begun, t.pending = true, now
	return all
}

// SightLine formats a sight as one line, state first.
func (v View) SightLine(s Sight) string {
	return strings.TrimSuffix(string(s.State)+": "+v.nameOf(s)+": "+s.Text, ": ")
}
