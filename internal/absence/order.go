package absence

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/away"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// OrdersInForce are the orders in force in a scope: of one project, and of all.
func (p Places) OrdersInForce(project string, all bool) []ledger.AwayOrder {
	return slices.DeleteFunc(ledger.AwayOrders(p.Orders), func(o ledger.AwayOrder) bool {
		return !o.IsInForce(p.Now) || !all && !o.Covers(project)
	})
}

// NewestOrder is the newest order of a scope, in force or not.
func (p Places) NewestOrder(project string, all bool) (newest ledger.AwayOrder, found bool) {
	for _, o := range ledger.AwayOrders(p.Orders) {
		if o.ID != "" && o.At <= p.Now.UnixMilli() && (all || o.Covers(project)) {
			newest, found = o, true
		}
	}
	return newest, found
}

// Shorten has the order in force of just this scope end sooner, or bring fewer continues, if that is
// all that another one would change. It needs no terminal, because agents stop sooner.
func (p Places) Shorten(
	wanted ledger.AwayOrder, sameMost, sameCheck bool,
) (now ledger.AwayOrder, done bool, err error) {
	lesser := func(o ledger.AwayOrder) bool {
		return o.IsInForce(p.Now) && o.Project == wanted.Project && wanted.Until <= o.Until &&
			(sameMost || wanted.Most <= o.Most) && (sameCheck || wanted.Check == o.Check)
	}
	if !slices.ContainsFunc(ledger.AwayOrders(p.Orders), lesser) {
		return wanted, false, nil
	}
	err = p.changeOrders(lesser, func(o *ledger.AwayOrder) {
		done, o.Until = true, wanted.Until
		if !sameMost {
			o.Most = wanted.Most
		}
		now = *o
	})
	return now, done && err == nil, err
}

// SetOrder sets an order in the place of those in force that lie within its scope: when it ends, none of
// them goes on.
func (p Places) SetOrder(o ledger.AwayOrder) error {
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

// EndOrders ends the orders in force of a scope, and returns them as they are then.
func (p Places) EndOrders(project string, all bool) (ended []ledger.AwayOrder, err error) {
	if len(p.OrdersInForce(project, all)) == 0 {
		return nil, nil // so nothing is made where there was never an order
	}
	err = p.changeOrders(func(o ledger.AwayOrder) bool { return o.IsInForce(p.Now) && (all || o.Covers(project)) },
		func(o *ledger.AwayOrder) {
			o.Ended = p.Now.UnixMilli()
			ended = append(ended, *o)
		})
	return ended, err
}

// MarkLooked notes that the user has seen what an order has brought.
func (p Places) MarkLooked(id string) error {
	unseen := func(o ledger.AwayOrder) bool { return o.ID == id && o.Looked == 0 && !o.IsInForce(p.Now) }
	return p.changeOrders(unseen, func(o *ledger.AwayOrder) { o.Looked = p.Now.UnixMilli() })
}

// changeOrders changes those orders on file that are meant.
func (p Places) changeOrders(meant func(ledger.AwayOrder) bool, change func(*ledger.AwayOrder)) error {
	return ledger.SetOrders(p.Orders, func(all []ledger.AwayOrder) []ledger.AwayOrder {
		for i := range all {
			if meant(all[i]) {
				change(&all[i])
			}
		}
		return all
	})
}

// Unseen is the newest order of a project that has ended and was not looked at.
func (p Places) Unseen(project string) (ledger.AwayOrder, bool) {
	o, found := p.NewestOrder(project, false)
	return o, found && o.Looked == 0 && !o.IsInForce(p.Now)
}

// LackedRule says that none of some rules allows a check, "" where one does.
func LackedRule(check string, allowed []string) string {
	allows := func(rule string) bool {
		about, isBash := strings.CutPrefix(strings.TrimSuffix(rule, ")"), "Bash(")
		if before, ok := strings.CutSuffix(about, ":*"); ok {
			about = before + "*"
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(about), `\*`, ".*")
		return rule == "Bash" || isBash && regexp.MustCompile("^"+pattern+"$").MatchString(check)
	}
	if check == "" || slices.ContainsFunc(allowed, allows) {
		return ""
	}
	lacks := "where Claude Code asks for a permission, the check is denied: no rule in permissions.allow allows it"
	if rule := away.RuleFor(check); rule != "" {
		lacks += "; " + rule + " in .claude/settings.local.json would"
	}
	return lacks
}

// UntilInWords is when an order ends, by the clock.
func UntilInWords(until, now time.Time) string {
	if until = until.Local(); until.Format(time.DateOnly) == now.Local().Format(time.DateOnly) {
		return until.Format("15:04")
	}
	return until.Format("15:04") + " tomorrow"
}
