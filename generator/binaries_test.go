package generator

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// Hooks and judges compiled here for other systems are what those systems start: macOS
// aborts a program without LC_UUID and, on arm64, kills one whose signature is
// missing or does not fit its pages; Windows wants a console program.
func TestHooksForOtherSystems(t *testing.T) {
	var binaries []Binary
	// A judge brings the network along, which is long to compile for another system.
	for program, of := range map[Program]int{Hook: 2, Judge: 6} {
		some := slices.DeleteFunc(AllTargets(), func(other Target) bool { return other != host() && scratch.Skipped(of) })
		built, err := toolchain(t).Build(context.Background(), some, program)
		must(t, err)
		binaries = append(binaries, built.Binaries...)
	}
	for _, b := range binaries {
		t.Run(b.Program.Short()+"-"+b.Target.OS+"-"+b.Target.Arch, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "hook")
			must(t, os.WriteFile(path, b.Data, 0o755))
			if got, err := TargetOf(path); err != nil || got != b.Target {
				t.Errorf("it is compiled for %s, %v", got, err)
			}
			if size, most := len(b.Data), map[Program]int{Hook: 19 << 18, Judge: 10 << 20}[b.Program]; size > most {
				t.Errorf("%d bytes, more than %d", size, most)
			}
			check := map[string]func([]byte) error{"linux": checkELF, "darwin": checkMachO, "windows": checkPE}[b.Target.OS]
			if err := check(b.Data); err != nil {
				t.Error(err)
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
	signature := loads[codeSignature]
	if signature == nil {
		if f.Cpu == macho.CpuArm64 {
			return fmt.Errorf("it is not signed")
		}
		return nil
	}
	offset, size := f.ByteOrder.Uint32(signature[8:]), f.ByteOrder.Uint32(signature[12:])
	return checkSignature(data, data[offset:offset+size])
}

// checkSignature reads an ad-hoc signature as the kernel does: a directory
// with a SHA-256 for each page of everything in front of the signature.
func checkSignature(data, blob []byte) error {
	big := binary.BigEndian
	if magic := big.Uint32(blob); magic != 0xfade0cc0 {
		return fmt.Errorf("the signature begins with %#x", magic)
	}
	directory := blob[big.Uint32(blob[16:]):]
	if magic := big.Uint32(directory); magic != 0xfade0c02 {
		return fmt.Errorf("the code directory begins with %#x", magic)
	}
	if flags := big.Uint32(directory[12:]); flags&0x2 == 0 {
		return fmt.Errorf("the signature is not ad hoc: %#x", flags)
	}
	hashes, pages, limit := big.Uint32(directory[16:]), big.Uint32(directory[28:]), int(big.Uint32(directory[32:]))
	page := 1 << directory[39]
	if directory[36] != sha256.Size || directory[37] != 2 || int(pages) != (limit+page-1)/page {
		return fmt.Errorf("%d pages of %d bytes for %d bytes, hash type %d", pages, page, limit, directory[37])
	}
	for i := range int(pages) {
		want := sha256.Sum256(data[i*page : min((i+1)*page, limit)])
		at := int(hashes) + i*sha256.Size
		if !bytes.Equal(directory[at:at+sha256.Size], want[:]) {
			return fmt.Errorf("page %d is not what was signed", i)
		}
	}
	return nil
}

func checkPE(data []byte) error {
	f, err := pe.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	head, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok || head.Subsystem != pe.IMAGE_SUBSYSTEM_WINDOWS_CUI || head.AddressOfEntryPoint == 0 {
		return fmt.Errorf("not a console program of 64 bits: %+v", f.OptionalHeader)
	}
	if f.Characteristics&pe.IMAGE_FILE_EXECUTABLE_IMAGE == 0 || f.Characteristics&pe.IMAGE_FILE_DLL != 0 {
		return fmt.Errorf("characteristics %#x", f.Characteristics)
	}
	return nil
}
