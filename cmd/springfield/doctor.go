package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/doctor"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

func newDoctor(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that your plugins work, and suggest fixes",
		Long: `Checks everything between your settings and a running hook, as seen from the
current directory, and shows each result with its fix.

doctor compares installed hooks, and other files that can start a program or reach a model, byte for
byte with those that springfield contains or compiles. It reports the files that it cannot compare,
and runs no part of a plugin.`,
		Example: `  springfield doctor --host codex`,
	}
	return a.setUpShow(cmd, func(in *doctor.Inspection, asJSON bool) error { return a.runDoctor(cmd.Context(), in, asJSON) })
}

func (a *app) runDoctor(ctx context.Context, in *doctor.Inspection, asJSON bool) error {
	if in.Client.Path != "" {
		in.Version = in.Client.Version(ctx) // doctor reports an unknown version
	}
	found, err := check.RunAll(ctx, in, append(in.Checks(), check.Check[*doctor.Inspection]{Name: "what runs", Look: a.compareHooks})...)
	if err != nil {
		return err
	}
	if !asJSON {
		a.printFindings(found)
	} else if err := a.printJSON(struct {
		Checks []check.Finding `json:"checks"`
	}{nonNil(found)}); err != nil {
		return err
	}
	if failed := check.CountState(found, check.Failure); failed > 0 {
		return check.Advise(fmt.Errorf("%s failed", countOf(failed, "check")), "see the fix for each above")
	}
	return nil
}

func (a *app) compareHooks(ctx context.Context, in *doctor.Inspection) ([]check.Finding, error) {
	all, err := a.toolchain().Compare(ctx, in.RunningPlugins())
	if carried, unread := generator.ReadManifestIfAny(a.prebuilt); carried == nil && unread == nil && a.findProgram("go") == "" {
		all = append(all, check.Warned(generator.ErrNoGo.Error()+", so enable, init and update cannot make a plugin", hintOf(generator.ErrNoGo)))
	}
	return all, err
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
