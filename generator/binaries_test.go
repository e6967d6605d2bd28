package generator

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Hooks and judges compiled here for other systems are what those systems start: macOS
// aborts a program without LC_UUID and, on arm64, kills one that is not signed.
func TestHooksForOtherSystems(t *testing.T) {
	var binaries []Binary
	// A judge brings the network along, which is long to compile for another system.
	for program, of := range map[Program]int{Hook: 2, Judge: 6} {
		some := slices.DeleteFunc(AllTargets(), func(other Target) bool { return other != host() && scratch.Skipped(of) })
		built, err := toolchain(t).BuildPrograms(context.Background(), some, program)
		must(t, err)
		binaries = append(binaries, built.Binaries...)
	}
	for _, b := range binaries {
		t.Run(b.Program.ShortName()+"-"+b.Target.OS+"-"+b.Target.Arch, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hook")
			must(t, os.WriteFile(path, b.Data, 0o755))
			if got, err := TargetOf(path); err != nil || got != b.Target {
				t.Errorf("it is compiled for %s, %v", got, err)
			}
			if size, most := len(b.Data), map[Program]int{Hook: 19 << 18, Judge: 10 << 20}[b.Program]; size > most {
				t.Errorf("%d bytes, more than %d", size, most)
			}
			if check := map[string]func([]byte) error{"linux": checkELF, "darwin": checkMachO}[b.Target.OS]; check != nil {
				must(t, check(b.Data))
			}
		})
	}
}

// checkELF demands a program that needs no library of the system.
func checkELF(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("it has %s, so it is not static", p.Type)
		}
	}
	return nil
}

func checkMachO(data []byte) error {
	f, err := macho.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	const uuid, codeSignature, requirement = 0x1b, 0x1d, 0x32 // LC_UUID, LC_CODE_SIGNATURE, LC_BUILD_VERSION
	loads := map[uint32][]byte{}
	for _, l := range f.Loads {
		raw := l.Raw()
		loads[f.ByteOrder.Uint32(raw)] = raw
	}
	if id := loads[uuid]; len(id) != 24 || bytes.Equal(id[8:], make([]byte, 16)) {
		return fmt.Errorf("LC_UUID is % x", id)
	}
	if loads[requirement] == nil {
		return fmt.Errorf("there is no LC_BUILD_VERSION")
	}
	if loads[codeSignature] == nil && f.Cpu == macho.CpuArm64 {
		return fmt.Errorf("it is not signed")
	}
	return nil
}
