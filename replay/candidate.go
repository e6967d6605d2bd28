package replay

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

type Candidate struct {
	// Name is the requested name: ned-flanders, ned-flanders:seed, or a file.
	Name string
	// Note qualifies the candidate's figures.
	Note     string
	Settings hook.Settings
	// Bare skips the guards and the limits.
	Bare bool
}

// CandidateNames returns the names that Candidates accepts, in report order.
func CandidateNames() (names []string) {
	for _, s := range registry.Strategies {
		if s.Event != "Stop" {
			continue
		}
		names = append(names, s.Name)
		for i, set := range rules.RuleSetsOf(*s) {
			if i > 0 {
				names = append(names, s.Name+":"+set)
			}
		}
	}
	return append(names, seedTree)
}

const seedTree = "seed-tree"

// CandidateNamesByLog returns the names of candidates that only need a session log, except the seeds.
func CandidateNamesByLog() []string {
	return slices.DeleteFunc(CandidateNames(), func(name string) bool {
		c, err := byStrategy(name)
		return err != nil || name == seedTree || strings.Contains(name, ":") || c.Settings.Options.Needs().Files != nil
	})
}

// Candidates returns the candidates with the given names, without duplicates. A .json path, relative to base, selects a
// rules file.
func Candidates(names []string, base string) (all []Candidate, err error) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		path := name
		if strings.HasSuffix(name, ".json") && !filepath.IsAbs(name) {
			path = filepath.Join(base, name)
		}
		var c Candidate
		var err error
		if strings.HasSuffix(path, ".json") || strings.ContainsRune(path, filepath.Separator) {
			if c.Settings, err = hook.ReadExisting(path); err == nil {
				c, err = checkCandidate(c)
			}
			if err != nil && c.Settings.Strategy.Name == "" {
				err = check.Advise(err, "pass a plugin's strategy.json, or a file like "+
					"~/.claude/springfield/ned-flanders.json")
			}
			if err != nil {
				return nil, err
			}
		} else if c, err = byStrategy(name); err != nil {
			return nil, check.Misuse(err, check.HintAtNames(name, "", CandidateNames(), ""))
		}
		c.Name = name
		all = append(all, c)
	}
	return all, nil
}

// byStrategy returns the candidate for STRATEGY, STRATEGY:SET or seed-tree. Callers set its Name.
func byStrategy(name string) (Candidate, error) {
	if name == seedTree {
		c, err := byStrategy(registry.Default() + ":seed")
		c.Bare, c.Note = true, "the first version of the rules, without guards and limits"
		return c, err
	}
	base, set, _ := strings.Cut(name, ":")
	known, ok := registry.StrategyNamed(base)
	if !ok {
		return Candidate{}, fmt.Errorf("there is no strategy %q", name)
	}
	settings, err := hook.Defaults(known, set)
	if err != nil {
		return Candidate{}, fmt.Errorf("%s: %w", name, err)
	}
	return checkCandidate(Candidate{Settings: settings})
}

func checkCandidate(c Candidate) (noted Candidate, err error) {
	switch known := c.Settings.Strategy; {
	case known.Event != "Stop":
		return c, fmt.Errorf("%s decides at prompts, not at stops, so there is nothing to replay", known.Name)
	case c.Settings.Options.Needs().Files != nil:
		c.Note = "decided here without the project's files, which a session log does not contain"
	case known.Judges:
		c.Note = "counted without the judge's answers: where it would ask the judge, it counts as a stop"
	}
	return c, nil
}
