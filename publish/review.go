package publish

// The review: what those who keep a marketplace ask before they take a plugin in,
// beyond its being valid, and what Claude Code says.

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/journal"
)

// maxPublished bounds a file, in bytes: git hosts refuse larger ones.
const maxPublished = 100 << 20

// HookLine is one hook that a plugin brings.
type HookLine struct {
	Plugin  string   `json:"plugin"`
	Event   string   `json:"event"`
	Command string   `json:"command"`
	Gate    string   `json:"gate"`  // what holds it back
	Hosts   []string `json:"hosts"` // that it talks to; none: nothing leaves the machine
}

// reviewRelease looks at the suite and at the other marketplace as they will be: our own
// checks, what marketplaces ask, what git ignores, and Claude Code.
func (m Means) reviewRelease(ctx context.Context, in inputs, after tree, releases []release, catalog journal.Edit) ([]HookLine, []check.Finding, error) {
	temporary, err := os.MkdirTemp("", "springfield-publish-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temporary)
	// Under its own name, which is that of the marketplace where none was given.
	stage := filepath.Join(temporary, filepath.Base(in.dir))
	if err := after.writeCopy(stage); err != nil {
		return nil, nil, err
	}
	valid, err := generator.Validate(stage, in.dir)
	if err != nil {
		return nil, nil, err
	}
	all := valid.Found
	if valid.Readable { // the rest hangs on what can be understood
		said, err := m.Client.Validate(ctx, stage, namesOf(valid.Suite.Plugins), m.Asking)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, said...)
	}
	var hooks []HookLine
	for _, r := range releases {
		lines, found, err := after.reviewPlugin(in.strategy(r.plugin), r.plugin)
		if err != nil {
			return nil, nil, err
		}
		ignored, err := r.ignored(ctx, after)
		if err != nil {
			return nil, nil, err
		}
		hooks, all = append(hooks, lines...), slices.Concat(all, found, ignored)
	}
	found, err := m.reviewMarket(ctx, in, catalog, temporary)
	return hooks, append(all, found...), err
}

// strategy is what a plugin of the suite is made from.
func (in inputs) strategy(plugin string) string {
	i := slices.IndexFunc(in.suite.Plugins, func(p generator.Plugin) bool { return p.Name == plugin })
	return in.suite.Plugins[i].Strategy
}

// reviewMarket has Claude Code look at another marketplace as it will be. What it
// warns of is that one's own affair.
func (m Means) reviewMarket(ctx context.Context, in inputs, catalog journal.Edit, temporary string) (found []check.Finding, err error) {
	if in.market.Own {
		if strings.TrimSpace(in.suite.Owner.Name) == "" {
			found = append(found, finding(generator.SuiteFile, "the marketplace has no owner", "owner: in "+generator.SuiteFile))
		}
		return found, nil
	}
	if err := generator.CheckMarketplace(in.market.Name); err != nil {
		found = append(found, check.Finding{Check: "review", State: check.Warning, File: in.market.Path, Says: err.Error(), Fix: "Claude Code takes such a name only from its owner"})
	}
	if !catalog.Changes() {
		return found, nil
	}
	dir := filepath.Join(temporary, "marketplace")
	if err := os.MkdirAll(filepath.Join(dir, ".claude-plugin"), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, ".claude-plugin", "marketplace.json"), catalog.After.Data, 0o644); err != nil {
		return nil, err
	}
	said, err := m.Client.Validate(ctx, dir, nil, m.Asking)
	return append(found, slices.DeleteFunc(said, func(f check.Finding) bool { return f.State != check.Failure })...), err
}

func finding(file, says, fix string) check.Finding {
	return check.Finding{Check: "review", State: check.Failure, File: file, Says: says, Fix: fix}
}

// manifest is what a review reads of a plugin.json, and hooks of a hooks.json.
type manifest struct {
	Description, License string
	Author               struct{ Name string }
	Network              struct{ Hosts []string }
}

type hooksFile struct {
	Hooks map[string][]struct {
		Hooks []struct{ Command string }
	}
}

func (t tree) reviewPlugin(strategy, plugin string) (hooks []HookLine, found []check.Finding, err error) {
	file := path.Join(plugin, ".claude-plugin", "plugin.json")
	var m manifest
	if err := t.readJSON(file, &m); err != nil {
		return nil, nil, err
	}
	about, err := generator.ReadAbout(strategy)
	if err != nil {
		return nil, nil, err
	}
	found = m.reviewManifest(file, plugin, anotherName(t.dir))
	if icon := path.Join(plugin, ".claude-plugin", "icon.png"); !t.hasFile(icon) {
		found = append(found, finding(icon, "no icon", "springfield init "+check.QuoteArgument(t.dir)+" adds it"))
	}
	for _, name := range t.listFiles(plugin) {
		if generator.IsLitter(path.Base(name)) {
			found = append(found, finding(name, "it does not belong in a plugin, and every user would get it", "remove it"))
		}
		if t.sizeOf(name) > maxPublished {
			found = append(found, finding(name, fmt.Sprintf("larger than %d MB, which git hosts refuse", maxPublished>>20), "take it out"))
		}
	}
	// The manifest's own list is for those who publish: Claude Code 2.1.197 takes no
	// such member when it is strict.
	hosts := append([]string{}, slices.Compact(slices.Sorted(slices.Values(slices.Concat(about.Hosts, m.Network.Hosts))))...) // never null in JSON
	commands, err := t.commands(plugin)
	for _, c := range commands {
		hooks = append(hooks, HookLine{plugin, c.event, c.command, about.Gated(), hosts})
	}
	return hooks, found, err
}

type command struct{ event, command string }

// commands are what the hosts start for a plugin, each named once.
func (t tree) commands(plugin string) (all []command, err error) {
	for i, name := range []string{"hooks/hooks.json", "hooks/shell.json", "qwen/hooks/hooks.json", "gemini/hooks/hooks.json"} {
		file := path.Join(plugin, name)
		if i > 0 && !t.hasFile(file) {
			continue
		}
		var declared hooksFile
		if err := t.readJSON(file, &declared); err != nil {
			return nil, err
		}
		for event, groups := range declared.Hooks {
			for _, group := range groups {
				for _, hook := range group.Hooks {
					all = append(all, command{event, strings.Trim(hook.Command, `"`)})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b command) int { return strings.Compare(a.event+a.command, b.event+b.command) })
	return slices.Compact(all), nil
}

// anotherName is how to make a plugin that cannot be published under its name anew.
func anotherName(suite string) string {
	return "springfield new NAME --from STRATEGY --suite " + check.QuoteArgument(suite) + " makes a plugin under another name"
}

func (m manifest) reviewManifest(file, plugin, anotherName string) (found []check.Finding) {
	add := func(says, fix string) { found = append(found, finding(file, says, fix)) }
	says := strings.ToLower(m.Description)
	leaves := append([]string{"leaves the machine", "leaves your machine", "network"}, m.Network.Hosts...)
	switch {
	case strings.TrimSpace(says) == "":
		add("no description", "say which hook it is, what it reads, and what leaves the machine")
	case !strings.Contains(says, "hook"):
		add("its description does not say that it is a hook",
			"name the hook and what it reads: those who install it let it run")
	case !slices.ContainsFunc(leaves, func(word string) bool { return strings.Contains(says, strings.ToLower(word)) }):
		add("its description does not say what leaves the machine", "say so, or that nothing leaves the machine")
	}
	if generator.LooksOfficial(plugin) {
		add(fmt.Sprintf("its name, %s, looks as if it came from Claude's maker", plugin), anotherName)
	}
	if isDevice(plugin) {
		add(fmt.Sprintf("its name, %s, is a device on Windows, where no directory can have that name", plugin),
			anotherName)
	}
	if m.License == "" {
		add("no license", `"license": "MIT", or the one it is under`)
	}
	if m.Author.Name == "" {
		add("no author", `"author": {"name": …}`)
	}
	return found
}

// isDevice tells names that Windows keeps for itself.
func isDevice(name string) bool {
	if len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) {
		return name[3] >= '0' && name[3] <= '9'
	}
	return slices.Contains([]string{"con", "prn", "aux", "nul"}, name)
}

// ignored are files of a release that git ignores, so that clients would not get
// them.
func (r release) ignored(ctx context.Context, after tree) (found []check.Finding, err error) {
	if r.around.repo == nil {
		return nil, nil
	}
	ignored, err := r.around.repo.Ignored(ctx, r.around.namesInRepo(after.listFiles(r.plugin)))
	for _, file := range ignored {
		inside := strings.TrimPrefix(strings.TrimPrefix(file, r.around.place), "/")
		found = append(found, finding(inside, "git ignores it, so clients would not get it", "git add --force it, or take it out of the plugin"))
	}
	return found, err
}
