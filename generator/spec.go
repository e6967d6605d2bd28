// Package generator turns answers into a suite: a directory of Claude Code plugins and compiled hooks that is
// its own marketplace.
//
// The steps are Spec.Validate, BuildPrograms, RenderSuite and MakePlan.
package generator

import (
	"cmp"
	"maps"
	"net/mail"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// Spec is the input of a suite.
type Spec struct {
	Marketplace string   `yaml:"marketplace"`
	Owner       Owner    `yaml:"owner"`
	Targets     []Target `yaml:"targets"`
	// Repository is OWNER/REPO of the marketplace. "" leaves it open in the READMEs.
	Repository string   `yaml:"repository,omitempty"`
	Plugins    []Plugin `yaml:"plugins"`
	Publish    *Publish `yaml:"publish,omitempty"` // nil: never published
}

// Owner owns the marketplace and is the author of all plugins in it.
type Owner struct {
	Name  string `yaml:"name"`
	Email string `yaml:"email,omitempty"`
}

type Plugin struct {
	Name     string            `yaml:"name"`
	Strategy string            `yaml:"strategy"`
	Version  string            `yaml:"version"`
	Settings map[string]string `yaml:"settings,omitempty"`
}

// FirstToEnable returns the plugin to begin with. There must be at least one.
func (s Spec) FirstToEnable() Plugin {
	i := slices.IndexFunc(s.Plugins, func(p Plugin) bool { return p.Strategy == registry.Default() })
	if i < 0 {
		i = slices.IndexFunc(s.Plugins, func(p Plugin) bool {
			known, _ := registry.StrategyNamed(p.Strategy)
			return known.Event == "Stop"
		})
	}
	return s.Plugins[max(i, 0)]
}

// FirstVersion is the first version of a plugin, unless the strategy sets one.
const FirstVersion = "0.1.0"

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ownerRepo matches a repository of GitHub that is neither a flag nor a path upwards.
var ownerRepo = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)

// looksOfficial matches marketplace names that the client reserves for its maker.
var looksOfficial = regexp.MustCompile(`official.*(claude|anthropic)|(claude|anthropic).*official|^(claude|anthropic)-?(marketplace|plugins)`)

// LooksOfficial reports whether a plugin's name suggests Anthropic.
func LooksOfficial(plugin string) bool {
	return looksOfficial.MatchString(plugin) || strings.HasPrefix(plugin, "anthropic-")
}

// CheckMarketplace returns an error if a name is empty, malformed or reserved.
func CheckMarketplace(name string) error {
	// Refused or reserved by the client, according to its documentation and its code.
	reserved := []string{
		"agent-skills", "anthropic-agent-skills", "anthropic-marketplace", "anthropic-plugins", "claude-code-marketplace",
		"claude-code-plugins", "claude-community", "claude-for-financial-services", "claude-for-legal", "claude-plugins-community",
		"claude-plugins-official", "financial-services-plugins", "first-party-plugins", "healthcare", "knowledge-work-plugins",
		"life-sciences", "builtin", "inline", "skills-dir", "synced", "org", "org-provisioned", "unknown",
	}
	switch {
	case name == "":
		return check.Misusef("pass --marketplace NAME", "the marketplace has no name")
	case !kebab.MatchString(name):
		return check.Misusef("use lower-case letters, digits and single dashes, like continuation-hooks",
			"%q is not a valid marketplace name", name)
	case slices.Contains(reserved, name) || looksOfficial.MatchString(name):
		return check.Misusef("choose a name of your own, like continuation-hooks",
			"the marketplace name %q is reserved", name)
	}
	return nil
}

// MarketplaceSlug converts a directory's name to a marketplace's name ("" if no letter or digit is left), which can be
// reserved.
func MarketplaceSlug(dirName string) string {
	dirName = cases.Fold().String(runes.Remove(runes.In(unicode.Mn)).String(norm.NFKD.String(dirName)))
	// Unicode does not decompose these.
	dirName = strings.NewReplacer("ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i").Replace(dirName)
	return strings.Join(strings.FieldsFunc(dirName, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }), "-")
}

// Validate returns the first error. Plugins need their version and all settings.
func (s Spec) Validate() (firstErr error) {
	if err := cmp.Or(CheckMarketplace(s.Marketplace), s.Owner.validate()); err != nil {
		return err
	}
	if len(s.Plugins) == 0 {
		return check.Misusef("pass --all, or --strategy with one of "+strings.Join(registry.StrategyNames(), ", "),
			"no plugin was chosen")
	}
	if err := CheckTargetSet(s.Targets); err != nil {
		return err
	}
	if s.Repository != "" && !ownerRepo.MatchString(s.Repository) {
		return check.Misusef("write it like on GitHub: evergreen/hooks", "the repository %q is not OWNER/REPO",
			s.Repository)
	}
	for i, p := range s.Plugins {
		if err := p.validate(); err != nil {
			return err
		}
		if slices.ContainsFunc(s.Plugins[:i], func(before Plugin) bool { return before.Name == p.Name }) {
			return check.Misusef("give every plugin its own name", "this suite already has a plugin %q", p.Name)
		}
	}
	return nil
}

// ParseOwner parses `Name` or `Name <address>`.
func ParseOwner(text string) (Owner, error) {
	o := Owner{Name: strings.TrimSpace(text)}
	if strings.Contains(text, "<") {
		address, err := mail.ParseAddress(o.Name)
		if err != nil || address.Name == "" {
			return Owner{}, check.Misusef(`write it as "Name <name@example.org>"`,
				"owner %q is not a name with an email address", text)
		}
		o = Owner{address.Name, address.Address}
	}
	return o, o.validate()
}

func (o Owner) String() string {
	if o.Email == "" {
		return o.Name
	}
	return o.Name + " <" + o.Email + ">"
}

func (o Owner) validate() error {
	switch {
	case strings.TrimSpace(o.Name) == "":
		return check.Misusef("pass --owner NAME", "the owner has no name")
	case strings.ContainsFunc(o.Name+o.Email, func(r rune) bool { return !display.IsShown(r) && !display.IsJoiner(r) }):
		return check.Misusef("write a name, like Marge Bouvier", "owner %q is not one line of text", o.Name)
	case o.Email == "":
		return nil
	}
	if a, err := mail.ParseAddress(o.Email); err != nil || a.Address != o.Email {
		return check.Misusef("write it like marge@example.org", "%q is not an email address", o.Email)
	}
	return nil
}

// NewPlugin sets the first version and defaults for missing settings.
func NewPlugin(name, strategy string, settings map[string]string) (Plugin, error) {
	about, _ := ReadAbout(strategy) // validate reports an unknown strategy
	p := Plugin{Name: name, Strategy: strategy, Version: about.Version, Settings: about.withDefaults(settings)}
	return p, p.validate()
}

func (p Plugin) validate() error {
	switch all := registry.StrategyNames(); {
	case !kebab.MatchString(p.Name):
		return check.Misusef("use lower-case letters, digits and single dashes", "%q is not a valid plugin name",
			p.Name)
	case !slices.Contains(all, p.Strategy):
		return check.Misusef(check.HintAtNames(p.Strategy, "", all, ""), "there is no strategy %q", p.Strategy)
	case p.Name != p.Strategy && slices.Contains(all, p.Name):
		return check.Misusef("choose another name, like my-"+p.Strategy,
			"a plugin from %s cannot be called %s, the name of another strategy", p.Strategy, p.Name)
	}
	about, err := ReadAbout(p.Strategy)
	if err != nil {
		return err
	}
	if _, err := semver.StrictNewVersion(p.Version); err != nil {
		return check.Misusef("use three numbers, like 0.1.0", "version %q of %s: %v", p.Version, p.Name, err)
	}
	known := check.NamesOf(about.Questions, func(q Question) string { return q.Key })
	for _, key := range slices.Concat(slices.Sorted(maps.Keys(p.Settings)), known) {
		i := slices.Index(known, key)
		if i < 0 {
			has := "it has " + cmp.Or(strings.Join(known, ", "), "none")
			return check.Misusef(check.HintAtNames(key, "", known, has), "%s has no setting %q", p.Name, key)
		}
		values := check.NamesOf(about.Questions[i].Choices, func(c Choice) string { return c.Value })
		if value := p.Settings[key]; !slices.Contains(values, value) {
			hint := check.HintAtNames(value, "", values, "choose "+strings.Join(values, " or "))
			return check.Misusef(hint, "%s.%s cannot be %q", p.Name, key, value)
		}
	}
	return nil
}
