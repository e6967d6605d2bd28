package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// Account is another configuration directory of Claude Code, which sessions with CLAUDE_CONFIG_DIR use.
type Account struct {
	client.Places
	On []string // IDs of springfield's plugins that its user settings enable
}

// Accounts returns the user's other accounts: ~/.claude* with settings, and directories elsewhere that springfield has
// edited.
func Accounts(p client.Places) (all []Account) {
	var dirs []string
	beside, _ := os.ReadDir(p.Home)
	for _, e := range beside {
		if strings.HasPrefix(e.Name(), ".claude") {
			dirs = append(dirs, filepath.Join(p.Home, e.Name()))
		}
	}
	_, list, _ := readSuites(homeOf(p)) // doctor reports the error
	for _, dir := range append(dirs, list.Accounts...) {
		at := p
		if at.Config, at.PluginDirs = dir, ""; p.Plugins == filepath.Join(p.Config, "plugins") {
			at.Plugins = filepath.Join(dir, "plugins")
		}
		used := rooted.PathExists(at.Settings(client.User)) || rooted.PathExists(at.StatePath())
		seen := func(a Account) bool { return rooted.IsSame(a.Config, dir) }
		if p.Home != "" && filepath.IsAbs(dir) && used && !rooted.IsSame(dir, p.Config) && !slices.ContainsFunc(all, seen) {
			all = append(all, Account{at, pluginsOnBy(at)})
		}
	}
	return all
}

func pluginsOnBy(p client.Places) (ids []string) {
	for _, s := range client.NewSnapshot(p).AllPlugins() {
		if s.On && s.IsOurs() && s.Decides == string(client.User) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func homeOf(p client.Places) client.Places {
	p.Config = filepath.Join(p.Home, ".claude")
	return p
}

// rememberAccount adds a configuration directory to the list in the user's home, unless Accounts finds it anyway.
func rememberAccount(p client.Places) (journal.Edit, error) {
	e, list, err := readSuites(homeOf(p))
	beside := filepath.Dir(p.Config) == filepath.Clean(p.Home) && strings.HasPrefix(filepath.Base(p.Config), ".claude")
	if err == nil && p.Home != "" && !beside && !slices.Contains(list.Accounts, p.Config) {
		list.Accounts = append(list.Accounts, p.Config)
		err = list.writeTo(&e)
	}
	return e, err
}

// InWords describes the plugins that are on; "" if there are none.
func (a Account) InWords() string {
	if len(a.On) == 0 {
		return ""
	}
	return strings.Join(a.On, ", ") + " is on in " + a.Config + ", another account of Claude Code"
}

// CommandTo returns the call of springfield for this account.
func (a Account) CommandTo(args string) string {
	return "CLAUDE_CONFIG_DIR=" + check.QuoteArgument(a.Config) + " springfield " + args
}
