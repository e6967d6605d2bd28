package absence

import (
	"slices"
	"time"

	"github.com/cameronsjo/springfield/runtime/ledger"
)

// OrdersInForce returns the orders in force that cover a project, or with all, every one.
func (p Places) OrdersInForce(resolvedProject string, all bool) []ledger.AwayOrder {
	return slices.DeleteFunc(ledger.AwayOrders(p.Orders), func(o ledger.AwayOrder) bool {
		return !o.IsInForce(p.Now) || !all && !o.Covers(resolvedProject)
	})
}

// RecordedOrders returns the orders that cover a project, even ended ones, oldest first. With all, it covers all
// projects.
func (p Places) RecordedOrders(resolvedProject string, all bool) []ledger.AwayOrder {
	return slices.DeleteFunc(ledger.AwayOrders(p.Orders), func(o ledger.AwayOrder) bool {
		return o.ID == "" || o.At > p.Now.UnixMilli() || !all && !o.Covers(resolvedProject)
	})
}

// NewestOrder returns the last of RecordedOrders.
func (p Places) NewestOrder(resolvedProject string, all bool) (o ledger.AwayOrder, found bool) {
	if orders := p.RecordedOrders(resolvedProject, all); len(orders) > 0 {
		return orders[len(orders)-1], true
	}
	return o, false
}

// Shorten makes the order in force for wanted.Project end sooner or with fewer continues, and saves it, if its check
// and note are wanted's. keepMost, keepCheck and keepNote keep the order's value. If none is changed, done is false.
func (p Places) Shorten(wanted ledger.AwayOrder, keepMost, keepCheck, keepNote bool) (order ledger.AwayOrder, done bool, err error) {
	lesser := func(o ledger.AwayOrder) bool {
		return o.IsInForce(p.Now) && o.Project == wanted.Project && wanted.Until <= o.Until &&
			(keepMost || wanted.Most <= o.Most) && (keepCheck || wanted.Check == o.Check) && (keepNote || wanted.Note == o.Note)
	}
	if !slices.ContainsFunc(ledger.AwayOrders(p.Orders), lesser) {
		return wanted, false, nil
	}
	err = p.rewriteOrders(lesser, func(o *ledger.AwayOrder) {
		done, o.Until = true, wanted.Until
		if !keepMost {
			o.Most = wanted.Most
		}
		order = *o
	})
	return order, done && err == nil, err
}

// ReplaceInScope stores an order, and ends those in force within its scope. The caller sets o.ID and o.At.
func (p Places) ReplaceInScope(o ledger.AwayOrder) error {
	return ledger.SetOrders(p.Orders, func(all []ledger.AwayOrder) []ledger.AwayOrder {
		for i := range all {
			within := o.Project == "" || all[i].Project != "" && o.Covers(all[i].Project)
			if all[i].IsInForce(p.Now) && within {
				all[i].Ended = o.At
			}
		}
		return append(all, o)
	})
}

// EndOrders ends the orders in force that cover a project, or with all, every order.
func (p Places) EndOrders(resolvedProject string, all bool) (ended []ledger.AwayOrder, err error) {
	if len(p.OrdersInForce(resolvedProject, all)) == 0 {
		return nil, nil // without an order, no file is created
	}
	err = p.rewriteOrders(func(o ledger.AwayOrder) bool { return o.IsInForce(p.Now) && (all || o.Covers(resolvedProject)) },
		func(o *ledger.AwayOrder) {
			o.Ended = p.Now.UnixMilli()
			ended = append(ended, *o)
		})
	return ended, err
}

// MarkLooked records that the user has seen the order's report, unless it is in force.
func (p Places) MarkLooked(order string) error {
	unseen := func(o ledger.AwayOrder) bool { return o.ID == order && o.Looked == 0 && !o.IsInForce(p.Now) }
	return p.rewriteOrders(unseen, func(o *ledger.AwayOrder) { o.Looked = p.Now.UnixMilli() })
}

func (p Places) rewriteOrders(meant func(ledger.AwayOrder) bool, change func(*ledger.AwayOrder)) error {
	return ledger.SetOrders(p.Orders, func(all []ledger.AwayOrder) []ledger.AwayOrder {
		for i := range all {
			if meant(all[i]) {
				change(&all[i])
			}
		}
		return all
	})
}

// Unseen returns the project's latest order, and whether it has ended with its report unseen.
func (p Places) Unseen(resolvedProject string) (newest ledger.AwayOrder, unseen bool) {
	o, found := p.NewestOrder(resolvedProject, false)
	return o, found && o.Looked == 0 && !o.IsInForce(p.Now)
}

// EndClock formats an order's end in local time, with "tomorrow" unless it is today.
func EndClock(until, now time.Time) (todayOrTomorrow string) {
	if until = until.Local(); until.Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return until.Format("15:04")
	}
	return until.Format("15:04") + " tomorrow"
}

// endOf returns the end of an order in Unix milliseconds.
func endOf(o ledger.AwayOrder) int64 {
	if o.Ended > 0 {
		return min(o.Ended, o.Until)
	}
	return o.Until
}
