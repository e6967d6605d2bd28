package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/activation"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/layer"
)

func newGet(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "get PLUGIN [KEY]",
		Short: "Show the settings of a plugin",
		Long: `Shows the settings that are in force for a session that starts in the current
directory: each key, its value, the file that it comes from, and what it can be. With
a key, shows what each file says about it. Changes nothing.`,
		Example: `  springfield get ned-flanders
  springfield get ned-flanders budget.burst`,
		Args: arguments(1, 2, "a plugin, and at most one key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runGet(a, args[0], args[1:], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// getShape is the JSON of a get.
type getShape struct {
	Plugin   string        `json:"plugin"`
	Strategy string        `json:"strategy"`
	Files    []layer.File  `json:"files"`
	Values   []layer.Value `json:"values"`
}

func runGet(a *app, plugin string, keys []string, asJSON bool) error {
	places, err := a.places()
	if err != nil {
		return err
	}
	p, err := a.plugin(places, plugin)
	if err != nil {
		return err
	}
	stack, err := layer.Read(places, p)
	if err != nil {
		return err
	}
	values := stack.Values()
	if len(keys) > 0 {
		k, err := stack.Key(keys[0])
		if err != nil {
			return wrongUse(err)
		}
		values = []layer.Value{stack.Value(k)}
	}
	if asJSON {
		return a.encode(getShape{p.Name, p.Strategy.Name, stack.Files, values})
	}
	if len(keys) > 0 {
		a.showValue(stack, values[0])
	} else {
		a.showValues(stack, values)
	}
	for _, f := range stack.Files {
		if f.Fault != "" {
			a.talk("springfield: warning: nothing of %s is in force: %s", f.Path, f.Fault)
		}
	}
	return nil
}

// showValues lists all settings.
func (a *app) showValues(stack layer.Stack, values []layer.Value) {
	rows := [][]string{{"KEY", "VALUE", "FROM", "CAN BE"}}
	for _, v := range values {
		rows = append(rows, []string{v.Name, layout.Clip(inCell(v.Value), 24), v.From, layout.Clip(v.Accepts(), 36)})
	}
	a.table(rows)
	a.say("")
	for _, f := range stack.Files {
		if f.There {
			a.say("%-8s %s", f.Scope, f.Path)
		}
	}
	a.talk("what a key means: springfield get %s KEY", stack.Plugin.Name)
	a.talk("change it:        springfield set %s KEY=VALUE", stack.Plugin.Name)
}

// showValue shows one setting, and what each file says of it.
func (a *app) showValue(stack layer.Stack, v layer.Value) {
	p := a.lines()
	p.Say("%s = %s (%s)", v.Name, compact(v.Value), v.From)
	p.Fold("  means    ", "%s", v.Description)
	p.Fold("  can be   ", "%s", v.Accepts())
	p.Fold("  default  ", "%s", compact(v.Default))
	for _, said := range v.Said {
		i := slices.IndexFunc(stack.Files, func(f layer.File) bool { return f.Scope == said.Scope })
		text := compact(said.Value) + " in " + stack.Files[i].Path
		if !said.InForce {
			text += ", not in force: " + said.Why
		}
		p.Fold("  "+layout.Pad(string(said.Scope), 9), "%s", text)
	}
}

// compact is a value on one line; "not set" for none.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if string(raw) == "null" || json.Compact(&b, raw) != nil {
		return "not set"
	}
	return b.String()
}

// inCell is a value in a column: a word without quotes, a list of words with commas.
func inCell(raw json.RawMessage) string {
	var text string
	var words []string
	var all []any
	switch {
	case json.Unmarshal(raw, &text) == nil && string(raw) != "null":
		return text
	case json.Unmarshal(raw, &words) == nil && len(words) > 0:
		return strings.Join(words, ",")
	case json.Unmarshal(raw, &all) == nil && len(all) > 0:
		return fmt.Sprintf("%d of them", len(all))
	}
	return strings.NewReplacer("not set", "-", "[]", "-").Replace(compact(raw))
}

// plugin finds the plugin whose settings are meant: one that settings switch on, one of
// a suite or a marketplace, or that of a strategy.
func (a *app) plugin(places client.Places, name string) (layer.Plugin, error) {
	inventory, err := client.Look(places).Inventory()
	if err != nil {
		return layer.Plugin{}, err
	}
	var dirs []string
	for _, p := range inventory.Plugins {
		if p.Dir != "" && p.Ours() && (name == p.Name || name == p.ID) && !slices.Contains(dirs, p.Dir) {
			dirs = append(dirs, p.Dir)
		}
	}
	if len(dirs) > 1 {
		return layer.Plugin{}, &usageError{fmt.Errorf("%s is more than one plugin: %s", name, strings.Join(dirs, ", ")), "add its marketplace: " + name + "@MARKETPLACE"}
	}
	if len(dirs) == 1 {
		return layer.In(dirs[0])
	}
	found, err := a.means(places).Find(name, "")
	var several *activation.SeveralError
	switch {
	case err == nil && found.Suite != "":
		return layer.In(filepath.Join(found.Suite, found.Name))
	case errors.As(err, &several):
		return layer.Plugin{}, err
	}
	bare, _, _ := strings.Cut(name, "@")
	if p, ok := layer.Of(bare); ok {
		return p, nil
	}
	return layer.Plugin{}, &usageError{fmt.Errorf("there is no plugin %q", name), "springfield list shows which there are"}
}

// settingKeys offers the keys of the plugin that is named, and after a = its values.
func (a *app) settingKeys(set bool) func(args []string, typed string) []string {
	return func(args []string, typed string) (all []string) {
		places, err := a.places()
		if err != nil {
			return nil
		}
		p, err := a.plugin(places, args[0])
		if err != nil {
			return nil
		}
		keys, err := layer.Keys(p.Strategy)
		if err != nil {
			return nil
		}
		for _, k := range keys {
			name, _, valued := strings.Cut(typed, "=")
			switch {
			case !set:
				all = append(all, k.Name+"\t"+k.Description)
			case !valued:
				all = append(all, k.Name+"=\t"+k.Description)
			case k.Name == name:
				for _, choice := range k.Offers() {
					all = append(all, k.Name+"="+choice)
				}
			}
		}
		return all
	}
}
