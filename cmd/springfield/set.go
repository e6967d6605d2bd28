package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/change"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/layer"
)

type setOptions struct {
	plugin string
	values []string // KEY=VALUE
	unset  []string // keys
	scope  string
	dryRun bool
	json   bool
}

func newSet(a *app, runF func(context.Context, *app, setOptions) error) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set PLUGIN KEY=VALUE...",
		Short: "Change settings of a plugin",
		Long: `springfield get PLUGIN lists the keys and what they can be. Everything is checked
before it is written. The change is shown as a diff, takes effect at the next stop,
and springfield undo takes it back.

  --scope user     all your sessions (the default)
  --scope suite    the plugin's own strategy.json, for everyone who uses it
  --scope project  .claude/springfield in the current directory; it can only
                   lower limits and make the plugin more careful

Write a list with commas (off=colon,todos) or as JSON. --unset removes a key.`,
		Example: `  springfield set ned-flanders budget.burst=5
  springfield set ned-flanders off=colon --scope project
  springfield set ned-flanders --unset budget.burst`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 1 && len(o.unset) == 0 {
				return &usageError{errors.New("springfield set takes a plugin and at least one KEY=VALUE"), "springfield get PLUGIN lists the keys"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.plugin, o.values = args[0], args[1:]
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.scope, "scope", string(layer.User), "which file: user, suite or project")
	f.StringArrayVar(&o.unset, "unset", nil, "a key to take out of the file")
	f.BoolVar(&o.dryRun, "dry-run", false, "show the change as a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

func runSet(ctx context.Context, a *app, o setOptions) error {
	scope := layer.Scope(o.scope)
	if !slices.Contains(layer.Scopes(), scope) {
		return &usageError{fmt.Errorf("there is no scope %q", o.scope), "--scope is user, suite or project"}
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	p, err := a.plugin(places, o.plugin)
	if err != nil {
		return err
	}
	if scope == layer.Suite && within(places.Plugins, p.Root) {
		return &hinted{fmt.Errorf("%s was installed from a marketplace: the next update would replace its strategy.json", p.Name), "--scope user keeps it through updates"}
	}
	var assignments []layer.Assignment
	plan := func() (c change.Change, err error) {
		stack, err := layer.Read(places, p)
		if err == nil {
			assignments, err = o.assignments(stack)
		}
		if err != nil {
			return c, err
		}
		return stack.Set(scope, assignments)
	}
	c, err := plan()
	if err == nil && !o.dryRun {
		c, err = installer.Journal(places).Do(plan)
	}
	var refused *layer.RefusedError
	switch {
	case errors.As(err, &refused):
		return &usageError{err, strings.Replace(refused.Hint(), "PLUGIN", o.plugin, 1)}
	case err != nil:
		return hintPlugin(err)
	}
	if o.dryRun {
		return a.preview(o.json, c, "")
	}
	return a.reportSet(o, places, p, assignments, c)
}

// hintPlugin says what to do about a file of settings.
func hintPlugin(err error) error {
	var none *layer.NoFileError
	switch {
	case errors.As(err, &none):
		return wrongUse(err)
	case errors.Is(err, layer.ErrInvalid):
		return &hinted{err, "nothing was written: fix that file first"}
	}
	if errors.Is(err, change.ErrChanged) {
		return &hinted{err, "the other program's change was kept; run it again"}
	}
	return hintChange(err, "set")
}

// assignments are what the call says, of the keys that the plugin has.
func (o setOptions) assignments(stack layer.Stack) (all []layer.Assignment, err error) {
	for _, text := range append(slices.Clone(o.values), o.unset...) {
		name, value, sets := strings.Cut(text, "=")
		unset := len(all) >= len(o.values)
		if sets == unset {
			return nil, &usageError{fmt.Errorf("%q has the wrong form", text), "write KEY=VALUE, or --unset KEY"}
		}
		k, err := stack.Key(name)
		if err != nil {
			return nil, wrongUse(err)
		}
		a := layer.Assignment{Key: k}
		if sets {
			if a.Value, err = k.Read(value); err != nil {
				return nil, wrongUse(err)
			}
		}
		if slices.ContainsFunc(all, func(other layer.Assignment) bool { return other.Key.Name == name }) {
			return nil, &usageError{fmt.Errorf("%s is given twice", name), "give it once"}
		}
		all = append(all, a)
	}
	return all, nil
}

// wrongUse is an error of a call that cannot be meant, with its own hint.
func wrongUse(err error) error { return &usageError{err, hint(err)} }

// within tells whether a path lies in a directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return path != "" && err == nil && filepath.IsLocal(rel)
}

// setShape is the JSON of a set.
type setShape struct {
	Plugin  string        `json:"plugin"`
	Scope   string        `json:"scope"`
	Changed bool          `json:"changed"`
	Diff    string        `json:"diff"` // unified; empty when nothing was changed
	Values  []layer.Value `json:"values"`
}

func (a *app) reportSet(o setOptions, places client.Places, p layer.Plugin, assignments []layer.Assignment, c change.Change) error {
	stack, err := layer.Read(places, p)
	if err != nil {
		return err
	}
	values := []layer.Value{}
	for _, s := range assignments {
		values = append(values, stack.Value(s.Key))
	}
	if o.json {
		return a.encode(setShape{p.Name, o.scope, !c.Empty(), c.Diff(), values})
	}
	if c.Empty() {
		a.talk("nothing to do: that is its value already")
	} else {
		a.lines().Diff(c.Diff())
		a.talk("%s decides by this at the next stop; springfield undo takes it back", p.Name)
	}
	for _, v := range values {
		if o.outvoted(v) {
			a.talk("springfield: note: here %s is %s, from the %s's file", v.Name, inCell(v.Value), v.From)
		}
	}
	if v := a.getenv("LISA_SIMPSON_MODEL"); v != "" && slices.ContainsFunc(values, func(v layer.Value) bool { return v.Name == "judge.model" }) {
		a.talk("springfield: note: LISA_SIMPSON_MODEL is set to %q in the environment and overrides every file", v)
	}
	return nil
}

// outvoted tells that a file above the one that was changed has the last word.
func (o setOptions) outvoted(v layer.Value) bool {
	all := layer.Scopes()
	return slices.Index(all, layer.Scope(v.From)) > slices.Index(all, layer.Scope(o.scope))
}
