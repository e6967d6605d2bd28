// What a strategy says about itself and asks: data beside its templates, so
// that a new strategy needs no code here.

package generator

import (
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/cameronsjo/springfield/templates"
)

// About is a strategy's about.yaml.
type About struct {
	Title       string     `yaml:"title"`
	Summary     string     `yaml:"summary"`
	Description string     `yaml:"description"`
	Cost        string     `yaml:"cost"`
	Reads       string     `yaml:"reads"`
	When        string     `yaml:"when"`
	Keywords    []string   `yaml:"keywords"`
	Questions   []Question `yaml:"questions"`
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
	return a, nil
}

// Defaults are the answers to all questions that nobody asked.
func (a About) Defaults() map[string]string {
	settings := map[string]string{}
	for _, q := range a.Questions {
		settings[q.Key] = q.Choices[0].Value
	}
	return settings
}

func (a About) keys() []string {
	var keys []string
	for _, q := range a.Questions {
		keys = append(keys, q.Key)
	}
	return keys
}

func (q Question) values() []string {
	var values []string
	for _, c := range q.Choices {
		values = append(values, c.Value)
	}
	return values
}
