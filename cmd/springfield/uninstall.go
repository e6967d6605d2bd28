package main

import (
	"path/filepath"
	"regexp"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
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
