package scratch

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
)

// ProgramHead returns the header of a compiled program for a machine.
func ProgramHead(system, arch string) []byte {
	var head any = pe.FileHeader{Machine: map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[arch]}
	switch system {
	case "linux":
		machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "riscv64": elf.EM_RISCV}[arch]
		h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Ehsize: 64, Phentsize: 56, Shentsize: 64}
		copy(h.Ident[:], "\x7fELF\x02\x01\x01")
		head = h
	case "darwin":
		cpu := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[arch]
		head = macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: macho.TypeExec}
	}
	data, _ := binary.Append(nil, binary.LittleEndian, head)
	return append(data, make([]byte, 96)...)
}
