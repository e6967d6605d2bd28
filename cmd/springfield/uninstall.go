package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
)

// npmPackage is the package of springfield in npm's registry.
const npmPackage = "@cameronsjo/springfield"

// runningProgram is the running program among what `disable --all --purge` leaves, with the command that removes it: a package
// manager that has installed it removes it again, because without its file the package would still be listed. Links
// are followed: package managers put one on PATH.
func runningProgram(program string) settings.Left {
	left := settings.Left{What: program + " is this program"}
	if file, err := filepath.EvalSymlinks(program); err == nil {
		program = file
	}
	left.Remove = "rm " + check.QuoteArgument(program)
	folders := strings.Split(filepath.ToSlash(program), "/")
	modules := slices.IndexFunc(folders, func(folder string) bool { return folder == "node_modules" || folder == ".pnpm" })
	switch {
	case modules >= 0:
		dir := filepath.FromSlash(strings.Join(folders[:modules], "/"))
		_, err := os.Stat(filepath.Join(dir, "package.json"))
		switch {
		case slices.Contains(folders[:modules], "_npx"):
			left.What += ", which npx keeps"
			left.Remove = "rm -r " + check.QuoteArgument(dir)
		case folders[modules] == ".pnpm":
			left.Remove = "pnpm remove -g " + npmPackage
		case slices.Contains(folders[modules:], ".pnpm"):
			left.Remove = "pnpm --dir " + check.QuoteArgument(dir) + " remove " + npmPackage
		case err == nil:
			left.Remove = "npm --prefix " + check.QuoteArgument(dir) + " uninstall " + npmPackage
		default:
			prefix := strings.TrimSuffix(dir, string(filepath.Separator)+"lib")
			left.Remove = "npm uninstall -g --prefix " + check.QuoteArgument(prefix) + " " + npmPackage
		}
	case slices.Contains(folders, "Caskroom"):
		left.Remove = "brew uninstall --cask springfield"
	case strings.Contains(filepath.ToSlash(program), "/scoop/apps/"):
		left.Remove = "scoop uninstall springfield"
	case slices.Contains(folders, "WinGet"):
		left.Remove = "winget uninstall cameronsjo.springfield"
	case program == "/usr/bin/springfield": // of a file that its user has fetched
		left.Remove = "sudo apt-get remove springfield"
		if _, err := os.Stat("/var/lib/dpkg/info/springfield.list"); err != nil {
			left.Remove = "sudo rpm -e springfield"
		}
	}
	return left
}
