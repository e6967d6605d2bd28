// Who may say what of the judge, in which layer. Whoever writes a layer can ask
// for less; only the user's own file can have more spent, or name a program.

package hook

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// What the judge may cost when nobody says, and at most, in dollars.
const (
	dailyDollars   = 1.0
	sessionDollars = 0.25
	maxDollars     = 100.0
)

// unasked is the judge of a plugin that says nothing of one.
func unasked(known strategy.Strategy) *strategy.Judge {
	if !known.Judges {
		return nil
	}
	daily, session := dailyDollars, sessionDollars
	return &strategy.Judge{Backend: judge.Claude, Model: judge.DefaultModel, Within: judge.Within, Daily: &daily, Session: &session}
}

// cascade keeps a layer's cascade. A project may have the judge asked less often,
// not more.
func (s *Settings) cascade(path string, c *strategy.Config, by writer) {
	switch {
	case c.Cascade == nil:
	case !s.Strategy.Judges:
		s.fault(path, errors.New("cascade: "+s.Strategy.Name+" asks no judge"))
	case by == byProject && !*c.Cascade:
		s.fault(path, errors.New("cascade: a project cannot have the judge asked every time"))
	default:
		return
	}
	c.Cascade = s.Config.Cascade
}

// judge keeps of a layer's judge what its writer may say.
func (s *Settings) judge(path string, c *strategy.Config, by writer) {
	in := c.Judge
	c.Judge = s.Config.Judge
	if in == nil {
		return
	}
	if !s.Strategy.Judges {
		s.fault(path, errors.New("judge: "+s.Strategy.Name+" asks none"))
		return
	}
	out := *s.Config.Judge
	only := func(field string) { s.fault(path, errors.New("judge: only your own file can set "+field)) }
	switch {
	case in.Backend == "" || in.Backend == out.Backend:
	case by == byProject:
		only("backend")
	case !slices.Contains(judge.Backends(), in.Backend):
		s.fault(path, fmt.Errorf("judge: there is no backend %q: choose claude or api", in.Backend))
	default:
		out.Backend = in.Backend
	}
	switch {
	case in.Model == "" || in.Model == out.Model:
	case by == byProject:
		only("model")
	case !judge.ValidModel(in.Model):
		s.fault(path, fmt.Errorf("judge: %q is no name of a model", in.Model))
	default:
		out.Model = in.Model
	}
	switch {
	case in.Client == "":
	case by != byUser:
		only("client")
	case !filepath.IsAbs(in.Client):
		s.fault(path, errors.New("judge: client is the absolute path of Claude Code's program"))
	default:
		out.Client = in.Client
	}
	switch {
	case in.Within == 0:
	case in.Within < 1 || in.Within > judge.MaxWithin:
		s.fault(path, fmt.Errorf("judge: within must be from 1 to %d seconds", judge.MaxWithin))
	case in.Within > out.Within && by != byAuthor:
		// The plugin's hooks.json says when Claude Code ends the hook.
		if by == byUser {
			s.fault(path, fmt.Errorf("judge: within can only be shorter than the plugin's %d seconds", out.Within))
		}
	default:
		out.Within = in.Within
	}
	out.Daily = s.dollars(path, "daily", in.Daily, out.Daily, by)
	out.Session = s.dollars(path, "session", in.Session, out.Session, by)
	c.Judge = &out
}

// dollars takes a limit upwards from the user only.
func (s *Settings) dollars(path, name string, value, limit *float64, by writer) *float64 {
	switch {
	case value == nil:
	case !(*value >= 0 && *value <= maxDollars):
		s.fault(path, fmt.Errorf("judge: %s must be from 0 to %g dollars", name, maxDollars))
	case *value > *limit && by == byAuthor:
		s.fault(path, errors.New("judge: only your own file can raise "+name))
	case *value > *limit && by == byProject:
	default:
		return value
	}
	return limit
}
