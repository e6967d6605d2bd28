package main

import (
	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/rooted"
)

func newPrebuild(a *app) *cobra.Command {
	var only []string
	cmd := &cobra.Command{
		Use:    "prebuild DIR",
		Short:  "Compile the hook for every target into DIR, to be included in a release",
		Hidden: true,
		Args:   arguments(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := generator.ParseTargets(only)
			if err != nil {
				return err
			}
			if len(targets) == 0 {
				targets = generator.AllTargets()
			}
			dir := rooted.PathFrom(a.work, args[0])
			tools := a.toolchain()
			tools.Builder = generator.WithGo
			built, err := tools.BuildPrograms(cmd.Context(), targets, generator.Hook, generator.Judge)
			if err != nil {
				return err
			}
			if err := generator.WritePrebuilt(dir, built); err != nil {
				return err
			}
			a.say("%s: hooks for %s, %s", dir, countOf(len(built.SHA256), "target"), built.Go)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&only, "target", nil, "machine to compile for, os/arch (repeatable; default: all)")
	return cmd
}
