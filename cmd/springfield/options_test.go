package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Flags and arguments become options, which a run function that takes the place of the command's own can look at.
func TestOptions(t *testing.T) {
	w := newWorld(t)
	suite := filepath.Join(w.work(), "hooks")
	must(t, os.Mkdir(suite, 0o755))
	var enable enableOptions
	var disable disableOptions
	var initial initOptions
	var publish publishOptions
	var away awayOptions
	run := func(line string) {
		t.Helper()
		a, root := w.app(io.Discard, io.Discard), &cobra.Command{Use: "springfield"}
		root.AddCommand(newEnable(a, keep(&enable)), newDisable(a, keep(&disable)), newInit(a, keep(&initial)))
		root.AddCommand(newPublish(a, keep(&publish)), newAway(a, keep(&away)))
		root.SetArgs(strings.Fields(line))
		must(t, root.ExecuteContext(t.Context()), line)
	}
	run("enable x --scope local --conflicts off --host codex,droid --dry-run")
	want := installer.EnableRequest{Plugin: "x", Scope: "local", Conflicts: "off", DryRun: true}
	scratch.Equal(t, enable.EnableRequest, want)
	scratch.Equal(t, enable.hosts, []string{"codex", "droid"})
	run("disable --all --purge --json")
	scratch.Equal(t, disable.DisableRequest, installer.DisableRequest{Scope: "user", Purge: true})
	scratch.FailIf(t, !disable.json, "no --json")
	run("init")
	scratch.Equal(t, initial.dir, defaultSuite)
	run("publish hooks --bump major --target linux/arm64 --dry-run")
	scratch.Equal(t, publish.Bump, "major")
	scratch.FailIf(t, !publish.Look || publish.Date.IsZero(), "publish: %+v", publish.Request)
	scratch.Equal(t, publish.Dir, suite)
	scratch.Equal(t, publish.Targets, []generator.Target{{OS: "linux", Arch: "arm64"}})
	run("away 1 hour --max 3")
	scratch.Equal(t, away.typed, "1 hour")
	scratch.FailIf(t, away.most != 3 || !away.mostGiven || away.Orders == "", "away: %+v", away)
}

// keep is a run function that keeps the options.
func keep[O any](kept *O) func(context.Context, O) error {
	return func(_ context.Context, o O) error {
		*kept = o
		return nil
	}
}
