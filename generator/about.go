// What a strategy says about itself and asks: data beside its templates, so
// that a new strategy needs no code here.

package generator

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/goccy/go-yaml"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/templates"
)

// About is a strategy's about.yaml; list --json prints a part of it.
type About struct {
	Title       string     `yaml:"title" json:"title"`
	Summary     string     `yaml:"summary" json:"summary"`             // one line, no full stop
	Description string     `yaml:"description" json:"-"`               // for marketplaces
	Version     string     `yaml:"version" json:"-"`                   // that a new plugin starts with
	Reads       string     `yaml:"reads" json:"reads"`                 // of a session
	GoesOn      string     `yaml:"goes_on" json:"-"`                   // "goes on while …", at most 53 columns: a line of the interview
	When        string     `yaml:"when" json:"when"`                   // to take it; a sentence without its full stop
	Cost        string     `yaml:"cost" json:"cost"`                   // of a stop
	Changes     string     `yaml:"changes" json:"skill_mods"`          // that skills need: none, light, heavy
	Measured    *Measured  `yaml:"measured" json:"measured,omitempty"` // nil: not measured
	Complexity  string     `yaml:"complexity" json:"complexity"`       // low, medium, high
	Needs       string     `yaml:"needs" json:"needs"`                 // what has to be there, in a word or two
	Keywords    []string   `yaml:"keywords" json:"-"`
	Questions   []Question `yaml:"questions" json:"-"`
}

// Measured is how a strategy did, with its default settings, on closings: last
// messages by authors who had not seen its rules, without a session
// (closings/README.md). It is the first score: no rule was shaped on them before.
type Measured struct {
	English Rates  `yaml:"english" json:"english"`
	Others  Rates  `yaml:"others" json:"others"` // all other languages
	Took    string `yaml:"took" json:"took"`     // about what a decision takes
}

// Rates are counts of closings.
type Rates struct {
	Stops  int `yaml:"stops" json:"stops"`   // where a person is needed, or the work is over
	Wrong  int `yaml:"wrong" json:"wrong"`   // of these, wrongly continued
	Work   int `yaml:"work" json:"work"`     // in the middle of work
	Caught int `yaml:"caught" json:"caught"` // of these, continued
}

// Share is how much of the work was caught, in percent.
func (r Rates) Share() int { return (200*r.Caught + r.Work) / (2 * max(r.Work, 1)) }

// RunOver is how many stops were wrongly continued, in percent: "0 %", "8.6 %".
func (r Rates) RunOver() string {
	if r.Wrong == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(r.Wrong)/float64(max(r.Stops, 1)))
}

// Accuracy is the measurement on English closings in a few words.
func (a About) Accuracy() string {
	if a.Measured == nil {
		return "not measured"
	}
	return fmt.Sprintf("%s wrong, %d %% caught", a.Measured.English.RunOver(), a.Measured.English.Share())
}

// Question is one setting of a plugin; its first choice is the default.
type Question struct {
	Key     string   `yaml:"key"`
	Ask     string   `yaml:"ask"`
	Choices []Choice `yaml:"choices"`
}

// Choice is one answer.
type Choice struct {
	Value string `yaml:"value"`
	Help  string `yaml:"help"`
}

// ReadAbout reads what a strategy says about itself.
func ReadAbout(strategy string) (About, error) {
	data, err := templates.Files.ReadFile(strategy + "/about.yaml")
	if err != nil {
		return About{}, fmt.Errorf("read about %s: %w", strategy, err)
	}
	var a About
	if err := yaml.UnmarshalWithOptions(data, &a, yaml.DisallowUnknownField()); err != nil {
		return About{}, fmt.Errorf("read about %s: %w", strategy, err)
	}
	a.Version = cmp.Or(a.Version, FirstVersion)
	return a, nil
}

// fillInDefaults gives every setting a value: the default where there is none.
func (a About) fillInDefaults(settings map[string]string) map[string]string {
	all := map[string]string{}
	for _, q := range a.Questions {
		all[q.Key] = q.Choices[0].Value
	}
	maps.Copy(all, settings)
	return all
}

func (a About) optionKeys() []string {
	return check.NamesOf(a.Questions, func(q Question) string { return q.Key })
}
