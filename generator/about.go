package generator

import (
	"cmp"
	"fmt"
	"maps"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/cameronsjo/springfield/templates"
)

// About is a strategy's about.yaml; list --json prints a part of it.
type About struct {
	Title       string     `yaml:"title" json:"title"`
	Summary     string     `yaml:"summary" json:"summary"`             // one line, no full stop
	Description string     `yaml:"description" json:"-"`               // for marketplaces
	Version     string     `yaml:"version" json:"-"`                   // of a new plugin
	Reads       string     `yaml:"reads" json:"reads"`                 // of a session
	GoesOn      string     `yaml:"goes_on" json:"-"`                   // "goes on while …", at most 53 columns: a line of the interview
	When        string     `yaml:"when" json:"when"`                   // a sentence without the full stop
	Cost        string     `yaml:"cost" json:"cost"`                   // of a stop
	Changes     string     `yaml:"changes" json:"skill_mods"`          // to skills: none, light, heavy
	Measured    *Measured  `yaml:"measured" json:"measured,omitempty"` // nil: not measured
	Complexity  string     `yaml:"complexity" json:"complexity"`       // low, medium, high
	Needs       string     `yaml:"needs" json:"needs"`                 // a word or two
	Keywords    []string   `yaml:"keywords" json:"-"`
	Questions   []Question `yaml:"questions" json:"-"`
}

// Measured counts the continues at real stops with the default settings and no judge. It is a check, not an
// accuracy, because these stops shaped the rules.
type Measured struct {
	Continues int `yaml:"continues" json:"continues"`
	Wanted    int `yaml:"wanted" json:"wanted"` // answered with "continue" or a yes
	Stops     int `yaml:"stops" json:"stops"`   // answered with something else, in reliable exports
	Wrong     int `yaml:"wrong" json:"wrong"`   // of Stops, continued
}

// AccuracyInWords describes the measured accuracy, or returns "not measured".
func (a About) AccuracyInWords() string {
	if a.Measured == nil {
		return "not measured"
	}
	return fmt.Sprintf("%d of %d continues wanted, %d of %d stops wrongly continued", a.Measured.Wanted, a.Measured.Continues, a.Measured.Wrong, a.Measured.Stops)
}

// Question is a setting of a plugin. The first choice is the default.
type Question struct {
	Key     string   `yaml:"key"`
	Ask     string   `yaml:"ask"` // "" for one that only --set answers
	Choices []Choice `yaml:"choices"`
}

type Choice struct {
	Value string `yaml:"value"`
	Help  string `yaml:"help"`
}

var abouts sync.Map //nolint:gochecknoglobals // About by strategy: files of this program, which do not change

// ReadAbout returns a strategy's description. Callers must not change what it points to.
func ReadAbout(strategy string) (About, error) {
	if a, ok := abouts.Load(strategy); ok {
		return a.(About), nil
	}
	data, err := templates.Files.ReadFile(strategy + "/about.yaml")
	var a About
	if err == nil {
		err = yaml.UnmarshalWithOptions(data, &a, yaml.DisallowUnknownField())
	}
	if err != nil {
		return About{}, fmt.Errorf("read about %s: %w", strategy, err)
	}
	a.Version = cmp.Or(a.Version, FirstVersion)
	abouts.Store(strategy, a)
	return a, nil
}

func (a About) withDefaults(settings map[string]string) map[string]string {
	all := map[string]string{}
	for _, q := range a.Questions {
		all[q.Key] = q.Choices[0].Value
	}
	maps.Copy(all, settings)
	return all
}

// Page is the installation guide.
const Page = "https://github.com/cameronsjo/springfield/blob/main/docs/install.md"
