// Checks whether the programs of a plugin would start on a machine. They read the files, because a record can be wrong.

package generator

import (
	"bytes"
	"cmp"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

var (
	ErrNotExecutable = errors.New("not executable")
	ErrChanged       = errors.New("not the program that its suite records")
)

type openedProgram struct {
	program  Program
	path     string
	data     []byte // nil if unreadable
	err      error  // of reading
	mode     error  // ErrNotExecutable, with its path
	launcher error  // the same for its launcher
}

// loadPrograms reads each given program for machine in dir. Errors are set per result.
func loadPrograms(dir string, machine Target, programs ...Program) (all []openedProgram) {
	first := loadProgram(dir, Hook, machine, false)
	launched := machine.OS != "windows" && bytes.HasPrefix(first.data, []byte("#!"))
	for _, program := range programs {
		opened := first
		if launched || program != Hook {
			opened = loadProgram(dir, program, machine, launched)
		}
		if launched && program == Hook {
			opened.launcher = first.mode
		}
		all = append(all, opened)
	}
	return all
}

// loadProgram reads a program in the plugin's directory. launched means a launcher starts the programs, each in its
// target's directory.
func loadProgram(dir string, program Program, machine Target, launched bool) openedProgram {
	path := filepath.Join(dir, filepath.FromSlash(program.placeIn(machine, launched)))
	data, info, err := rooted.ReadFollowing(path, maxProgram)
	p := openedProgram{program: program, path: path, data: data, err: err}
	if err == nil && machine.OS != "windows" && info.Mode()&0o111 == 0 {
		p.mode = &fs.PathError{Op: "start", Path: path, Err: ErrNotExecutable}
	}
	return p
}

func (p openedProgram) checkCouldStart(dir string, machine Target) error {
	const compiledFor = "no %s for this machine: %s is compiled for %s, not for %s"
	switch {
	case p.launcher != nil:
		return p.launcher
	case errors.Is(p.err, fs.ErrNotExist):
		if others := targetsIn(dir, p.program); len(others) > 0 && !slices.Contains(others, machine) {
			hooks, all := filepath.Join(dir, "hooks"), strings.Join(check.NamesOf(others, Target.String), ", ")
			return fmt.Errorf(compiledFor, p.program.ShortName(), hooks, all, machine)
		}
		return fmt.Errorf("no %s for this machine: %s is missing", p.program.ShortName(), p.path)
	case p.err != nil:
		return fmt.Errorf("read %s: %w", p.program.ShortName(), p.err)
	}
	target, err := targetIn(bytes.NewReader(p.data))
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %s: %w", p.program.ShortName(), p.path, err)
	case !target.StartsOn(machine):
		return fmt.Errorf(compiledFor, p.program.ShortName(), p.path, target, machine)
	}
	return p.mode
}

// CheckCanStart returns an error if a given program in dir would not start on machine.
func CheckCanStart(dir string, machine Target, programs ...Program) error {
	for _, p := range loadPrograms(dir, machine, programs...) {
		if err := p.checkCouldStart(dir, machine); err != nil {
			return err
		}
	}
	return nil
}

// checkSums fails if a loaded program differs from its suite's record. It returns nil without a record.
func checkSums(dir string, machine Target, all []openedProgram) error {
	var suite struct{ Build Build }
	data, err := rooted.ReadFile(filepath.Dir(dir), SuiteFile, maxSuiteFile)
	if err != nil || decodeAnyYAML(data, &suite) != nil {
		return nil
	}
	for _, p := range all {
		want := suite.Build.ChecksumOf(p.program, machine)
		if want != "" && p.data != nil && journal.HashBytes(p.data) != want {
			return fmt.Errorf("%s is %w", p.path, ErrChanged)
		}
	}
	return nil
}

// InspectPrograms returns a finding if a plugin's program would not start here, differs from the record or reads Go's
// variables. Unless needsJudge is set, the judge need not start. suite is the directory to rebuild, or "".
func InspectPrograms(id, dir, suite string, needsJudge bool) (bad []check.Finding) {
	all := loadPrograms(dir, HostTarget(), Hook, Judge)
	for _, p := range all {
		err := p.checkCouldStart(dir, HostTarget())
		if err == nil || p.program == Judge && !needsJudge {
			continue
		}
		says := id + ": " + err.Error()
		if p.program == Judge {
			says += "; without it, Claude stops where the rules are unsure"
		}
		return []check.Finding{check.Failed(says, HowToFixProgram(err, suite))}
	}
	if err := checkSums(dir, HostTarget(), all); err != nil {
		bad = append(bad, check.Failed(id+": "+err.Error(), HowToFixProgram(err, suite)))
	}
	for _, p := range all {
		if p.data != nil && !bytes.Contains(p.data, []byte(goMark)) {
			err := fmt.Errorf("%s: %w", p.path, ErrReadsGo)
			return append(bad, check.Warned(id+": "+err.Error(), HowToFixProgram(err, suite)))
		}
	}
	return bad
}

// HowToFixProgram returns a hint for an error of CheckCanStart. suiteDir is the directory to rebuild, or "".
func HowToFixProgram(err error, suiteDir string) string {
	var at *fs.PathError
	s, unreadable := ReadSuite(suiteDir)
	switch {
	case errors.Is(err, ErrNotExecutable) && errors.As(err, &at):
		return "chmod +x " + check.QuoteArgument(at.Path)
	case suiteDir == "" || unreadable != nil:
		return "ask the plugin's publisher for a build for " + HostTarget().String()
	}
	return "springfield build " + check.QuoteArgument(suiteDir) + s.BuildFlagsToAddHost()
}

func targetsIn(dir string, program Program) (found []Target) {
	for _, place := range ProgramPaths(program) {
		data, _, err := rooted.ReadFollowing(filepath.Join(dir, filepath.FromSlash(place)), maxProgram)
		if err != nil {
			continue
		}
		if t, err := targetIn(bytes.NewReader(data)); err == nil && !slices.Contains(found, t) {
			found = append(found, t)
		}
	}
	return found
}

var archNames = map[any]string{
	elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64",
	macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64",
	uint16(pe.IMAGE_FILE_MACHINE_AMD64): "amd64", uint16(pe.IMAGE_FILE_MACHINE_ARM64): "arm64",
}

func targetIn(data io.ReaderAt) (Target, error) {
	if e, err := elf.NewFile(data); err == nil {
		return Target{"linux", cmp.Or(archNames[e.Machine], fmt.Sprint(e.Machine))}, nil
	}
	if m, err := macho.NewFile(data); err == nil {
		return Target{"darwin", cmp.Or(archNames[m.Cpu], fmt.Sprint(m.Cpu))}, nil
	}
	if p, err := pe.NewFile(data); err == nil {
		return Target{"windows", cmp.Or(archNames[p.Machine], fmt.Sprint(p.Machine))}, nil
	}
	return Target{}, errors.New("not an executable program")
}
