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

func (t Target) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText parses os/arch, and accepts only targets in AllTargets.
func (t *Target) UnmarshalText(text []byte) error {
	t.OS, t.Arch, _ = strings.Cut(string(text), "/")
	if !slices.Contains(AllTargets(), *t) {
		hint := check.HintAtNames(string(text), "", check.NamesOf(AllTargets(), Target.String), "")
		return check.Misusef(hint, "springfield does not compile for %q", text)
	}
	return nil
}

// HostTarget returns the target of this machine.
func HostTarget() Target { return Target{runtime.GOOS, runtime.GOARCH} }

// StartsOn reports whether machine can run programs built for t.
func (t Target) StartsOn(machine Target) bool {
	return t == machine || machine == Target{"windows", "arm64"} && t == Target{"windows", "amd64"}
}

func AllTargets() []Target {
	return []Target{
		{"linux", "amd64"}, {"linux", "arm64"},
		{"darwin", "amd64"}, {"darwin", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"},
	}
}

func ParseTargets(texts []string) ([]Target, error) {
	targets := make([]Target, len(texts))
	for i, text := range texts {
		if err := targets[i].UnmarshalText([]byte(text)); err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// CheckTargetSet returns an error for no targets, a duplicate, or windows/arm64 with another target.
func CheckTargetSet(targets []Target) error {
	if len(targets) == 0 {
		return check.Misusef("pass --target os/arch", "no target was chosen")
	}
	for i, t := range targets {
		if slices.Contains(targets[:i], t) {
			return check.Misusef("list every target only once", "target %s is listed twice", t)
		}
	}
	// Claude Code on Windows starts springfield-hook.exe next to the launcher: one file, so one architecture.
	if len(targets) > 1 && slices.Contains(targets, Target{"windows", "arm64"}) {
		return check.Misusef("use windows/amd64, which also runs on Windows on ARM",
			"windows/arm64 cannot be combined with other targets")
	}
	return nil
}

type Program string

const (
	Hook  Program = "springfield-hook"
	Judge Program = "springfield-judge" // only in plugins that ask a model
)

func (p Program) ShortName() string { return strings.TrimPrefix(string(p), "springfield-") }

// Programs returns the hook, and the judge if the strategy can ask a model.
func (p Plugin) Programs() []Program {
	if known, _ := registry.StrategyNamed(p.Strategy); known.Judges {
		return []Program{Hook, Judge}
	}
	return []Program{Hook}
}

// Programs returns the hook, and the judge if any plugin can ask a model.
func (s Spec) Programs() []Program {
	if i := slices.IndexFunc(s.Plugins, func(p Plugin) bool { return len(p.Programs()) > 1 }); i >= 0 {
		return s.Plugins[i].Programs()
	}
	return []Program{Hook}
}

// programFiles returns the binaries as files, with paths relative to the plugin, and the launcher for several targets.
func (p Plugin) programFiles(binaries []Binary, launcher []byte) (files []File) {
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

// placeIn returns the program's slash-separated path in a plugin.
func (p Program) placeIn(t Target, severalTargets bool) string {
	switch {
	case t.OS == "windows":
		return "hooks/" + string(p) + ".exe"
	case severalTargets:
		return "hooks/" + t.OS + "-" + t.Arch + "/" + string(p)
	}
	return "hooks/" + string(p)
}

// ProgramPaths returns all possible paths of the programs in a plugin.
func ProgramPaths(programs ...Program) (places []string) {
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

// BuildFlagsToAddHost returns build flags, like " --target A --target B", that add this machine to the targets ("" if a
// target already runs here).
func (s Suite) BuildFlagsToAddHost() string {
	own := HostTarget()
	if slices.ContainsFunc(s.Targets, func(t Target) bool { return t.StartsOn(own) }) {
		return ""
	}
	all := append(slices.Clone(s.Targets), own) // build --target replaces the targets of the suite
	return strings.Join(check.NamesOf(all, func(t Target) string {
		if t == (Target{"windows", "arm64"}) { // can only be built alone, and runs amd64
			t.Arch = "amd64"
		}
		return " --target " + t.String()
	}), "")
}
