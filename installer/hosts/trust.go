package hosts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// Codex's app-server lists the hooks that it trusts. It runs in a temporary directory with only the settings
// for hooks, plugins and trust, and not with the user's credentials.

const codexTrusting = `type /hooks in Codex, choose Stop and press t`

type codexHook struct {
	Plugin      string `json:"pluginId"`
	Command     string `json:"command"`
	TrustStatus string `json:"trustStatus"`
	Enabled     bool   `json:"enabled"`
}

// codexHooks starts Codex's app-server and returns its hooks and problems. at is codexTrial's trial.
func codexHooks(ctx context.Context, at Place) (hooks []codexHook, problems []string, err error) {
	answer, err := at.askProgram(ctx, []string{"app-server"},
		question{"initialize", map[string]any{"clientInfo": map[string]string{"name": "springfield", "version": "1"}}},
		question{"hooks/list", map[string]any{"cwds": []string{at.Dir}}})
	if err != nil {
		return nil, nil, err
	}
	var list struct {
		Data []struct {
			Hooks    []codexHook                `json:"hooks"`
			Errors   []struct{ Message string } `json:"errors"`
			Warnings []string                   `json:"warnings"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, nil, fmt.Errorf("codex app-server: hooks/list: %w", err)
	}
	for _, d := range list.Data {
		hooks = append(hooks, d.Hooks...)
		problems = append(problems, d.Warnings...)
		for _, e := range d.Errors {
			problems = append(problems, e.Message)
		}
	}
	return hooks, problems, nil
}

// codexTrial copies the user's hooks, their trust and plugin settings to a temporary directory, and links Codex's
// plugins. done removes it. Callers call done if not nil, even on error.
func codexTrial(at Place, on []Installed) (trial Place, done func(), err error) {
	settings, err := readDocOrEmpty("", at.SettingsFile(), parseTOML)
	if err != nil {
		return trial, nil, err
	}
	trial = at
	dir, err := os.MkdirTemp("", "springfield-host-")
	if err == nil {
		trial.Dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return trial, nil, err
	}
	trial.Env = append(slices.Clone(at.Env), at.Host.Variable+"="+trial.Dir)
	hooksFile, _ := hookPath(at)
	hooks, err := journal.OpenEdit("", hooksFile)
	trialFile, _ := hookPath(trial)
	if err == nil && hooks.Before != nil {
		err = os.WriteFile(trialFile, hooks.Before.Data, 0o600)
	}
	resolved, _ := filepath.EvalSymlinks(at.Dir) // Codex resolves CODEX_HOME, but not the file
	trust := settings.table("hooks", "state")
	for key, value := range trust { // a key starts with the file's path
		for _, from := range []string{hooksFile, hooks.At, filepath.Join(resolved, "hooks.json")} {
			if rest, is := strings.CutPrefix(key, from+":"); is {
				trust[trialFile+":"+rest] = value
			}
		}
	}
	maps.DeleteFunc(settings, func(name string, _ any) bool { // the rest does not decide whether a hook runs
		return !slices.Contains([]string{"marketplaces", "plugins", "hooks", "features"}, name)
	})
	part, failed := toml.Marshal(settings)
	err = errors.Join(err, failed, os.WriteFile(trial.SettingsFile(), part, 0o600))
	for _, i := range on {
		name, market, _ := strings.Cut(i.ID, "@")
		if !i.HostRemoves || !isPathPart(name) || !isPathPart(market) {
			continue
		}
		copies := filepath.Join("plugins", "cache", market, name)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(filepath.Join(trial.Dir, copies)), 0o700), os.Symlink(filepath.Join(at.Dir, copies), filepath.Join(trial.Dir, copies)))
	}
	return trial, func() { _ = os.RemoveAll(dir) }, err
}

func codexCheck(ctx context.Context, at Place, on []Installed) (all []check.Finding) {
	if len(on) == 0 || at.Look(at.Host.Name) == "" {
		return nil
	}
	trial, done, err := codexTrial(at, on)
	if done != nil {
		defer done()
	}
	var hooks []codexHook
	var problems []string
	if err == nil {
		hooks, problems, err = codexHooks(ctx, trial)
	}
	if err != nil {
		return []check.Finding{check.Warned("codex did not report which hooks it trusts: "+err.Error(), "start codex and type /hooks")}
	}
	for _, i := range on {
		finding := codexFinding(i, hooks)
		if len(problems) > 0 && finding.State != check.Fine {
			finding.Says += "; it reports: " + strings.ReplaceAll(strings.Join(problems, "; "), trial.Dir, at.Dir)
		}
		all = append(all, finding)
	}
	return all
}

func codexFinding(i Installed, hooks []codexHook) check.Finding {
	hooks = slices.DeleteFunc(slices.Clone(hooks), func(h codexHook) bool {
		return i.HostRemoves && h.Plugin != i.ID || !i.HostRemoves && pluginDirOfCommand(h.Command) != i.Dir
	})
	if len(hooks) == 0 {
		return check.Failed("Codex does not list a hook of "+i.Name, "springfield enable "+i.Name+" --host codex")
	}
	for _, h := range hooks {
		switch {
		case !h.Enabled:
			return check.Warned("the hook of "+i.Name+" is disabled in Codex", "start codex, type /hooks, and enable it")
		case h.TrustStatus == "modified":
			return check.Failed(i.Name+" has changed since you trusted its hook, so Codex does not run it", codexTrusting)
		case h.TrustStatus != "trusted" && h.TrustStatus != "managed": // managed: trusted by an administrator
			return check.Failed("Codex does not run the hook of "+i.Name+": you have not trusted it yet", codexTrusting)
		}
	}
	return check.Passed("Codex trusts the hook of " + i.Name)
}
