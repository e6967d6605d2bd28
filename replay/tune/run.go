package tune

import (
	"context"

	"github.com/cameronsjo/springfield/replay"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/rules"
)

// Request is what Run has to know.
type Request struct {
	Options replay.Options // which sessions; the candidates are Run's own
	// Settings are those in force with proposals added to the user's own rules.
	Settings func([]Proposed) (hook.Settings, error)
	// Begun hears what is done now, and of the first reading what it has brought.
	Begun func(what string) (progress func(replay.Progress), done func())
	Read  func(replay.Report) error
}

// Run proposes changes of rules, and decides anew with them.
//
// When ctx ends before it has, the error is that of ctx: half a history is not proposed
// from.
func Run(ctx context.Context, r Request) (report replay.Report, p Proposal, err error) {
	present, err := r.Settings(nil)
	if err != nil {
		return report, p, err
	}
	if report, err = r.replay(ctx, "reading your sessions", present); err != nil {
		return report, p, err
	}
	if err = r.Read(report); err != nil {
		return report, p, err
	}
	if p, err = Propose(ctx, report.Rows, Tuning{Rules: present.Options.(rules.Ruled).Rules()}); err != nil {
		return report, p, err
	}
	for settled := false; !settled && len(p.Proposed) > 0; {
		candidates := []hook.Settings{present}
		for i := range p.Proposed {
			with, err := r.Settings(p.Proposed[:i+1])
			if err != nil {
				return report, p, err
			}
			candidates = append(candidates, with)
		}
		again, err := r.replay(ctx, "deciding again", candidates...)
		if err != nil {
			return report, p, err
		}
		settled = p.Weigh(again.Rows)
	}
	return report, p, nil
}

func (r Request) replay(ctx context.Context, what string, candidates ...hook.Settings) (replay.Report, error) {
	o := r.Options
	for _, c := range candidates {
		// Limits over time are no matter of rules.
		o.Candidates = append(o.Candidates, replay.Candidate{Name: c.Plugin, Settings: c, NoBudget: true})
	}
	var done func()
	o.Progress, done = r.Begun(what)
	report, err := replay.Run(ctx, o)
	done()
	if err == nil {
		err = ctx.Err()
	}
	return report, err
}
