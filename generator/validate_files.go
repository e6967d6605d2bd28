// Validating the files of a suite that are no documents: its programs, what is
// missing beside them, and what should not be there.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// lookAtBinaries looks at the programs themselves. They are the same in every
// plugin because each is what springfield.yaml records.
func (in *inspection) lookAtBinaries() error {
	binaries := Unbuilt(in.suite.Spec).Binaries
	launcher, err := renderTemplate("shared/launcher/springfield-hook.tmpl", nil)
	if err != nil {
		return err
	}
	for _, p := range in.suite.Plugins {
		if !rooted.IsTaken(in.pathOf(p.Name)) {
			continue // said already
		}
		for _, f := range p.hookFiles(binaries, launcher) {
			t := in.subject(path.Join(p.Name, f.Path))
			if f.target == (Target{}) {
				t.lookAtLauncher(launcher)
			} else {
				t.lookAtProgram(f.program, f.target)
			}
		}
	}
	if flags := in.suite.MissingTargets(); flags != "" {
		in.subject(SuiteFile).reportFinding(check.Note,
			"it has no hook for this machine, "+HostTarget().String(), in.commandFor("build")+flags)
	}
	return nil
}

// canStart looks at what keeps a file from being started, whatever is in it.
func (t subject) canStart(what string) bool {
	if t.isLinked() {
		return false
	}
	info, err := t.in.files.Lstat(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.reportFailure("the "+what+" is missing", t.in.commandFor("build"))
		return false
	case err != nil:
		t.reportFailure("not readable: "+check.CauseOf(err).Error(), "")
		return false
	case !info.Mode().IsRegular():
		t.reportFailure("not a regular file", "remove it, then "+t.in.commandFor("build"))
		return false
	case info.Mode()&0o111 == 0 && runtime.GOOS != "windows" && path.Ext(t.file) != ".exe":
		t.reportFailure("not executable", t.in.commandFor("build")+"; if git lost the bit: git update-index --chmod=+x")
	}
	return true
}

func (t subject) lookAtLauncher(launcher []byte) {
	if !t.canStart("launcher") {
		return
	}
	data, err := t.in.readText(t.file)
	switch {
	case err != nil:
		t.reportFailure("not readable: "+check.CauseOf(err).Error(), "")
	case !bytes.HasPrefix(data, []byte("#!/bin/sh\n")):
		t.reportFailure("not the launcher, which several targets need", t.in.commandFor("build"))
	case !bytes.Equal(data, launcher):
		t.reportFinding(check.Warning, "not this springfield's launcher", t.in.commandFor("build"))
	}
}

func (t subject) lookAtProgram(program Program, target Target) {
	if !t.canStart(program.ShortName() + " for " + target.String()) {
		return
	}
	file := t.in.pathOf(t.file)
	found, err := TargetOf(file)
	if err != nil {
		t.reportFailure("not a program", t.in.commandFor("build")+"; if it is a pointer of Git LFS: git lfs pull")
		return
	}
	if found != target {
		t.reportFailure(fmt.Sprintf("compiled for %s, not for %s", found, target), t.in.commandFor("build"))
		return
	}
	if err := checkRuntime(file); err != nil {
		t.reportFinding(check.Warning, check.CauseOf(err).Error(), t.in.commandFor("build"))
	}
	want := t.in.suite.Build.Recorded(program, target)
	if data, _, err := rooted.ReadPath(file, maxProgram); err != nil || want != "" && journal.HashBytes(data) != want {
		t.reportFailure("its checksum is not the one in "+SuiteFile, t.in.commandFor("build"))
	}
}

// lookAtFiles looks for what is missing beside all that, and for what should
// not be there.
func (in *inspection) lookAtFiles() error {
	for _, p := range in.suite.Plugins {
		dir := in.subject(p.Name)
		if dir.isLinked() {
			continue
		}
		if info, err := in.files.Lstat(p.Name); err != nil || !info.IsDir() {
			dir.reportFailure("the plugin's directory is missing", in.commandFor("init")+" adds it")
		}
	}
	known := map[string]bool{}
	for _, f := range in.expected {
		known[f.Path] = true
		t := in.subject(f.Path)
		top, _, inside := strings.Cut(f.Path, "/")
		switch base := path.Base(f.Path); {
		case slices.Contains([]string{SuiteFile, "marketplace.json", "plugin.json", "qwen-extension.json", "gemini-extension.json", "hooks.json", "shell.json", "strategy.json"}, base): // looked at already
		case !rooted.IsTaken(in.pathOf(f.Path)) && (!inside || rooted.IsTaken(in.pathOf(top))):
			t.reportFinding(check.Warning, "not found", in.commandFor("init")+" adds it")
		}
	}
	for _, p := range in.suite.Plugins {
		for _, f := range p.hookFiles(Unbuilt(in.suite.Spec).Binaries, nil) {
			known[path.Join(p.Name, f.Path)] = true
		}
	}
	return filepath.WalkDir(in.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(in.dir, name)
		if err != nil {
			return err
		}
		t := in.subject(filepath.ToSlash(relative))
		switch name := d.Name(); {
		case d.IsDir() && (name == ".git" || name == "node_modules"):
			return filepath.SkipDir
		case !known[t.file]:
			t.lookAtUnknown(d)
		}
		return nil
	})
}

func (t subject) reportStray(says string) {
	t.reportFinding(check.Note, says, "remove it if you do not need it")
}

// lookAtUnknown looks at a file that the suite does not need.
func (t subject) lookAtUnknown(d fs.DirEntry) {
	plugin, below, _ := strings.Cut(t.file, "/")
	n := slices.IndexFunc(t.in.suite.Plugins, func(p Plugin) bool { return p.Name == plugin })
	inside := n >= 0 && below != ""
	switch base := path.Base(t.file); {
	case d.IsDir():
	case inside && slices.Contains(hookPlaces(Judge), below) && !slices.Contains(t.in.suite.Plugins[n].Programs(), Judge):
		t.reportFinding(check.Note, "a judge, but this plugin asks no model", t.in.commandFor("build")+" removes it")
	case inside && slices.Contains(hookPlaces(Hook, Judge), below):
		t.reportFinding(check.Note, "compiled for a machine that is not a target of the suite",
			t.in.commandFor("build")+" removes it")
	case inside && (base == "package.json" || strings.HasPrefix(base, "package-lock.")):
		t.reportStray("Claude Code would install packages for it")
	case IsLitter(base):
		t.reportStray("it should not be there")
	case base == "plugin.json" && !inside && strings.HasSuffix(t.file, "/.claude-plugin/plugin.json"):
		t.reportFinding(check.Note, "this plugin is not in "+SuiteFile, "remove the directory, or add the plugin under another name: springfield new NAME --from STRATEGY --suite "+t.in.called)
	}
}

// IsLitter tells files that systems, editors, merges and updates leave behind, and those
// that hold secrets.
func IsLitter(base string) bool {
	switch path.Ext(base) {
	case ".orig", ".rej", BesideSuffix, ".swp", ".swo", ".tmp", ".pem":
		return true
	}
	switch base {
	case ".DS_Store", "Thumbs.db", "desktop.ini", ".env", ".npmrc", ".netrc":
		return true
	}
	return strings.HasSuffix(base, "~") || strings.HasPrefix(base, ".env.")
}
