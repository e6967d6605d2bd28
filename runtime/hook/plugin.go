// Which plugin are we? The hook is one binary in many plugins; the directory
// it lies in says which one it serves, whatever the environment says.

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

// configFile lies in the root of every plugin.
const configFile = "strategy.json"

// findRoot is the plugin's directory: hooks/springfield-hook lies in it, or
// hooks/<os>-<arch>/springfield-hook when a launcher started it, or something in
// hooks/scripts, where the plugins that ours stand in for have theirs. A plugin
// has a strategy.json, or a strategy's name. Only where the binary lies in no
// plugin does CLAUDE_PLUGIN_ROOT count.
func findRoot(executable, fallback string) (string, error) {
	if executable != "" {
		dir := filepath.Dir(followLink(executable))
		for _, hooks := range []string{dir, filepath.Dir(dir)} {
			root := filepath.Dir(hooks)
			_, named := registry.StrategyNamed(filepath.Base(root))
			if filepath.Base(hooks) == "hooks" && (named || file.IsReadable(filepath.Join(root, configFile))) {
				return root, nil
			}
		}
	}
	if fallback == "" {
		return "", errors.New("find plugin: the hook is not in a plugin, and CLAUDE_PLUGIN_ROOT is not set")
	}
	return fallback, nil
}

// followLink resolves a symlinked binary. Directories are left as they are named:
// the plugin is the one whose hooks directory was asked for.
func followLink(path string) string {
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

// Plugin is a plugin as its own file names it, read before anything is known of the
// event.
type Plugin struct {
	Name     string
	Strategy strategy.Strategy
	Root     string // "" for a plugin that lies nowhere
	path     string // of its own file, "" for none
	data     []byte
}

// ReadPlugin tells which plugin lies in a directory. Without a file the directory's
// name says which, so that a plugin that lost its settings keeps its strategy.
func ReadPlugin(root string) (Plugin, error) {
	path := filepath.Join(root, configFile)
	data, err := file.ReadRegular(path, maxConfig)
	if known, ok := registry.StrategyNamed(filepath.Base(root)); ok && os.IsNotExist(err) {
		return Plugin{Name: known.Name, Strategy: known, Root: root, data: []byte("{}")}, nil
	}
	if err != nil {
		return Plugin{}, err
	}
	p, err := parsePlugin(path, data, "")
	p.Root = root
	return p, err
}

// named is whose settings a file has.
type named struct{ plugin, strategy string }

func (n *named) Members(m *codec.Members) {
	m.Text("plugin", &n.plugin)
	m.Text("strategy", &n.strategy)
}

// parsePlugin reads whose settings a file has: those of a plugin of the strategy
// otherwise where it names none. A fault in the rules does not hide it.
func parsePlugin(path string, data []byte, otherwise string) (Plugin, error) {
	var named named
	parts, fault := codec.ReadStrictly(data, &named, func(string) bool { return true })
	if len(parts) > 0 {
		fault = parts[0]
	}
	if fault != nil {
		return Plugin{}, errors.New("read " + path + ": " + fault.InText(data))
	}
	p, name, ok := Plugin{Name: named.plugin, path: path, data: data}, cmp.Or(named.strategy, otherwise), false
	if p.Strategy, ok = registry.StrategyNamed(name); !ok {
		return Plugin{}, errors.New("read " + path + ": there is no strategy " + strconv.Quote(name) +
			"; this hook knows " + strings.Join(registry.StrategyNames(), ", "))
	}
	if !isPluginName(p.Name) {
		p.Name = name
	}
	return p, nil
}

// ReadFile are the settings that one file brings: a plugin's strategy.json, or a
// user's own file of rules. One that leaves out whose rules it has is named as its
// strategy, or it is for the default one. What is wrong with it is an error, because it
// is what the user wants to try.
func ReadFile(path string) (Settings, error) {
	data, err := file.ReadRegular(path, maxConfig)
	if err != nil {
		return Settings{}, err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	if _, ok := registry.StrategyNamed(name); !ok {
		name = registry.Default()
	}
	p, err := parsePlugin(path, data, name)
	if err != nil {
		return Settings{}, err
	}
	s := p.ReadSettings("", "")
	if len(s.Faults) > 0 {
		return Settings{}, errors.New("read " + s.Faults[0])
	}
	return s, nil
}

// isPluginName tells whether a plugin's name may be part of a path.
func isPluginName(s string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "-0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
