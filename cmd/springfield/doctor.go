package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

type doctorOptions struct {
	hosts     []string
	fix, json bool
}

func newDoctor(a *app) *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that your plugins work, and suggest fixes",
		Long: `Checks everything between your settings and a running hook, as seen from the
current directory, and shows each result with its fix. springfield undo reverts repairs.

doctor compares installed hooks, and other files that can start a program or reach a model, byte for
byte with those that springfield contains or compiles. It reports the files that it cannot compare,
and runs no part of a plugin.`,
		Example: `  springfield doctor --fix`,
		Args:    arguments(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, args []string) error { return runDoctor(cmd.Context(), a, o) },
		PreRunE: a.needPlaces,
	}
	f := cmd.Flags()
	hostFlag(cmd, &o.hosts)
	f.BoolVar(&o.fix, "fix", false, "make the safe repairs")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

func runDoctor(ctx context.Context, a *app, o doctorOptions) error {
	r := a.inspectionRequest()
	if r.Client.Path != "" {
		r.Version = r.Client.Version(ctx) // doctor reports an unknown version
	}
	look := func() ([]check.Finding, error) { return a.examine(ctx, r, o.hosts) }
	found, err := look()
	if err != nil {
		return err
	}
	outcome := check.Outcome{Left: found}
	if o.fix {
		if outcome, err = check.Mend(ctx, found, look); err != nil {
			return err
		}
	}
	for _, err := range outcome.Failed {
		a.talk("springfield: note: %v", err)
	}
	if err := a.reportDoctor(outcome, o); err != nil {
		return err
	}
	failed := slices.DeleteFunc(outcome.Left, func(f check.Finding) bool { return f.State != check.Failure })
	if len(failed) == 0 {
		return nil
	}
	hint := "see the fix for each above"
	if !o.fix && slices.ContainsFunc(failed, func(f check.Finding) bool { return f.Mend != nil }) {
		hint = "run springfield doctor --fix to make the safe repairs"
	}
	return check.Advise(fmt.Errorf("%s failed", countOf(len(failed), "check")), hint)
}

func (a *app) examine(ctx context.Context, r doctor.Request, names []string) ([]check.Finding, error) {
	in, err := a.inspectHosts(r, names)
	if err != nil {
		return nil, err
	}
	checks := append(in.Checks(), check.Check[*doctor.Inspection]{Name: "what runs",
		Look: func(ctx context.Context, in *doctor.Inspection) ([]check.Finding, error) {
			all, err := a.toolchain().Compare(ctx, in.Running())
			if carried, unread := generator.ReadCarried(a.prebuilt); carried == nil && unread == nil && findProgram("go") == "" {
				all = append(all, check.Warned(generator.ErrNoGo.Error()+", so enable, init and update cannot make a plugin", hintOf(generator.ErrNoGo)))
			}
			return all, err
		}})
	return check.RunAll(ctx, in, checks...)
}

func (a *app) reportDoctor(outcome check.Outcome, o doctorOptions) error {
	if o.json {
		type checked struct {
			check.Finding
			Fixed bool `json:"fixed"`
		}
		all := []checked{}
		for _, f := range outcome.Mended {
			f.State = check.Fine
			all = append(all, checked{f, true})
		}
		for _, f := range outcome.Left {
			all = append(all, checked{f, false})
		}
		return a.printJSON(struct {
			Checks []checked `json:"checks"`
		}{all})
	}
	for i := range outcome.Mended {
		outcome.Mended[i].State, outcome.Mended[i].Fix = "fixed", ""
	}
	for i := range outcome.Left {
		if f := &outcome.Left[i]; f.Mend != nil && !o.fix {
			f.Fix += " (or run springfield doctor --fix)"
		}
	}
	a.printFindings(slices.Concat(outcome.Mended, outcome.Left))
	return nil
}

func (s *streams) printFindings(findings []check.Finding) {
	out := s.resultPrinter()
	if !out.Wraps {
		out.Width = 0 // one line each
	}
	for _, f := range findings {
		styled := out
		switch f.State {
		case check.Failure:
			styled = out.InRed()
		case check.Warning:
			styled = out.InYellow()
		case check.Fine:
			styled = out.InGreen()
		}
		first := layout.PadText(string(f.State), 9) + layout.PadText(f.Check, 13)
		rest := strings.Repeat(" ", layout.TextWidth(first))
		styled.PrintFolded(first, "%s", f.Text())
		if f.Fix != "" && f.State != check.Fine {
			out.PrintFolded(rest+"→ ", "%s", f.Fix)
		}
	}
}
