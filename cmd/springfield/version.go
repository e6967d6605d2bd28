package main

import (
	"context"
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
)

func newVersion(a *app) *cobra.Command {
	var asJSON, check bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the hooks it carries, or ask for the newest",
		Long: `Prints the version of springfield, and what it makes hooks of: the SHA-256 of the
sources that it carries, and the compiled hooks that a release carries. --json has the
SHA-256 of each.

--check asks github.com which release is the newest, with one request that says nothing
about you. springfield asks that only when you type it.`,
		Example: `  springfield version
  springfield version --json
  springfield version --check`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runVersion(cmd.Context(), check, asJSON) },
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask github.com for the newest release, and say how to upgrade")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// identity is what this program is and what it makes hooks of.
type identity struct {
	buildInfo
	Source string             `json:"source"` // SHA-256 of the sources of hooks
	Hooks  *generator.Carried `json:"hooks"`  // null where it carries none
}

func identify(prebuilt fs.FS, built buildInfo) (identity, error) {
	is := identity{buildInfo: built}
	var err error
	if is.Source, err = generator.SourceHash(); err != nil {
		return is, err
	}
	is.Hooks, err = generator.ReadCarried(prebuilt)
	return is, err
}

func (a *app) runVersion(ctx context.Context, check, asJSON bool) error {
	is, err := identify(a.prebuilt, a.built)
	if err != nil {
		return err
	}
	switch {
	case check:
		return a.checkNewest(ctx, is, asJSON)
	case asJSON:
		return a.encode(is)
	}
	a.say("springfield %s", is.buildInfo)
	a.say("sources of hooks: %s", is.Source)
	switch h := is.Hooks; {
	case h == nil:
		a.say("compiled hooks: none, so they are compiled with Go")
	case h.Source != is.Source:
		a.say("compiled hooks: of other sources, %s, so they are not used", h.Source)
	default:
		a.say("compiled hooks: %s, for %s", h.Go, strings.Join(targetsOf(h), ", "))
	}
	return nil
}

// targetsOf are the machines that carried hooks are for, in the order of all.
func targetsOf(h *generator.Carried) (all []string) {
	for _, t := range generator.AllTargets() {
		if h.SHA256[t.String()] != "" {
			all = append(all, t.String())
		}
	}
	return all
}

// buildInfo is what this program was built from.
type buildInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	fetched bool   // by go install, as a module
}

func (b buildInfo) String() string { return strings.TrimSpace(b.Version + " " + b.Go) }

// build comes from the compiler: a link-time variable would be one more thing
// that can be wrong.
func build() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{Version: "unknown"}
	}
	return buildInfo{info.Main.Version, info.GoVersion, info.Main.Sum != ""}
}
