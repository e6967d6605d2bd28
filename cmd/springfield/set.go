package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/installer/pluginsettings"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/console"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/rules"
)

type setOptions struct {
	values []string // KEY=VALUE
	unset  []string // keys
	scope  pluginsettings.Scope
	dryRun bool
	json   bool
}

func newSet(a *app) *cobra.Command {
	var o setOptions
	cmd := &cobra.Command{
		Use:   "set PLUGIN [KEY | KEY=VALUE...]",
		Short: "Show or change a plugin's settings",
		Long: `Without a value, shows the settings that apply in the current directory: each
key with its value, source file and allowed values. With one KEY, shows its value in each file.

With KEY=VALUE, springfield checks all values, writes them, and prints the diff. They take effect at
the next stop. springfield undo reverts the change. Write a list with commas (off=todos,skill) or as
JSON.

  --scope user     all your sessions (the default)
  --scope suite    the plugin's own strategy.json, for everyone who uses it
  --scope project  .claude/springfield in the current directory, which cannot raise a limit`,
		Example: `  springfield set ned-flanders
  springfield set ned-flanders budget.burst
  springfield set ned-flanders budget.burst=5
  springfield set ned-flanders off=todos --scope project
  springfield set ned-flanders --unset budget.burst`,
		Args: arguments(1, math.MaxInt, "a plugin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.values = args[1:]
			shows := len(o.unset) == 0 &&
				(len(o.values) == 0 || len(o.values) == 1 && !strings.Contains(o.values[0], "="))
			if f := cmd.Flags(); shows && (f.Changed("scope") || f.Changed("dry-run")) {
				return check.Misuse(errors.New("--scope and --dry-run only apply to a change"),
					"run springfield set PLUGIN KEY=VALUE to change a setting")
			}
			if err := checkScope(o.scope, pluginsettings.AllScopes()...); err != nil {
				return err
			}
			p, err := a.findPluginOrStrategy(args[0])
			if err != nil {
				return err
			}
			if shows {
				return showSettings(a, p, o)
			}
			return runSet(a, p, o)
		},
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	const user = string(pluginsettings.User)
	f.StringVar((*string)(&o.scope), "scope", user, "file to change: user, suite or project")
	f.StringArrayVar(&o.unset, "unset", nil, "remove a key from the file (repeatable)")
	f.BoolVar(&o.dryRun, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

type settingsShape struct {
	Plugin   string                 `json:"plugin"`
	Strategy string                 `json:"strategy"`
	Files    []pluginsettings.File  `json:"files"`
	Values   []pluginsettings.Value `json:"values"` // all, or the named ones
	Changed  bool                   `json:"changed"`
	Diff     string                 `json:"diff"` // unified, "" if nothing changed
}

func showSettings(a *app, p hook.Plugin, o setOptions) error {
	stack := pluginsettings.ReadStack(a.places, p)
	keys := stack.Keys
	if len(o.values) > 0 {
		k, err := stack.FindKey(o.values[0])
		if err != nil {
			return err
		}
		keys = []pluginsettings.Key{k}
	}
	var values []pluginsettings.Value
	for _, k := range keys {
		values = append(values, stack.ValueOf(k))
	}
	switch {
	case o.json:
		return a.printJSON(settingsShape{Plugin: p.Name, Strategy: p.Strategy.Name, Files: stack.Files, Values: values})
	case len(o.values) > 0:
		a.showValue(stack, values[0])
	default:
		rows := [][]string{{"KEY", "VALUE", "FROM", "CAN BE"}}
		for _, v := range values {
			rows = append(rows, []string{v.Name, cellText(v.Value), v.From, v.Accepts()})
		}
		a.resultPrinter().PrintTable("", rows)
		a.say("")
		for _, f := range stack.Files {
			if f.There {
				a.say("%-8s %s", f.Scope, f.Path)
			}
		}
		a.talk("explain a key: springfield set %s KEY", p.Name)
		a.talk("change a key:  springfield set %s KEY=VALUE", p.Name)
	}
	a.warnOfFaults(stack)
	return nil
}

func (s *streams) warnOfFaults(stack pluginsettings.Stack) {
	for _, f := range stack.Files {
		if f.Fault != "" {
			s.talk("springfield: warning: %s: %s%s", f.Path, hook.WholeFile, f.Fault)
		}
		for _, fault := range f.Faults {
			s.talk("springfield: warning: ignored: %s: %s", f.Path, fault)
		}
	}
}

func (s *streams) showValue(stack pluginsettings.Stack, v pluginsettings.Value) {
	p := s.resultPrinter()
	p.PrintText("%s = %s (%s)", v.Name, valueOnOneLine(v.Value), v.From)
	p.PrintFolded("  means    ", "%s", v.Description)
	p.PrintFolded("  can be   ", "%s", v.Accepts())
	p.PrintFolded("  default  ", "%s", valueOnOneLine(v.Default))
	for _, said := range v.Said {
		i := slices.IndexFunc(stack.Files, func(f pluginsettings.File) bool { return f.Scope == said.Scope })
		text := valueOnOneLine(said.Value) + " in " + stack.Files[i].Path
		switch {
		case !said.InForce:
			text += ", without effect: " + said.Why
		case said.Why != "":
			text += ", only partly in effect: " + said.Why
		}
		p.PrintFolded("  "+layout.PadText(string(said.Scope), 9), "%s", text)
	}
}

// valueOnOneLine returns a JSON value on one line, or "not set" for null and invalid JSON.
func valueOnOneLine(raw json.RawMessage) string {
	var b bytes.Buffer
	if string(raw) == "null" || json.Compact(&b, raw) != nil {
		return "not set"
	}
	return b.String()
}

func cellText(raw json.RawMessage) string {
	var text string
	var words []string
	var all []any
	switch {
	case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
		return text
	case json.Unmarshal(raw, &words) == nil && len(words) > 0:
		return strings.Join(words, ",")
	case json.Unmarshal(raw, &all) == nil && len(all) > 0:
		return countOf(len(all), "item")
	}
	return strings.NewReplacer("not set", "-", "[]", "-").Replace(valueOnOneLine(raw))
}

func runSet(a *app, p hook.Plugin, o setOptions) error {
	inside, err := filepath.Rel(a.places.Plugins, p.Root)
	if o.scope == pluginsettings.Suite && p.Root != "" && err == nil && filepath.IsLocal(inside) {
		return check.Advise(fmt.Errorf("%s was installed from a marketplace, so the next update would replace its strategy.json", p.Name), "use --scope user, which updates do not touch")
	}
	var assignments []pluginsettings.Assignment
	plan := func() (c journal.Change, err error) {
		stack := pluginsettings.ReadStack(a.places, p)
		if assignments, err = o.assignments(stack); err != nil {
			return c, err
		}
		return stack.PlanSet(o.scope, assignments)
	}
	c, err := plan()
	if err == nil && !o.dryRun {
		err = a.needPersonFor(assignments)
	}
	if err == nil && !o.dryRun {
		c, err = settings.Journal(a.places).PlanAndApply(plan)
	}
	switch {
	case errors.Is(err, pluginsettings.ErrInvalid):
		return check.Advise(err, "nothing was written; fix that file first")
	case errors.Is(err, journal.ErrChanged):
		return check.Advise(err, "the other program's change was kept; run the command again")
	case err != nil:
		return a.hintChange(err, "set")
	case o.dryRun:
		return a.showPreview(o.json, c, "")
	}
	stack := pluginsettings.ReadStack(a.places, p)
	values := []pluginsettings.Value{}
	for _, s := range assignments {
		values = append(values, stack.ValueOf(s.Key))
	}
	if o.json {
		return a.printJSON(settingsShape{p.Name, p.Strategy.Name, stack.Files, values, !c.IsEmpty(), c.Diff()})
	}
	if c.IsEmpty() {
		a.talk("nothing to do: it already has that value")
	} else {
		a.resultPrinter().PrintDiff(c.Diff())
		a.talk("%s uses this from the next stop on, wherever it is enabled; run springfield undo to revert it", p.Name)
	}
	a.warnOfFaults(stack)
	rank := func(s pluginsettings.Scope) int { return slices.Index(pluginsettings.AllScopes(), s) }
	for _, v := range values {
		if rank(pluginsettings.Scope(v.From)) > rank(o.scope) {
			a.talk("springfield: note: in this directory %s is %s, from the %s's file", v.Name, cellText(v.Value), v.From)
		}
	}
	return nil
}

// needPersonFor returns an error if a value would let Claude go on and no person is at a terminal.
func (a *app) needPersonFor(all []pluginsettings.Assignment) error {
	for _, s := range all {
		value := s.Key.Name + "=" + strings.Trim(string(s.Value), `"`)
		if value == "leave="+rules.Always || value == "after-error=on" {
			t, err := console.OwnTerminal(a.caller, "set "+value, a.typedCommand())
			if err != nil {
				return err
			}
			t.Close()
		}
	}
	return nil
}

// assignments returns those in o.values, and one without a value per key in o.unset.
func (o setOptions) assignments(stack pluginsettings.Stack) (all []pluginsettings.Assignment, err error) {
	for _, text := range append(slices.Clone(o.values), o.unset...) {
		name, value, sets := strings.Cut(text, "=")
		if unset := len(all) >= len(o.values); sets == unset {
			return nil, check.Misuse(fmt.Errorf("%q is neither a change nor a key to remove", text), "use KEY=VALUE or --unset KEY")
		}
		k, err := stack.FindKey(name)
		if err != nil {
			return nil, err
		}
		a := pluginsettings.Assignment{Key: k}
		if sets {
			if a.Value, err = k.ParseValue(value); err != nil {
				return nil, err
			}
		}
		if slices.ContainsFunc(all, func(other pluginsettings.Assignment) bool { return other.Key.Name == name }) {
			return nil, check.Misuse(fmt.Errorf("%s is given twice", name), "give it once")
		}
		all = append(all, a)
	}
	return all, nil
}
