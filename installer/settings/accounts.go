package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// ClaudeAccount is a further configuration directory of Claude Code, selected with CLAUDE_CONFIG_DIR.
type ClaudeAccount struct {
	client.Places
	On []string // IDs of springfield's plugins that its user settings enable
}

// OtherAccounts returns the user's other accounts with settings or springfield state: ~/.claude*, and directories
// springfield edited.
func OtherAccounts(p client.Places) (others []ClaudeAccount) {
	dirs, _ := fs.Glob(os.DirFS(p.Home), ".claude*")
	_, list, _ := readSuites(client.Places{Config: filepath.Join(p.Home, ".claude")}) // doctor reports the error
	seen := []string{p.Config}
	for _, dir := range append(dirs, list.Accounts...) {
		a := ClaudeAccount{Places: p}
		if a.Config = rooted.PathFrom(p.Home, dir); p.Plugins == filepath.Join(p.Config, "plugins") {
			a.Plugins = filepath.Join(a.Config, "plugins")
		}
		known := slices.ContainsFunc(seen, func(other string) bool { return rooted.SameFile(a.Config, other) })
		if p.Home == "" || known || !rooted.TargetExists(a.Settings(client.User)) && !rooted.TargetExists(a.StatePath()) {
			continue
		}
		for _, s := range client.NewSnapshot(a.Places).SwitchedPlugins() {
			if s.On && s.IsOurs() && s.Decides == string(client.User) {
				a.On = append(a.On, s.ID)
			}
		}
		others, seen = append(others, a), append(seen, a.Config)
	}
	return others
}

// planAddConfigDir plans to list p.Config among the user's accounts, unless OtherAccounts finds it.
func planAddConfigDir(p client.Places) (journal.Edit, error) {
	e, list, err := readSuites(client.Places{Config: filepath.Join(p.Home, ".claude")})
	beside, _ := filepath.Match(".claude*", strings.TrimPrefix(p.Config, filepath.Clean(p.Home)+string(filepath.Separator)))
	if err == nil && p.Home != "" && !beside && !slices.Contains(list.Accounts, p.Config) {
		list.Accounts = append(list.Accounts, p.Config)
		err = list.encodeTo(&e)
	}
	return e, err
}

// EnabledClause returns "ID, ID is enabled in DIR, another account of Claude Code" ("" if no springfield plugin is
// enabled).
func (a ClaudeAccount) EnabledClause() string {
	if len(a.On) == 0 {
		return ""
	}
	return strings.Join(a.On, ", ") + " is enabled in " + a.Config + ", another account of Claude Code"
}

// SpringfieldCommand returns the account's springfield command line. args are words separated by blanks, quoted for the
// shell.
func (a ClaudeAccount) SpringfieldCommand(args string) string {
	return "CLAUDE_CONFIG_DIR=" + check.QuoteArgument(a.Config) + " springfield " + args
}
