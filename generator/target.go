// What a suite is for: the machines that the compiled hook runs on, where its files lie
// in a plugin, and the agents.

package generator

import (
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/registry"
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

// HostTarget is the machine this runs on.
func HostTarget() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// StartsOn tells whether a machine starts what is compiled for the target: Windows on
// ARM starts what is compiled for amd64, too.
func (t Target) StartsOn(machine Target) bool {
	return t == machine || machine == Target{"windows", "arm64"} && t == Target{"windows", "amd64"}
}

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
		hint := check.HintAtNames(s, "", check.NamesOf(AllTargets(), Target.String), "")
		return Target{}, check.Misusef(hint, "springfield does not compile for %q", s)
	}
	return t, nil
}

// ParseTargets reads several.
func ParseTargets(texts []string) ([]Target, error) {
	var targets []Target
	for _, text := range texts {
		t, err := ParseTarget(text)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}

func joinTargets(targets []Target) string {
	return strings.Join(check.NamesOf(targets, Target.String), ", ")
}

// CheckTargets says what is wrong with a choice of targets, nil if nothing.
func CheckTargets(targets []Target) error {
	if len(targets) == 0 {
		return check.Misusef("pass --target os/arch", "no target chosen")
	}
	for i, t := range targets {
		if slices.Contains(targets[:i], t) {
			return check.Misusef("name every target once", "target %s is listed twice", t)
		}
	}
	// Claude Code on Windows starts springfield-hook.exe beside the launcher:
	// one file, so one architecture. Windows on ARM runs the amd64 one.
	if len(targets) > 1 && slices.Contains(targets, Target{"windows", "arm64"}) {
		return check.Misusef("use windows/amd64, which Windows on ARM runs too",
			"windows/arm64 can only be built alone")
	}
	return nil
}

// Program is one that is compiled into plugins.
type Program string

const (
	Hook  Program = "springfield-hook"
	Judge Program = "springfield-judge" // of plugins that ask a model
)

// ShortName returns the name without its prefix.
func (p Program) ShortName() string { return strings.TrimPrefix(string(p), "springfield-") }

// Programs are what a plugin has compiled in it.
func (p Plugin) Programs() []Program {
	if known, _ := registry.StrategyNamed(p.Strategy); known.Judges {
		return []Program{Hook, Judge}
	}
	return []Program{Hook}
}

// Programs are what some plugin of the suite has compiled in it.
func (s Spec) Programs() []Program {
	if i := slices.IndexFunc(s.Plugins, func(p Plugin) bool { return len(p.Programs()) > 1 }); i >= 0 {
		return s.Plugins[i].Programs()
	}
	return []Program{Hook}
}

// hookFiles lays out the compiled files of one plugin: for a single target each
// program as it is, for several a launcher of the hook and each program once per
// target. The hook finds its judge beside itself.
func (p Plugin) hookFiles(binaries []Binary, launcher []byte) (files []File) {
	const mode fs.FileMode = 0o755
	programs := p.Programs()
	binaries = slices.DeleteFunc(slices.Clone(binaries), func(b Binary) bool {
		return !slices.Contains(programs, b.Program)
	})
	several := slices.ContainsFunc(binaries, func(b Binary) bool { return b.Target != binaries[0].Target })
	if several {
		files = append(files, File{"hooks/springfield-hook", mode, launcher, true, Hook, Target{}})
	}
	for _, b := range binaries {
		files = append(files, File{b.Program.placeIn(b.Target, several), mode, b.Data, true, b.Program, b.Target})
	}
	return files
}

func (p Program) placeIn(t Target, several bool) string {
	switch {
	case t.OS == "windows":
		return "hooks/" + string(p) + ".exe"
	case several:
		return "hooks/" + t.OS + "-" + t.Arch + "/" + string(p)
	}
	return "hooks/" + string(p)
}

// HookFiles returns the files of a plugin that a build can make of some programs, for any target.
func HookFiles(programs ...Program) (places []string) {
	for _, p := range programs {
		places = append(places, p.placeIn(Target{}, false), p.placeIn(Target{OS: "windows"}, false))
		for _, t := range AllTargets() {
			if t.OS != "windows" {
				places = append(places, p.placeIn(t, true))
			}
		}
	}
	return places
}
