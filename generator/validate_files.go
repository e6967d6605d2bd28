package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

func (in *inspection) lookAtBinaries() {
	for _, p := range in.suite.Plugins {
		if !rooted.IsTaken(in.files.PathOf(p.Name)) {
			continue // reported already
		}
		for _, f := range p.programFiles(Unbuilt(in.suite.Targets, in.suite.Programs()).Binaries, nil) {
			t := subject{in: in, file: path.Join(p.Name, f.Path)}
			if d := in.files.compareFile(in.expected[t.file]); d.target == (Target{}) {
				t.lookAtLauncher(d)
			} else {
				t.lookAtProgram(d)
			}
		}
	}
	if flags := in.suite.BuildFlagsToAddHost(); flags != "" {
		subject{in: in, file: SuiteFile}.reportFinding(check.Note,
			"it has no hook for this machine, "+HostTarget().String(), "springfield build "+in.called+flags)
	}
}

// checkRegular reports failures of a program's file, and returns true if the content can be checked, even without the
// executable bit.
func (t subject) checkRegular(d Difference, noun string) bool {
	build := "springfield build " + t.in.called
	switch {
	case d.Kind == Link:
		t.reportLink(d.err)
	case d.Kind == Missing:
		t.reportFailure("the "+noun+" is missing", build)
	case !d.there, d.mode.IsRegular() && d.err != nil:
		t.reportFailure("not readable: "+check.DropPath(d.err).Error(), "")
	case !d.mode.IsRegular():
		t.reportFailure("not a regular file", "remove it, then "+build)
	default:
		if d.mode&0o111 == 0 && runtime.GOOS != "windows" && path.Ext(t.file) != ".exe" {
			t.reportFailure("not executable", build+"; if git lost the executable bit, run git update-index --chmod=+x")
		}
		return true
	}
	return false
}

func (t subject) lookAtLauncher(d Difference) {
	switch {
	case !t.checkRegular(d, "launcher"):
	case !bytes.HasPrefix(d.data, []byte("#!/bin/sh\n")):
		t.reportFailure("not a launcher, which a suite with several targets needs", "springfield build "+t.in.called)
	case !bytes.Equal(d.data, d.Data):
		t.reportFinding(check.Warning, "not the launcher of this version of springfield", "springfield build "+t.in.called)
	}
}

func (t subject) lookAtProgram(d Difference) {
	build := "springfield build " + t.in.called
	target, err := targetIn(bytes.NewReader(d.data))
	switch {
	case !t.checkRegular(d, d.program.ShortName()+" for "+d.target.String()):
	case err != nil:
		t.reportFailure("not an executable program", build+"; if it is a Git LFS pointer, run git lfs pull")
	case target != d.target:
		t.reportFailure(fmt.Sprintf("compiled for %s, not for %s", target, d.target), build)
	default:
		if !bytes.Contains(d.data, []byte(goMark)) {
			t.reportFinding(check.Warning, ErrReadsGo.Error(), build)
		}
		if want := t.in.suite.Build.ChecksumOf(d.program, d.target); want != "" && journal.HashBytes(d.data) != want {
			t.reportFailure("its checksum differs from the one in "+SuiteFile, build)
		}
	}
}

func (in *inspection) checkFiles() {
	for _, p := range in.suite.Plugins {
		dir := subject{in: in, file: p.Name}
		switch d := in.files.compareFile(File{Path: p.Name}); {
		case d.Kind == Link:
			dir.reportLink(d.err)
		case !d.mode.IsDir():
			dir.reportFailure("the plugin's directory is missing", "springfield init "+in.called)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.expected)) {
		top, _, inside := strings.Cut(name, "/")
		if in.expected[name].Compiled || slices.Contains([]string{SuiteFile, "marketplace.json", "plugin.json", "qwen-extension.json", "gemini-extension.json", "hooks.json", "shell.json", "strategy.json"}, path.Base(name)) {
			continue // checked already
		}
		d := in.files.compareFile(in.expected[name])
		if !d.there && d.Kind != Link && (!inside || rooted.IsTaken(in.files.PathOf(top))) {
			subject{in: in, file: name}.reportMissing(check.Warning)
		}
	}
	err := filepath.WalkDir(in.files.Name(), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(in.files.Name(), name)
		t := subject{in: in, file: filepath.ToSlash(relative)}
		if name := d.Name(); d.IsDir() && (name == ".git" || name == "node_modules") {
			return filepath.SkipDir
		}
		if _, known := in.expected[t.file]; !known {
			t.lookAtUnknown(d)
		}
		return nil
	})
	in.err = cmp.Or(in.err, err)
}

func (t subject) lookAtUnknown(d fs.DirEntry) {
	plugin, below, _ := strings.Cut(t.file, "/")
	n := slices.IndexFunc(t.in.suite.Plugins, func(p Plugin) bool { return p.Name == plugin })
	inside := n >= 0 && below != ""
	switch base := path.Base(t.file); {
	case d.IsDir():
	case inside && slices.Contains(ProgramPaths(Judge), below) && !slices.Contains(t.in.suite.Plugins[n].Programs(), Judge):
		t.reportFinding(check.Note, "a judge, but this plugin does not ask a model", "run springfield build "+t.in.called+" to remove it")
	case inside && slices.Contains(ProgramPaths(Hook, Judge), below):
		t.reportFinding(check.Note, "compiled for a machine that is not a target of the suite",
			"run springfield build "+t.in.called+" to remove it")
	case inside && (base == "package.json" || strings.HasPrefix(base, "package-lock.")):
		t.reportFinding(check.Note, "Claude Code would install packages for it", "remove it if you do not need it")
	case IsUnwanted(base):
		t.reportFinding(check.Note, "it should not be in a suite", "remove it if you do not need it")
	case base == "plugin.json" && !inside && strings.HasSuffix(t.file, "/.claude-plugin/plugin.json"):
		t.reportFinding(check.Note, "this plugin is not in "+SuiteFile, "remove the directory, or add a plugin with another name: springfield new NAME --from STRATEGY --suite "+t.in.called)
	}
}

// IsUnwanted reports whether a file name suggests secrets or a leftover.
func IsUnwanted(base string) bool {
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
