package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/registry"
)

type newOptions struct {
	from   string
	suite  string
	set    []string
	dryRun bool
	json   bool
}

func newNew(a *app) *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new NAME --from STRATEGY",
		Short: "Add a plugin with your own name and rules to a suite",
		Long: `The plugin decides like STRATEGY, and has its own strategy.json for your rules
and texts. Like springfield update, this also updates the suite's other files and keeps your edits.`,
		Example: `  springfield new left-handed --from ned-flanders
  springfield new loose-ned --from ned-flanders --set rules=seed`,
		Args:    arguments(1, 1, "one name"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runNew(cmd.Context(), a, args[0], o) },
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "strategy that decides; run springfield list to see all")
	f.StringVar(&o.suite, "suite", "", "suite to change (default: the one around the current directory)")
	f.StringArrayVar(&o.set, "set", nil, "setting of the plugin (repeatable)")
	f.BoolVar(&o.dryRun, "dry-run", false, "print a diff, change nothing")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runNew(ctx context.Context, a *app, name string, o newOptions) error {
	if o.from == "" {
		return check.Misuse(errors.New("no strategy is named"),
			"pass --from STRATEGY: "+strings.Join(registry.StrategyNames(), ", "))
	}
	settings := map[string]string{}
	for _, text := range o.set {
		key, value, ok := strings.Cut(strings.TrimPrefix(text, name+"."), "=")
		if !ok {
			return check.Misuse(fmt.Errorf("--set %q is not key=value", text), "write it like --set rules=seed")
		}
		settings[key] = value
	}
	plugin, err := generator.NewPlugin(name, o.from, settings)
	if err != nil {
		return err
	}
	dir, suite, err := a.suiteIn(o.suite)
	if err != nil {
		return err
	}
	spec := suite.Spec
	spec.Plugins = append(slices.Clip(spec.Plugins), plugin)
	if err := spec.Validate(); err != nil {
		return err
	}
	if err := a.updateOne(ctx, updateOptions{dryRun: o.dryRun, json: o.json}, dir, spec); err != nil {
		return err
	}
	if !o.dryRun && !o.json {
		a.say("its rules and texts: %s", filepath.Join(dir, name, "strategy.json"))
		a.resultPrinter().PrintNext("springfield enable %s", argsToEnable(a.means(), name, dir))
	}
	return nil
}
