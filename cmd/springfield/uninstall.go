package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// managed are the places of package managers: npm's and its kin, Homebrew's, Scoop's, winget's, those of deb and rpm.
var managed = regexp.MustCompile(`/(node_modules|\.pnpm|Caskroom|scoop/apps|WinGet)/|^/usr/bin/`)

// runningProgram is the running program among what `disable --all --purge` leaves, with what removes it: a package
// manager that has installed it removes it again, because without its file the package would still be listed. Links
// are followed: package managers put one on PATH.
func runningProgram(program string) settings.Left {
	left := settings.Left{What: program + " is this program"}
	if file, err := filepath.EvalSymlinks(program); err == nil {
		program = file
	}
	left.Remove = "rm " + check.QuoteArgument(program)
	if managed.MatchString(filepath.ToSlash(program)) {
		left.Remove = "remove it by what has installed it: " + generator.Page
	}
	return left
}

// leftByEdits are memory files that have a paragraph about a suite, projects' settings of plugins, and settings that the
// user agreed to for away, as far as the journal knows.
func leftByEdits(places client.Places) (left []settings.Left) {
	entries, _ := settings.Journal(places).ReadEntries() // what cannot be read names no file
	seen := map[string]bool{}
	for _, e := range entries {
		did, _, _ := strings.Cut(e.Did, " in ")
		for _, file := range e.Files() {
			if strings.HasPrefix(did, "allow ") || strings.HasPrefix(did, "set autoContinue") {
				left = append(left, settings.Left{What: file + " may still say what you agreed to for away: " + did, Remove: "take it out there"})
			}
			dir, isMemory := filepath.Dir(file), slices.Contains([]string{"CLAUDE.md", "AGENTS.md", "CLAUDE.local.md"}, filepath.Base(file))
			inSuite := rooted.PathExists(filepath.Join(dir, generator.SuiteFile)) || rooted.PathExists(filepath.Join(filepath.Dir(dir), generator.SuiteFile))
			switch {
			case seen[file] || !rooted.PathExists(file):
			case isMemory && !inSuite:
				left = append(left, settings.Left{What: file + " may have a paragraph about your suite", Remove: "take it out there"})
			case dir != places.StatePath() && strings.HasSuffix(filepath.ToSlash(dir), "/.claude/springfield"):
				left = append(left, settings.Left{What: file + " has a project's settings of a plugin", Remove: "rm " + check.QuoteArgument(file)})
			}
			seen[file] = true
		}
	}
	return left
}

// leftInProjects are files of loops, and away's snapshots, as far as springfield's own records know.
func leftInProjects(state string) (left []settings.Left) {
	events, _ := ledger.LoopEvents(state) // what cannot be read names no project
	files := check.NamesOf(events, func(e activity.LoopEvent) string {
		return filepath.Join(e.Dir, filepath.FromSlash(wiggum.File))
	})
	for _, file := range slices.Compact(slices.Sorted(slices.Values(files))) {
		if rooted.PathExists(file) {
			left = append(left, settings.Left{What: file + " is a goal loop", Remove: "rm " + check.QuoteArgument(file)})
		}
	}
	seen := map[string]bool{}
	for _, o := range ledger.AwayOrders(state) {
		if o.Kept != "" && rooted.PathExists(o.Project) && !seen[o.Project] {
			seen[o.Project] = true
			in := "git -C " + check.QuoteArgument(o.Project)
			remove := in + " for-each-ref --format='delete %(refname)' " + git.Snapshots + " | " + in + " update-ref --stdin"
			left = append(left, settings.Left{What: o.Project + " has snapshots that away made", Remove: remove})
		}
	}
	return left
}
