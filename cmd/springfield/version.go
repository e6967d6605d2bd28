package main

import (
	"io/fs"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
)

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the hooks it carries",
		Long: `Prints the version of springfield, and what it makes hooks of: the SHA-256 of the
sources that it carries, and the compiled hooks that a release carries. --json has the
SHA-256 of each.`,
		Example: `  springfield version
  springfield version --json`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runVersion(asJSON) },
	}
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

func (a *app) runVersion(asJSON bool) error {
	is, err := identify(a.prebuilt, a.built)
	if err != nil {
		return err
	}
	if asJSON {
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
}

func (b buildInfo) String() string { return strings.TrimSpace(b.Version + " " + b.Go) }

// build comes from the compiler: a link-time variable would be one more thing
// that can be wrong.
func build() buildInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return buildInfo{Version: "unknown"}
	}
	return buildInfo{info.Main.Version, info.GoVersion}
}
