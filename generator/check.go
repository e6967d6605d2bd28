// Whether a plugin's hook would start on a machine: looked at in the files
// themselves, since records can be wrong and copies can lose a mode.

package generator

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNoHook says that a plugin has no hook for a machine; ErrNotExecutable that
// it has one which must not be started.
var (
	ErrNoHook        = errors.New("no hook for this machine")
	ErrNotExecutable = errors.New("not executable")
)

// CheckHook says why the hook of the plugin in a directory would not start on a
// machine.
func CheckHook(dir string, machine Target) error {
	hooks := filepath.Join(dir, "hooks")
	if machine.OS == "windows" {
		return checkBinary(filepath.Join(hooks, "springfield-hook.exe"), hooks, machine)
	}
	path := filepath.Join(hooks, "springfield-hook")
	script, err := isScript(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read hook: %w", err)
	}
	if !script {
		return checkBinary(path, hooks, machine)
	}
	if err := checkMode(path); err != nil {
		return err
	}
	return checkBinary(filepath.Join(hooks, machine.OS+"-"+machine.Arch, "springfield-hook"), hooks, machine)
}

func checkBinary(path, hooks string, machine Target) error {
	found, err := TargetOf(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if others := targetsIn(hooks); len(others) > 0 {
			return fmt.Errorf("%w: %s is compiled for %s, not for %s", ErrNoHook, hooks, join(others), machine)
		}
		return fmt.Errorf("%w: %s is not there", ErrNoHook, path)
	case err != nil:
		return fmt.Errorf("read hook: %w", err)
	case found != machine && (machine != Target{"windows", "arm64"} || found != Target{"windows", "amd64"}):
		return fmt.Errorf("%w: %s is compiled for %s, not for %s", ErrNoHook, path, found, machine)
	case machine.OS != "windows":
		return checkMode(path)
	}
	return nil
}

// HookSum is the SHA-256 of the program that a plugin's hook is on a machine.
func HookSum(dir string, machine Target) (string, error) {
	path := filepath.Join(dir, "hooks", "springfield-hook")
	if machine.OS == "windows" {
		path += ".exe"
	} else if script, err := isScript(path); err == nil && script {
		path = filepath.Join(dir, "hooks", machine.OS+"-"+machine.Arch, "springfield-hook")
	}
	return sumFile(path)
}

func sumFile(path string) (string, error) {
	f, err := open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func checkMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("read hook: %w", err)
	}
	if info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s: %w", path, ErrNotExecutable)
	}
	return nil
}

// open opens a regular file: opening a pipe would wait for its writer.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return os.Open(path)
}

func isScript(path string) (bool, error) {
	f, err := open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 2)
	_, err = f.Read(head)
	return err == nil && bytes.Equal(head, []byte("#!")), nil
}

// targetsIn lists what a plugin's hooks are compiled for.
func targetsIn(hooks string) []Target {
	var found []Target
	for _, pattern := range []string{"springfield-hook", "springfield-hook.exe", "*-*/springfield-hook"} {
		paths, _ := fs.Glob(os.DirFS(hooks), pattern)
		for _, path := range paths {
			if t, err := TargetOf(filepath.Join(hooks, filepath.FromSlash(path))); err == nil && !slices.Contains(found, t) {
				found = append(found, t)
			}
		}
	}
	return found
}

// TargetOf reads from a compiled program which machine it is for.
func TargetOf(path string) (Target, error) {
	f, err := open(path)
	if err != nil {
		return Target{}, err
	}
	defer func() { _ = f.Close() }()
	if e, err := elf.NewFile(f); err == nil {
		switch e.Machine {
		case elf.EM_X86_64:
			return Target{"linux", "amd64"}, nil
		case elf.EM_AARCH64:
			return Target{"linux", "arm64"}, nil
		}
		return Target{"linux", e.Machine.String()}, nil
	}
	if m, err := macho.NewFile(f); err == nil {
		switch m.Cpu {
		case macho.CpuAmd64:
			return Target{"darwin", "amd64"}, nil
		case macho.CpuArm64:
			return Target{"darwin", "arm64"}, nil
		}
		return Target{"darwin", m.Cpu.String()}, nil
	}
	if p, err := pe.NewFile(f); err == nil {
		switch p.Machine {
		case pe.IMAGE_FILE_MACHINE_AMD64:
			return Target{"windows", "amd64"}, nil
		case pe.IMAGE_FILE_MACHINE_ARM64:
			return Target{"windows", "arm64"}, nil
		}
		return Target{"windows", fmt.Sprintf("machine %#x", p.Machine)}, nil
	}
	return Target{}, fmt.Errorf("%s: not a program", path)
}
