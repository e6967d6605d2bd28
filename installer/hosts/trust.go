package hosts

import (
	"context"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

const codexTrusting = `type /hooks in Codex, choose Stop and press t`

// codexCheck reads from Codex's settings whether the user trusts the hooks. The key is the hook's place in the file, or
// its plugin if Codex itself has installed that. A hash is not compared: Codex asks again for what has changed.
func codexCheck(_ context.Context, at Place, on []Installed) (all []check.Finding) {
	settings, err := readDocument("", at.SettingsFile(), parseConfig)
	if err != nil {
		return nil // reading what is installed reports it
	}
	path, _ := hookPath(at)
	real, _ := journal.Resolve(path)
	entries, _ := readHookEntries(at)
	for _, i := range on {
		keys := []string{i.ID + ":"}
		for _, e := range entries {
			if e.dir == i.Dir {
				keys = append(keys, path+e.place, real+e.place)
			}
		}
		all = append(all, codexFinding(i.Name, settings.table("hooks", "state"), keys))
	}
	return all
}

func codexFinding(name string, state config, keys []string) check.Finding {
	var trust config
	for key := range state {
		if slices.ContainsFunc(keys, func(begin string) bool { return strings.HasPrefix(key+":", begin) }) {
			trust = state.table(key)
		}
	}
	switch {
	case trust["enabled"] == false:
		return check.Warned("the hook of "+name+" is switched off in Codex", "start codex, type /hooks, and switch it on")
	case trust["trusted_hash"] == nil:
		return check.Failed("Codex does not run the hook of "+name+": you have not trusted it yet", codexTrusting)
	}
	return check.Passed("Codex trusts the hook of " + name)
}
