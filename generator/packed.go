package generator

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
)

// The compiled hooks and judges for one architecture are packed together: most of their bytes are the same on every
// system, and the judge has most of the hook. Packed one by one they take twice the room.
const packedSuffix = ".tar.zst"

// window is how far back the packer sees the same bytes: all programs for an architecture.
const window = 64 << 20

// packedIn is the name of the file that has the programs for an architecture.
func packedIn(t Target) string { return t.Arch + packedSuffix }

// packedAs is the name of a program in it.
func packedAs(program Program, t Target) string {
	name := t.OS + "-" + t.Arch
	if program == Judge {
		return "judge-" + name
	}
	return name
}

// pack packs programs, in their order: what is unpacked often comes first. The same programs give the same bytes.
func pack(programs []Binary) ([]byte, error) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, b := range programs {
		err = errors.Join(err, w.WriteHeader(&tar.Header{Name: packedAs(b.Program, b.Target), Mode: 0o755, Size: int64(len(b.Data))}))
		if err == nil {
			_, err = w.Write(b.Data)
		}
	}
	err = errors.Join(err, w.Close(), z.Close())
	return packed.Bytes(), err
}

// unpack takes programs out of a packed file. It reads no more of the file than it has to.
func unpack(files fs.FS, name string, wanted []string) (map[string][]byte, error) {
	packed, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }()
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	missing := map[string]bool{}
	for _, w := range wanted {
		missing[w] = true
	}
	found := map[string][]byte{}
	for r := tar.NewReader(z); len(missing) > 0; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s ends before all programs were found", name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if !missing[h.Name] {
			continue
		}
		if h.Size > maxHook {
			return nil, fmt.Errorf("%s: %s is larger than %d bytes", name, h.Name, maxHook)
		}
		if found[h.Name], err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		delete(missing, h.Name)
	}
	return found, nil
}
