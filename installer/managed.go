package installer

// Managed settings: what an administrator deploys to every machine. springfield
// reads them and prints some to deploy; it never writes them.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// managedFiles lists the managed settings files, the lowest first. Settings that
// a server or a device profile delivers are not among them.
func (p Places) managedFiles() []string {
	if p.Managed == "" {
		return nil
	}
	var files []string
	if path := filepath.Join(p.Managed, "managed-settings.json"); exists(path) {
		files = append(files, path)
	}
	entries, _ := os.ReadDir(filepath.Join(p.Managed, "managed-settings.d"))
	for _, e := range entries { // sorted by name
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(p.Managed, "managed-settings.d", e.Name()))
		}
	}
	return files
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ManagedSettings is the file an administrator would deploy to have a plugin on
// for everybody.
func ManagedSettings(e Enabling, market Market) ([]byte, error) {
	if market.source == nil {
		return nil, fmt.Errorf("marketplace %s: where it comes from is not known", market.Name)
	}
	settings := struct {
		Env          map[string]string                     `json:"env,omitempty"`
		Marketplaces map[string]map[string]json.RawMessage `json:"extraKnownMarketplaces"`
		Plugins      map[string]bool                       `json:"enabledPlugins"`
	}{
		Marketplaces: map[string]map[string]json.RawMessage{market.Name: {"source": market.source}},
		Plugins:      map[string]bool{e.Plugin.ID(): true},
	}
	if !e.Beside {
		settings.Plugins[latteOrigin] = false
	}
	if e.Rounds > blockCapDefault {
		settings.Env = map[string]string{BlockCap: strconv.Itoa(e.Rounds)}
	}
	return encodeIndented(settings)
}

// ManagedFiles names where managed settings lie on each system.
func ManagedFiles() map[string]string {
	files := map[string]string{}
	for name, system := range map[string]string{"Linux and WSL": "linux", "macOS": "darwin", "Windows": "windows"} {
		dir := ManagedDir(system)
		separator := "/"
		if strings.Contains(dir, `\`) {
			separator = `\`
		}
		files[name] = strings.Join([]string{dir, "managed-settings.d", "springfield.json"}, separator)
	}
	return files
}
