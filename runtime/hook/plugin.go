// Which plugin are we? The hook is one binary in many plugins; the directory
// it lies in says which one it serves.

package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/runtime/strategy"
)

// configFile lies in the root of every plugin.
const configFile = "strategy.json"

// maxConfig bounds a configuration file, in bytes.
const maxConfig = 256 << 10

// Plugin is the plugin that the hook serves.
type Plugin struct {
	Root   string
	Name   string
	Config strategy.Config
}

// findPlugin looks for strategy.json above the binary: hooks/springfield-hook,
// or hooks/<os>-<arch>/springfield-hook when a launcher started it. Only where
// that fails does CLAUDE_PLUGIN_ROOT count.
func findPlugin(executable, fallback string) (Plugin, error) {
	if executable != "" {
		root := filepath.Dir(follow(executable))
		for range 3 {
			root = filepath.Dir(root)
			p, err := readPlugin(root)
			if !errors.Is(err, os.ErrNotExist) {
				return p, err
			}
		}
	}
	if fallback == "" {
		return Plugin{}, errors.New("find plugin: no " + configFile + " above the hook, and CLAUDE_PLUGIN_ROOT is not set")
	}
	return readPlugin(fallback)
}

// follow resolves a symlinked binary. Directories are left as they are named:
// the plugin is the one whose hooks directory was asked for.
func follow(path string) string {
	for range 16 {
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}

func readPlugin(root string) (Plugin, error) {
	path := filepath.Join(root, configFile)
	f, err := os.Open(path)
	if err != nil {
		return Plugin{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Plugin{}, err
	}
	if len(data) > maxConfig {
		return Plugin{}, fmt.Errorf("read %s: larger than %d bytes", path, maxConfig)
	}
	var c struct {
		Plugin string `json:"plugin"`
		strategy.Config
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return Plugin{}, fmt.Errorf("read %s: %w", path, position(data, err))
	}
	p := Plugin{Root: root, Name: c.Plugin, Config: c.Config}
	if p.Name == "" {
		p.Name = c.Strategy
	}
	return p, nil
}

// position puts line and column in front of a decoding error.
func position(data []byte, err error) error {
	var offset int64
	switch e := err.(type) { // not errors.As, which costs 28 KB of binary
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
	default:
		return err
	}
	line, column := 1, 1
	for _, r := range string(data[:max(0, min(int(offset)-1, len(data)))]) {
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}
