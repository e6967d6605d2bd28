// Targets: which machines the compiled hook runs on, and where its files lie in
// a plugin.

package generator

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
)

// Target is an operating system and architecture, written os/arch.
type Target struct{ OS, Arch string }

func (t Target) String() string { return t.OS + "/" + t.Arch }

// MarshalText and UnmarshalText write a target as os/arch.
func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads os/arch.
func (t *Target) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTarget(string(text))
	return err
}

// Host is the machine this runs on.
func Host() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// AllTargets are the machines a hook can be compiled for.
func AllTargets() []Target {
	var all []Target
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			all = append(all, Target{system, arch})
		}
	}
	return all
}

// ParseTarget reads os/arch.
func ParseTarget(s string) (Target, error) {
	system, arch, _ := strings.Cut(s, "/")
	t := Target{system, arch}
	if !slices.Contains(AllTargets(), t) {
		return Target{}, &SpecError{"target", fmt.Sprintf("%q is not one springfield compiles for", s), "choose from " + join(AllTargets())}
	}
	return t, nil
}

func join(targets []Target) string {
	var names []string
	for _, t := range targets {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// CheckTargets says what is wrong with a choice of targets, nil if nothing.
func CheckTargets(targets []Target) error {
	if len(targets) == 0 {
		return &SpecError{"target", "none chosen", "pass --target os/arch"}
	}
	for i, t := range targets {
		if slices.Contains(targets[:i], t) {
			return &SpecError{"target", t.String() + " is there twice", "name every target once"}
		}
	}
	// Claude Code on Windows starts springfield-hook.exe beside the launcher:
	// one file, so one architecture. Windows on ARM runs the amd64 one.
	if len(targets) > 1 && slices.Contains(targets, Target{"windows", "arm64"}) {
		return &SpecError{"target", "windows/arm64 can only be built alone", "use windows/amd64, which Windows on ARM runs too"}
	}
	return nil
}

// hookFiles lays out the compiled hooks of one plugin: a single binary, or the
// launcher and one binary per target.
func hookFiles(binaries []Binary, launcher []byte) []File {
	const mode fs.FileMode = 0o755
	name := func(t Target) string {
		if t.OS == "windows" {
			return "hooks/springfield-hook.exe"
		}
		if len(binaries) == 1 {
			return "hooks/springfield-hook"
		}
		return "hooks/" + t.OS + "-" + t.Arch + "/springfield-hook"
	}
	var files []File
	if len(binaries) > 1 {
		files = append(files, File{Path: "hooks/springfield-hook", Mode: mode, Data: launcher, Compiled: true})
	}
	for _, b := range binaries {
		files = append(files, File{Path: name(b.Target), Mode: mode, Data: b.Data, Compiled: true})
	}
	return files
}
