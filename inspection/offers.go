package inspection

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/ledger"
)

// Offer is something that can be typed, for a shell to complete, and what it means.
type Offer struct{ Value, Meaning string }

// maxOffers is how many decisions, sessions and loops are offered, the newest first.
const maxOffers = 20

// ToEnable are springfield's plugins that can be found from here.
func (in *Inspection) ToEnable() []Offer {
	where := map[string]string{} // by ID
	markets, _ := in.settings().Markets()
	for name, m := range markets {
		for _, plugin := range in.settings().Ours(m) {
			where[plugin+"@"+name] = "from " + m.String()
		}
	}
	for _, s := range in.Suites {
		for _, p := range s.Plugins {
			if s.Err == nil {
				where[p.Name+"@"+s.Marketplace] = "from " + s.Dir
			}
		}
	}
	return named(where)
}

// ToDisable are springfield's plugins that some settings switch on.
func (in *Inspection) ToDisable() []Offer {
	where := map[string]string{}
	for _, p := range in.Plugins {
		for _, said := range p.Says {
			if said.On && p.Ours() {
				where[p.ID] = "on in " + said.Layer + " settings"
			}
		}
	}
	return named(where)
}

// named offers plugins by name where that is enough, else by ID.
func named(where map[string]string) (all []Offer) {
	count := map[string]int{}
	for id := range where {
		name, _, _ := strings.Cut(id, "@")
		count[name]++
	}
	for _, id := range slices.Sorted(maps.Keys(where)) {
		name, _, _ := strings.Cut(id, "@")
		if count[name] > 1 {
			name = id
		}
		all = append(all, Offer{name, where[id]})
	}
	return all
}

// Marketplaces are those that Claude Code knows and that have a plugin of
// springfield's.
func (in *Inspection) Marketplaces() (all []Offer) {
	markets, _ := in.settings().Markets()
	for _, name := range slices.Sorted(maps.Keys(markets)) {
		if len(in.settings().Ours(markets[name])) > 0 {
			all = append(all, Offer{name, markets[name].String()})
		}
	}
	return all
}

// Decisions are the newest on file, the newest first.
func (in *Inspection) Decisions() []Offer {
	all := []Offer{{"last", "the newest decision"}}
	for r := range ledger.Back(in.states(), ledger.Scope{}) {
		if len(all) > maxOffers {
			break
		}
		all = append(all, Offer{r.ID, fmt.Sprintf("%s: %s, %s, %s", r.Plugin, r.Decision, r.Rule, Ago(in.Now, time.UnixMilli(r.At)))})
	}
	return all
}

// Sessions are those of the newest decisions.
func (in *Inspection) Sessions() (all []Offer) {
	for _, r := range ledger.Named(in.states(), "", maxOffers) {
		if r.Session != "" {
			all = newer(all, Offer{display.Line(r.Session), r.Place() + ", " + Ago(in.Now, time.UnixMilli(r.At))})
		}
	}
	return all
}

// Loops are the goal loops of the past.
func (in *Inspection) Loops() (all []Offer) {
	events, _ := ledger.LoopEvents(in.state())
	for _, e := range slices.Backward(events) {
		all = newer(all, Offer{display.Line(e.Loop), e.Event + ", " + e.Dir + ", " + Ago(in.Now, time.UnixMilli(e.At))})
	}
	return all
}

// newer adds an offer unless a newer one has its value, or there are enough.
func newer(all []Offer, o Offer) []Offer {
	if len(all) == maxOffers || slices.ContainsFunc(all, func(known Offer) bool { return known.Value == o.Value }) {
		return all
	}
	return append(all, o)
}
