package tune

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Target is the plugin whose rules are tuned.
type Target struct {
	Plugin string
	// Root is where it lies, "" if only its strategy is known.
	Root     string
	Strategy strategy.Strategy
}

// In is the plugin that lies in a directory.
func In(dir string) (Target, error) {
	settings, err := hook.ReadSettings(dir, "", "")
	if err != nil {
		return Target{}, err
	}
	t := Target{Plugin: settings.Plugin, Root: dir, Strategy: settings.Strategy}
	return t, t.check()
}

// Of is a strategy for which nothing is enabled yet, or its variant by name.
func Of(name string) (t Target, ok bool, err error) {
	if t.Strategy, ok = registry.Named(name); !ok {
		return t, false, nil
	}
	t.Plugin = name
	return t, true, t.check()
}

// RulesError says that a plugin does not decide by rules that can be tuned.
type RulesError struct{ Plugin string }

func (e *RulesError) Error() string {
	return e.Plugin + " does not decide at Stop by rules, so there is nothing to tune"
}

func (t Target) check() error {
	if !slices.Contains(Ruled(), t.Strategy.Name) {
		return &RulesError{t.Plugin}
	}
	return nil
}

// Ruled names the strategies that decide at Stop by rules, which a file can add to.
func Ruled() []string {
	var names []string
	for _, s := range registry.All() {
		if _, ok := s.New().(rules.Ruled); ok && s.Answers() == "Stop" {
			names = append(names, s.Name)
		}
	}
	return names
}

// Settings are what the hook would have in force, a project's left out, if the user's
// own file held data. What the hook would find wrong with that is an error, which names
// the file as it is called.
func (t Target) Settings(data []byte, called string) (settings hook.Settings, err error) {
	dir, err := os.MkdirTemp("", "springfield-tune-")
	if err != nil {
		return settings, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, t.Plugin+".json")
	if len(bytes.TrimSpace(data)) > 0 {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return settings, err
		}
	}
	settings = hook.Unplugged(t.Strategy, dir, "")
	if t.Root != "" {
		if settings, err = hook.ReadSettings(t.Root, dir, ""); err != nil {
			return settings, err
		}
	}
	for _, fault := range settings.Faults {
		if what, ok := strings.CutPrefix(fault, file); ok {
			return settings, fmt.Errorf("%w: %s%s", ErrRules, called, what)
		}
	}
	return settings, nil
}

// ErrRules is that the user's own rules cannot be read.
var ErrRules = errors.New("read rules")
