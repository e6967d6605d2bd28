package hosts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/check"
)

// Codex itself says which hooks it trusts: its app-server lists them. It is asked in a
// directory of its own, with no more of the user's settings than plugins and trust, and
// without the user's credentials.

// codexHook is a hook as Codex lists it.
type codexHook struct {
	Key         string `json:"key"`
	Plugin      string `json:"pluginId"`
	Hash        string `json:"currentHash"` // of the hook, and behind a slash of the plugin's contents
	TrustStatus string `json:"trustStatus"`
	Enabled     bool   `json:"enabled"`
}

// isTrusted tells whether Codex runs it. An administrator's hooks are managed.
func (h codexHook) isTrusted() bool { return h.TrustStatus == "trusted" || h.TrustStatus == "managed" }

// codexHooks lists the hooks of a place, and what Codex could not read there.
func codexHooks(ctx context.Context, at Place) (hooks []codexHook, problems []string, err error) {
	answers, err := at.askProgram(ctx, []string{"app-server"},
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
	if err := json.Unmarshal(answers[1], &list); err != nil {
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

// codexTrusted are the members that have Codex trust the hooks of a plugin as it lies in
// its suite.
func codexTrusted(ctx context.Context, r Request) (edits []document.Edit, err error) {
	r.Plugin.Suite = cmp.Or(r.Stage, r.Plugin.Suite)
	trial, done, err := r.At.TrialPlace()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := trial.RunCommands(ctx, codexInstall(r)); err != nil {
		return nil, err
	}
	hooks, problems, err := codexHooks(ctx, trial)
	if err != nil {
		return nil, err
	}
	for _, h := range hooks {
		if h.Plugin != r.Plugin.ID() {
			continue
		}
		hash, contents, both := strings.Cut(h.Hash, "/")
		state := map[string]string{"trusted_hash": hash}
		if both {
			state["trusted_content_hash"] = contents
		}
		edits = append(edits, eachMember(state, "hooks", "state", h.Key)...)
	}
	if len(edits) == 0 {
		return nil, fmt.Errorf("codex lists no hook of %s: %s", r.Plugin.ID(),
			strings.Join(append(problems, "it has none"), "; "))
	}
	return edits, nil
}

// codexTrusting is what the user does to have a plugin's hook trusted.
func codexTrusting(plugin string) string {
	return `start codex and choose "Trust all and continue", or type /hooks there, choose Stop and press t; or springfield enable ` + plugin + " --host codex --trust"
}

// codexByHand says what is left to do: to trust the hook.
func codexByHand(ctx context.Context, r Request) []string {
	hooks, _, err := codexCopies(ctx, r.At, []string{r.Plugin.ID()})
	untrusted := err != nil
	for _, h := range hooks {
		untrusted = untrusted || !h.isTrusted()
	}
	if !untrusted {
		return nil
	}
	return []string{"Codex does not run the hook of " + r.Plugin.Name + " until you trust it: " + codexTrusting(r.Plugin.Name)}
}

// codexCopies lists the hooks of the copies that Codex runs of plugins.
func codexCopies(ctx context.Context, at Place, ids []string) (hooks []codexHook, problems []string, err error) {
	settings, err := codexSettings(at)
	if err != nil {
		return nil, nil, err
	}
	trial, done, err := at.TrialPlace()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	part, err := settings.PartOf("marketplaces", "plugins", "hooks", "features") // what says whether a hook runs
	if err == nil {
		err = os.WriteFile(trial.SettingsFile(), part, 0o600)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		name, market, _ := strings.Cut(id, "@")
		if !isPathPart(name) || !isPathPart(market) {
			continue
		}
		copies := filepath.Join("plugins", "cache", market, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(trial.Dir, copies)), 0o700), os.Symlink(filepath.Join(at.Dir, copies), filepath.Join(trial.Dir, copies))); err != nil {
			return nil, nil, err
		}
	}
	hooks, problems, err = codexHooks(ctx, trial)
	hooks = slices.DeleteFunc(hooks, func(h codexHook) bool { return !slices.Contains(ids, h.Plugin) })
	for n := range problems {
		problems[n] = strings.ReplaceAll(problems[n], trial.Dir, at.Dir)
	}
	return hooks, problems, err
}

// codexCheck asks Codex whether it runs the hooks of plugins that are on.
func codexCheck(ctx context.Context, at Place, on []Installed) (all []check.Finding) {
	if len(on) == 0 || at.Program == "" {
		return nil
	}
	ids := check.NamesOf(on, func(i Installed) string { return i.ID })
	hooks, problems, err := codexCopies(ctx, at, ids)
	if err != nil {
		return []check.Finding{check.Warned("codex does not say which hooks it trusts: "+err.Error(), "start codex and type /hooks")}
	}
	for _, i := range on {
		all = append(all, codexFinding(i, hooks, problems))
	}
	return all
}

// codexFinding is what Codex says of one plugin.
func codexFinding(i Installed, hooks []codexHook, problems []string) check.Finding {
	suite := ""
	if i.Suite != "" {
		suite = " " + check.QuoteArgument(i.Suite)
	}
	again := "springfield enable " + i.Name + " --host codex" + strings.Replace(suite, " ", " --suite ", 1)
	listed := false
	for _, h := range hooks {
		if h.Plugin != i.ID {
			continue
		}
		listed = true
		switch {
		case !h.Enabled:
			return check.Warned("the hook of "+i.Name+" is switched off in Codex",
				"start codex, type /hooks, and switch it on")
		case h.TrustStatus == "modified":
			return check.Failed(i.Name+" has changed since you trusted its hook, so Codex does not run it",
				codexTrusting(i.Name))
		case !h.isTrusted():
			return check.Failed("Codex does not run the hook of "+i.Name+": you have not trusted it yet",
				codexTrusting(i.Name))
		}
	}
	if !listed {
		for _, p := range problems {
			if i.Dir != "" && strings.Contains(p, filepath.Join(i.Name, filepath.Base(i.Dir))) {
				return check.Failed("Codex cannot read the hooks of "+i.Name+": "+p,
					"springfield update"+suite+", then "+again)
			}
		}
		return check.Failed("Codex lists no hook of "+i.Name, again)
	}
	return check.Passed("Codex trusts the hook of " + i.Name)
}
