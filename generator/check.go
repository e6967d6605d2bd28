// Whether a plugin's hook and its judge would start on a machine: looked at in the files
// themselves, since records can be wrong and copies can lose a mode.

package generator

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
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
	hookruntime "github.com/cameronsjo/springfield/runtime"
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

// foundProgram is a program as it was found in a plugin.
type foundProgram struct {
	file    string
	program Program // that its place is for
	target  Target  // zero for a file that is no program
	sum     string
	with    string // the version of Go in it, "" if it is named otherwise
	marked  bool   // its runtime reads no variable of Go's own
}

func examineProgram(file string, program Program, data []byte) foundProgram {
	s := foundProgram{file: file, program: program, sum: journal.HashBytes(data)}
	s.marked = bytes.Contains(data, []byte(goMark))
	s.target, _ = targetIn(bytes.NewReader(data))
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err == nil && info.Path == hookruntime.Module+"/runtime/"+string(program) && len(info.GoVersion) < 64 {
		s.with = info.GoVersion
	}
	return s
}

// readPrograms reads the programs that the plugin in a directory has for a machine.
func readPrograms(dir string, machine Target) (all []foundProgram, err error) {
	p, err := programsOf(dir, machine)
	if err != nil {
		return nil, err
	}
	for _, program := range []Program{Hook, Judge} {
		path := p.programPath(program)
		data, _, unread := rooted.ReadPath(path, maxProgram)
		switch {
		case unread == nil:
			all = append(all, examineProgram(path, program, data))
		case !errors.Is(unread, fs.ErrNotExist):
			err = cmp.Or(err, fmt.Errorf("%s: %w", path, unread))
		}
	}
	return all, err
}

// CheckRuntime says which program of the plugin in a directory, for a machine,
// obeys variables that a project can set: ErrReadsGo. What is missing is for
// CheckPrograms to tell.
func CheckRuntime(dir string, machine Target) error {
	all, err := readPrograms(dir, machine)
	for _, found := range all {
		if !found.marked {
			return fmt.Errorf("%s: %w", found.file, ErrReadsGo)
		}
	}
	return err
}

// ErrChanged is returned for a program that differs from the record of its suite.
var ErrChanged = errors.New("not the program that its suite records")

// CheckRecorded says why the programs of the plugin in a directory are not those that
// the suite around it records. Where there is no record there is nothing to say.
func CheckRecorded(dir string, machine Target) error {
	suite, err := ReadSuite(filepath.Dir(dir))
	if err != nil {
		return nil
	}
	all, _ := readPrograms(dir, machine) // the rest is for CheckPrograms
	for _, found := range all {
		if want := suite.Build.Recorded(found.program, machine); want != "" && found.sum != want {
			return fmt.Errorf("%s is %w", found.file, ErrChanged)
		}
	}
	return nil
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

func checkMode(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode()&0o111 == 0 {
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
