package hook

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

const configFile = "strategy.json"

// findRoot returns the plugin directory with the executable in hooks or below, and a strategy.json. Otherwise, it
// returns fallback, or an error if fallback is empty.
func findRoot(executable, fallback string) (string, error) {
	dir := filepath.Dir(executable)
	for _, hooks := range []string{dir, filepath.Dir(dir)} {
		root := filepath.Dir(hooks)
		if _, err := os.Stat(filepath.Join(root, configFile)); err == nil && executable != "" && filepath.Base(hooks) == "hooks" {
			return root, nil
		}
	}
	if fallback == "" {
		return "", errors.New("find plugin: the hook is not in a plugin, and CLAUDE_PLUGIN_ROOT is not set")
	}
	return fallback, nil
}

// Plugin is a plugin and its strategy, as named in its settings file.
type Plugin struct {
	Name     string
	Strategy strategy.Strategy
	Root     string // can be ""
	path     string // of its own file
	data     []byte
}

// ReadPlugin reads the plugin in the directory root.
func ReadPlugin(root string) (Plugin, error) {
	path := filepath.Join(root, configFile)
	data, err := file.ReadRegular(path, maxConfig)
	if err != nil {
		return Plugin{}, err
	}
	p, err := parseStrategy(path, data, "")
	p.Root = root
	return p, err
}

// parseStrategy reads the plugin's and strategy's names, and leaves other checks to Overlay. If data names no strategy,
// defaultStrategy is used. An unknown strategy is an error. An invalid plugin name becomes the strategy's.
func parseStrategy(path string, data []byte, defaultStrategy string) (Plugin, error) {
	if fault := codec.FindFault(data); fault != nil {
		return Plugin{}, errors.New("read " + path + ": " + fault.DescribeIn(data))
	}
	plugin, _ := codec.ExactString(codec.FindMember(data, "plugin"))
	named, _ := codec.ExactString(codec.FindMember(data, "strategy"))
	p, name, ok := Plugin{Name: plugin, path: path, data: data}, cmp.Or(named, defaultStrategy), false
	if p.Strategy, ok = registry.StrategyNamed(name); !ok {
		return Plugin{}, errors.New("read " + path + ": there is no strategy " + strconv.Quote(name) +
			"; this hook knows " + strings.Join(registry.StrategyNames(), ", "))
	}
	if !isPluginName(p.Name) {
		p.Name = name
	}
	return p, nil
}

// isPluginName reports whether s is 1 to 64 lowercase letters, digits and hyphens, and safe in a path.
func isPluginName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
