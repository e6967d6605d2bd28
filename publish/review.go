package publish

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
)

// maxPublished limits a file, in bytes, because git hosts refuse larger ones.
const maxPublished = 100 << 20

// ClientCheck returns a check to validate the suite in dir with Claude Code. If there is a claude command, the check
// first calls asking with text like "Claude Code 2.1.0". asking is set.
func ClientCheck(c client.Command, dir string, asking func(client string)) check.Check[generator.Suite] {
	return check.Check[generator.Suite]{Name: "client",
		Look: func(ctx context.Context, s generator.Suite) ([]check.Finding, error) {
			names := check.NamesOf(s.Plugins, func(p generator.Plugin) string { return p.Name })
			return c.Validate(ctx, dir, names, asking)
		}}
}

func (m Means) reviewRelease(ctx context.Context, in inputs, after plannedTree, releases []release) ([]check.Finding, error) {
	temporary, err := os.MkdirTemp("", "springfield-publish-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	// The base name must be the suite's, because it is the marketplace's default name.
	stage := filepath.Join(temporary, filepath.Base(in.dir))
	if err := after.writeCopy(stage); err != nil {
		return nil, err
	}
	valid, err := generator.Validate(ctx, stage, in.dir, ClientCheck(m.Client, stage, m.Asking))
	if err != nil {
		return nil, err
	}
	found, err := check.RunAll(ctx, after, check.Check[plannedTree]{Name: "review",
		Look: func(ctx context.Context, after plannedTree) ([]check.Finding, error) {
			return in.ourReview(ctx, after, releases)
		}})
	return append(valid, found...), err
}

func (in inputs) ourReview(ctx context.Context, after plannedTree, releases []release) (found []check.Finding, err error) {
	var files, ignored []string
	for _, r := range releases {
		for _, name := range after.filesBelow(r.plugin) {
			files = append(files, path.Join(in.around.place, name))
		}
	}
	if in.around.repo != nil {
		ignored, err = in.around.repo.Ignored(ctx, files)
	}
	for _, r := range releases {
		found = append(found, r.reviewPlugin(after, ignored)...)
	}
	if wrong := generator.CheckMarketplace(in.market.Name); !in.market.Own && wrong != nil {
		found = append(found, check.Finding{State: check.Warning, File: in.market.Path, Says: wrong.Error(),
			Fix: "rename the marketplace, because Claude Code accepts this name only from its owner"})
	}
	return found, err
}

func failure(file, says, fix string) check.Finding {
	return check.Finding{State: check.Failure, File: file, Says: says, Fix: fix}
}

// reviewPlugin returns the plugin's failures. gitIgnored is relative to the repository's root.
func (r release) reviewPlugin(t plannedTree, gitIgnored []string) (found []check.Finding) {
	if generator.LooksOfficial(r.plugin) {
		found = append(found, failure(path.Join(r.plugin, ".claude-plugin", "plugin.json"),
			fmt.Sprintf("its name, %s, looks as if the plugin came from Anthropic", r.plugin), hintOtherName(t.in.Name())))
	}
	icon := path.Join(r.plugin, ".claude-plugin", "icon.png")
	if _, there := t.files[icon]; !there {
		found = append(found, failure(icon, "no icon", "springfield init "+check.QuoteArgument(t.in.Name())))
	}
	for _, name := range t.filesBelow(r.plugin) {
		if generator.IsUnwanted(path.Base(name)) {
			found = append(found, failure(name, "it does not belong in a plugin, and every user would get it", "remove it"))
		}
		if t.files[name].size > maxPublished {
			found = append(found, failure(name, fmt.Sprintf("larger than %d MB, which git hosts reject", maxPublished>>20), "remove it"))
		}
	}
	for _, file := range gitIgnored {
		if inside, ok := strings.CutPrefix(file, r.place+"/"); ok {
			found = append(found, failure(path.Join(r.plugin, inside), "git ignores it, so clients would not get it", "add it with git add --force, or remove it from the plugin"))
		}
	}
	return found
}

func hintOtherName(suiteDir string) string {
	return "run springfield new NAME --from STRATEGY --suite " + check.QuoteArgument(suiteDir) + " to make a plugin with another name"
}
