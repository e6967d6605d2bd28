// Package maggie goes on while MAGGIE.md in the project has a box that is not ticked.
package maggie

import (
	"strconv"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/markdown"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const list = "MAGGIE.md"

// Strategy is maggie.
var Strategy = strategy.Strategy{
	Name: "maggie", Event: "Stop", Marks: []string{list}, Special: [][2]string{{"most", "has no list"}},
	New: func() strategy.Options { return &options{strategy.Number{Name: "most", Value: 10, Most: 100}} },
}

// options are how many boxes a list may have: of a longer one Claude may stop.
type options struct{ most strategy.Number }

func (o *options) Members(m *codec.Coder) { o.most.Member(m) }

func (o *options) Over(below strategy.Options, l *strategy.Layer) {
	o.most.PutOver(below.(*options).most, l)
}

func (o *options) Needs() strategy.Needs {
	return strategy.Needs{Files: func(strategy.Situation) []strategy.WantedFile { return []strategy.WantedFile{{Name: list}} }}
}

func (o *options) Decide(s strategy.Situation) strategy.Verdict {
	boxes, next := 0, ""
	markdown.EachLine(string(s.Workspace.Files[list].Data), func(_ int, line string, code bool) {
		if b, ok := markdown.ParseBox(line); ok && !code {
			if boxes++; !b.Done && next == "" {
				next = b.Text
			}
		}
	})
	v := strategy.Verdict{Decision: strategy.Stop, Rule: "list", Sure: 100, Evidence: "no box is open in " + list}
	switch {
	case boxes > o.most.Value:
		v.Rule, v.Evidence = "long", strconv.Itoa(boxes)+" boxes in "+list+", more than "+strconv.Itoa(o.most.Value)
	case next != "":
		v.Decision, v.Evidence = strategy.Continue, quotation.QuoteEvidence(next)+" is open in "+list
		v.Reason = "Go on with " + quotation.QuoteEvidence(next) + " in " + list + ", and tick its box."
	}
	return v
}
