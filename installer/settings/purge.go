package settings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
)

func (s *Settings) whyInUse(id string) (string, error) {
	for _, l := range s.AllLayers() {
		if on, _ := l.SwitchOf(id); on {
			return l.Name + " settings enable it", nil
		}
	}
	memories, _ := s.memoriesOf("") // unreadable: not needed
	for _, m := range memories {
		if m.switchedOn(id) && rooted.TargetExists(m.File) {
			return "springfield has also enabled it in " + m.File, nil
		}
	}
	project, err := s.InstalledElsewhere(id)
	if project != "" {
		return "Claude Code has also installed it for " + project, nil
	}
	return "", err
}

// PurgeIfUnused makes the client uninstall a plugin if unused, and forget the marketplace if its other plugins are.
// notes include why something was kept. Disable the plugin first, then create s. The claude command must exist.
func (s *Settings) PurgeIfUnused(ctx context.Context, claude client.Command, plugin client.Plugin) (notes []string, err error) {
	id := plugin.ID()
	if why, err := s.whyInUse(id); err != nil {
		return nil, err
	} else if why != "" {
		return []string{id + " stays installed: " + why}, nil
	}
	others, err := s.SiblingsInUse(plugin)
	if err != nil {
		return nil, err
	}
	if len(others) == 0 {
		// This uninstalls the plugin, too.
		note, err := claude.RemoveMarketAndPlugins(ctx, s.Snapshot, plugin.Marketplace)
		if _, from := client.MemberIn(s.AllLayers(), "extraKnownMarketplaces", plugin.Marketplace); from != "" && err == nil {
			note += "; " + from + " settings still declare it, so the next session registers it again: " + client.Market{Name: plugin.Marketplace}.HowToForget()
		}
		return []string{note}, err
	}
	notes, err = s.uninstall(ctx, claude, []string{id})
	return append(notes, fmt.Sprintf("marketplace %s stays registered, because %s also comes from it", plugin.Marketplace, others[0])), err
}

// PurgeInClaude makes the client forget springfield's plugins, and marketplaces offering nothing else. left lists
// marketplaces with springfield's plugins that stay registered (all of these without a claude command). alsoIDs count
// as springfield's.
func (s *Settings) PurgeInClaude(ctx context.Context, claude client.Command, alsoIDs []string) (notes []string, left []Left, err error) {
	markets, err := s.Markets()
	for _, name := range slices.Sorted(maps.Keys(markets)) {
		m, remove := markets[name], "run /plugin marketplace remove "+name+" in Claude Code"
		ours := s.ownPluginsIn(m, alsoIDs)
		switch why := s.offersOthers(m, ours); {
		case len(ours) == 0:
		case claude.Path == "":
			left = append(left, Left{"Claude Code knows marketplace " + name + " (" + m.String() + ")", remove, false})
		case why != "":
			left = append(left, Left{"marketplace " + name + " stays registered: " + why, remove, false})
			more, err := s.uninstall(ctx, claude, ours)
			if notes = append(notes, more...); err != nil {
				return notes, left, err
			}
		default:
			note, err := claude.RemoveMarketAndPlugins(ctx, s.Snapshot, name)
			if err != nil {
				return notes, left, err
			}
			notes = append(notes, note)
		}
	}
	return notes, left, err
}

func (s *Settings) uninstall(ctx context.Context, claude client.Command, ids []string) (notes []string, err error) {
	for _, id := range ids {
		note, err := claude.Uninstall(ctx, client.NewSnapshot(s.Places), id)
		if err != nil {
			return notes, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes, nil
}

func (s *Settings) ownPluginsIn(m client.Market, alsoIDs []string) (ids []string) {
	for _, name := range s.OursInCatalog(m) {
		ids = append(ids, name+"@"+m.Name)
	}
	for _, id := range alsoIDs {
		if _, market, _ := strings.Cut(id, "@"); market == m.Name && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Settings) offersOthers(m client.Market, ourIDs []string) (reason string) {
	names, _ := s.PluginsOffered(m)
	for _, name := range names {
		if !slices.Contains(ourIDs, name+"@"+m.Name) {
			return "it offers other plugins, such as " + name
		}
	}
	return ""
}

// RemoveState removes springfield's state. left lists files the user may have written, which are kept.
func RemoveState(p client.Places) (removed []string, left []Left, err error) {
	own, left, err := StateFiles(p)
	if err != nil {
		return nil, nil, fmt.Errorf("remove state: %w", err)
	}
	for _, path := range own {
		if err := os.RemoveAll(path); err != nil {
			return removed, left, fmt.Errorf("remove state: %w", err)
		}
		removed = append(removed, path)
	}
	if len(left) == 0 {
		if err = os.Remove(p.StatePath()); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	// Remove its directory, too, if that is empty and not a link.
	dir := filepath.Dir(p.StatePath())
	if info, e := os.Lstat(dir); err == nil && len(left) == 0 && e == nil && info.IsDir() && os.Remove(dir) == nil {
		removed = append(removed, dir)
	}
	return removed, left, err
}

// StateFiles lists the state directory: springfield's files, and those the user may have written. If users is not
// empty, the last item is the directory.
func StateFiles(p client.Places) (own []string, users []Left, err error) {
	entries, err := os.ReadDir(p.StatePath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(p.StatePath(), e.Name())
		if isState(e.Name()) {
			own = append(own, path)
		} else if !e.IsDir() {
			users = append(users, Left{path + " may have settings of yours", "rm " + check.QuoteArgument(path), false})
		} else {
			users = append(users, Left{path + " may contain files that you wrote", "rm -r " + check.QuoteArgument(path), false})
		}
	}
	if len(users) > 0 {
		users = append(users, Left{p.StatePath() + " is then empty", "rmdir " + check.QuoteArgument(p.StatePath()), false})
	}
	return own, users, err
}

func isState(name string) bool {
	switch name {
	case "edits", "journal", "sessions", "index", "locks", "hold", "judge.json", "holds.jsonl", "away.json", "away.jsonl", "loops.jsonl", "suites.json", "settings.lock", "declined":
		return true
	}
	return journal.IsTemporary(name)
}
