package interview

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Suite asks for the answers that flags leave open.
type Suite struct {
	Asker
	Out              io.Writer
	Said             generator.Spec // the known answers
	Settings         generator.Settings
	Defaults         generator.Spec
	Preset           string // the plugin that is preselected
	CheckMarketplace func(string) error
	// Facts are rows of the summary, the first on top. If there are none, there is no confirmation.
	Facts [][]string
}

// AskForSuite asks for the missing answers in s.Said, sets them there, and returns all. The caller checks s.Said and
// s.Settings first. s.Defaults.Targets must not be empty if it asks for targets. If s.Facts is set, it then prints a
// summary. If the user declines that, it returns ErrCancelled.
func (s *Suite) AskForSuite() (generator.Spec, error) {
	for _, ask := range []func() error{s.askPlugins, s.askSettings, s.askMarketplace, s.askForOwner, s.askMachines} {
		if err := ask(); err != nil {
			return s.Said, err
		}
	}
	if s.Facts == nil {
		return s.Said, nil
	}
	s.summarize()
	yes, err := s.Confirm("Make it?")
	if err == nil && !yes {
		err = ErrCancelled
	}
	return s.Said, err
}

func atLeastOne(chosen []string) error {
	if len(chosen) == 0 {
		return errors.New("choose at least one")
	}
	return nil
}

func (s *Suite) askPlugins() error {
	if len(s.Said.Plugins) > 0 {
		return nil
	}
	options, err := strategies(s.Preset)
	if err != nil {
		return err
	}
	isUnmarked := func(name string) bool {
		return name != s.Preset && !slices.ContainsFunc(s.Settings, func(one generator.Setting) bool { return one.Plugin == name })
	}
	chosen, err := s.Many("Which plugins?", options, slices.DeleteFunc(valuesOf(options), isUnmarked), atLeastOne)
	for _, name := range chosen {
		s.Said.Plugins = append(s.Said.Plugins, generator.Plugin{Name: name, Strategy: name})
	}
	return err
}

func strategies(first string) (options []Option, err error) {
	for _, name := range registry.StrategyNames() {
		about, err := generator.ReadAbout(name)
		if err != nil {
			return nil, err
		}
		o := Option{name, about.GoesOn, fmt.Sprintf("%s. It reads %s. %s a stop.", about.When, about.Reads, about.Cost)}
		if name == first {
			options = slices.Insert(options, 0, o)
		} else {
			options = append(options, o)
		}
	}
	return options, nil
}

func (s *Suite) askSettings() error {
	s.Said.Plugins = s.Settings.OverlayPlugins(s.Said.Plugins)
	for _, plugin := range s.Said.Plugins {
		about, err := generator.ReadAbout(plugin.Strategy)
		if err != nil {
			return err
		}
		for _, q := range about.Questions {
			if plugin.Settings[q.Key] != "" || q.Ask == "" {
				continue
			}
			question := q.Ask
			if plugin.Name != plugin.Strategy {
				question = plugin.Name + ": " + question
			}
			var options []Option
			for _, c := range q.Choices {
				options = append(options, Option{Value: c.Value, Label: c.Help})
			}
			if plugin.Settings[q.Key], err = s.One(question, options, q.Choices[0].Value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Suite) askMarketplace() (err error) {
	if s.Said.Marketplace != "" {
		return nil
	}
	preset := s.Defaults.Marketplace
	if s.CheckMarketplace(preset) != nil {
		preset = ""
	}
	s.Said.Marketplace, err = s.Text("What is the name of the marketplace?", preset, s.CheckMarketplace)
	return err
}

func (s *Suite) askForOwner() error {
	if s.Said.Owner.Name != "" {
		return nil
	}
	check := func(text string) (err error) { s.Said.Owner, err = generator.ParseOwner(text); return err }
	s.Note("The owner is public: the name, and the email address if you give one, are written to the marketplace's files.")
	_, err := s.Text("Who owns it?", s.Defaults.Owner.String(), check)
	return err
}

func (s *Suite) askMachines() error {
	if len(s.Said.Targets) > 0 {
		return nil
	}
	var options []Option
	for _, t := range generator.AllTargets() {
		help := ""
		if t == generator.HostTarget() {
			help = "this machine"
		}
		options = append(options, Option{Value: t.String(), Label: help})
	}
	_, err := s.Many("Which machines will run it?", options, []string{s.Defaults.Targets[0].String()}, func(chosen []string) (err error) {
		if err = atLeastOne(chosen); err == nil {
			s.Said.Targets, err = generator.ParseTargets(chosen)
		}
		if err == nil {
			err = generator.CheckTargetSet(s.Said.Targets)
		}
		return err
	})
	return err
}

func (s *Suite) summarize() {
	rows := [][]string{s.Facts[0], {"marketplace", s.Said.Marketplace}, {"owner", s.Said.Owner.String()}}
	for i, plugin := range s.Said.Plugins {
		name := plugin.Name
		if name != plugin.Strategy {
			name += " from " + plugin.Strategy
		}
		for _, key := range slices.Sorted(maps.Keys(plugin.Settings)) {
			name += ", " + key + " " + plugin.Settings[key]
		}
		rows = append(rows, []string{[]string{"plugins", ""}[min(i, 1)], name})
	}
	for i, t := range s.Said.Targets {
		rows = append(rows, []string{[]string{"hooks for", ""}[min(i, 1)], t.String()})
	}
	fmt.Fprintln(s.Out)
	for _, line := range layout.LayOutTable(append(rows, s.Facts[1:]...)) {
		fmt.Fprintln(s.Out, "  "+line)
	}
	fmt.Fprintln(s.Out)
}
