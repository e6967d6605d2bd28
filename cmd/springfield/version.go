package main

import (
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
)

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of springfield and its hooks",
		Long: `Also prints the SHA-256 of the hook sources, and lists the compiled hooks that a
release contains. --json adds the SHA-256 of each.`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runVersion(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) runVersion(asJSON bool) error {
	source, err := generator.SourceHash()
	if err != nil {
		return err
	}
	hooks, err := generator.ReadManifestIfAny(a.prebuilt)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(struct {
			buildInfo
			Source string           `json:"source"` // SHA-256 of the sources of hooks
			Hooks  *generator.Build `json:"hooks"`  // null without compiled hooks
		}{a.built, source, hooks})
	}
	a.say("springfield %s", a.built)
	a.say("hook sources: %s", source)
	switch {
	case hooks == nil:
		a.say("compiled hooks: none, so hooks are compiled with Go")
	case hooks.Source != source:
		a.say("compiled hooks: not used, because they were built from other sources, %s", hooks.Source)
	default:
		var targets []string
		for _, t := range generator.AllTargets() {
			if hooks.SHA256[t.String()] != "" {
				targets = append(targets, t.String())
			}
		}
		a.say("compiled hooks: %s, for %s", hooks.Go, strings.Join(targets, ", "))
	}
	return nil
}

type buildInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

func (b buildInfo) String() string { return strings.TrimSpace(b.Version + " " + b.Go) }

func buildOfBinary() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{Version: "unknown"}
	}
	return buildInfo{info.Main.Version, info.GoVersion}
}
