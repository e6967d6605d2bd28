// Whether a plugin's hook and its judge would start on a machine: looked at in the files
// themselves, since records can be wrong and copies can lose a mode.

package generator

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// ErrNotExecutable says that a program is there which must not be started.
var ErrNotExecutable = errors.New("not executable")

// CheckPlugin says what is wrong with the programs of a plugin in a directory, on
// this machine; nothing if they would start. The ID is what it is called, suite the
// directory it can be compiled in, "" if that is not at hand.
func CheckPlugin(id, dir, suite string, judges bool) []check.Finding {
	notStarting := func(err error, without string) []check.Finding {
		f := check.Failed(id+": "+err.Error()+without, HowToStart(err, suite))
		if errors.Is(err, ErrNotExecutable) {
			f = f.MendBy(func(context.Context) error { return makeExecutable(dir) })
		}
		return []check.Finding{f}
	}
	if err := CheckPrograms(dir, HostTarget(), Hook); err != nil {
		return notStarting(err, "")
	}
	if err := CheckPrograms(dir, HostTarget(), Judge); err != nil && judges {
		return notStarting(err, "; where its rules are not sure, Claude stops")
	}
	if err := CheckRuntime(dir, HostTarget()); err != nil {
		return []check.Finding{check.Warned(id+": "+err.Error(), HowToStart(err, suite))}
	}
	return nil
}

// HowToStart says what makes the programs of a plugin start on this machine, or makes
// them the right ones. suite is the directory that they can be compiled in, "" if that
// is not at hand.
func HowToStart(err error, suite string) string {
	var at *fs.PathError
	s, unreadable := ReadSuite(suite)
	switch {
	case errors.Is(err, ErrNotExecutable) && errors.As(err, &at):
		return "chmod +x " + check.QuoteArgument(at.Path)
	case suite == "" || unreadable != nil:
		return "ask its publisher for one compiled for " + HostTarget().String()
	}
	return "springfield build " + check.QuoteArgument(suite) + s.MissingTargets()
}

// MissingTargets are the flags that have build compile for this machine too, as
// " --target A --target B"; "" where the suite has a hook for it.
func (s Suite) MissingTargets() string {
	own := HostTarget()
	if slices.ContainsFunc(s.Targets, func(t Target) bool { return t.StartsOn(own) }) {
		return ""
	}
	if own == (Target{"windows", "arm64"}) { // which can only be built alone
		own.Arch = "amd64"
	}
	flags := ""
	for _, t := range append(slices.Clone(s.Targets), own) { // named targets replace those of the suite
		flags += " --target " + t.String()
	}
	return flags
}

// makeExecutable puts the bit back that a copy has lost.
func makeExecutable(dir string) error {
	in, err := rooted.OpenFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	for _, file := range HookFiles() {
		if err := in.CheckLinks(file); err != nil {
			return err
		}
		info, err := in.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := in.Chmod(file, info.Mode().Perm()|0o111); err != nil {
			return err
		}
	}
	return nil
}

// programs is where a plugin in a directory has its programs for a machine.
type programs struct {
	dir      string
	machine  Target
	launched bool // the hook is started by the launcher
}

func programsOf(dir string, machine Target) (programs, error) {
	p := programs{dir: dir, machine: machine}
	if machine.OS == "windows" {
		return p, nil
	}
	f, err := rooted.OpenPath(filepath.Join(dir, "hooks", string(Hook)))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("read hook: %w", err)
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 2)
	_, err = f.Read(head)
	p.launched = err == nil && string(head) == "#!"
	return p, nil
}

func (p programs) programPath(program Program) string {
	return filepath.Join(p.dir, filepath.FromSlash(program.placeIn(p.machine, p.launched)))
}

// CheckPrograms says why programs of the plugin in a directory would not start on a machine. The judge
// has to lie beside the hook, which looks nowhere else.
func CheckPrograms(dir string, machine Target, programs ...Program) error {
	p, err := programsOf(dir, machine)
	if err == nil && p.launched {
		err = checkMode(filepath.Join(dir, "hooks", string(Hook)))
	}
	for _, program := range programs {
		if err == nil {
			err = p.checkStart(program)
		}
	}
	return err
}

// CheckRuntime says which program of the plugin in a directory, for a machine,
// obeys variables that a project can set: ErrReadsGo. What is missing is for
// CheckPrograms to tell.
func CheckRuntime(dir string, machine Target) error {
	p, err := programsOf(dir, machine)
	if err != nil {
		return err
	}
	for _, program := range []Program{Hook, Judge} {
		if err := checkRuntime(p.programPath(program)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", p.programPath(program), err)
		}
	}
	return nil
}

func checkRuntime(path string) error {
	data, _, err := rooted.ReadPath(path, maxProgram)
	if err == nil && !bytes.Contains(data, []byte(goMark)) {
		err = ErrReadsGo
	}
	return err
}

func (p programs) checkStart(program Program) error {
	path, none := p.programPath(program), "no "+program.ShortName()+" for this machine"
	found, err := TargetOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if others := targetsIn(p.dir, program); len(others) > 0 && !slices.Contains(others, p.machine) {
			return fmt.Errorf("%s: %s is compiled for %s, not for %s", none, filepath.Join(p.dir, "hooks"), joinTargets(others), p.machine)
		}
		return fmt.Errorf("%s: %s is missing", none, path)
	case err != nil:
		return fmt.Errorf("read %s: %w", program.ShortName(), err)
	case !found.StartsOn(p.machine):
		return fmt.Errorf("%s: %s is compiled for %s, not for %s", none, path, found, p.machine)
	case p.machine.OS != "windows":
		return checkMode(path)
	}
	return nil
}

// ErrChanged says that a program is not the one that its suite records.
var ErrChanged = errors.New("not the program that its suite records")

// CheckRecorded says why the programs of the plugin in a directory are not those that
// the suite around it records. Where there is no record there is nothing to say.
func CheckRecorded(dir string, machine Target) error {
	suite, err := ReadSuite(filepath.Dir(dir))
	if err != nil {
		return nil
	}
	p, err := programsOf(dir, machine)
	if err != nil {
		return err
	}
	for _, program := range []Program{Hook, Judge} {
		want := suite.Build.Recorded(program, machine)
		data, _, err := rooted.ReadPath(p.programPath(program), maxProgram)
		if want != "" && err == nil && journal.HashBytes(data) != want {
			return fmt.Errorf("%s is %w", p.programPath(program), ErrChanged)
		}
	}
	return nil
}

func checkMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read hook: %w", err)
	}
	if info.Mode()&0o111 == 0 {
		return &fs.PathError{Op: "start", Path: path, Err: ErrNotExecutable}
	}
	return nil
}

// targetsIn lists what a program of a plugin is compiled for.
func targetsIn(dir string, program Program) []Target {
	var found []Target
	for _, place := range hookPlaces(program) {
		if t, err := TargetOf(filepath.Join(dir, filepath.FromSlash(place))); err == nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	return found
}

// TargetOf reads from a compiled program which machine it is for.
func TargetOf(path string) (Target, error) {
	f, err := rooted.OpenPath(path)
	if err != nil {
		return Target{}, err
	}
	defer func() { _ = f.Close() }()
	t, err := targetIn(f)
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// errNoProgram says that some bytes are no program.
var errNoProgram = errors.New("not a program")

func targetIn(data io.ReaderAt) (Target, error) {
	if e, err := elf.NewFile(data); err == nil {
		return Target{"linux", archOf(e.Machine, elf.EM_X86_64, elf.EM_AARCH64)}, nil
	}
	if m, err := macho.NewFile(data); err == nil {
		return Target{"darwin", archOf(m.Cpu, macho.CpuAmd64, macho.CpuArm64)}, nil
	}
	if p, err := pe.NewFile(data); err == nil {
		return Target{"windows", archOf(p.Machine, pe.IMAGE_FILE_MACHINE_AMD64, pe.IMAGE_FILE_MACHINE_ARM64)}, nil
	}
	return Target{}, errNoProgram
}

// archOf is a processor as Go calls it, as the program has it for any other.
func archOf[M comparable](is, amd64, arm64 M) string {
	switch is {
	case amd64:
		return "amd64"
	case arm64:
		return "arm64"
	}
	return fmt.Sprint(is)
}
