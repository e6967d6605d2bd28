package scratch

import "encoding/binary"

// ProgramHead is the head of a compiled program: as much as says for which machine it is. It does not start.
func ProgramHead(system, arch string) []byte {
	little := binary.LittleEndian
	switch system {
	case "linux":
		head := make([]byte, 64)
		copy(head, "\x7fELF\x02\x01\x01")
		little.PutUint16(head[16:], 2) // executable
		little.PutUint16(head[18:], map[string]uint16{"amd64": 62, "arm64": 183, "riscv64": 243}[arch])
		little.PutUint32(head[20:], 1)
		little.PutUint16(head[52:], 64)
		little.PutUint16(head[54:], 56)
		little.PutUint16(head[58:], 64)
		return head
	case "darwin":
		head := make([]byte, 32)
		little.PutUint32(head, 0xfeedfacf)
		little.PutUint32(head[4:], map[string]uint32{"amd64": 0x01000007, "arm64": 0x0100000c}[arch])
		little.PutUint32(head[12:], 2)
		return head
	}
	head := make([]byte, 64+4+20+256)
	copy(head, "MZ")
	little.PutUint32(head[0x3c:], 64)
	copy(head[64:], "PE\x00\x00")
	little.PutUint16(head[68:], map[string]uint16{"amd64": 0x8664, "arm64": 0xaa64}[arch])
	return head
}
