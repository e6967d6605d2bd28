// Programs that the CLI carries for people without Go: a packed file per architecture and a manifest. They
// equal the programs that this CLI would compile with the manifest's version of Go.

package generator

import (
	"archive/tar"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/cameronsjo/springfield/internal/journal"
)

//go:embed prebuilt
var carried embed.FS

// Prebuilt returns the programs carried by this springfield, possibly none.
func Prebuilt() fs.FS {
	files, _ := fs.Sub(carried, "prebuilt") // a valid path
	return files
}

var ErrNoPrebuilt = errors.New("this springfield contains no compiled hook")

const prebuiltManifest = "manifest.json"

// ReadManifestIfAny reads the manifest of carried programs (nil if none or prebuilt is nil). The build has checksums
// but no Binaries.
func ReadManifestIfAny(prebuilt fs.FS) (*Build, error) {
	if prebuilt == nil {
		return nil, nil
	}
	data, err := fs.ReadFile(prebuilt, prebuiltManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read compiled hooks: %w", err)
	}
	var c Build
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read compiled hooks: %s: %w", prebuiltManifest, err)
	}
	return &c, nil
}

// readPrebuilt reads carried programs for all targets. It returns ErrNoPrebuilt if one is missing or has different
// sources.
func readPrebuilt(files fs.FS, sourceHash string, targets []Target, programs []Program) (Build, error) {
	m, err := ReadManifestIfAny(files)
	switch {
	case err != nil:
		return Build{}, err
	case m == nil:
		return Build{}, ErrNoPrebuilt
	case m.Source != sourceHash:
		return Build{}, fmt.Errorf("%w: the compiled ones are from a different version", ErrNoPrebuilt)
	}
	built := Build{Source: sourceHash, Go: m.Go, SHA256: map[string]string{}, Builder: Prepared}
	all := Unbuilt(targets, programs).Binaries
	wanted := map[string][]string{} // programs by packed file
	for _, b := range all {
		if m.ChecksumOf(b.Program, b.Target) == "" {
			return Build{}, fmt.Errorf("%w for %s", ErrNoPrebuilt, b.Target)
		}
		wanted[sharedArchive(b.Target)] = append(wanted[sharedArchive(b.Target)], packedName(b.Program, b.Target))
	}
	unpacked := map[string]map[string][]byte{}
	for _, b := range all {
		from := sharedArchive(b.Target)
		if unpacked[from] == nil {
			if unpacked[from], err = unpackPrograms(files, from, wanted[from]); err != nil {
				return Build{}, fmt.Errorf("read compiled %s for %s: %w", b.Program.ShortName(), b.Target, err)
			}
		}
		data, want := unpacked[from][packedName(b.Program, b.Target)], m.ChecksumOf(b.Program, b.Target)
		if journal.HashBytes(data) != want {
			return Build{}, fmt.Errorf("read compiled %s for %s: its checksum is %s, but the manifest has %s", b.Program.ShortName(), b.Target, journal.HashBytes(data), want)
		}
		built.addBinary(b.Program, b.Target, data)
	}
	return built, nil
}

// WritePrebuilt replaces the carried programs in prebuiltDir. An interruption leaves no manifest.
func WritePrebuilt(prebuiltDir string, built Build) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write compiled hooks: %w", err)
		}
	}()
	manifestPath := filepath.Join(prebuiltDir, prebuiltManifest)
	packed, _ := filepath.Glob(filepath.Join(prebuiltDir, "*"+packedSuffix)) // a valid pattern
	for _, old := range append([]string{manifestPath}, packed...) {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.MkdirAll(prebuiltDir, 0o755); err != nil {
		return err
	}
	together := map[string][]Binary{} // by packed file
	for _, b := range built.Binaries {
		together[sharedArchive(b.Target)] = append(together[sharedArchive(b.Target)], b)
	}
	for name, programs := range together {
		packed, err := packPrograms(programs)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(prebuiltDir, name), packed, 0o644); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(built, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(manifestPath, append(data, '\n'), 0o644)
}

// All programs for an architecture are packed together. Most bytes are the same, so this halves the size.
const packedSuffix = ".tar.zst"

// window is the compression window in bytes.
const window = 64 << 20

func sharedArchive(t Target) string { return t.Arch + packedSuffix }

func packedName(program Program, t Target) string {
	name := t.OS + "-" + t.Arch
	if program == Judge {
		return "judge-" + name
	}
	return name
}

// packPrograms returns a reproducible tar file, compressed with zstd.
func packPrograms(programs []Binary) ([]byte, error) {
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, b := range programs {
		err = errors.Join(err, w.WriteHeader(&tar.Header{Name: packedName(b.Program, b.Target), Mode: 0o755, Size: int64(len(b.Data))}))
		if err == nil {
			_, err = w.Write(b.Data)
		}
	}
	err = errors.Join(err, w.Close(), z.Close())
	return packed.Bytes(), err
}

// unpackPrograms returns these programs from archive, by name. A missing one is an error.
func unpackPrograms(files fs.FS, archive string, packedNames []string) (map[string][]byte, error) {
	packed, err := files.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }()
	z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	found := map[string][]byte{}
	for r := tar.NewReader(z); len(found) < len(packedNames); {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s ends before all programs were found", archive)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		if !slices.Contains(packedNames, h.Name) {
			continue
		}
		if h.Size > maxProgram {
			return nil, fmt.Errorf("%s: %s is larger than %d bytes", archive, h.Name, maxProgram)
		}
		if found[h.Name], err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
	}
	return found, nil
}
