package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/installer"
)

// itself is the running program among what `disable --all --purge` leaves, with the command that removes it. A
// package manager that has installed it removes it again: without its file the package would still be listed.
func itself(program string) installer.Left {
	left := installer.Left{What: program + " is this program", Remove: "rm " + check.Quote(program)}
	folders := strings.Split(filepath.ToSlash(program), "/")
	modules := slices.IndexFunc(folders, func(folder string) bool { return folder == "node_modules" || folder == ".pnpm" })
	switch {
	case modules >= 0 && slices.Contains(folders[:modules], "_npx"):
		cache := filepath.FromSlash(strings.Join(folders[:modules], "/"))
		left.What += ", which npx keeps"
		left.Remove = "rm -r " + check.Quote(cache)
	case modules >= 0:
		left.Remove = uninstallPackage(filepath.FromSlash(strings.Join(folders[:modules], "/")), folders[modules:])
	case slices.Contains(folders, "Caskroom"):
		left.Remove = "brew uninstall --cask springfield"
	case slices.Contains(folders, "scoop"):
		left.Remove = "scoop uninstall springfield"
	case slices.Contains(folders, "WinGet"):
		left.Remove = "winget uninstall cameronsjo.springfield"
	case program == "/usr/bin/springfield":
		left.Remove = "sudo apt-get remove springfield"
		if _, err := os.Stat("/var/lib/dpkg/info/springfield.list"); err != nil {
			left.Remove = "sudo rpm -e springfield"
		}
	}
	return left
}

// uninstallPackage is the command for a program in a directory with node_modules, or in what pnpm has for everyone.
func uninstallPackage(dir string, below []string) string {
	const name = "@cameronsjo/springfield"
	_, err := os.Stat(filepath.Join(dir, "package.json"))
	switch project := err == nil; {
	case below[0] == ".pnpm":
		return "pnpm remove -g " + name
	case slices.Contains(below, ".pnpm"):
		return "pnpm --dir " + check.Quote(dir) + " remove " + name
	case project:
		return "npm --prefix " + check.Quote(dir) + " uninstall " + name
	default:
		return "npm uninstall -g --prefix " + check.Quote(strings.TrimSuffix(dir, string(filepath.Separator)+"lib")) + " " + name
	}
}
