// Compiled hooks that the CLI carries, for people who have no Go: one gzip file
// per target and a manifest. They are the same bytes that this CLI would
// compile with the Go version that the manifest names, and they are used only
// for the very sources they were compiled from.

package generator

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed prebuilt
var carried embed.FS

// Prebuilt are the compiled hooks that this CLI carries; there may be none.
func Prebuilt() fs.FS {
	files, err := fs.Sub(carried, "prebuilt")
	if err != nil {
		panic(err) // a constant, valid path
	}
	return files
}

// ErrNoPrebuilt says that the CLI carries no hook that would do.
var ErrNoPrebuilt = errors.New("this springfield carries no compiled hook")

const (
	prebuiltManifest = "manifest.json"
	maxHook          = 64 << 20 // bounds an unpacked hook, in bytes
)

// Carried says what the compiled hooks are that a CLI carries: it is their manifest.
type Carried struct {
	Source string            `json:"source"` // SHA-256 of the sources that they were compiled from
	Go     string            `json:"go"`
	SHA256 map[string]string `json:"sha256"`          // of hooks, by target
	Judge  map[string]string `json:"judge,omitempty"` // of springfield-judge
}

// ReadCarried reads the manifest alone; nil where no hooks are carried.
func ReadCarried(files fs.FS) (*Carried, error) {
	if files == nil {
		return nil, nil
	}
	data, err := fs.ReadFile(files, prebuiltManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read compiled hooks: %w", err)
	}
	var c Carried
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read compiled hooks: %s: %w", prebuiltManifest, err)
	}
	return &c, nil
}

func prebuiltName(program Program, t Target) string {
	name := t.OS + "-" + t.Arch + ".gz"
	if program == Judge {
		return "judge-" + name
	}
	return name
}

// readPrebuilt takes the hooks for some targets, all of them or none. It is
// ErrNoPrebuilt when they are not there or are made from other sources.
func readPrebuilt(files fs.FS, source string, targets []Target, programs []Program) (Build, error) {
	m, err := ReadCarried(files)
	if err != nil {
		return Build{}, err
	}
	if m == nil {
		return Build{}, ErrNoPrebuilt
	}
	if m.Source != source {
		return Build{}, fmt.Errorf("%w: those that it carries were compiled from other sources", ErrNoPrebuilt)
	}
	built := Build{Source: source, Go: m.Go, SHA256: map[string]string{}, Builder: Prepared}
	recorded := Build{SHA256: m.SHA256, Judge: m.Judge}
	for _, b := range unbuilt(targets, programs) {
		want := recorded.Recorded(b.Program, b.Target)
		if want == "" {
			return Build{}, fmt.Errorf("%w for %s", ErrNoPrebuilt, b.Target)
		}
		data, err := unpack(files, prebuiltName(b.Program, b.Target))
		if err != nil {
			return Build{}, fmt.Errorf("read compiled %s for %s: %w", b.Program.Short(), b.Target, err)
		}
		if sum(data) != want {
			return Build{}, fmt.Errorf("read compiled %s for %s: its checksum is %s, the manifest says %s", b.Program.Short(), b.Target, sum(data), want)
		}
		built.add(b.Program, b.Target, data)
	}
	return built, nil
}

func unpack(files fs.FS, name string) ([]byte, error) {
	packed, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(z, maxHook+1))
	if err == nil && len(data) > maxHook {
		err = fmt.Errorf("larger than %d bytes", maxHook)
	}
	return data, err
}

// WritePrebuilt writes compiled hooks into a directory, in the place of those
// that are there: the manifest goes first and comes last, so that what is cut
// off in the middle counts as none.
func WritePrebuilt(dir string, built Build) error {
	if err := writePrebuilt(dir, built); err != nil {
		return fmt.Errorf("write compiled hooks: %w", err)
	}
	return nil
}

func writePrebuilt(dir string, built Build) error {
	manifestPath := filepath.Join(dir, prebuiltManifest)
	if err := os.Remove(manifestPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".gz") {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, b := range built.Binaries {
		var packed bytes.Buffer
		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := z.Write(b.Data); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, prebuiltName(b.Program, b.Target)), packed.Bytes(), 0o644); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(Carried{built.Source, built.Go, built.SHA256, built.Judge}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(manifestPath, append(data, '\n'), 0o644)
}
