//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a package manager has installed, it removes and brings up to date.
func TestItselfIsRemovedByItsPackageManager(t *testing.T) {
	dir := t.TempDir()
	cask := filepath.Join(dir, "brewed/Caskroom/springfield/1.2.3")
	if err := errors.Join(os.MkdirAll(cask, 0o755), os.WriteFile(filepath.Join(cask, "springfield"), nil, 0o755), os.Symlink(filepath.Join(cask, "springfield"), filepath.Join(dir, "springfield"))); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{ // the commands that remove it, and that bring a newer one
		"bin/springfield":                            {"rm DIR/bin/springfield", ""},
		".local/bin/springfield":                     {"rm DIR/.local/bin/springfield", "curl -fsSL " + releasesPage + "/latest/download/install.sh | sh"},
		"Local/Programs/springfield/springfield.exe": {"rm DIR/Local/Programs/springfield/springfield.exe", "irm " + releasesPage + "/latest/download/install.ps1 | iex"},
		"scoop/bin/springfield":                      {"rm DIR/scoop/bin/springfield", ""}, // of a user who is called so
		"springfield":                                {"brew uninstall --cask springfield", "brew upgrade --cask springfield"},
		"pre fix/lib/node_modules/@cameronsjo/springfield/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                   {"npm uninstall -g --prefix 'DIR/pre fix' @cameronsjo/springfield", "npm install -g --prefix 'DIR/pre fix' @cameronsjo/springfield@latest"},
		"npm/node_modules/@cameronsjo/springfield/node_modules/@cameronsjo/springfield-win32-x64/bin/springfield.exe":                       {"npm uninstall -g --prefix DIR/npm @cameronsjo/springfield", "npm install -g --prefix DIR/npm @cameronsjo/springfield@latest"},
		"project/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                                                            {"npm --prefix DIR/project uninstall @cameronsjo/springfield", "npm --prefix DIR/project install @cameronsjo/springfield@latest"},
		".npm/_npx/742/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                                                      {"rm -r DIR/.npm/_npx/742", "npx @cameronsjo/springfield@latest"},
		"pnpm/global/5/.pnpm/@cameronsjo+springfield-linux-x64@1.2.3/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":        {"pnpm remove -g @cameronsjo/springfield", "pnpm add -g @cameronsjo/springfield@latest"},
		"project/node_modules/.pnpm/@cameronsjo+springfield-linux-x64@1.2.3/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield": {"pnpm --dir DIR/project remove @cameronsjo/springfield", "pnpm --dir DIR/project add @cameronsjo/springfield@latest"},
		"homebrew/Caskroom/springfield/1.2.3/springfield":                                                                                   {"brew uninstall --cask springfield", "brew upgrade --cask springfield"},
		"scoop/apps/springfield/1.2.3/springfield.exe":                                                                                      {"scoop uninstall springfield", "scoop update springfield"},
		"Microsoft/WinGet/Packages/springfield/springfield.exe":                                                                             {"winget uninstall cameronsjo.springfield", "winget upgrade cameronsjo.springfield"},
	} {
		if err := os.MkdirAll(filepath.Join(dir, "project"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "project", "package.json"), []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		is := itself(filepath.Join(dir, path))
		got := [2]string{strings.ReplaceAll(is.Remove, dir, "DIR"), strings.ReplaceAll(wayOf(filepath.Join(dir, path)).upgrade, dir, "DIR")}
		if got != want {
			t.Errorf("%s:\n%q\nnot\n%q", path, got, want)
		}
	}
}
