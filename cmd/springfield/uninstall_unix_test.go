//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a package manager has installed, it removes.
func TestItselfIsRemovedByItsPackageManager(t *testing.T) {
	dir := t.TempDir()
	cask := filepath.Join(dir, "brewed/Caskroom/springfield/1.2.3")
	program, project := filepath.Join(cask, "springfield"), filepath.Join(dir, "project")
	if err := errors.Join(os.MkdirAll(cask, 0o755), os.WriteFile(program, nil, 0o755), os.Symlink(program, filepath.Join(dir, "springfield")),
		os.Mkdir(project, 0o755), os.WriteFile(filepath.Join(project, "package.json"), []byte("{}"), 0o644)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"bin/springfield":                            "rm DIR/bin/springfield",
		".local/bin/springfield":                     "rm DIR/.local/bin/springfield",
		"Local/Programs/springfield/springfield.exe": "rm DIR/Local/Programs/springfield/springfield.exe",
		"scoop/bin/springfield":                      "rm DIR/scoop/bin/springfield", // of a user who is called so
		"springfield":                                "brew uninstall --cask springfield",
		"pre fix/lib/node_modules/@cameronsjo/springfield/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                   "npm uninstall -g --prefix 'DIR/pre fix' @cameronsjo/springfield",
		"npm/node_modules/@cameronsjo/springfield/node_modules/@cameronsjo/springfield-win32-x64/bin/springfield.exe":                       "npm uninstall -g --prefix DIR/npm @cameronsjo/springfield",
		"project/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                                                            "npm --prefix DIR/project uninstall @cameronsjo/springfield",
		".npm/_npx/742/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":                                                      "rm -r DIR/.npm/_npx/742",
		"pnpm/global/5/.pnpm/@cameronsjo+springfield-linux-x64@1.2.3/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield":        "pnpm remove -g @cameronsjo/springfield",
		"project/node_modules/.pnpm/@cameronsjo+springfield-linux-x64@1.2.3/node_modules/@cameronsjo/springfield-linux-x64/bin/springfield": "pnpm --dir DIR/project remove @cameronsjo/springfield",
		"homebrew/Caskroom/springfield/1.2.3/springfield":                                                                                   "brew uninstall --cask springfield",
		"scoop/apps/springfield/1.2.3/springfield.exe":                                                                                      "scoop uninstall springfield",
		"Microsoft/WinGet/Packages/springfield/springfield.exe":                                                                             "winget uninstall cameronsjo.springfield",
	} {
		got := strings.ReplaceAll(runningProgram(filepath.Join(dir, path)).Remove, dir, "DIR")
		if got != want {
			t.Errorf("%s:\n%q\nnot\n%q", path, got, want)
		}
	}
}
