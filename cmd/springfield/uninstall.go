package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/installer"
)

// itself is the running program among what `disable --all --purge` leaves, with the command that removes it.
func itself(program string) installer.Left {
	way := wayOf(program)
	return installer.Left{What: program + " is this program" + way.note, Remove: way.remove}
}

// way is how a program was installed: the commands that remove it and bring a newer one, "" if that is not sure. A
// package manager that has installed it removes it again: without its file the package would still be listed.
type way struct{ note, remove, upgrade string }

// wayOf tells by the path of a program how it was installed. Links are followed: package managers put one on PATH.
func wayOf(program string) way {
	if file, err := filepath.EvalSymlinks(program); err == nil {
		program = file
	}
	is := way{remove: "rm " + check.Quote(program)}
	folders := strings.Split(filepath.ToSlash(program), "/")
	modules := slices.IndexFunc(folders, func(folder string) bool { return folder == "node_modules" || folder == ".pnpm" })
	switch {
	case modules >= 0 && slices.Contains(folders[:modules], "_npx"):
		cache := filepath.FromSlash(strings.Join(folders[:modules], "/"))
		is = way{", which npx keeps", "rm -r " + check.Quote(cache), "npx " + npmPackage + "@latest"}
	case modules >= 0:
		is.remove, is.upgrade = ofPackage(filepath.FromSlash(strings.Join(folders[:modules], "/")), folders[modules:])
	case slices.Contains(folders, "Caskroom"):
		is.remove, is.upgrade = "brew uninstall --cask springfield", "brew upgrade --cask springfield"
	case strings.Contains(filepath.ToSlash(program), "/scoop/apps/"):
		is.remove, is.upgrade = "scoop uninstall springfield", "scoop update springfield"
	case slices.Contains(folders, "WinGet"):
		is.remove, is.upgrade = "winget uninstall cameronsjo.springfield", "winget upgrade cameronsjo.springfield"
	case endsIn(folders, ".local", "bin", "springfield"): // where the scripts put it
		is.upgrade = "curl -fsSL " + releasesPage + "/latest/download/install.sh | sh"
	case endsIn(folders, "Programs", "springfield", "springfield.exe"):
		is.upgrade = "irm " + releasesPage + "/latest/download/install.ps1 | iex"
	case program == "/usr/bin/springfield": // of a file that its user has fetched
		is.remove = "sudo apt-get remove springfield"
		if _, err := os.Stat("/var/lib/dpkg/info/springfield.list"); err != nil {
			is.remove = "sudo rpm -e springfield"
		}
	}
	return is
}

func endsIn(folders []string, last ...string) bool {
	return len(folders) > len(last) && slices.Equal(folders[len(folders)-len(last):], last)
}

// npmPackage is the package of springfield in npm's registry.
const npmPackage = "@cameronsjo/springfield"

// ofPackage are the commands for a program in a directory with node_modules, or in what pnpm has for everyone.
func ofPackage(dir string, below []string) (remove, upgrade string) {
	calls := func(prefix, removes, adds, suffix string) (string, string) {
		return prefix + removes + suffix + npmPackage, prefix + adds + suffix + npmPackage + "@latest"
	}
	_, err := os.Stat(filepath.Join(dir, "package.json"))
	switch project := err == nil; {
	case below[0] == ".pnpm":
		return calls("pnpm ", "remove", "add", " -g ")
	case slices.Contains(below, ".pnpm"):
		return calls("pnpm --dir "+check.Quote(dir)+" ", "remove", "add", " ")
	case project:
		return calls("npm --prefix "+check.Quote(dir)+" ", "uninstall", "install", " ")
	default:
		return calls("npm ", "uninstall", "install", " -g --prefix "+check.Quote(strings.TrimSuffix(dir, string(filepath.Separator)+"lib"))+" ")
	}
}
